//! How long things are kept.

use serde_json::json;
use uuid::Uuid;

use crate::ledger::{Ledger, ask, go, on_every_major, pass_deadline, record, reserve, try_reserve};

/// Purges once: payloads stripped, actions deleted, events deleted.
async fn purge(ledger: &Ledger) -> (i32, i32, i32) {
    let row = ledger.keeper().await.query_one("SELECT * FROM onlyonce.purge()", &[]).await.unwrap();
    (row.get("payloads_stripped"), row.get("actions_deleted"), row.get("events_deleted"))
}

#[tokio::test]
async fn payloads_go_first_and_keys_later_and_nothing_unfinished_ever() {
    on_every_major(payloads_then_keys).await;
}

pub(crate) async fn payloads_then_keys(ledger: &Ledger) {
    let worker = ledger.worker().await;
    let sent = go(&worker, "kept", "sent").await;
    record(&worker, "kept", "sent", sent, "unknown").await;
    record(&worker, "kept", "sent", sent, "sent").await;
    for (key, outcome) in [("rejected", "rejected"), ("waiting", "not_attempted"), ("unknown", "unknown")] {
        let token = go(&worker, "kept", key).await;
        record(&worker, "kept", key, token, outcome).await;
    }
    go(&worker, "kept", "silent").await;
    let forever = go(&worker, "send", "forever").await;
    record(&worker, "send", "forever", forever, "sent").await;
    assert_eq!(purge(ledger).await, (0, 0, 0), "nothing is past its time");

    pass_deadline().await;
    assert!(ledger.health("purge_lag_seconds").await > 0.0);
    assert_eq!(purge(ledger).await, (1, 0, 0));
    assert_eq!(ledger.health("purge_lag_seconds").await, 0.0);
    let answer = try_reserve(&worker, "kept", "sent", Uuid::new_v4(), &json!({"other": 1})).await.unwrap();
    assert_eq!((answer.verdict.as_str(), answer.payload, answer.conflict), ("sent", None, Some(false)));
    assert_eq!(answer.message_id.as_deref(), Some("message-sent"));

    pass_deadline().await;
    assert!(ledger.health("purge_lag_seconds").await > 0.0, "its key has outlived its time too");
    assert_eq!(purge(ledger).await, (0, 1, 0));
    assert_eq!(ledger.health("purge_lag_seconds").await, 0.0);
    let history = "SELECT FROM onlyonce.transition_log WHERE idempotency_key = 'sent'";
    assert!(ledger.root.query(history, &[]).await.unwrap().is_empty(), "its history went with it");
    let left = ledger.root.query("SELECT FROM onlyonce.actions WHERE payload IS NOT NULL", &[]).await.unwrap();
    assert_eq!((left.len(), purge(ledger).await), (5, (0, 0, 0)));
    go(&worker, "kept", "sent").await;
}

#[tokio::test]
async fn a_model_s_action_goes_whole_so_that_a_repeat_plans_afresh() {
    on_every_major(model_goes_whole).await;
}

pub(crate) async fn model_goes_whole(ledger: &Ledger) {
    let worker = ledger.worker().await;
    let token = go(&worker, "model", "a").await;
    ask(&worker, "record", &[&"model", &"a", &token, &"sent", &None::<String>, &json!({"plan": 1})]).await.unwrap();
    pass_deadline().await;
    assert_eq!(purge(ledger).await, (0, 1, 0));
    go(&worker, "model", "a").await;
}

#[tokio::test]
async fn a_purge_is_limited_and_goes_on_where_it_stopped() {
    on_every_major(limited).await;
}

pub(crate) async fn limited(ledger: &Ledger) {
    let worker = ledger.worker().await;
    for key in ["a", "b", "c"] {
        let token = go(&worker, "model", key).await;
        record(&worker, "model", key, token, "sent").await;
    }
    pass_deadline().await;
    let keeper = ledger.keeper().await;
    let less_than_nothing = keeper.query_one("SELECT actions_deleted FROM onlyonce.purge(-1)", &[]).await.unwrap();
    assert_eq!(less_than_nothing.get::<_, i32>(0), 0);
    for wanted in [2, 1, 0] {
        let row = keeper.query_one("SELECT actions_deleted FROM onlyonce.purge(2)", &[]).await.unwrap();
        assert_eq!(row.get::<_, i32>(0), wanted);
    }
}

#[tokio::test]
async fn events_go_past_their_retention_unless_unfinished() {
    on_every_major(events).await;
}

