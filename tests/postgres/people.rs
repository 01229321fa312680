//! What persons decide, and what they take away.

use serde_json::json;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::ledger::{Ledger, ask, go, on_every_major, pass_deadline, record, refusal, reserve, resolve, try_reserve};

#[tokio::test]
async fn an_unknown_is_released_after_its_quarantine_and_not_before() {
    on_every_major(quarantine).await;
}

pub(crate) async fn quarantine(ledger: &Ledger) {
    let (worker, person) = (ledger.worker().await, ledger.person().await);
    let token = go(&worker, "send", "a").await;
    assert_eq!(resolve(&person, "send", "a", 1, "not_sent").await, Err("OO005".to_owned()), "pending");
    record(&worker, "send", "a", token, "unknown").await;
    assert_eq!(resolve(&person, "send", "a", 1, "not_sent").await, Err("OO005".to_owned()), "marked unknown early");
    pass_deadline().await;
    assert_eq!(resolve(&person, "send", "a", 1, "not_sent").await.as_deref(), Ok("resolved"));
    let released = worker.query_one("SELECT action_type, idempotency_key FROM onlyonce.released()", &[]).await.unwrap();
    assert_eq!((released.get::<_, &str>(0), released.get::<_, &str>(1)), ("send", "a"));
    go(&worker, "send", "a").await;
    assert_eq!(record(&worker, "send", "a", token, "sent").await, "fenced", "the first attempt comes late");
    assert_eq!(ledger.state("send", "a").await, ("pending".to_owned(), None, 2));
}

#[tokio::test]
async fn a_person_settles_what_no_sweep_has_marked() {
    on_every_major(unswept).await;
}

pub(crate) async fn unswept(ledger: &Ledger) {
    let (worker, person) = (ledger.worker().await, ledger.person().await);
    for key in ["sent", "not_sent", "abandon"] {
        go(&worker, "send", key).await;
    }
    assert_eq!(resolve(&person, "send", "abandon", 1, "abandon").await, Err("OO004".to_owned()), "it is being sent");
    pass_deadline().await;
    for (decision, status, failure) in
        [("sent", "sent", None), ("not_sent", "failed", Some("released")), ("abandon", "failed", Some("abandoned"))]
    {
        assert_eq!(resolve(&person, "send", decision, 1, decision).await.as_deref(), Ok("resolved"));
        let state = ledger.state("send", decision).await;
        assert_eq!((state.0.as_str(), state.1.as_deref()), (status, failure));
        assert_eq!(resolve(&person, "send", decision, 1, decision).await.as_deref(), Ok("already"));
        assert!(ledger.queued(decision).await.is_empty());
    }
    assert_eq!(resolve(&person, "send", "abandon", 1, "not_sent").await, Err("OO004".to_owned()), "abandoned is final");
    assert_eq!(resolve(&person, "send", "sent", 1, "not_sent").await, Err("OO004".to_owned()), "sent is final");
    assert_eq!(reserve(&worker, "send", "abandon").await, "failed");
}

#[tokio::test]
async fn of_two_persons_the_one_who_looked_at_an_older_attempt_is_told() {
    on_every_major(two_persons).await;
}

pub(crate) async fn two_persons(ledger: &Ledger) {
    let (worker, person) = (ledger.worker().await, ledger.person().await);
    let token = go(&worker, "send", "a").await;
    record(&worker, "send", "a", token, "rejected").await;
    assert_eq!(ledger.queued("a").await, ["rejected"]);
    assert_eq!(resolve(&person, "send", "a", 1, "sent").await, Err("OO004".to_owned()), "the provider refused it");
    assert_eq!(resolve(&person, "send", "a", 1, "not_sent").await.as_deref(), Ok("resolved"));
    go(&worker, "send", "a").await;
    for decision in ["sent", "not_sent", "abandon"] {
        assert_eq!(resolve(&person, "send", "a", 1, decision).await, Err("OO006".to_owned()), "{decision}");
    }

    let token = go(&worker, "send", "b").await;
    record(&worker, "send", "b", token, "unknown").await;
    pass_deadline().await;
    let mut deciding = JoinSet::new();
    for decision in ["sent", "not_sent", "abandon"] {
        let person = ledger.person().await;
        deciding.spawn(async move { resolve(&person, "send", "b", 1, decision).await });
    }
    let answers = deciding.join_all().await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1, "{answers:?}");
}

#[tokio::test]
async fn nothing_is_decided_without_evidence_and_a_name() {
    on_every_major(nameless).await;
}

