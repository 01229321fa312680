//! `Ledger::new`, over one connection that the caller gives.

use std::time::{Duration, Instant};

use serde_json::json;

use super::client::keys::Reply;
use super::client::{Accepted, DatabaseError, Ledger, LedgerError, Outcome, Receipt, SendError, sources};
use super::world::World;

const KEY: Reply<'static> = Reply { message: "m1" };

async fn over_one(world: &World) -> Ledger {
    Ledger::new(world.database.connect_as("generated_app").await)
}

async fn end(world: &World) {
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'generated_app'
               AND datname = current_database()";
    world.database.run(end).await;
}

#[tokio::test]
async fn many_workers_share_it() {
    let world = World::new().await;
    let ledger = over_one(&world).await;
    let work = (0..32).map(|number| {
        let (ledger, provider) = (ledger.clone(), world.provider.clone());
        tokio::spawn(async move {
            let send = |text: String, _| async move { Ok::<_, SendError>(provider.take(text)) };
            ledger.once(&KEY, number.to_string(), send).await.unwrap()
        })
    });
    for worker in work.collect::<Vec<_>>() {
        let outcome = worker.await.unwrap();
        assert!(matches!(outcome, Outcome::Sent(_) | Outcome::InProgress), "{outcome:?}");
    }
    assert_eq!(world.provider.taken().len(), 1);
    let accepted = ledger.accept_event(sources::HOOK, "e1", &json!(1), None).await.unwrap();
    let Accepted::Fresh(claim) = accepted else { panic!("{accepted:?}") };
    claim.finish().await.unwrap();
}

#[tokio::test]
async fn when_it_is_lost_the_outcome_is_left_to_the_sweep_without_delay_and_nothing_more_is_sent() {
    let world = World::new().await;
    let ledger = over_one(&world).await;
    let send = |(), _| async {
        let receipt = world.provider.take("one");
        end(&world).await;
        Ok(receipt)
    };
    let begun = Instant::now();
    let lost = ledger.once(&KEY, (), send).await;
    assert!(matches!(lost, Err(LedgerError::Unrecorded("sent", _))), "{lost:?}");
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    assert_eq!(world.row("status").await.as_deref(), Some("pending"));

    let again = ledger.once(&KEY, (), |(), _| async { Ok(Receipt::id("second")) }).await;
    assert!(matches!(again, Err(LedgerError::Database(DatabaseError::Closed))), "{again:?}");
    tokio::time::sleep(Duration::from_millis(2_300)).await;
    let other = world.ledger.once(&KEY, (), |(), _| async { Ok(Receipt::id("second")) }).await;
    assert_eq!(other.unwrap(), Outcome::Unknown);
    assert_eq!(world.provider.taken(), ["one"]);
}
