//! A program killed (SIGKILL) at each point of its work. Whatever it was at, nothing is sent twice and nothing is lost
//! from sight.

use crate::gate::Gate;
use crate::invariants::{hold, watch};
use crate::ledger::{Ledger, ask, go, on_every_major, pass_deadline, reserve, resolve, sweep};
use crate::process::Program;
use crate::provider::{Manner, Provider};
use crate::wire::Wire;
use crate::worker::{Done, Job, Point, pass, work};

/// A watched ledger's provider.
async fn watched(ledger: &Ledger) -> Provider {
    watch(ledger).await;
    Provider::start().await
}

/// Starts a worker on key `a`, and kills it at this point.
async fn killed_at(ledger: &Ledger, provider: &Provider, point: Point) {
    let mut program = Program::worker(ledger, provider, &Job::new("send", "a"), Some(point));
    program.stopped().await;
    if point == Point::Written {
        provider.accepted("a").await;
    }
    program.kill().await;
}

/// What another worker is told, with a token of its own.
async fn another(ledger: &Ledger, provider: &Provider, action_type: &str) -> Done {
    work(&ledger.worker().await, provider.address, &Job::new(action_type, "a"), pass).await.unwrap()
}

/// After the deadline the silent attempt is unknown: to workers, in the queue, and after a sweep in its row.
async fn unknown_to_all(ledger: &Ledger, provider: &Provider) {
    pass_deadline().await;
    assert_eq!(another(ledger, provider, "send").await.answer.verdict, "unknown");
    assert_eq!(ledger.queued("a").await, ["unknown"]);
    assert_eq!(sweep(&ledger.keeper().await).await, 1);
    assert_eq!(another(ledger, provider, "send").await.answer.verdict, "unknown");
    assert_eq!(
        (ledger.queued("a").await, ledger.status("send", "a").await),
        (vec!["unknown".to_owned()], "unknown".to_owned())
    );
}

/// A person finds nothing at the provider; the next worker sends.
async fn sent_once_released(ledger: &Ledger, provider: &Provider) {
    assert!(provider.look_up("a").is_empty());
    assert_eq!(resolve(&ledger.person().await, "send", "a", 1, "not_sent").await.as_deref(), Ok("resolved"));
    let done = another(ledger, provider, "send").await;
    assert_eq!((done.answer.verdict.as_str(), done.answer.attempt), ("go", Some(2)));
    assert_eq!((provider.look_up("a").len(), ledger.status("send", "a").await.as_str()), (1, "sent"));
    hold(ledger, &provider.log(), None).await;
}

#[tokio::test]
async fn killed_before_it_reserves_it_leaves_the_key_free() {
    on_every_major(before_reserve).await;
}

pub(crate) async fn before_reserve(ledger: &Ledger) {
    let provider = watched(ledger).await;
    killed_at(ledger, &provider, Point::BeforeReserve).await;
    assert_eq!(another(ledger, &provider, "send").await.answer.verdict, "go");
    hold(ledger, &provider.log(), None).await;
}

#[tokio::test]
async fn killed_while_its_reservation_is_not_committed_it_holds_the_key_until_its_session_ends() {
    on_every_major(not_committed).await;
}

pub(crate) async fn not_committed(ledger: &Ledger) {
    let provider = watched(ledger).await;
    let gate = Gate::close(ledger, "AFTER INSERT", "FOR EACH ROW").await;
    let program = Program::worker(ledger, &provider, &Job::new("send", "a"), None);
    let session = gate.crowded(1).await;
    program.kill().await;
    let other = ledger.worker().await;
    other.batch_execute("SET lock_timeout = '200ms'").await.unwrap();
    let meanwhile = work(&other, provider.address, &Job::new("send", "a"), pass).await;
    assert_eq!(meanwhile.map(|done| done.answer.verdict), Err("55P03".to_owned()), "no verdict, so no send");
    gate.turn_away(&session).await;
    gate.open().await;
    assert_eq!(another(ledger, &provider, "send").await.answer.verdict, "go");
    hold(ledger, &provider.log(), None).await;
}

#[tokio::test]
async fn killed_while_its_reservation_is_being_committed_it_leaves_an_unknown() {
    on_every_major(committed_unseen).await;
}

/// The server has the call and finishes it, though nobody listens any more.
pub(crate) async fn committed_unseen(ledger: &Ledger) {
    let provider = watched(ledger).await;
    let gate = Gate::close(ledger, "AFTER INSERT", "FOR EACH ROW").await;
    let program = Program::worker(ledger, &provider, &Job::new("send", "a"), None);
    gate.crowded(1).await;
    program.kill().await;
    gate.open().await;
    assert_eq!(ledger.status("send", "a").await, "pending");
    unknown_to_all(ledger, &provider).await;
    sent_once_released(ledger, &provider).await;
}