pub(crate) async fn events(ledger: &Ledger) {
    let worker = ledger.worker().await;
    for (source, id) in [("joined", "done"), ("claimed", "open")] {
        let accepted = ask(&worker, "accept_event", &[&source, &id, &Uuid::new_v4(), &json!({})]).await;
        assert_eq!(accepted.as_deref(), Ok("fresh"));
    }
    assert_eq!(purge(ledger).await, (0, 0, 0));
    for _ in 0..3 {
        pass_deadline().await;
    }
    assert_eq!(purge(ledger).await, (0, 0, 1));
    assert_eq!(ledger.queued("open").await, ["inbound"]);
}

#[tokio::test]
async fn counts_are_the_same_before_and_after_they_are_added_up() {
    on_every_major(added_up).await;
}

pub(crate) async fn added_up(ledger: &Ledger) {
    let worker = ledger.worker().await;
    let token = go(&worker, "send", "a").await;
    record(&worker, "send", "a", token, "sent").await;
    for _ in 0..5 {
        reserve(&worker, "send", "a").await;
    }
    let log = "SELECT FROM onlyonce.duplicate_log";
    assert_eq!((ledger.hits("send", "sent").await, ledger.root.query(log, &[]).await.unwrap().len()), (5, 5));
    ledger.keeper().await.batch_execute("SELECT onlyonce.sweep()").await.unwrap();
    assert_eq!((ledger.hits("send", "sent").await, ledger.root.query(log, &[]).await.unwrap().len()), (5, 0));
    reserve(&worker, "send", "a").await;
    assert_eq!(ledger.hits("send", "sent").await, 6);
    ledger.keeper().await.batch_execute("SELECT onlyonce.sweep()").await.unwrap();
    assert_eq!((ledger.hits("send", "sent").await, ledger.root.query(log, &[]).await.unwrap().len()), (6, 0));
}

#[tokio::test]
async fn a_message_id_on_two_keys_is_shown() {
    on_every_major(shared_message_id).await;
}

pub(crate) async fn shared_message_id(ledger: &Ledger) {
    let worker = ledger.worker().await;
    for key in ["a", "b", "c"] {
        let token = go(&worker, "send", key).await;
        let message_id = if key == "c" { "another" } else { "the same" };
        ask(&worker, "record", &[&"send", &key, &token, &"sent", &message_id]).await.unwrap();
    }
    purge(ledger).await;
    assert_eq!(ledger.health("shared_message_ids").await, 1.0);
}

#[tokio::test]
async fn counting_message_ids_reads_a_bounded_part_and_forgets_nothing() {
    on_every_major(bounded_count).await;
}

pub(crate) async fn bounded_count(ledger: &Ledger) {
    let worker = ledger.worker().await;
    for key in ["a", "b"] {
        let token = go(&worker, "send", key).await;
        ask(&worker, "record", &[&"send", &key, &token, &"sent", &"the same"]).await.unwrap();
    }
    purge(ledger).await;
    let many = "ALTER TABLE onlyonce.actions DISABLE TRIGGER ALL;
        INSERT INTO onlyonce.actions (action_type, idempotency_key, status, attempt, token, created_at, deadline_at,
            settled_at, step, message_id, payload)
          SELECT 'send', 'key-' || n, 'sent', 1, gen_random_uuid(), now(), now() + n * interval '1 second', now(),
            'record', 'm' || n, '{}' FROM generate_series(1, 40000) AS n;
        ALTER TABLE onlyonce.actions ENABLE TRIGGER ALL; ANALYZE onlyonce.actions;
        UPDATE onlyonce.maintenance SET counted_at = '-infinity'";
    ledger.database.run(many).await;
    let reads = "BEGIN; SELECT onlyonce.count_shared_message_ids('1 day');
        SELECT sum(seq_tup_read + idx_tup_fetch)::bigint FROM pg_stat_xact_user_tables
          WHERE schemaname = 'onlyonce' AND relname ~ '^actions(_[0-9]+)?$'";
    let (_, read) = reads.split_once("');").unwrap();
    ledger.root.batch_execute(reads).await.unwrap();
    let read: i64 = ledger.root.query_one(read, &[]).await.unwrap().get(0);
    ledger.root.batch_execute("COMMIT").await.unwrap();
    assert!((10_000..15_000).contains(&read), "{read} of 40002");
    assert_eq!(ledger.health("shared_message_ids").await, 1.0, "what was seen once");
}
