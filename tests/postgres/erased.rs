//! What was erased stays away, and is a dead end for nobody.

use serde_json::{Value, json};
use tokio_postgres::Client;
use uuid::Uuid;

use crate::gate::behind;
use crate::ledger::{Ledger, ask, go, on_every_major, pass_deadline, record, reserve, resolve, try_reserve};

/// What must not come back.
const PERSON: &str = "eve@example.org";

async fn erase(person: &Client, key: &str) -> Result<String, String> {
    ask(person, "erase", &[&"send", &key, &"kim"]).await
}

async fn demand_gone(ledger: &Ledger) {
    for table in ["actions", "transition_log", "late_evidence"] {
        let left = format!("SELECT FROM onlyonce.{table} AS t WHERE t::text LIKE '%{PERSON}%'");
        assert_eq!(ledger.root.query(&left, &[]).await.unwrap().len(), 0, "{table}");
    }
}

#[tokio::test]
async fn what_is_told_of_an_erased_action_brings_nothing_back() {
    on_every_major(told_later).await;
}

pub(crate) async fn told_later(ledger: &Ledger) {
    let (worker, person) = (ledger.worker().await, ledger.person().await);
    let mut tokens = Vec::new();
    for key in ["confirmed", "sent", "rejected", "not_attempted", "fenced"] {
        let token = Uuid::new_v4();
        try_reserve(&worker, "send", key, token, &json!({"to": PERSON})).await.unwrap();
        tokens.push((key, token));
    }
    pass_deadline().await;
    for (key, _) in &tokens {
        assert_eq!(erase(&person, key).await.as_deref(), Ok("erased"), "{key}");
    }
    let confirm = async |key: &str, id: &str| ask(&worker, "confirm", &[&"send", &key, &id, &PERSON]).await;
    for (key, token) in tokens {
        let told = match key {
            "confirmed" => confirm(key, "m").await,
            "fenced" => {
                resolve(&person, "send", key, 1, "abandon").await.unwrap();
                confirm(key, "m").await
            }
            outcome => {
                let result = json!({"to": PERSON});
                ask(&worker, "record", &[&"send", &key, &token, &outcome, &None::<String>, &result, &PERSON]).await
            }
        };
        assert_eq!(told.as_deref(), Ok(if key == "fenced" { "fenced" } else { "recorded" }), "{key}");
    }
    // Of what came late the message id stays.
    assert_eq!(confirm("confirmed", "other").await.as_deref(), Ok("already"));
    let late = "SELECT count(*) FROM onlyonce.late_evidence WHERE message_id IN ('m', 'other')";
    assert_eq!(ledger.root.query_one(late, &[]).await.unwrap().get::<_, i64>(0), 2);
    demand_gone(ledger).await;
}

#[tokio::test]
async fn what_comes_late_while_it_is_being_erased_is_not_kept() {
    on_every_major(told_meanwhile).await;
}

pub(crate) async fn told_meanwhile(ledger: &Ledger) {
    let (worker, person) = (ledger.worker().await, ledger.person().await);
    let token = go(&worker, "send", "a").await;
    record(&worker, "send", "a", token, "sent").await;
    person.batch_execute("BEGIN; SELECT onlyonce.erase('send', 'a', 'kim')").await.unwrap();
    let mut telling = tokio::task::JoinSet::new();
    for call in [
        format!("record('send', 'a', gen_random_uuid(), 'sent', 'm', '\"{PERSON}\"')"),
        format!("confirm('send', 'a', 'm', '{PERSON}')"),
    ] {
        let worker = ledger.worker().await;
        telling.spawn(async move {
            worker.query_one(&format!("SELECT onlyonce.{call}"), &[]).await.unwrap().get::<_, String>(0)
        });
    }
    behind(&ledger.root, 2).await;
    person.batch_execute("COMMIT").await.unwrap();
    let mut told = telling.join_all().await;
    told.sort();
    assert_eq!(told, ["already", "fenced"]);
    demand_gone(ledger).await;
}

#[tokio::test]
async fn what_was_erased_before_it_was_sent_waits_until_a_person_ends_it() {
    on_every_major(ended).await;
}

