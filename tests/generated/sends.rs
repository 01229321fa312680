//! What `once`, `reserve` and `Permit` do.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Barrier;
use uuid::Uuid;

use super::client::keys::{Everything, Plan, Reply};
use super::client::{LedgerError, Outcome, Receipt, Reservation, SendError};
use super::world::World;
use super::{close, connect, ledger, reach};

const KEY: Reply<'static> = Reply { message: "m1" };

/// Past the pending_timeout of `reply` and `plan`.
const PAST_DEADLINE: Duration = Duration::from_millis(2_300);

async fn reply(world: &World, text: &str) -> Outcome {
    let send = |text: String, _| async { Ok(world.provider.take(text)) };
    world.ledger.once(&KEY, text.to_owned(), send).await.unwrap()
}

async fn fail(world: &World, text: &str, error: SendError) -> Outcome {
    world.ledger.once(&KEY, text.to_owned(), |_, _| async { Err(error) }).await.unwrap()
}

#[tokio::test]
async fn a_repeat_gets_the_receipt_of_the_one_time() {
    let world = World::new().await;
    for text in ["one", "two"] {
        assert_eq!(reply(&world, text).await, Outcome::Sent(Receipt::id("m1")));
    }
    assert_eq!(world.provider.taken(), ["one"]);
    assert_eq!(world.row("status").await.as_deref(), Some("sent"));
}

#[tokio::test]
async fn of_many_workers_one_sends() {
    let world = World::new().await;
    let work = (0..64).map(|number| {
        let (ledger, provider) = (world.ledger.clone(), world.provider.clone());
        tokio::spawn(async move {
            ledger.once(&KEY, number.to_string(), |text, _| async move { Ok(provider.take(text)) }).await.unwrap()
        })
    });
    for worker in work.collect::<Vec<_>>() {
        let outcome = worker.await.unwrap();
        assert!(matches!(outcome, Outcome::Sent(_) | Outcome::InProgress), "{outcome:?}");
    }
    assert_eq!(world.provider.taken().len(), 1);
}

#[tokio::test]
async fn a_refusal_stands() {
    let world = World::new().await;
    let failed = fail(&world, "one", SendError::Rejected("422: no such number".to_owned())).await;
    assert_eq!(failed, reply(&world, "two").await);
    assert!(matches!(failed, Outcome::Failed(failure) if failure.reason == "422: no such number"));
    assert!(world.provider.taken().is_empty());
}

#[tokio::test]
async fn what_never_left_us_goes_again_with_the_payload_that_was_kept_first() {
    let world = World::new().await;
    let failed = fail(&world, "one", SendError::NotAttempted("refused".to_owned())).await;
    assert!(matches!(failed, Outcome::Failed(_)));
    assert_eq!(reply(&world, "two").await, Outcome::Sent(Receipt::id("m1")));
    assert_eq!(world.provider.taken(), ["one"]);
    assert_eq!(world.row("attempt").await.as_deref(), Some("2"));
}

#[tokio::test]
async fn attempts_are_limited() {
    let world = World::new().await;
    for _ in 0..2 {
        let _ = fail(&world, "one", SendError::NotAttempted("refused".to_owned())).await;
    }
    let third = reply(&world, "one").await;
    assert!(matches!(&third, Outcome::Failed(failure) if failure.reason.starts_with("exhausted")), "{third:?}");
    assert!(world.provider.taken().is_empty());
}

#[tokio::test]
async fn an_unknown_outcome_is_never_sent_again() {
    let world = World::new().await;
    assert_eq!(fail(&world, "one", SendError::Unknown("reset".to_owned())).await, Outcome::Unknown);
    assert_eq!(reply(&world, "one").await, Outcome::Unknown);
    tokio::time::sleep(PAST_DEADLINE).await;
    assert_eq!(reply(&world, "one").await, Outcome::Unknown);
    assert!(world.provider.taken().is_empty());
    assert_eq!(world.row("reason").await.as_deref(), Some("reset"));
}

#[tokio::test]
async fn a_call_that_outlives_the_budget_is_given_up_and_unknown() {
    let world = World::new().await;
    let outcome = world.ledger.once(&KEY, (), |(), slot| async move {
        assert!(slot.time_left() <= Duration::from_secs(1));
        tokio::time::sleep(Duration::from_secs(60)).await;
        Ok(Receipt::id("late"))
    });
    assert_eq!(outcome.await.unwrap(), Outcome::Unknown);
    assert_eq!(world.row("status").await.as_deref(), Some("unknown"));
}

