//! What a probe settles, and what it leaves to a person.

use std::sync::Mutex;
use std::time::Duration;

use super::client::keys::Reply;
use super::client::{Action as _, Ledger, LedgerError, Probe, ProbeError, Proof, Receipt, SendError, Sought};
use super::world::World;
use super::{connect, ledger, reach};

/// What the provider shows of each key.
#[derive(Default)]
struct Search {
    shown: Vec<(&'static str, Shown)>,
    asked: Mutex<Vec<Sought>>,
}

#[derive(Clone, Copy)]
enum Shown {
    Proof(&'static str, &'static str),
    Nothing,
    Failure,
    Hanging,
}

impl Probe for Search {
    type Action = Reply<'static>;

    async fn look_up(&self, action: &Sought) -> Result<Option<Proof>, ProbeError> {
        self.asked.lock().unwrap().push(action.clone());
        let shown = self.shown.iter().find(|(key, _)| *key == action.key.as_str());
        match shown.map_or(Shown::Nothing, |(_, shown)| *shown) {
            Shown::Proof(id, evidence) => Ok(Some(Proof { message_id: id.to_owned(), evidence: evidence.to_owned() })),
            Shown::Nothing => Ok(None),
            Shown::Failure => Err("503".into()),
            Shown::Hanging => std::future::pending().await,
        }
    }
}

/// The ledger as a role that may also read the queue.
async fn watching(world: &World) -> Ledger {
    let login = "DO $$ BEGIN CREATE ROLE generated_probe LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
                 GRANT onlyonce_app, onlyonce_monitor TO generated_probe";
    world.database.run(login).await;
    ledger(&connect(&reach(&world.database, "generated_probe"), 4).await)
}

async fn lose(world: &World, message: &str) {
    let lost = |(), _| async { Err(SendError::Unknown("reset".to_owned())) };
    let _ = world.ledger.once(&Reply { message }, (), lost).await.unwrap();
}

async fn status(world: &World, key: &str) -> String {
    let query = "SELECT status FROM onlyonce.actions WHERE idempotency_key = $1";
    world.database.connect().await.query_one(query, &[&key]).await.unwrap().get(0)
}

#[tokio::test]
async fn proof_confirms_and_absence_proves_nothing() {
    let world = World::new().await;
    for message in ["absent", "failing", "found", "odd", "sent"] {
        if message == "sent" {
            let _ = world.ledger.once(&Reply { message }, (), |(), _| async { Ok(Receipt::id("m1")) }).await.unwrap();
        } else {
            lose(&world, message).await;
        }
    }
    let search = Search {
        shown: vec![
            ("failing", Shown::Failure),
            ("found", Shown::Proof("m7", "its log has m7")),
            ("odd", Shown::Proof("m8", " ")),
        ],
        ..Search::default()
    };
    let ledger = watching(&world).await;
    let probed = ledger.probe(&search).await.unwrap();
    assert_eq!(probed.confirmed, [Reply { message: "found" }.key()]);
    assert_eq!(probed.absent, 1);
    let failed: Vec<_> = probed.failed.iter().map(|(key, why)| (key.as_str(), why.as_str())).collect();
    assert!(matches!(failed[..], [("failing", "503"), ("odd", why)] if why.contains("evidence")), "{failed:?}");
    for (key, expected) in [("absent", "unknown"), ("failing", "unknown"), ("found", "sent"), ("odd", "unknown")] {
        assert_eq!(status(&world, key).await, expected, "{key}");
    }
    let asked: Vec<_> = search.asked.lock().unwrap().iter().map(|sought| sought.key.as_str().to_owned()).collect();
    assert_eq!(asked, ["absent", "failing", "found", "odd"], "what is settled is not looked up");
    let receipt = world.ledger.once(&Reply { message: "found" }, (), |(), _| async { panic!("sent again") }).await;
    assert_eq!(receipt.unwrap(), super::client::Outcome::Sent(Receipt::id("m7")));
}

#[tokio::test]
async fn what_is_past_its_deadline_is_looked_up_before_any_sweep() {
    let world = World::new().await;
    let pending = world.ledger.reserve(&Reply { message: "m1" }, ()).await.unwrap();
    let search = Search { shown: vec![("m1", Shown::Proof("m7", "its log"))], ..Search::default() };
    let ledger = watching(&world).await;
    assert!(ledger.probe(&search).await.unwrap().confirmed.is_empty(), "its worker may be at it");
    tokio::time::sleep(Duration::from_millis(2_300)).await;
    assert_eq!(ledger.probe(&search).await.unwrap().confirmed.len(), 1);
    assert_eq!(search.asked.lock().unwrap()[0].attempt, 1);
    assert_eq!(status(&world, "m1").await, "sent");
    drop(pending);
}

#[tokio::test]
async fn it_goes_over_all_of_a_long_queue_once() {
    let world = World::new().await;
    let keys: Vec<String> = (0..230).map(|number| format!("m{number}")).collect();
    for key in &keys {
        lose(&world, key).await;
    }
    let search = Search::default();
    assert_eq!(watching(&world).await.probe(&search).await.unwrap().absent, 230);
    let mut asked: Vec<_> = search.asked.lock().unwrap().iter().map(|sought| sought.key.as_str().to_owned()).collect();
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len(), 230);
}

#[tokio::test]
async fn a_provider_that_hangs_keeps_no_other_action_waiting_for_ever() {
    let world = World::new().await;
    for message in ["hangs", "m1"] {
        lose(&world, message).await;
    }
    let search =
        Search { shown: vec![("hangs", Shown::Hanging), ("m1", Shown::Proof("m7", "its log"))], ..Search::default() };
    let probed = watching(&world).await.probe(&search).await.unwrap();
    assert_eq!((probed.confirmed.len(), probed.failed.len()), (1, 1));
}

#[tokio::test]
async fn a_role_that_may_not_read_the_queue_is_refused() {
    let world = World::new().await;
    let refused = world.ledger.probe(&Search::default()).await;
    assert!(matches!(refused, Err(LedgerError::Database(_))), "{refused:?}");
}