pub(crate) async fn ended(ledger: &Ledger) {
    let (worker, person) = (ledger.worker().await, ledger.person().await);
    for key in ["not_attempted", "released"] {
        let token = go(&worker, "send", key).await;
        record(&worker, "send", key, token, if key == "released" { "rejected" } else { key }).await;
    }
    resolve(&person, "send", "released", 1, "not_sent").await.unwrap();
    for key in ["not_attempted", "released"] {
        let early = resolve(&person, "send", key, 1, "abandon").await;
        assert_eq!(early, Err("OO004".to_owned()), "{key} goes again by itself");
        assert!(ledger.queued(key).await.is_empty());
    }
    assert_eq!((ledger.health("may_go_again").await, ledger.health("exhausted").await), (2.0, 0.0));
    for key in ["not_attempted", "released"] {
        assert_eq!(erase(&person, key).await.as_deref(), Ok("erased"));
        assert_eq!(ledger.queued(key).await, ["exhausted"], "{key}: somebody has to know");
        assert_eq!(reserve(&worker, "send", key).await, "failed", "there is nothing to send");
        assert_eq!(ledger.state("send", key).await.1.as_deref(), Some(key), "its state stays");
    }
    assert_eq!((ledger.health("may_go_again").await, ledger.health("exhausted").await), (0.0, 2.0));
    for key in ["not_attempted", "released"] {
        for decision in ["not_sent", "sent"] {
            assert_eq!(resolve(&person, "send", key, 1, decision).await, Err("OO004".to_owned()), "{key}: {decision}");
        }
        assert_eq!(resolve(&person, "send", key, 1, "abandon").await.as_deref(), Ok("resolved"));
        assert_eq!(ledger.state("send", key).await.1.as_deref(), Some("abandoned"));
        assert!(ledger.queued(key).await.is_empty());
    }
    assert_eq!(ledger.health("exhausted").await, 0.0);
}

#[tokio::test]
async fn what_came_late_is_kept_no_longer_than_its_type_says() {
    on_every_major(late_results).await;
}

pub(crate) async fn late_results(ledger: &Ledger) {
    let worker = ledger.worker().await;
    for key in ["done", "open"] {
        let token = go(&worker, "kept", key).await;
        if key == "done" {
            record(&worker, "kept", key, token, "sent").await;
        }
    }
    // Of a settled action, of one that is not, and of one that the ledger does not know, or no more.
    for key in ["done", "open", "lost"] {
        let late: [&(dyn tokio_postgres::types::ToSql + Sync); 6] =
            [&"kept", &key, &Uuid::new_v4(), &"sent", &"late", &json!({"to": PERSON})];
        assert_eq!(ask(&worker, "record", &late).await.as_deref(), Ok("fenced"), "{key}");
    }
    let kept = async || {
        let rows = "SELECT idempotency_key, message_id, result FROM onlyonce.late_evidence ORDER BY 1";
        let rows = ledger.root.query(rows, &[]).await.unwrap();
        rows.iter().map(|row| (row.get(0), row.get::<_, Option<Value>>(2).is_some())).collect::<Vec<(String, bool)>>()
    };
    let of = |rows: &[(&str, bool)]| rows.iter().map(|(key, whole)| ((*key).to_owned(), *whole)).collect::<Vec<_>>();
    let purge = async || ledger.keeper().await.batch_execute("SELECT onlyonce.purge()").await.unwrap();
    purge().await;
    assert_eq!(kept().await, of(&[("done", true), ("lost", true), ("open", true)]), "nothing is past its time");
    // With its action, whenever it came.
    let younger = "ALTER TABLE onlyonce.late_evidence DISABLE TRIGGER ALL;
        UPDATE onlyonce.late_evidence SET at = at + interval '1 hour' WHERE idempotency_key = 'done';
        ALTER TABLE onlyonce.late_evidence ENABLE ALWAYS TRIGGER late_evidence_guard";
    ledger.database.run(younger).await;
    pass_deadline().await;
    purge().await;
    assert_eq!(kept().await, of(&[("done", false), ("lost", false), ("open", true)]), "nothing unfinished is touched");
    pass_deadline().await;
    purge().await;
    assert_eq!(kept().await, of(&[("open", true)]), "the rest goes with the key");
}
