//! What `reserve` and `record` answer, one worker after another.

use serde_json::json;
use uuid::Uuid;

use crate::ledger::{Ledger, ask, go, on_every_major, pass_deadline, record, reserve, reserve_as, sweep, try_reserve};

#[tokio::test]
async fn a_repeated_key_is_told_what_became_of_the_first() {
    on_every_major(repeated_key).await;
}

pub(crate) async fn repeated_key(ledger: &Ledger) {
    let worker = ledger.worker().await;
    let token = go(&worker, "send", "a").await;
    assert_eq!(reserve(&worker, "send", "a").await, "in_progress");
    let result = json!({"id": 7});
    let sent = ask(&worker, "record", &[&"send", &"a", &token, &"sent", &"message-a", &result]).await;
    assert_eq!(sent.as_deref(), Ok("recorded"));
    let answer = try_reserve(&worker, "send", "a", Uuid::new_v4(), &json!({})).await.unwrap();
    assert_eq!((answer.verdict.as_str(), answer.attempt), ("sent", Some(1)));
    assert_eq!((answer.message_id.as_deref(), answer.result), (Some("message-a"), Some(result)));

    let token = go(&worker, "send", "b").await;
    let why: (Option<String>, Option<serde_json::Value>) = (None, None);
    ask(&worker, "record", &[&"send", &"b", &token, &"rejected", &why.0, &why.1, &"no such number"]).await.unwrap();
    let answer = try_reserve(&worker, "send", "b", Uuid::new_v4(), &json!({})).await.unwrap();
    assert_eq!((answer.verdict.as_str(), answer.reason.as_deref()), ("failed", Some("no such number")));

    let token = go(&worker, "send", "c").await;
    assert_eq!(record(&worker, "send", "c", token, "unknown").await, "recorded");
    assert_eq!(reserve(&worker, "send", "c").await, "unknown");
    for (kind, hits) in [("in_progress", 1), ("sent", 1), ("failed", 1), ("unknown", 1)] {
        assert_eq!(ledger.hits("send", kind).await, hits, "{kind}");
    }
}

#[tokio::test]
async fn the_same_token_may_go_again_until_the_deadline() {
    on_every_major(same_token).await;
}

pub(crate) async fn same_token(ledger: &Ledger) {
    let worker = ledger.worker().await;
    let token = go(&worker, "send", "a").await;
    assert_eq!(reserve_as(&worker, "send", "a", token).await, "go_again");
    pass_deadline().await;
    assert_eq!(reserve_as(&worker, "send", "a", token).await, "unknown");
}

#[tokio::test]
async fn the_first_payload_is_kept_and_given_back() {
    on_every_major(first_payload).await;
}

pub(crate) async fn first_payload(ledger: &Ledger) {
    let worker = ledger.worker().await;
    let (first, token) = (json!({"text": "hello", "n": 1}), Uuid::new_v4());
    let answer = try_reserve(&worker, "send", "a", token, &first).await.unwrap();
    assert_eq!((answer.payload, answer.conflict), (Some(first.clone()), Some(false)));
    let same = json!({"n": 1.0, "text": "hello"});
    assert_eq!(try_reserve(&worker, "send", "a", token, &same).await.unwrap().conflict, Some(false), "1.0 is 1");
    let reworded = json!({"text": "hi", "n": 1});
    let answer = try_reserve(&worker, "send", "a", Uuid::new_v4(), &reworded).await.unwrap();
    assert_eq!((answer.payload, answer.conflict), (Some(first.clone()), Some(true)));
    assert_eq!(ledger.hits("send", "payload_conflict").await, 1);
    record(&worker, "send", "a", token, "not_attempted").await;
    let answer = try_reserve(&worker, "send", "a", Uuid::new_v4(), &reworded).await.unwrap();
    assert_eq!((answer.verdict.as_str(), answer.attempt, answer.payload), ("go", Some(2), Some(first)));
}

#[tokio::test]
async fn what_was_not_attempted_goes_again_until_its_attempts_are_used_up() {
    on_every_major(not_attempted).await;
}

pub(crate) async fn not_attempted(ledger: &Ledger) {
    let worker = ledger.worker().await;
    for attempt in 1..=2 {
        let token = go(&worker, "send", "a").await;
        record(&worker, "send", "a", token, "not_attempted").await;
        let failure = if attempt < 2 { "not_attempted" } else { "exhausted" };
        assert_eq!(ledger.state("send", "a").await, ("failed".to_owned(), Some(failure.to_owned()), attempt));
        let released: i64 = worker.query_one("SELECT count(*) FROM onlyonce.released()", &[]).await.unwrap().get(0);
        assert_eq!(released, i64::from(attempt < 2));
    }
    assert_eq!(reserve(&worker, "send", "a").await, "failed");
    assert_eq!(ledger.queued("a").await, ["exhausted"]);
}