#[tokio::test]
async fn a_dropped_call_records_nothing_and_becomes_unknown() {
    let world = World::new().await;
    let call = world.ledger.once(&KEY, "one".to_owned(), |text, _| async {
        world.provider.take(text);
        std::future::pending::<Result<Receipt, SendError>>().await
    });
    assert!(tokio::time::timeout(Duration::from_millis(500), call).await.is_err());
    assert_eq!(world.row("status").await.as_deref(), Some("pending"));
    assert_eq!(reply(&world, "one").await, Outcome::InProgress);

    tokio::time::sleep(PAST_DEADLINE).await;
    assert_eq!(reply(&world, "one").await, Outcome::Unknown, "before any sweep");
    let swept = world.database.connect().await.query_one("SELECT onlyonce.sweep()", &[]).await.unwrap();
    assert_eq!(swept.get::<_, i32>(0), 1);
    assert_eq!(world.row("status").await.as_deref(), Some("unknown"));
    assert_eq!(reply(&world, "one").await, Outcome::Unknown);
    assert_eq!(world.provider.taken(), ["one"]);
}

#[tokio::test]
async fn a_status_event_settles_what_is_unknown() {
    let world = World::new().await;
    let _ = fail(&world, "one", SendError::Unknown("reset".to_owned())).await;
    let confirm = |key: &'static str| world.ledger.confirm::<Reply<'_>>(key, "m9", "status event");
    assert!(confirm("m1").await.unwrap());
    assert!(!confirm("another").await.unwrap());
    assert_eq!(reply(&world, "two").await, Outcome::Sent(Receipt::id("m9")));
}

#[tokio::test]
async fn a_permit_is_used_by_hand() {
    let world = World::new().await;
    let Reservation::Go(permit, text) = world.ledger.reserve(&KEY, "one".to_owned()).await.unwrap() else {
        panic!("not granted");
    };
    let again = world.ledger.reserve(&KEY, "two".to_owned()).await.unwrap();
    assert!(matches!(again, Reservation::InProgress));
    assert_eq!(permit.slot().key().as_str(), "m1");
    permit.sent(world.provider.take(text)).await.unwrap();
    let after = world.ledger.reserve(&KEY, "two".to_owned()).await.unwrap();
    assert!(matches!(after, Reservation::Sent(receipt) if receipt == Receipt::id("m1")));
}

#[tokio::test]
async fn a_late_answer_of_an_attempt_that_lost_its_place_is_fenced() {
    let world = World::new().await;
    let late = world.ledger.reserve(&Plan { message: "m1" }, ()).await.unwrap();
    tokio::time::sleep(PAST_DEADLINE).await;
    let second = world.ledger.reserve(&Plan { message: "m1" }, ()).await.unwrap();
    let (Reservation::Go(late, ()), Reservation::Go(second, ())) = (late, second) else {
        panic!("a model call may be asked again");
    };
    second.sent(Receipt::result(2)).await.unwrap();
    assert!(matches!(late.sent(Receipt::result(1)).await, Err(LedgerError::Fenced)));
    assert_eq!(world.row("result").await.as_deref(), Some("2"));
}

#[tokio::test]
async fn a_models_answer_is_kept_and_given_back() {
    let world = World::new().await;
    for _ in 0..2 {
        let ask = |(), _| async {
            world.provider.take("asked");
            Ok(Receipt::result(json!({ "text": "hello" })))
        };
        let Outcome::Sent(receipt) = world.ledger.once(&Plan { message: "m1" }, (), ask).await.unwrap() else {
            panic!("not sent");
        };
        assert_eq!(receipt.read::<Value>().unwrap(), Some(json!({ "text": "hello" })));
    }
    assert_eq!(world.provider.taken().len(), 1);
}

#[tokio::test]
async fn a_payload_that_cannot_be_kept_reserves_nothing() {
    let world = World::new().await;
    for payload in [json!("a\0b"), json!([{ "a\0b": 1 }])] {
        let refused = world.ledger.once(&KEY, payload, |_, _| async { Ok(world.provider.take("sent")) }).await;
        assert!(matches!(refused, Err(LedgerError::NulCharacter)));
    }
    assert_eq!((world.rows().await, world.provider.taken().len()), (0, 0));
}

#[tokio::test]
async fn whatever_the_provider_answers_the_send_is_recorded() {
    for receipt in [Receipt::default(), Receipt::id("a\0b"), Receipt::result(json!({ "a\0b": ["c\0d"] }))] {
        let world = World::new().await;
        let first = world.ledger.once(&KEY, (), |(), _| async { Ok(receipt) }).await.unwrap();
        let second = world.ledger.once(&KEY, (), |(), _| async { panic!("called twice") }).await.unwrap();
        assert_eq!(first, second);
        assert_eq!(world.row("status").await.as_deref(), Some("sent"));
    }
}