pub(crate) async fn nameless(ledger: &Ledger) {
    let (worker, person) = (ledger.worker().await, ledger.person().await);
    go(&worker, "send", "a").await;
    pass_deadline().await;
    for (evidence, actor) in
        [(Some(""), Some("kim")), (None, Some("kim")), (Some("seen"), Some(" ")), (Some("seen"), None)]
    {
        let resolved = ask(&person, "resolve", &[&"send", &"a", &1, &"sent", &evidence, &actor]).await;
        assert_eq!(resolved, Err("OO003".to_owned()), "{evidence:?} {actor:?}");
        let event = ask(&person, "resolve_event", &[&"claimed", &"a", &"release", &evidence, &actor]).await;
        assert_eq!(event, Err("OO003".to_owned()), "{evidence:?} {actor:?}");
    }
    assert_eq!(ledger.queued("a").await, ["unknown"]);
    assert_eq!(resolve(&person, "send", "nobody", 1, "sent").await, Err("P0002".to_owned()));
    assert_eq!(resolve(&person, "send", "a", 1, "maybe").await, Err("OO003".to_owned()));
}

#[tokio::test]
async fn what_was_sent_before_the_ledger_is_imported() {
    on_every_major(imported).await;
}

pub(crate) async fn imported(ledger: &Ledger) {
    let (worker, person) = (ledger.worker().await, ledger.person().await);
    let import = async |key: &str| {
        let call = "SELECT onlyonce.import('send', $1, '2026-01-01', 'the provider lists it', 'kim')";
        let row = person.query_one(call, &[&key]).await.map_err(|error| error.code().unwrap().code().to_owned())?;
        Ok::<String, String>(row.get(0))
    };
    assert_eq!((import("a").await.as_deref(), import("a").await.as_deref()), (Ok("imported"), Ok("already")));
    assert_eq!(reserve(&worker, "send", "a").await, "sent");
    go(&worker, "send", "open").await;
    assert_eq!(import("open").await.as_deref(), Ok("imported"));
    assert_eq!(reserve(&worker, "send", "open").await, "sent");
    let token = go(&worker, "send", "failed").await;
    record(&worker, "send", "failed", token, "rejected").await;
    assert_eq!(import("failed").await, Err("OO004".to_owned()));
    // A restore took the ledger back to where it was not sent yet: what went out since may not go again.
    let token = go(&worker, "send", "lost").await;
    record(&worker, "send", "lost", token, "not_attempted").await;
    assert_eq!(import("lost").await.as_deref(), Ok("imported"));
    assert_eq!(ledger.state("send", "lost").await, ("sent".to_owned(), None, 2));
    assert_eq!(reserve(&worker, "send", "lost").await, "sent");
    assert_eq!(import("no key").await, Err("OO003".to_owned()));
    for sent_at in ["clock_timestamp() + interval '1 minute'", "'infinity'", "'-infinity'", "NULL"] {
        let call = format!("SELECT onlyonce.import('send', 'when', {sent_at}, 'the provider lists it', 'kim')");
        assert_eq!(refusal(&person, &call).await, "OO003", "{sent_at}");
    }
    go(&worker, "send", "when").await;
}

#[tokio::test]
async fn what_is_erased_is_gone_and_stays_done() {
    on_every_major(erased).await;
}

