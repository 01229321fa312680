//! Workers that stand still and wake when others have gone on without them.

use crate::invariants::{hold, watch};
use crate::ledger::{Ledger, on_every_major, pass_deadline, resolve, sweep};
use crate::process::Program;
use crate::provider::Provider;
use crate::worker::{Job, Point, pass, work};

#[tokio::test]
async fn a_worker_that_slept_after_its_call_still_settles_what_was_swept() {
    on_every_major(slept_after_call).await;
}

pub(crate) async fn slept_after_call(ledger: &Ledger) {
    watch(ledger).await;
    let provider = Provider::start().await;
    let mut zombie = Program::worker(ledger, &provider, &Job::new("send", "a"), Some(Point::BeforeRecord));
    zombie.stopped().await;
    pass_deadline().await;
    assert_eq!(sweep(&ledger.keeper().await).await, 1);
    assert_eq!(ledger.queued("a").await, ["unknown"]);
    zombie.go_on().await;
    assert_eq!(zombie.finish().await, "go, sent: recorded");
    assert_eq!((ledger.status("send", "a").await.as_str(), ledger.queued("a").await.len()), ("sent", 0));
    hold(ledger, &provider.log(), None).await;
}

#[tokio::test]
async fn a_worker_that_was_wrongly_given_up_is_fenced_and_its_send_comes_to_light() {
    on_every_major(given_up).await;
}

/// A person said that it was not sent, and was wrong: the second send is theirs, and the ledger shows both.
pub(crate) async fn given_up(ledger: &Ledger) {
    watch(ledger).await;
    let provider = Provider::start().await;
    let mut zombie = Program::worker(ledger, &provider, &Job::new("send", "a"), Some(Point::BeforeRecord));
    zombie.stopped().await;
    pass_deadline().await;
    assert_eq!(sweep(&ledger.keeper().await).await, 1);
    assert_eq!(resolve(&ledger.person().await, "send", "a", 1, "not_sent").await.as_deref(), Ok("resolved"));
    let second = work(&ledger.worker().await, provider.address, &Job::new("send", "a"), pass).await.unwrap();
    assert_eq!((second.answer.verdict.as_str(), second.answer.attempt), ("go", Some(2)));
    zombie.go_on().await;
    assert_eq!(zombie.finish().await, "go, sent: fenced");
    let ids = provider.look_up("a");
    let row = "SELECT a.message_id, l.message_id, l.outcome FROM onlyonce.actions a
      JOIN onlyonce.late_evidence l USING (action_type, idempotency_key)";
    let row = ledger.root.query_one(row, &[]).await.unwrap();
    let kept: (&str, &str, &str) = (row.get(0), row.get(1), row.get(2));
    assert_eq!(kept, (ids[1].as_str(), ids[0].as_str(), "sent"), "the second's id stays, and the first's is kept");
    assert_eq!(ledger.health("late_evidence").await, 1.0, "an alarm stands on it");
    assert_eq!((ledger.hits("send", "fenced").await, ledger.hits("send", "late_evidence").await), (1, 1));
    hold(ledger, &provider.log(), None).await;
}

#[tokio::test]
async fn a_worker_that_slept_past_its_budget_does_not_call() {
    on_every_major(slept_before_call).await;
}

pub(crate) async fn slept_before_call(ledger: &Ledger) {
    watch(ledger).await;
    let provider = Provider::start().await;
    let mut zombie = Program::worker(ledger, &provider, &Job::new("send", "a"), Some(Point::BeforeConnect));
    zombie.stopped().await;
    pass_deadline().await;
    assert_eq!(sweep(&ledger.keeper().await).await, 1);
    zombie.go_on().await;
    assert_eq!(zombie.finish().await, "go, not_attempted: recorded");
    assert!(provider.log().is_empty());
    let second = work(&ledger.worker().await, provider.address, &Job::new("send", "a"), pass).await.unwrap();
    assert_eq!((second.answer.verdict.as_str(), second.answer.attempt), ("go", Some(2)));
    assert_eq!((provider.log().len(), ledger.status("send", "a").await.as_str()), (1, "sent"));
    hold(ledger, &provider.log(), None).await;
}
