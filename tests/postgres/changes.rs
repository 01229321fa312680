//! Types and sources that come, change and retire in later migrations.

use onlyonce::emit::changes;
use onlyonce::manifest::Roles;
use onlyonce::manifest::diff::{Change, Emitted, EmittedAction, EmittedInbound};
use serde_json::json;
use uuid::Uuid;

use crate::ledger::{Ledger, ask, emitted, go, on_every_major, record, refusal, reserve, try_reserve};

/// The migration of these changes, there and back, as a tool runs it.
fn migration(ledger: &Emitted, change: Change) -> (String, String) {
    let statements = changes::changes(ledger, &[change]).unwrap();
    let whole = |statements: &[String]| format!("BEGIN;\n{};\nCOMMIT;\n", statements.join(";\n"));
    (whole(&statements.up), whole(&statements.down))
}

#[tokio::test]
async fn a_type_comes_changes_and_retires() {
    on_every_major(type_comes_and_goes).await;
}

async fn type_comes_and_goes(ledger: &Ledger) {
    let whole = emitted(Roles::Create);
    let worker = ledger.worker().await;
    let first = whole.actions["send"].clone();
    let name = "reminder".to_owned();

    let (add, remove) = migration(&whole, Change::ActionAdded { name: name.clone(), action: first.clone() });
    ledger.database.run(&add).await;
    ledger.database.run(&remove).await;
    let refused = try_reserve(&worker, &name, "a", Uuid::new_v4(), &json!({})).await;
    assert_eq!(refused.map(|answer| answer.verdict), Err("OO002".to_owned()));
    ledger.database.run(&add).await;
    let token = go(&worker, &name, "a").await;
    assert_eq!(refusal(&ledger.root, &remove).await, "OO004", "its keys have to be remembered");
    ledger.root.batch_execute("ROLLBACK; RESET ROLE").await.unwrap();

    let after = EmittedAction { max_attempts: 1, ..first.clone() };
    let change = Change::ActionChanged { name: name.clone(), before: first.clone(), after: after.clone() };
    let (there, back) = migration(&whole, change);
    let attempts = async || -> i32 {
        let attempts = "SELECT max_attempts FROM onlyonce.action_types WHERE name = $1";
        ledger.root.query_one(attempts, &[&name]).await.unwrap().get(0)
    };
    ledger.database.run(&there).await;
    assert_eq!(attempts().await, 1);
    ledger.database.run(&back).await;
    assert_eq!(attempts().await, 2);

    let (retire, revive) = migration(&whole, Change::ActionRetired { name: name.clone(), before: first });
    ledger.database.run(&retire).await;
    let refused = try_reserve(&worker, &name, "b", Uuid::new_v4(), &json!({})).await;
    assert_eq!(refused.map(|answer| answer.verdict), Err("OO002".to_owned()), "nothing new");
    assert_eq!(record(&worker, &name, "a", token, "sent").await, "recorded", "what is under way settles");
    assert_eq!(reserve(&worker, &name, "a").await, "sent");
    ledger.database.run(&revive).await;
    go(&worker, &name, "b").await;
}

#[tokio::test]
async fn a_source_comes_changes_and_retires() {
    on_every_major(source_comes_and_goes).await;
}

async fn source_comes_and_goes(ledger: &Ledger) {
    let whole = emitted(Roles::Create);
    let worker = ledger.worker().await;
    let first = whole.inbound["claimed"].clone();
    let accept = async |id: &str, token: Uuid| ask(&worker, "accept_event", &[&"late", &id, &token, &json!({})]).await;

    let (add, remove) = migration(&whole, Change::InboundAdded { name: "late".to_owned(), inbound: first.clone() });
    ledger.database.run(&add).await;
    ledger.database.run(&remove).await;
    assert_eq!(accept("a", Uuid::new_v4()).await, Err("OO002".to_owned()));
    ledger.database.run(&add).await;
    let token = Uuid::new_v4();
    assert_eq!(accept("a", token).await.as_deref(), Ok("fresh"));
    assert_eq!(refusal(&ledger.root, &remove).await, "OO004", "its ids have to be remembered");
    ledger.root.batch_execute("ROLLBACK; RESET ROLE").await.unwrap();

    let after = EmittedInbound { retention: 5 * first.retention, ..first.clone() };
    let change = Change::InboundChanged { name: "late".to_owned(), before: first.clone(), after };
    let (there, back) = migration(&whole, change);
    ledger.database.run(&there).await;
    assert_eq!(ledger.health("retention_margin_seconds.late").await, 14.0);
    ledger.database.run(&back).await;
    assert_eq!(ledger.health("retention_margin_seconds.late").await, 2.0);

    let (retire, revive) = migration(&whole, Change::InboundRetired { name: "late".to_owned(), before: first });
    ledger.database.run(&retire).await;
    assert_eq!(accept("b", Uuid::new_v4()).await, Err("OO002".to_owned()), "nothing new");
    assert_eq!(ask(&worker, "finish_event", &[&"late", &"a", &token]).await.as_deref(), Ok("finished"));
    assert_eq!(accept("a", Uuid::new_v4()).await.as_deref(), Ok("duplicate"));
    ledger.database.run(&revive).await;
    assert_eq!(accept("b", Uuid::new_v4()).await.as_deref(), Ok("fresh"));
}
