//! PgBouncer in transaction mode, which hands every transaction to whichever session is free.

use std::time::{Duration, SystemTime};

use serde_json::json;

use super::client::keys::Reply;
use super::client::{Accepted, Outcome, SendError, sources};
use super::world::World;
use super::{connect, ledger};
use crate::support::pooler::Pooler;

#[tokio::test]
async fn a_pooler_that_knows_no_prepared_statements_may_stand_between() {
    let world = World::new().await;
    let pooler = Pooler::start(&world.database, &["generated_app"], 3);
    let ledger = ledger(&connect(&pooler.url("generated_app"), 12).await);
    let before = refused(&world).await;
    let work = (0..96).map(|number| {
        let (ledger, provider) = (ledger.clone(), world.provider.clone());
        tokio::spawn(async move {
            let message = format!("m{}", number % 12);
            let event = format!("e{number}");
            let now = Some(SystemTime::now());
            let accepted = ledger.accept_event(sources::HOOK, &event, &json!({ "n": number }), now).await.unwrap();
            let Accepted::Fresh(claim) = accepted else { panic!("{accepted:?}") };
            let send = |text: String, _| async move { Ok::<_, SendError>(provider.take(text)) };
            let outcome = ledger.once(&Reply { message: &message }, message.clone(), send).await.unwrap();
            assert!(matches!(outcome, Outcome::Sent(_) | Outcome::InProgress), "{outcome:?}");
            assert!(!ledger.confirm::<Reply<'_>>("another", "m9", "its log").await.unwrap());
            claim.finish().await.unwrap();
        })
    });
    for worker in work.collect::<Vec<_>>() {
        worker.await.unwrap();
    }
    let mut taken = world.provider.taken();
    taken.sort();
    taken.dedup();
    assert_eq!((taken.len(), world.provider.taken().len()), (12, 12));
    assert_eq!(refused(&world).await, before, "a statement went to a session that did not know it");
}

/// How many statements failed in this database, which asking again hides. Sessions tell within a second.
async fn refused(world: &World) -> i64 {
    tokio::time::sleep(Duration::from_secs(2)).await;
    let query = "SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()";
    world.database.connect().await.query_one(query, &[]).await.unwrap().get(0)
}