#[tokio::test]
async fn a_worker_that_lost_its_acknowledgement_goes_again_with_its_token() {
    on_every_major(acknowledgement_lost).await;
}

pub(crate) async fn acknowledgement_lost(ledger: &Ledger) {
    let provider = watched(ledger).await;
    let wire = Wire::cut_at(ledger.database.socket(), "onlyonce.reserve(");
    let program = Program::worker_through(wire.folder(), ledger, &provider, &Job::new("send", "a"), None);
    assert_eq!(program.finish().await, "go_again, sent: recorded");
    assert_eq!(provider.look_up("a").len(), 1);
    hold(ledger, &provider.log(), None).await;
}

#[tokio::test]
async fn killed_with_its_acknowledgement_lost_it_leaves_an_unknown() {
    on_every_major(acknowledgement_lost_and_killed).await;
}

pub(crate) async fn acknowledgement_lost_and_killed(ledger: &Ledger) {
    let provider = watched(ledger).await;
    let wire = Wire::cut_at(ledger.database.socket(), "onlyonce.reserve(");
    let again = Some(Point::BeforeReserve);
    let mut program = Program::worker_through(wire.folder(), ledger, &provider, &Job::new("send", "a"), again);
    program.stopped().await;
    program.go_on().await;
    // It stands before the second call, with the same token; the first was committed.
    program.stopped().await;
    program.kill().await;
    assert_eq!(ledger.state("send", "a").await, ("pending".to_owned(), None, 1));
    unknown_to_all(ledger, &provider).await;
    sent_once_released(ledger, &provider).await;
}

#[tokio::test]
async fn killed_before_it_connects_it_leaves_an_unknown_that_a_person_releases() {
    on_every_major(before_connect).await;
}

pub(crate) async fn before_connect(ledger: &Ledger) {
    let provider = watched(ledger).await;
    killed_at(ledger, &provider, Point::BeforeConnect).await;
    unknown_to_all(ledger, &provider).await;
    sent_once_released(ledger, &provider).await;
}

#[tokio::test]
async fn killed_with_its_request_half_written_it_leaves_an_unknown_that_a_person_releases() {
    on_every_major(half_written).await;
}

pub(crate) async fn half_written(ledger: &Ledger) {
    let provider = watched(ledger).await;
    killed_at(ledger, &provider, Point::HalfWritten).await;
    unknown_to_all(ledger, &provider).await;
    sent_once_released(ledger, &provider).await;
}

#[tokio::test]
async fn killed_while_the_provider_answers_it_leaves_an_unknown_that_was_sent() {
    on_every_major(response_pending).await;
}

pub(crate) async fn response_pending(ledger: &Ledger) {
    let provider = watched(ledger).await;
    provider.order("a", Manner::AcceptAndHold);
    killed_at(ledger, &provider, Point::Written).await;
    unknown_to_all(ledger, &provider).await;
    let found = provider.look_up("a");
    let person = ledger.person().await;
    let told = ask(&person, "resolve", &[&"send", &"a", &1, &"sent", &"its log has it", &"kim", &found[0]]).await;
    assert_eq!(told.as_deref(), Ok("resolved"));
    assert_eq!(another(ledger, &provider, "send").await.answer.message_id.as_ref(), found.first());
    hold(ledger, &provider.log(), None).await;
}

#[tokio::test]
async fn killed_before_it_records_it_leaves_an_unknown_that_a_status_event_settles() {
    on_every_major(not_recorded).await;
}

pub(crate) async fn not_recorded(ledger: &Ledger) {
    let provider = watched(ledger).await;
    killed_at(ledger, &provider, Point::BeforeRecord).await;
    unknown_to_all(ledger, &provider).await;
    let told =
        ask(&ledger.worker().await, "confirm", &[&"send", &"a", &provider.look_up("a")[0], &"status event"]).await;
    assert_eq!(told.as_deref(), Ok("recorded"));
    assert_eq!(
        (another(ledger, &provider, "send").await.answer.verdict.as_str(), ledger.queued("a").await.len()),
        ("sent", 0)
    );
    hold(ledger, &provider.log(), None).await;
}

#[tokio::test]
async fn an_outcome_whose_acknowledgement_was_lost_is_recorded_already() {
    on_every_major(recorded_unseen).await;
}

