//! What `accept_event`, `accept_event_in` and `Claim` do.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::accept_in;
use super::client::{Accepted, Claim, LedgerError, sources};
use super::world::World;

const SHOP: (&str, &Value) = (sources::SHOP, &Value::Null);

async fn accept(world: &World, text: &str) -> Accepted {
    let now = Some(SystemTime::now());
    world.ledger.accept_event(sources::HOOK, "e1", &json!({ "text": text }), now).await.unwrap()
}

async fn fresh(world: &World) -> Claim {
    match accept(world, "hello").await {
        Accepted::Fresh(claim) => claim,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_claim_is_held_then_finished() {
    let world = World::new().await;
    let claim = fresh(&world).await;
    assert!(matches!(accept(&world, "hello").await, Accepted::InProgress));
    claim.finish().await.unwrap();
    assert!(matches!(accept(&world, "hello").await, Accepted::Duplicate));
    assert!(matches!(accept(&world, "another body").await, Accepted::Conflict));
}

#[tokio::test]
async fn a_claim_that_is_not_finished_is_claimed_again_and_the_first_one_fenced() {
    let world = World::new().await;
    let first = fresh(&world).await;
    tokio::time::sleep(Duration::from_millis(1_300)).await;
    let Accepted::Reclaimed(second) = accept(&world, "hello").await else { panic!("not reclaimed") };
    assert!(matches!(first.finish().await, Err(LedgerError::Fenced)));
    second.finish().await.unwrap();
}

#[tokio::test]
async fn of_many_deliveries_at_once_one_is_fresh() {
    let world = World::new().await;
    let deliveries = (0..16).map(|_| {
        let ledger = world.ledger.clone();
        tokio::spawn(async move { ledger.accept_event(sources::HOOK, "e1", &json!(1), None).await.unwrap() })
    });
    let mut fresh = 0;
    for delivery in deliveries.collect::<Vec<_>>() {
        match delivery.await.unwrap() {
            Accepted::Fresh(_) => fresh += 1,
            Accepted::InProgress => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(fresh, 1);
}

#[tokio::test]
async fn an_event_from_before_the_retention_is_stale() {
    let world = World::new().await;
    let old = SystemTime::now().checked_sub(Duration::from_hours(15 * 24));
    let accepted = world.ledger.accept_event(sources::HOOK, "e1", &json!(1), old).await.unwrap();
    assert!(matches!(accepted, Accepted::Stale));
}

#[tokio::test]
async fn an_event_counts_with_the_transaction_of_its_effect() {
    let world = World::new().await;
    for commits in [false, true] {
        let Accepted::Fresh(claim) = accept_in(&world.pool, &world.ledger, SHOP, commits).await.unwrap() else {
            panic!("a rollback frees the id")
        };
        claim.finish().await.unwrap();
    }
    let accepted = accept_in(&world.pool, &world.ledger, SHOP, true).await;
    assert!(matches!(accepted.unwrap(), Accepted::Duplicate));
}

#[tokio::test]
async fn a_source_is_accepted_in_its_own_mode_only() {
    let world = World::new().await;
    let claimed = world.ledger.accept_event(sources::SHOP, "e1", &json!(1), None).await;
    assert!(matches!(claimed, Err(LedgerError::WrongMode)));
    let enclosed = accept_in(&world.pool, &world.ledger, (sources::HOOK, &Value::Null), true).await;
    assert!(matches!(enclosed, Err(LedgerError::WrongMode)));
}

#[tokio::test]
async fn a_body_that_cannot_be_kept_is_refused() {
    let world = World::new().await;
    let refused = world.ledger.accept_event(sources::HOOK, "e1", &json!("a\0b"), None).await;
    assert!(matches!(refused, Err(LedgerError::NulCharacter)));
}