pub(crate) async fn erased(ledger: &Ledger) {
    let (worker, person) = (ledger.worker().await, ledger.person().await);
    let secret = json!({"to": "eve@example.org"});
    let token = Uuid::new_v4();
    try_reserve(&worker, "send", "a", token, &secret).await.unwrap();
    let erase = async |key: &str| ask(&person, "erase", &[&"send", &key, &"kim"]).await;
    assert_eq!(erase("a").await, Err("OO004".to_owned()), "it is being sent");
    ask(&worker, "record", &[&"send", &"a", &Uuid::new_v4(), &"sent", &"eve@example.org"]).await.unwrap();
    ask(&worker, "record", &[&"send", &"a", &token, &"sent", &"m", &secret, &"eve@example.org"]).await.unwrap();
    assert_eq!(erase("a").await.as_deref(), Ok("erased"));
    let answer = try_reserve(&worker, "send", "a", Uuid::new_v4(), &secret).await.unwrap();
    assert_eq!((answer.verdict.as_str(), answer.payload, answer.result), ("sent", None, None));

    let token = Uuid::new_v4();
    try_reserve(&worker, "send", "b", token, &secret).await.unwrap();
    ask(
        &worker,
        "record",
        &[&"send", &"b", &token, &"unknown", &None::<String>, &None::<serde_json::Value>, &"eve@example.org"],
    )
    .await
    .unwrap();
    pass_deadline().await;
    assert_eq!(erase("b").await.as_deref(), Ok("erased"));
    assert_eq!(resolve(&person, "send", "b", 1, "not_sent").await, Err("OO004".to_owned()), "there is nothing to send");
    assert_eq!(resolve(&person, "send", "b", 1, "abandon").await.as_deref(), Ok("resolved"));
    assert_eq!(erase("nothing").await.as_deref(), Ok("absent"));
    // A worker whose acknowledgement was lost tells its result once more.
    let token = go(&worker, "send", "told").await;
    let result = serde_json::json!({"to": "eve@example.org"});
    let told: [&(dyn tokio_postgres::types::ToSql + Sync); 6] =
        [&"send", &"told", &token, &"sent", &None::<String>, &result];
    assert_eq!(ask(&worker, "record", &told).await.as_deref(), Ok("recorded"));
    assert_eq!(erase("told").await.as_deref(), Ok("erased"));
    assert_eq!(ask(&worker, "record", &told).await.as_deref(), Ok("already"));
    for table in ["actions", "transition_log", "late_evidence"] {
        let left = format!("SELECT FROM onlyonce.{table} AS t WHERE t::text LIKE '%eve@example.org%'");
        assert_eq!(ledger.root.query(&left, &[]).await.unwrap().len(), 0, "{table}");
    }
}

#[tokio::test]
async fn while_paused_nothing_is_reserved_and_what_is_under_way_settles() {
    on_every_major(paused).await;
}

pub(crate) async fn paused(ledger: &Ledger) {
    let (worker, person) = (ledger.worker().await, ledger.person().await);
    let token = go(&worker, "send", "a").await;
    person
        .batch_execute("SELECT onlyonce.pause('restored', 'kim'); SELECT onlyonce.pause('again', 'lee')")
        .await
        .unwrap();
    assert_eq!(reserve(&worker, "send", "a").await, "paused");
    assert_eq!(reserve(&worker, "send", "b").await, "paused");
    assert_eq!(ledger.health("paused").await, 1.0);
    assert_eq!(record(&worker, "send", "a", token, "sent").await, "recorded");
    person.batch_execute("SELECT onlyonce.resume('kim')").await.unwrap();
    assert_eq!(reserve(&worker, "send", "a").await, "sent");
    go(&worker, "send", "b").await;
}

#[tokio::test]
async fn a_pause_names_who_left_a_sweep_open() {
    on_every_major(held_up).await;
}

pub(crate) async fn held_up(ledger: &Ledger) {
    let (keeper, person, other) = (ledger.keeper().await, ledger.person().await, ledger.person().await);
    keeper.batch_execute("BEGIN; SELECT onlyonce.sweep()").await.unwrap();
    let holder: i32 = keeper.query_one("SELECT pg_backend_pid()", &[]).await.unwrap().get(0);
    person.batch_execute("SET lock_timeout = '100ms'").await.unwrap();
    // One whose session has no limit of its own, and one whose session has.
    for (client, call) in
        [(&person, "pause('flood', 'kim')"), (&person, "resume('kim')"), (&other, "pause('x', 'kim')")]
    {
        let error = client.batch_execute(&format!("SELECT onlyonce.{call}")).await.expect_err(call);
        let said = error.as_db_error().unwrap();
        assert_eq!((said.code().code(), said.message().contains(&holder.to_string())), ("55P03", true), "{said:?}");
        assert!(said.hint().unwrap().contains(&format!("pg_terminate_backend({holder})")), "{said:?}");
    }
    assert_eq!(ledger.health("paused").await, 0.0);
    keeper.batch_execute("COMMIT").await.unwrap();
    for (client, limit) in [(&person, "100ms"), (&other, "0")] {
        let call = "BEGIN; SELECT onlyonce.pause('flood', 'kim')";
        client.batch_execute(call).await.unwrap();
        let stays: String = client.query_one("SHOW lock_timeout", &[]).await.unwrap().get(0);
        assert_eq!(stays, limit, "what comes after is the caller's own");
        client.batch_execute("COMMIT").await.unwrap();
    }
    assert_eq!(ledger.health("paused").await, 1.0);
}
