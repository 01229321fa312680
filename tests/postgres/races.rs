//! Workers, sweeps and purges at once.

use std::time::Duration;

use serde_json::json;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::gate::{Gate, behind};
use crate::ledger::{Ledger, go, on_every_major, pass_deadline, record, reserve, sweep, try_reserve};
use crate::worker::LONG;

#[tokio::test]
async fn of_two_workers_on_one_key_one_goes() {
    on_every_major(async |ledger: &Ledger| workers(ledger, 2).await).await;
}

#[tokio::test]
async fn of_64_workers_on_one_key_one_goes() {
    on_every_major(async |ledger: &Ledger| workers(ledger, 64).await).await;
}

pub(crate) async fn workers(ledger: &Ledger, number: usize) {
    for key in ["a", "b", "c"] {
        let mut clients = Vec::new();
        for _ in 0..number {
            clients.push(ledger.worker().await);
        }
        let mut asking = JoinSet::new();
        for client in clients {
            asking.spawn(async move { reserve(&client, "send", key).await });
        }
        let verdicts = asking.join_all().await;
        let goes = verdicts.iter().filter(|verdict| *verdict == "go").count();
        let waits = verdicts.iter().filter(|verdict| *verdict == "in_progress").count();
        assert_eq!((goes, waits), (1, number - 1), "{verdicts:?}");
    }
}

#[tokio::test]
async fn a_released_action_goes_to_one_of_many_workers() {
    on_every_major(released_to_one).await;
}

pub(crate) async fn released_to_one(ledger: &Ledger) {
    let first = ledger.worker().await;
    let token = go(&first, "send", "a").await;
    record(&first, "send", "a", token, "not_attempted").await;
    // All have seen that it may go, and none has taken it.
    let gate = Gate::close(ledger, "BEFORE UPDATE", "FOR EACH STATEMENT").await;
    let mut asking = JoinSet::new();
    for _ in 0..16 {
        let client = ledger.worker().await;
        asking.spawn(async move { reserve(&client, "send", "a").await });
    }
    gate.crowded(16).await;
    gate.open().await;
    let verdicts = asking.join_all().await;
    assert_eq!(verdicts.iter().filter(|verdict| *verdict == "go").count(), 1, "{verdicts:?}");
    assert_eq!(ledger.state("send", "a").await, ("pending".to_owned(), None, 2));
}

#[tokio::test]
async fn a_reservation_behind_an_open_one_waits_or_is_no_verdict() {
    on_every_major(behind_open).await;
}

pub(crate) async fn behind_open(ledger: &Ledger) {
    let open = ledger.worker().await;
    open.batch_execute("BEGIN").await.unwrap();
    let uncommitted = "SELECT FROM onlyonce.reserve_uncommitted('send', 'a', gen_random_uuid(), '{}')";
    open.batch_execute(uncommitted).await.unwrap();
    let other = ledger.worker().await;
    other.batch_execute("SET lock_timeout = '200ms'").await.unwrap();
    let refusal = try_reserve(&other, "send", "a", Uuid::new_v4(), &json!({})).await;
    assert_eq!(refusal.map(|answer| answer.verdict), Err("55P03".to_owned()));
    open.batch_execute("ROLLBACK").await.unwrap();
    go(&other, "send", "a").await;
}

#[tokio::test]
async fn a_sweep_changes_nothing_that_was_settled_after_it_looked() {
    on_every_major(settled_after_look).await;
}

/// The sweep has chosen both rows and stands at the first when the second is settled.
pub(crate) async fn settled_after_look(ledger: &Ledger) {
    let worker = ledger.worker().await;
    go(&worker, "send", "first").await;
    let token = go(&worker, "send", "second").await;
    pass_deadline().await;
    let gate = Gate::close(ledger, "AFTER UPDATE", "FOR EACH ROW WHEN (NEW.idempotency_key = 'first')").await;
    let keeper = ledger.keeper().await;
    let sweeping = tokio::spawn(async move { sweep(&keeper).await });
    gate.crowded(1).await;
    assert_eq!(record(&worker, "send", "second", token, "sent").await, "recorded");
    gate.open().await;
    assert_eq!(sweeping.await.unwrap(), 1);
    assert_eq!(ledger.status("send", "second").await, "sent");
    assert_eq!(ledger.hits("send", "swept").await, 1);
}

#[tokio::test]
async fn a_sweep_passes_by_what_another_holds_and_what_it_does_not_see() {
    on_every_major(held_and_unseen).await;
}