#[tokio::test]
async fn a_kept_payload_of_another_shape_is_recorded_as_not_attempted() {
    let world = World::new().await;
    let _ = fail(&world, "a text", SendError::NotAttempted("refused".to_owned())).await;
    let send = |_: u32, _| async { Ok(world.provider.take("sent")) };
    let failed = world.ledger.once(&KEY, 7_u32, send).await.unwrap();
    assert!(matches!(&failed, Outcome::Failed(failure) if failure.reason.contains("another shape")), "{failed:?}");
    assert!(world.row("reason").await.unwrap().contains("another shape"));
    assert!(world.provider.taken().is_empty());
}

#[tokio::test]
async fn while_paused_nothing_is_sent() {
    let world = World::new().await;
    world.database.run("SELECT onlyonce.pause('restored', 'ann')").await;
    assert_eq!(reply(&world, "one").await, Outcome::Paused);
    world.database.run("SELECT onlyonce.resume('ann')").await;
    assert_eq!(reply(&world, "one").await, Outcome::Sent(Receipt::id("m1")));
}

#[tokio::test]
async fn without_an_answer_from_the_ledger_nothing_is_sent() {
    let world = World::new().await;
    close(&world.pool).await;
    let send = |(), _| async { Ok(world.provider.take("sent")) };
    assert!(matches!(world.ledger.once(&KEY, (), send).await, Err(LedgerError::Database(_))));
    assert!(world.provider.taken().is_empty());
}

#[tokio::test]
async fn what_may_go_again_is_listed() {
    let world = World::new().await;
    let _ = fail(&world, "one", SendError::NotAttempted("refused".to_owned())).await;
    let released = world.ledger.released(10).await.unwrap();
    let [one] = released.as_slice() else { panic!("{released:?}") };
    assert_eq!((one.action_type.as_str(), one.key.as_str(), &one.payload), ("reply", "m1", &json!("one")));
}

#[tokio::test]
async fn a_connection_that_is_lost_costs_no_record() {
    let world = World::new().await;
    let send = |text: String, _| async {
        let receipt = world.provider.take(text);
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'generated_app'
                   AND datname = current_database()";
        world.database.run(end).await;
        Ok(receipt)
    };
    let outcome = world.ledger.once(&KEY, "one".to_owned(), send).await.unwrap();
    assert_eq!(outcome, Outcome::Sent(Receipt::id("m1")));
    assert_eq!(world.row("status").await.as_deref(), Some("sent"));
    assert_eq!(reply(&world, "two").await, outcome);
    assert_eq!(world.provider.taken(), ["one"]);
}

#[tokio::test]
async fn two_hundred_sends_at_once_share_ten_connections() {
    let world = World::new().await;
    let ledger = ledger(&connect(&reach(&world.database, "generated_app"), 10).await);
    // Each waits until all are sending: none may hold a connection meanwhile.
    let all = Arc::new(Barrier::new(200));
    let work = (0..200).map(|number| {
        let (ledger, provider, all) = (ledger.clone(), world.provider.clone(), all.clone());
        tokio::spawn(async move {
            let key = Everything { text: "", number, id: Uuid::nil(), email: "a@b.c", domain: "b.c" };
            let send = |text: String, _| async move {
                all.wait().await;
                Ok::<_, SendError>(provider.take(text))
            };
            ledger.once(&key, number.to_string(), send).await.unwrap()
        })
    });
    for worker in work.collect::<Vec<_>>() {
        let outcome = worker.await.unwrap();
        assert!(matches!(outcome, Outcome::Sent(_)), "{outcome:?}");
    }
    assert_eq!(world.provider.taken().len(), 200);
}

#[tokio::test]
async fn odd_texts_are_kept_as_they_are() {
    let world = World::new().await;
    for text in ["'", "\\'", "\\", "$1 $2", "E'x'; --", "\n\t\"ü日\u{1}", "{}"] {
        let key = Reply { message: text };
        let send = |text: String, _| async { Ok(world.provider.take(text)) };
        assert!(matches!(world.ledger.once(&key, text.to_owned(), send).await.unwrap(), Outcome::Sent(_)));
        assert_eq!(world.provider.taken().last().map(String::as_str), Some(text));
        let plan = Plan { message: text };
        let failed = world.ledger.once(&plan, (), |(), _| async { Err(SendError::Rejected(text.to_owned())) });
        assert!(matches!(failed.await.unwrap(), Outcome::Failed(failure) if failure.reason == text));
    }
}
