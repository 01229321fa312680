//! Through PgBouncer in transaction mode: 50 clients on 5 server connections.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, SimpleQueryMessage};

use crate::invariants::{Counts, hold, watch};
use crate::ledger::{DEADLINE, Ledger, on_every_major};
use crate::provider::{Manner, Provider};
use crate::support::pooler::Pooler;
use crate::worker::{Job, Outcome, call, pass, work};

const CLIENTS: usize = 50;
const CONNECTIONS: usize = 5;

/// A budget that a busy machine does not use up: every client gets to its outcome here.
const PATIENCE: Duration = Duration::from_secs(20);

/// How a client speaks.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// The extended protocol without a name for the statement.
    Unnamed,
    /// The simple protocol, values in the text.
    Simple,
}

#[tokio::test]
async fn fifty_clients_hold_every_invariant_by_the_extended_protocol_without_names() {
    on_every_major(async |ledger: &Ledger| through(ledger, Way::Unnamed).await).await;
}

#[tokio::test]
async fn fifty_clients_hold_every_invariant_by_the_simple_protocol() {
    on_every_major(async |ledger: &Ledger| through(ledger, Way::Simple).await).await;
}

/// 50 clients come for 20 keys each, in orders of their own.
async fn through(ledger: &Ledger, way: Way) {
    watch(ledger).await;
    ledger.database.run("UPDATE onlyonce.action_types SET send_budget = '20 s', pending_timeout = '40 s'").await;
    // A setting that a session has to be left with.
    ledger
        .database
        .run(&format!("ALTER ROLE worker IN DATABASE {} SET synchronous_commit = local", ledger.database.name))
        .await;
    let pooler = Pooler::start(&ledger.database, &["worker"], CONNECTIONS);
    let provider = Provider::with_moods(&[Manner::Accept, Manner::Say(422), Manner::AcceptAndDrop]).await;
    let told: Arc<Mutex<Counts>> = Arc::default();
    let mut asking = JoinSet::new();
    for number in 0..CLIENTS {
        let (client, provider, told) = (pooler.connect_as("worker").await, provider.clone(), told.clone());
        asking.spawn(async move {
            for turn in 0..20 {
                let job = Job::new("send", &format!("key-{}", (number * 7 + turn * 3) % 20));
                let kind = attempt(&client, way, &provider, &job).await;
                if kind != "go" {
                    *told.lock().unwrap().entry(("send".to_owned(), kind)).or_default() += 1;
                }
            }
            let setting = client.simple_query("SHOW synchronous_commit").await.unwrap();
            assert_eq!(first(&setting), "local", "the session that was lent is as it was");
            client
        });
    }
    let clients = asking.join_all().await;
    let sessions = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'worker' AND datname = current_database()";
    let sessions: i64 = ledger.root.query_one(sessions, &[]).await.unwrap().get(0);
    assert_eq!((clients.len(), usize::try_from(sessions).unwrap()), (CLIENTS, CONNECTIONS));
    let told = told.lock().unwrap().clone();
    let again = usize::try_from(told.values().sum::<i64>()).unwrap();
    assert_eq!(again, CLIENTS * 20 - 20, "each key went once: {told:?}");
    hold(ledger, &provider.log(), Some(&told)).await;
}

/// Reserves, sends and records; the verdict.
async fn attempt(client: &Client, way: Way, provider: &Provider, job: &Job) -> String {
    let until = Instant::now() + PATIENCE;
    let verdict = reserve(client, way, job).await;
    if verdict == "go" {
        let outcome = call(provider.address, job, &job.payload, until, &pass).await;
        assert_eq!(record(client, way, job, &outcome).await, "recorded");
    }
    verdict
}

async fn reserve(client: &Client, way: Way, job: &Job) -> String {
    const NONE: &str = "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL";
    match way {
        Way::Simple => {
            let (token, payload) = (job.token, &job.payload);
            let call =
                format!("CALL onlyonce.reserve('{}', '{}', '{token}', '{payload}', {NONE})", job.action_type, job.key);
            first(&client.simple_query(&call).await.unwrap())
        }
        Way::Unnamed => {
            let values: [(&(dyn tokio_postgres::types::ToSql + Sync), Type); 4] = [
                (&job.action_type, Type::TEXT),
                (&job.key, Type::TEXT),
                (&job.token, Type::UUID),
                (&job.payload, Type::JSONB),
            ];
            let call = format!("CALL onlyonce.reserve($1, $2, $3, $4, {NONE})");
            client.query_typed_one(&call, &values).await.unwrap().get(0)
        }
    }
}

async fn record(client: &Client, way: Way, job: &Job, outcome: &Outcome) -> String {
    match way {
        Way::Simple => {
            let text = |value: &Option<String>| {
                value.as_ref().map_or_else(|| "NULL".to_owned(), |value| format!("'{}'", value.replace('\'', "''")))
            };
            let call = format!(
                "SELECT onlyonce.record('{}', '{}', '{}', '{}', {}, NULL, {})",
                job.action_type,
                job.key,
                job.token,
                outcome.outcome,
                text(&outcome.message_id),
                text(&outcome.reason)
            );
            first(&client.simple_query(&call).await.unwrap())
        }
        Way::Unnamed => {
            let values: [(&(dyn tokio_postgres::types::ToSql + Sync), Type); 7] = [
                (&job.action_type, Type::TEXT),
                (&job.key, Type::TEXT),
                (&job.token, Type::UUID),
                (&outcome.outcome, Type::TEXT),
                (&outcome.message_id, Type::TEXT),
                (&None::<Value>, Type::JSONB),
                (&outcome.reason, Type::TEXT),
            ];
            let call = "SELECT onlyonce.record($1, $2, $3, $4, $5, $6, $7)";
            client.query_typed_one(call, &values).await.unwrap().get(0)
        }
    }
}

/// The first value of the first row.
fn first(messages: &[SimpleQueryMessage]) -> String {
    let row = messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    row.unwrap_or("no verdict").to_owned()
}

#[tokio::test]
async fn named_statements_that_the_pooler_does_not_know_are_errors_and_no_sends() {
    on_every_major(named).await;
}

/// PgBouncer before 1.21 gives a client's named statement to any session: some calls are refused, and nothing is sent
/// on a refusal. A worker whose record is refused leaves an unknown.
async fn named(ledger: &Ledger) {
    watch(ledger).await;
    let pooler = Pooler::start(&ledger.database, &["worker"], CONNECTIONS);
    let provider = Provider::start().await;
    let mut asking = JoinSet::new();
    for number in 0..CLIENTS {
        let (client, provider) = (pooler.connect_as("worker").await, provider.clone());
        asking.spawn(async move {
            let (mut went, mut refused) = (0, 0);
            for turn in 0..10 {
                let job = Job::new("send", &format!("key-{}", (number * 7 + turn * 3) % 20));
                match work(&client, provider.address, &job, pass).await {
                    Ok(done) => went += usize::from(done.answer.verdict == "go"),
                    Err(_) => refused += 1,
                }
            }
            (went, refused)
        });
    }
    let sums = asking.join_all().await.into_iter().fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
    assert!(sums.0 <= 20 && provider.log().len() <= sums.0, "{sums:?}");
    tokio::time::sleep(DEADLINE + Duration::from_millis(100)).await;
    hold(ledger, &provider.log(), None).await;
}