pub(crate) async fn held_and_unseen(ledger: &Ledger) {
    let (worker, mut holder) = (ledger.worker().await, ledger.database.connect().await);
    let token = go(&worker, "send", "a").await;
    pass_deadline().await;
    let held = holder.transaction().await.unwrap();
    held.execute("SELECT FROM onlyonce.actions WHERE idempotency_key = 'a' FOR UPDATE", &[]).await.unwrap();
    assert_eq!(sweep(&ledger.keeper().await).await, 0, "a locked row is passed by, not waited for");
    held.commit().await.unwrap();
    // A snapshot that is older than the record.
    let keeper = ledger.database.connect().await;
    keeper.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM onlyonce.actions").await.unwrap();
    assert_eq!(record(&worker, "send", "a", token, "sent").await, "recorded");
    let stale = keeper.query_one("SELECT onlyonce.sweep()", &[]).await.map(|row| row.get::<_, i32>(0));
    assert!(stale.as_ref().map_or(true, |moved| *moved == 0), "{stale:?}");
    keeper.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(ledger.status("send", "a").await, "sent");
}

#[tokio::test]
async fn an_outcome_that_waits_behind_the_sweep_still_settles() {
    on_every_major(behind_sweep).await;
}

pub(crate) async fn behind_sweep(ledger: &Ledger) {
    let (worker, keeper) = (ledger.worker().await, ledger.keeper().await);
    let token = go(&worker, "send", "a").await;
    pass_deadline().await;
    let gate = Gate::close(ledger, "AFTER UPDATE", "FOR EACH ROW WHEN (NEW.status = 'unknown')").await;
    let sweeping = tokio::spawn(async move { sweep(&keeper).await });
    gate.crowded(1).await;
    let recording = tokio::spawn(async move { record(&worker, "send", "a", token, "sent").await });
    behind(&ledger.root, 1).await;
    gate.open().await;
    assert_eq!((sweeping.await.unwrap(), recording.await.unwrap().as_str()), (1, "recorded"));
    assert_eq!(ledger.status("send", "a").await, "sent");
}

#[tokio::test]
async fn one_row_that_cannot_move_stops_neither_sweep_nor_purge() {
    on_every_major(bad_row).await;
}

pub(crate) async fn bad_row(ledger: &Ledger) {
    let (worker, keeper) = (ledger.worker().await, ledger.keeper().await);
    for key in ["bad", "good", "better"] {
        go(&worker, "send", key).await;
        let token = go(&worker, "kept", key).await;
        record(&worker, "kept", key, token, "sent").await;
    }
    let breaks = "CREATE FUNCTION public.breaks() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF OLD.idempotency_key = 'bad' THEN RAISE 'broken'; END IF; RETURN COALESCE(NEW, OLD); END $$;
        CREATE TRIGGER breaks BEFORE UPDATE OR DELETE ON onlyonce.actions FOR EACH ROW EXECUTE FUNCTION public.breaks()";
    ledger.database.run(breaks).await;
    pass_deadline().await;
    assert_eq!(keeper.query_one("SELECT onlyonce.sweep(1)", &[]).await.unwrap().get::<_, i32>(0), 1);
    assert_eq!(sweep(&keeper).await, 1);
    let statuses = [ledger.status("send", "good").await, ledger.status("send", "better").await];
    assert_eq!(statuses, ["unknown", "unknown"]);
    assert_eq!(ledger.queued("bad").await, ["unknown"], "and it still stands in the queue");
    let purged =
        keeper.query_one("SELECT payloads_stripped + actions_deleted FROM onlyonce.purge()", &[]).await.unwrap();
    assert_eq!(purged.get::<_, i32>(0), 2);
}

#[tokio::test]
async fn many_sweeps_at_once_move_each_row_once() {
    on_every_major(many_sweeps).await;
}

pub(crate) async fn many_sweeps(ledger: &Ledger) {
    let worker = ledger.worker().await;
    for turn in 0..60 {
        go(&worker, "send", &format!("key-{turn}")).await;
    }
    pass_deadline().await;
    let mut sweeping = JoinSet::new();
    for _ in 0..8 {
        let keeper = ledger.keeper().await;
        sweeping.spawn(async move { sweep(&keeper).await + sweep(&keeper).await });
    }
    let moved: i32 = sweeping.join_all().await.iter().sum::<i32>() + sweep(&ledger.keeper().await).await;
    assert_eq!((moved, ledger.hits("send", "swept").await), (60, 60));
    let left = ledger.root.query("SELECT FROM onlyonce.actions WHERE status <> 'unknown'", &[]).await.unwrap();
    assert_eq!(left.len(), 0);
}

#[tokio::test]
async fn a_sweep_waits_neither_for_an_open_pause_nor_for_an_open_sweep() {
    on_every_major(beside_open).await;
}

