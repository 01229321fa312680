//! A physical standby: it refuses to reserve, and takes over.

use std::time::Duration;

use serde_json::json;
use tokio_postgres::Client;
use uuid::Uuid;

use crate::invariants::{hold, watch};
use crate::ledger::{Ledger, ask, go, pass_deadline, record, refusal, reserve, sweep, try_reserve};
use crate::provider::Provider;
use crate::support::{Server, majors};
use crate::worker::{BUDGET, Job, LONG, call, pass, work};

/// Asks until it is true.
async fn until(client: &Client, question: &str) {
    let limit = tokio::time::Instant::now() + LONG;
    while !client.query_one(question, &[]).await.unwrap().get::<_, bool>(0) {
        assert!(tokio::time::Instant::now() < limit, "{question}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A server with a ledger, and a standby of it.
struct Pair {
    primary: Server,
    standby: Server,
    ledger: Ledger,
}

impl Pair {
    async fn start(major: u32) -> Pair {
        let primary = Server::start(major, &["fsync=off", "wal_keep_size=256MB"]);
        let standby = Server::standby(&primary, &["fsync=off", "wal_retrieve_retry_interval=100ms"]);
        let ledger = Ledger::on(&primary).await;
        watch(&ledger).await;
        Pair { primary, standby, ledger }
    }

    /// Waits until the standby has all that the primary has committed.
    async fn caught_up(&self) {
        let now = "SELECT pg_current_wal_flush_lsn()::text";
        let now: String = self.ledger.root.query_one(now, &[]).await.unwrap().get(0);
        let standby = crate::support::connect(&self.standby.place, "postgres", "postgres").await;
        until(&standby, &format!("SELECT COALESCE(pg_last_wal_replay_lsn() >= '{now}', false)")).await;
    }

    /// The ledger as the standby has it.
    async fn on_standby(&self) -> Ledger {
        let database = self.standby.holding(&self.ledger.database);
        Ledger { root: database.connect().await, database }
    }
}

#[tokio::test]
async fn a_standby_refuses_to_reserve_to_record_and_to_sweep() {
    for major in majors() {
        let pair = Pair::start(major).await;
        go(&pair.ledger.worker().await, "send", "a").await;
        pair.caught_up().await;
        pass_deadline().await;
        let standby = pair.on_standby().await;
        let (worker, keeper) = (standby.worker().await, standby.keeper().await);
        for key in ["a", "b"] {
            let refused = try_reserve(&worker, "send", key, Uuid::new_v4(), &json!({})).await;
            assert_eq!(refused.map(|answer| answer.verdict), Err("25006".to_owned()), "{key}");
        }
        let recorded = ask(&worker, "record", &[&"send", &"a", &Uuid::new_v4(), &"unknown"]).await;
        assert_eq!(recorded, Err("25006".to_owned()));
        let accepted = ask(&worker, "accept_event", &[&"claimed", &"e", &Uuid::new_v4(), &json!({})]).await;
        assert_eq!(accepted, Err("25006".to_owned()));
        assert_eq!(refusal(&keeper, "SELECT onlyonce.sweep()").await, "25006");
        assert_eq!(refusal(&keeper, "SELECT onlyonce.purge()").await, "25006");
        assert_eq!(standby.queued("a").await, ["unknown"], "a monitor may read it there");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_failover_that_lost_commits_the_runbook_leads_to_no_second_send() {
    for major in majors() {
        let pair = Pair::start(major).await;
        failover(&pair).await;
    }
}

/// The primary's last second is lost; what was sent in it is at the provider alone.
async fn failover(pair: &Pair) {
    let provider = Provider::start().await;
    let worker = pair.ledger.worker().await;
    let send = async |key: &str| work(&worker, provider.address, &Job::new("send", key), pass).await.unwrap();
    send("kept").await;
    let outcome_lost = Job::new("send", "outcome-lost");
    for job in [&outcome_lost, &Job::new("send", "silent")] {
        assert_eq!(crate::ledger::reserve_as(&worker, "send", &job.key, job.token).await, "go");
    }
    pair.caught_up().await;

    // From here on nothing reaches the standby.
    let standby = crate::support::connect(&pair.standby.place, "postgres", "postgres").await;
    standby.batch_execute("ALTER SYSTEM SET primary_conninfo = ''").await.unwrap();
    standby.batch_execute("SELECT pg_reload_conf()").await.unwrap();
    until(&standby, "SELECT NOT EXISTS (SELECT FROM pg_stat_wal_receiver)").await;
    let sent = deliver(&provider, &outcome_lost).await;
    let told = ask(&worker, "record", &[&"send", &"outcome-lost", &outcome_lost.token, &"sent", &sent]).await;
    assert_eq!(told.as_deref(), Ok("recorded"));
    send("reservation-lost").await;
    let late = Job::new("send", "sent-after-failover");
    assert_eq!(crate::ledger::reserve_as(&worker, "send", &late.key, late.token).await, "go");

    tokio::task::block_in_place(|| pair.primary.stop());
    standby.query_one("SELECT pg_promote(true)", &[]).await.unwrap();
    let after = pair.on_standby().await;
    // Without the runbook: a key that was sent in the lost second is free.
    let gone = "SELECT count(*) FROM onlyonce.actions WHERE idempotency_key LIKE 'reservation-lost'";
    assert_eq!(after.root.query_one(gone, &[]).await.unwrap().get::<_, i64>(0), 0, "nothing was lost: no test");
    walk(&after, &provider, &late).await;
    hold(&after, &provider.log(), None).await;
}

/// The runbook: pause, wait until no worker can still be sending, import from the provider, mark unknown, resume.
async fn walk(after: &Ledger, provider: &Provider, late: &Job) {
    let (worker, person) = (after.worker().await, after.person().await);
    person.batch_execute("SELECT onlyonce.pause('failover', 'kim')").await.unwrap();
    for key in ["reservation-lost", "outcome-lost", "silent", &late.key] {
        assert_eq!(reserve(&worker, "send", key).await, "paused");
    }
    // It has its go from the server that is gone, and is within its budget: only the wait covers it.
    let sent = deliver(provider, late).await;
    let told = ask(&worker, "record", &[&"send", &late.key, &late.token, &"sent", &sent]).await;
    assert_eq!(told.as_deref(), Ok("fenced"), "what it says is kept, though the ledger does not know it");
    pass_deadline().await;
    let mut told = Vec::new();
    for accepted in provider.log() {
        let import = "SELECT onlyonce.import($1, $2, clock_timestamp(), 'the log of the provider', 'kim')";
        let row = person.query_one(import, &[&accepted.action_type, &accepted.key]).await.unwrap();
        told.push((accepted.key, row.get::<_, String>(0)));
    }
    let told: Vec<(&str, &str)> = told.iter().map(|(key, told)| (key.as_str(), told.as_str())).collect();
    let wanted = [
        ("kept", "already"),
        ("outcome-lost", "imported"),
        ("reservation-lost", "imported"),
        ("sent-after-failover", "imported"),
    ];
    assert_eq!(told, wanted);
    assert_eq!(sweep(&after.keeper().await).await, 1, "what the provider does not know is unknown");
    person.batch_execute("SELECT onlyonce.resume('kim')").await.unwrap();
    for (key, _) in wanted {
        assert_eq!(reserve(&worker, "send", key).await, "sent", "{key}");
    }
    assert_eq!(reserve(&worker, "send", "silent").await, "unknown");
    assert_eq!((after.queued("silent").await, provider.log().len()), (vec!["unknown".to_owned()], 4));
}

/// Sends as a worker does that has its go; the message id.
async fn deliver(provider: &Provider, job: &Job) -> String {
    let until = tokio::time::Instant::now() + BUDGET;
    call(provider.address, job, &json!({}), until, &pass).await.message_id.expect("the provider accepts")
}

#[tokio::test]
async fn a_reservation_that_has_to_be_applied_on_the_standby_waits_for_it() {
    for major in majors() {
        let pair = Pair::start(major).await;
        applied(&pair).await;
    }
}

/// `on` waits until the standby has written the commit, `remote_apply` until it shows it; the ledger raises what is
/// less to `on`, and never lowers the other.
async fn applied(pair: &Pair) {
    pair.caught_up().await;
    let (root, standby) = (&pair.ledger.root, pair.on_standby().await.root);
    root.batch_execute("ALTER SYSTEM SET synchronous_standby_names = '*'").await.unwrap();
    root.batch_execute("SELECT pg_reload_conf()").await.unwrap();
    until(root, "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')").await;
    for (setting, waits) in [("local", false), ("on", false), ("remote_apply", true)] {
        pair.caught_up().await;
        let worker = pair.ledger.worker().await;
        worker.batch_execute(&format!("SET synchronous_commit = {setting}")).await.unwrap();
        standby.batch_execute("SELECT pg_wal_replay_pause()").await.unwrap();
        until(&standby, "SELECT pg_get_wal_replay_pause_state() = 'paused'").await;
        let asking = tokio::spawn(async move {
            let token = go(&worker, "send", setting).await;
            (worker, token)
        });
        if waits {
            let stands =
                "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND usename = 'worker')";
            until(root, stands).await;
            assert!(!asking.is_finished());
            standby.batch_execute("SELECT pg_wal_replay_resume()").await.unwrap();
        }
        let (worker, token) = asking.await.unwrap();
        let there = "SELECT count(*) FROM onlyonce.actions WHERE idempotency_key = $1";
        let there: i64 = standby.query_one(there, &[&setting]).await.unwrap().get(0);
        assert_eq!(there, i64::from(waits), "{setting}");
        if !waits {
            standby.batch_execute("SELECT pg_wal_replay_resume()").await.unwrap();
        }
        assert_eq!(record(&worker, "send", setting, token, "sent").await, "recorded");
    }
}