pub(crate) async fn recorded_unseen(ledger: &Ledger) {
    let provider = watched(ledger).await;
    let wire = Wire::cut_at(ledger.database.socket(), "onlyonce.record(");
    let job = Job::new("send", "a");
    let program = Program::worker_through(wire.folder(), ledger, &provider, &job, Some(Point::Recorded));
    let mut program = program;
    program.stopped().await;
    program.kill().await;
    let sent =
        ask(&ledger.worker().await, "record", &[&"send", &"a", &job.token, &"sent", &provider.look_up("a")[0]]).await;
    assert_eq!((sent.as_deref(), ledger.hits("send", "late_evidence").await), (Ok("already"), 0));
    assert_eq!(another(ledger, &provider, "send").await.answer.verdict, "sent");
    hold(ledger, &provider.log(), None).await;
}

#[tokio::test]
async fn a_sweep_killed_inside_its_batch_has_moved_all_or_nothing() {
    on_every_major(inside_sweep).await;
}

pub(crate) async fn inside_sweep(ledger: &Ledger) {
    let provider = watched(ledger).await;
    for (ends, unknown) in [("turned away", 0), ("let through", 3)] {
        let worker = ledger.worker().await;
        for key in ["one", "two", "three"] {
            assert_eq!(reserve(&worker, "send", &format!("{ends} {key}").replace(' ', "-")).await, "go");
        }
        pass_deadline().await;
        let second = "FOR EACH ROW WHEN (NEW.idempotency_key LIKE '%-two')";
        let gate = Gate::close(ledger, "AFTER UPDATE", second).await;
        let program = Program::sweep(ledger);
        let session = gate.crowded(1).await;
        program.kill().await;
        if ends == "turned away" {
            gate.turn_away(&session).await;
        }
        gate.open().await;
        let keeper = ledger.keeper().await;
        let moved = "SELECT count(*) FROM onlyonce.actions WHERE status = 'unknown' AND idempotency_key LIKE $1";
        let mine = format!("{}%", ends.replace(' ', "-"));
        let seen: i64 = ledger.root.query_one(moved, &[&mine]).await.unwrap().get(0);
        assert_eq!((seen, i64::from(sweep(&keeper).await)), (unknown, 3 - unknown), "{ends}");
    }
    assert_eq!(ledger.hits("send", "swept").await, 6);
    hold(ledger, &provider.log(), None).await;
}

#[tokio::test]
async fn an_operator_killed_inside_resolve_has_decided_or_not() {
    on_every_major(inside_resolve).await;
}

pub(crate) async fn inside_resolve(ledger: &Ledger) {
    let provider = watched(ledger).await;
    for key in ["turned-away", "let-through"] {
        go(&ledger.worker().await, "send", key).await;
    }
    pass_deadline().await;
    assert_eq!(sweep(&ledger.keeper().await).await, 2);
    for (key, state, then) in [
        ("turned-away", ("unknown", None), Ok("resolved")),
        ("let-through", ("failed", Some("released")), Err("OO004")),
    ] {
        let gate = Gate::close(ledger, "AFTER UPDATE", "FOR EACH ROW").await;
        let program = Program::resolve(ledger, key, "not_sent");
        let session = gate.crowded(1).await;
        program.kill().await;
        if key == "turned-away" {
            gate.turn_away(&session).await;
        }
        gate.open().await;
        let (status, failure, _) = ledger.state("send", key).await;
        assert_eq!((status.as_str(), failure.as_deref()), state, "{key}");
        let other = resolve(&ledger.person().await, "send", key, 1, "abandon").await;
        assert_eq!(other.as_deref().map_err(String::as_str), then, "{key}: another person");
    }
    hold(ledger, &provider.log(), None).await;
}

#[tokio::test]
async fn a_model_call_killed_before_its_plan_was_kept_is_made_again_and_planned_once() {
    on_every_major(model_killed).await;
}

/// A model's call may be repeated; what was planned with it is told to everybody after.
pub(crate) async fn model_killed(ledger: &Ledger) {
    let provider = watched(ledger).await;
    let mut program = Program::worker(ledger, &provider, &Job::new("model", "a"), Some(Point::BeforeRecord));
    program.stopped().await;
    program.kill().await;
    assert_eq!(another(ledger, &provider, "model").await.answer.verdict, "in_progress");
    pass_deadline().await;
    let done = another(ledger, &provider, "model").await;
    assert_eq!((done.answer.verdict.as_str(), done.answer.attempt), ("go", Some(2)));
    let plan = serde_json::json!({"plan": provider.look_up("a")[1]});
    for _ in 0..2 {
        let answer = another(ledger, &provider, "model").await.answer;
        assert_eq!((answer.verdict.as_str(), answer.result.as_ref()), ("sent", Some(&plan)));
    }
    assert_eq!(provider.look_up("a").len(), 2, "as often as it had attempts");
    hold(ledger, &provider.log(), None).await;
}