#[tokio::test]
async fn a_silent_worker_leaves_an_unknown_that_nobody_sends_again() {
    on_every_major(silent_worker).await;
}

pub(crate) async fn silent_worker(ledger: &Ledger) {
    let (worker, keeper) = (ledger.worker().await, ledger.keeper().await);
    go(&worker, "send", "a").await;
    assert_eq!(sweep(&keeper).await, 0, "its deadline is not over");
    pass_deadline().await;
    assert_eq!(reserve(&worker, "send", "a").await, "unknown", "before any sweep");
    assert_eq!(ledger.queued("a").await, ["unknown"], "before any sweep");
    assert_eq!((ledger.health("pending_overdue").await, ledger.health("unknown").await), (1.0, 0.0));
    assert_eq!((sweep(&keeper).await, sweep(&keeper).await), (1, 0));
    assert_eq!(ledger.status("send", "a").await, "unknown");
    assert_eq!(reserve(&worker, "send", "a").await, "unknown");
    assert_eq!(ledger.queued("a").await, ["unknown"]);
    assert_eq!((ledger.hits("send", "swept").await, ledger.health("unknown").await), (1, 1.0));
}

#[tokio::test]
async fn a_model_call_and_a_provider_that_takes_the_key_are_retried_past_the_deadline_only() {
    on_every_major(retried).await;
}

pub(crate) async fn retried(ledger: &Ledger) {
    let worker = ledger.worker().await;
    for action_type in ["model", "retry", "short"] {
        let token = go(&worker, action_type, "a").await;
        record(&worker, action_type, "a", token, "unknown").await;
        assert_eq!(reserve(&worker, action_type, "a").await, "unknown", "{action_type}: the worker may still be at it");
    }
    pass_deadline().await;
    assert_eq!(reserve(&worker, "short", "a").await, "unknown", "its provider forgets the key");
    for action_type in ["model", "retry"] {
        go(&worker, action_type, "a").await;
        assert_eq!(ledger.state(action_type, "a").await, ("pending".to_owned(), None, 2));
    }
    pass_deadline().await;
    assert_eq!(reserve(&worker, "retry", "a").await, "unknown", "its attempts are used up");
}

#[tokio::test]
async fn a_model_s_result_is_given_back_and_not_asked_for_twice() {
    on_every_major(model_result).await;
}

pub(crate) async fn model_result(ledger: &Ledger) {
    let worker = ledger.worker().await;
    let token = go(&worker, "model", "a").await;
    let none: Option<String> = None;
    let plan = json!({"plan": ["greet", "ask"]});
    ask(&worker, "record", &[&"model", &"a", &token, &"sent", &none, &plan]).await.unwrap();
    let answer = try_reserve(&worker, "model", "a", Uuid::new_v4(), &json!({})).await.unwrap();
    assert_eq!((answer.verdict.as_str(), answer.result), ("sent", Some(plan)));
}

#[tokio::test]
async fn a_zombie_is_fenced_and_what_it_says_is_kept() {
    on_every_major(zombie).await;
}

pub(crate) async fn zombie(ledger: &Ledger) {
    let worker = ledger.worker().await;
    let first = go(&worker, "send", "a").await;
    record(&worker, "send", "a", first, "not_attempted").await;
    let second = go(&worker, "send", "a").await;
    assert_eq!(record(&worker, "send", "a", first, "sent").await, "fenced");
    assert_eq!(ledger.state("send", "a").await, ("pending".to_owned(), None, 2), "the second attempt is untouched");
    assert_eq!(record(&worker, "send", "a", second, "sent").await, "recorded");
    let late =
        "SELECT count(*) FROM onlyonce.late_evidence WHERE idempotency_key = 'a' AND outcome = 'sent' AND token = $1";
    assert_eq!(ledger.root.query_one(late, &[&first]).await.unwrap().get::<_, i64>(0), 1);
    assert_eq!((ledger.hits("send", "fenced").await, ledger.hits("send", "late_evidence").await), (1, 1));
}

#[tokio::test]
async fn a_late_outcome_settles_what_was_swept() {
    on_every_major(late_outcome).await;
}