pub(crate) async fn beside_open(ledger: &Ledger) {
    let (worker, keeper) = (ledger.worker().await, ledger.keeper().await);
    keeper.batch_execute("SET lock_timeout = '200ms'").await.unwrap();
    for (key, open) in [("a", "SELECT onlyonce.pause('looking', 'kim')"), ("b", "SELECT onlyonce.sweep()")] {
        go(&worker, "send", key).await;
        for _ in 0..3 {
            reserve(&worker, "send", key).await;
        }
        let other = ledger.database.connect().await;
        other.batch_execute(&format!("BEGIN; {open}")).await.unwrap();
        pass_deadline().await;
        assert_eq!(sweep(&keeper).await, 1, "{open}");
        other.batch_execute("ROLLBACK").await.unwrap();
    }
}

#[tokio::test]
async fn a_pause_that_is_not_committed_yet_is_resumed_whole() {
    on_every_major(paused_and_resumed).await;
}

pub(crate) async fn paused_and_resumed(ledger: &Ledger) {
    let (first, second) = (ledger.database.connect().await, ledger.database.connect().await);
    first.batch_execute("BEGIN; SELECT onlyonce.pause('flood', 'kim')").await.unwrap();
    let resuming = tokio::spawn(async move { second.batch_execute("SELECT onlyonce.resume('ada')").await });
    let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'
        AND datname = current_database() AND query LIKE '%resume%')";
    while !ledger.root.query_one(waits, &[]).await.unwrap().get::<_, bool>(0) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    first.batch_execute("COMMIT").await.unwrap();
    resuming.await.unwrap().unwrap();
    let alike = "SELECT (SELECT paused FROM onlyonce.maintenance),
        EXISTS (SELECT FROM onlyonce.pauses WHERE resumed_at IS NULL)";
    let row = ledger.root.query_one(alike, &[]).await.unwrap();
    assert_eq!((row.get::<_, bool>(0), row.get::<_, bool>(1)), (false, false));
}

#[tokio::test]
async fn a_sweep_of_no_rows_hides_none() {
    on_every_major(no_rows).await;
}

pub(crate) async fn no_rows(ledger: &Ledger) {
    let (worker, keeper) = (ledger.worker().await, ledger.keeper().await);
    go(&worker, "send", "a").await;
    pass_deadline().await;
    for rows in ["-1000", "-1", "0", "NULL"] {
        for _ in 0..2 {
            let swept = keeper.query_one(&format!("SELECT onlyonce.sweep({rows})"), &[]).await.unwrap();
            assert_eq!(swept.get::<_, i32>(0), 0, "{rows}");
        }
    }
    assert_eq!(ledger.queued("a").await, ["unknown"]);
    assert_eq!(sweep(&keeper).await, 1);
}

#[tokio::test]
async fn a_reservation_that_commits_after_later_ones_were_swept_is_swept_too() {
    on_every_major(late_commit).await;
}

/// The sweep remembers how far all is settled; a row that was not visible then must not be lost to it.
pub(crate) async fn late_commit(ledger: &Ledger) {
    let (slow, quick, keeper) = (ledger.worker().await, ledger.worker().await, ledger.keeper().await);
    let uncommitted = "SELECT FROM onlyonce.reserve_uncommitted('send', 'slow', gen_random_uuid(), '{}')";
    slow.batch_execute(&format!("BEGIN; {uncommitted}")).await.unwrap();
    go(&quick, "send", "quick").await;
    pass_deadline().await;
    for wanted in [1, 0, 0, 0] {
        assert_eq!(sweep(&keeper).await, wanted);
    }
    slow.batch_execute("COMMIT").await.unwrap();
    assert_eq!(ledger.queued("slow").await, ["unknown"]);
    assert_eq!((sweep(&keeper).await, ledger.status("send", "slow").await), (1, "unknown".to_owned()));
    // And then it goes on, once no transaction of any other database of the server is older than its last question.
    let goes_on = "SELECT swept_to > now() - interval '1 minute' FROM onlyonce.maintenance";
    let limit = tokio::time::Instant::now() + LONG;
    while !ledger.root.query_one(goes_on, &[]).await.unwrap().get::<_, bool>(0) {
        assert!(tokio::time::Instant::now() < limit, "it stands still");
        sweep(&keeper).await;
    }
}

#[tokio::test]
async fn a_reservation_that_was_not_seen_and_became_unknown_meanwhile_is_answered_so() {
    on_every_major(unknown_meanwhile).await;
}

/// The look before the insert does not see the row, and by the time of the insert it is no longer pending.
pub(crate) async fn unknown_meanwhile(ledger: &Ledger) {
    let (worker, first) = (ledger.worker().await, ledger.database.connect().await);
    first.batch_execute(&in_one_transaction("send", "unknown")).await.unwrap();
    let asking = tokio::spawn(async move { reserve(&worker, "send", "a").await });
    behind(&ledger.root, 1).await;
    first.batch_execute("COMMIT").await.unwrap();
    assert_eq!(asking.await.unwrap(), "unknown");
    assert_eq!(ledger.state("send", "a").await, ("unknown".to_owned(), None, 1));
}