pub(crate) async fn late_outcome(ledger: &Ledger) {
    let worker = ledger.worker().await;
    let token = go(&worker, "send", "a").await;
    pass_deadline().await;
    assert_eq!(sweep(&ledger.keeper().await).await, 1);
    assert_eq!(record(&worker, "send", "a", token, "sent").await, "recorded");
    assert_eq!(ledger.status("send", "a").await, "sent");
    assert!(ledger.queued("a").await.is_empty());
    assert_eq!(record(&worker, "send", "a", token, "sent").await, "already");
    assert_eq!(ledger.hits("send", "late_evidence").await, 0, "the same again is no news");
    let other = ask(&worker, "record", &[&"send", &"a", &token, &"sent", &"another id"]).await;
    assert_eq!((other.as_deref(), ledger.hits("send", "late_evidence").await), (Ok("already"), 1), "another id is");
    assert_eq!(record(&worker, "send", "a", token, "rejected").await, "fenced", "sent is final");
    assert_eq!(ledger.status("send", "a").await, "sent");
}

#[tokio::test]
async fn what_is_found_at_the_provider_settles_what_is_open_and_nothing_else() {
    on_every_major(confirmed).await;
}

pub(crate) async fn confirmed(ledger: &Ledger) {
    let worker = ledger.worker().await;
    let confirm =
        async |key: &str| ask(&worker, "confirm", &[&"send", &key, &"message-1", &"status event"]).await.unwrap();
    let token = go(&worker, "send", "a").await;
    assert_eq!((confirm("a").await.as_str(), confirm("a").await.as_str()), ("recorded", "already"));
    assert_eq!(record(&worker, "send", "a", token, "unknown").await, "fenced");
    assert_eq!(ledger.status("send", "a").await, "sent");
    let token = go(&worker, "send", "b").await;
    record(&worker, "send", "b", token, "rejected").await;
    assert_eq!(confirm("b").await, "fenced");
    assert_eq!(ledger.state("send", "b").await.1.as_deref(), Some("rejected"));
    assert_eq!(confirm("c").await, "absent");
}

#[tokio::test]
async fn what_the_ledger_cannot_keep_is_refused_by_its_own_codes() {
    on_every_major(refused).await;
}

pub(crate) async fn refused(ledger: &Ledger) {
    let worker = ledger.worker().await;
    let (token, empty) = (Uuid::new_v4(), json!({}));
    let long = "x".repeat(201);
    for (action_type, key, code) in [
        ("nothing", "a", "OO002"),
        ("retired", "a", "OO002"),
        ("send", "", "OO003"),
        ("send", "a b", "OO003"),
        ("send", "\u{e9}", "OO003"),
        ("send", "a\n", "OO003"),
        ("send", long.as_str(), "OO003"),
    ] {
        let refusal = try_reserve(&worker, action_type, key, token, &empty).await;
        assert_eq!(refusal.map(|answer| answer.verdict), Err(code.to_owned()), "{action_type} {key:?}");
    }
    let token = go(&worker, "send", &long[1..]).await;
    let nothing_to_show = ask(&worker, "record", &[&"send", &&long[1..], &token, &"sent"]).await;
    assert_eq!(nothing_to_show, Err("OO003".to_owned()));
    assert_eq!(ask(&worker, "record", &[&"nothing", &"a", &token, &"unknown"]).await, Err("OO002".to_owned()));
}

#[tokio::test]
async fn an_outcome_under_no_key_at_all_is_refused_by_the_ledger_itself() {
    on_every_major(keyless_outcome).await;
}

pub(crate) async fn keyless_outcome(ledger: &Ledger) {
    let worker = ledger.worker().await;
    let unkeepable = ["x".repeat(201), noise(20_000), String::new(), "a b".to_owned(), "\u{e9}".to_owned()];
    for key in unkeepable.iter().map(Some).chain([None]) {
        for outcome in ["sent", "rejected", "not_attempted", "unknown"] {
            let told = ask(&worker, "record", &[&"send", &key, &Uuid::new_v4(), &outcome, &"m"]).await;
            assert_eq!(told, Err("OO003".to_owned()), "{outcome} of {key:?}");
        }
    }
    assert_eq!(ledger.health("late_evidence").await, 0.0);
}

/// Letters that no index entry can be made of by packing them.
fn noise(length: usize) -> String {
    (0..length / 32).map(|_| Uuid::new_v4().simple().to_string()).collect()
}