/// Reserves and records the key `a` in a transaction that stays open, past `reserve`, which refuses one.
fn in_one_transaction(action_type: &str, outcome: &str) -> String {
    let token = "00000000-0000-0000-0000-000000000001";
    format!(
        "BEGIN; SELECT onlyonce.reserve_uncommitted('{action_type}', 'a', '{token}', '1');
         SELECT onlyonce.record('{action_type}', 'a', '{token}', '{outcome}', 'message')"
    )
}

#[tokio::test]
async fn what_is_erased_while_it_is_about_to_go_again_does_not_go() {
    on_every_major(erased_meanwhile).await;
}

/// The look finds what may go again, and by the time of the update there is nothing left to send.
pub(crate) async fn erased_meanwhile(ledger: &Ledger) {
    let (worker, person) = (ledger.worker().await, ledger.person().await);
    let token = go(&worker, "send", "a").await;
    record(&worker, "send", "a", token, "not_attempted").await;
    person.batch_execute("BEGIN; SELECT onlyonce.erase('send', 'a', 'kim')").await.unwrap();
    let asking = tokio::spawn(async move { reserve(&worker, "send", "a").await });
    behind(&ledger.root, 1).await;
    person.batch_execute("COMMIT").await.unwrap();
    assert_eq!(asking.await.unwrap(), "failed");
    assert_eq!(ledger.state("send", "a").await, ("failed".to_owned(), Some("not_attempted".to_owned()), 1));
}

#[tokio::test]
async fn a_purge_between_the_two_statements_of_reserve_leads_to_a_verdict() {
    on_every_major(purged_between).await;
}

/// The insert clashed with a row that the look before it did not see, and that the look after it does not see either:
/// it was purged while reserve stood between the two.
pub(crate) async fn purged_between(ledger: &Ledger) {
    let (worker, keeper, first) = (ledger.worker().await, ledger.keeper().await, ledger.database.connect().await);
    let others = "FOR EACH STATEMENT WHEN (current_setting('application_name') <> 'first')";
    let gate = Gate::close(ledger, "AFTER INSERT", others).await;
    first.batch_execute("SET application_name = 'first'").await.unwrap();
    first.batch_execute(&in_one_transaction("model", "sent")).await.unwrap();
    let asking = tokio::spawn(async move { reserve(&worker, "model", "a").await });
    behind(&ledger.root, 1).await;
    first.batch_execute("COMMIT").await.unwrap();
    gate.crowded(1).await;
    pass_deadline().await;
    let purged = keeper.query_one("SELECT actions_deleted FROM onlyonce.purge()", &[]).await.unwrap();
    assert_eq!(purged.get::<_, i32>(0), 1);
    gate.open().await;
    assert_eq!(asking.await.unwrap(), "go");
    assert_eq!(ledger.state("model", "a").await, ("pending".to_owned(), None, 1));
}

#[tokio::test]
async fn what_was_restored_behind_the_sweep_s_progress_is_found() {
    on_every_major(restored_behind).await;
}

/// Rows that came in past the guards have deadlines where the sweep has been.
pub(crate) async fn restored_behind(ledger: &Ledger) {
    let keeper = ledger.keeper().await;
    let goes_on = "SELECT swept_to > now() - interval '1 minute' FROM onlyonce.maintenance";
    let limit = tokio::time::Instant::now() + LONG;
    while !ledger.root.query_one(goes_on, &[]).await.unwrap().get::<_, bool>(0) {
        assert!(tokio::time::Instant::now() < limit, "it stands still");
        sweep(&keeper).await;
    }
    // Enough of them that they are not found at once.
    let restore = "ALTER TABLE onlyonce.actions DISABLE TRIGGER ALL;
        INSERT INTO onlyonce.actions (action_type, idempotency_key, status, attempt, token, created_at, deadline_at,
            settled_at, step, message_id, payload)
          SELECT 'send', 'key-' || n, CASE n % 5000 WHEN 0 THEN 'pending' ELSE 'sent' END, 1, gen_random_uuid(),
            now() - interval '2 days', now() - interval '1 day', CASE n % 5000 WHEN 0 THEN NULL ELSE now() END, 'record',
            'm' || n, to_jsonb(repeat('x', 300))
          FROM generate_series(1, 20000) AS n;
        ALTER TABLE onlyonce.actions ENABLE TRIGGER ALL";
    ledger.database.run(restore).await;
    assert!(ledger.queued("key-20000").await.is_empty(), "or they need not be looked for");
    let mut found = Vec::new();
    for _ in 0..6 {
        found.push(sweep(&keeper).await);
    }
    assert_eq!(found.iter().sum::<i32>(), 4, "{found:?}");
    assert_eq!(ledger.queued("key-20000").await, ["unknown"]);
    assert_eq!(reserve(&ledger.worker().await, "send", "key-5000").await, "unknown");
}
