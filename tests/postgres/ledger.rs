//! A ledger in a database of its own, and what a worker, an operator and maintenance ask of it.

use std::collections::BTreeMap;
use std::time::Duration;

use onlyonce::emit::changes;
use onlyonce::manifest::diff::{Emitted, EmittedAction, EmittedInbound};
use onlyonce::manifest::{Distribution, InboundMode, Kind, Layout, Roles, WhenUnknown};
use serde_json::{Value, json};
use tokio_postgres::Client;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::support::{Database, Server, majors, server};

#[path = "cluster.rs"]
pub(crate) mod cluster;

/// A deadline of one second, as in all of these scenarios.
pub(crate) const DEADLINE: Duration = Duration::from_secs(1);

/// The roles that people and programs log in as, each in one of the ledger's.
const LOGINS: &str = "DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'worker') THEN
    CREATE ROLE worker LOGIN IN ROLE onlyonce_app;
    CREATE ROLE person LOGIN IN ROLE onlyonce_operator;
    CREATE ROLE keeper LOGIN IN ROLE onlyonce_maintenance;
    CREATE ROLE watcher LOGIN IN ROLE onlyonce_monitor;
  END IF;
END $$";

/// Manifests count in seconds, and a test cannot wait for two of them each time; none begins with a retired type.
const HASTE: &str = "UPDATE onlyonce.action_types
  SET send_budget = '500 ms', pending_timeout = '1 second', retired = name = 'retired'";

/// What the ledgers here are made from: actions `send` (keeps nothing long), `retry` (its provider takes our key for
/// an hour), `short` (for a second), `model`, `kept` (for a second, its key for two), `retired`; sources `claimed` and `joined`.
pub(crate) fn emitted(roles: Roles) -> Emitted {
    let send = EmittedAction {
        kind: Kind::Send,
        key: Vec::new(),
        provider: None,
        key_window: None,
        look_up: Some("search for the key".to_owned()),
        send_budget: DEADLINE,
        pending_timeout: 2 * DEADLINE,
        max_attempts: 2,
        when_unknown: WhenUnknown::Reconcile,
        keep: None,
        keep_key: None,
        retired: false,
    };
    let retry =
        EmittedAction { when_unknown: WhenUnknown::Retry, key_window: Some(Duration::from_secs(3600)), ..send.clone() };
    let short = EmittedAction { key_window: Some(DEADLINE), ..retry.clone() };
    let model =
        EmittedAction { kind: Kind::Model, when_unknown: WhenUnknown::Retry, keep: Some(DEADLINE), ..send.clone() };
    let kept = EmittedAction { keep: Some(DEADLINE), keep_key: Some(2 * DEADLINE), ..send.clone() };
    let retired = EmittedAction { retired: true, ..send.clone() };
    let claimed = EmittedInbound {
        provider: None,
        redelivery: Some(DEADLINE),
        mode: InboundMode::Claim,
        claim_timeout: DEADLINE,
        retention: 3 * DEADLINE,
        retired: false,
    };
    let joined = EmittedInbound { mode: InboundMode::Transaction, ..claimed.clone() };
    Emitted {
        schema: "onlyonce".to_owned(),
        layout: Layout::Plain,
        roles,
        partitions: 0,
        distribution: Distribution::None,
        actions: BTreeMap::from([
            ("kept".to_owned(), kept),
            ("model".to_owned(), model),
            ("retired".to_owned(), retired),
            ("retry".to_owned(), retry),
            ("send".to_owned(), send),
            ("short".to_owned(), short),
        ]),
        inbound: BTreeMap::from([("claimed".to_owned(), claimed), ("joined".to_owned(), joined)]),
    }
}

/// The same with few partitions, so that each of them gets rows.
pub(crate) fn partitioned() -> Emitted {
    Emitted { partitions: 3, ..emitted(Roles::Create) }
}

/// The statements of both directions, as a tool runs them: in one transaction.
pub(crate) fn script(emitted: &Emitted) -> (String, String) {
    let statements = changes::ledger(emitted).unwrap();
    let whole = |statements: &[String]| format!("BEGIN;\n{};\nCOMMIT;\n", statements.join(";\n"));
    (whole(&statements.up), whole(&statements.down))
}

/// A database that holds a ledger, and a connection of its superuser.
pub(crate) struct Ledger {
    /// Its database.
    pub(crate) database: Database,
    /// A superuser, to look at everything.
    pub(crate) root: Client,
}

/// What `reserve` answered.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) verdict: String,
    pub(crate) attempt: Option<i32>,
    pub(crate) payload: Option<Value>,
    pub(crate) conflict: Option<bool>,
    pub(crate) message_id: Option<String>,
    pub(crate) result: Option<Value>,
    pub(crate) reason: Option<String>,
}

/// The SQLSTATE of a refusal.
pub(crate) type Refused = String;

impl Ledger {
    /// A ledger as it is emitted, on this server.
    pub(crate) async fn on(server: &Server) -> Ledger {
        Ledger::of(server, &script(&emitted(Roles::Create)).0).await
    }

    /// A ledger made by this script.
    pub(crate) async fn of(server: &Server, script: &str) -> Ledger {
        Ledger::within(server.database().await, script).await
    }

    /// A ledger made by this script in a database that is there.
    pub(crate) async fn within(database: Database, script: &str) -> Ledger {
        database.run(script).await;
        database.run(&format!("{HASTE}; {LOGINS}")).await;
        Ledger { root: database.connect().await, database }
    }

    /// A connection of a worker.
    pub(crate) async fn worker(&self) -> Client {
        self.database.connect_as("worker").await
    }

    /// A connection of an operator.
    pub(crate) async fn person(&self) -> Client {
        self.database.connect_as("person").await
    }

    /// A connection of maintenance.
    pub(crate) async fn keeper(&self) -> Client {
        self.database.connect_as("keeper").await
    }

    /// Status, failure and attempt of an action.
    pub(crate) async fn state(&self, action_type: &str, key: &str) -> (String, Option<String>, i32) {
        let row =
            "SELECT status, failure, attempt FROM onlyonce.actions WHERE action_type = $1 AND idempotency_key = $2";
        let row = self.root.query_one(row, &[&action_type, &key]).await.unwrap();
        (row.get(0), row.get(1), row.get(2))
    }

    /// Its status alone.
    pub(crate) async fn status(&self, action_type: &str, key: &str) -> String {
        self.state(action_type, key).await.0
    }

    /// A count of `duplicate_counts`.
    pub(crate) async fn hits(&self, name: &str, kind: &str) -> i64 {
        let hits = "SELECT COALESCE(sum(hits), 0)::bigint FROM onlyonce.duplicate_counts WHERE name = $1 AND kind = $2";
        self.root.query_one(hits, &[&name, &kind]).await.unwrap().get(0)
    }

    /// A number of `health`.
    pub(crate) async fn health(&self, name: &str) -> f64 {
        self.root.query_one("SELECT value FROM onlyonce.health WHERE name = $1", &[&name]).await.unwrap().get(0)
    }

    /// The classes in which this key stands in the queue.
    pub(crate) async fn queued(&self, key: &str) -> Vec<String> {
        let rows = "SELECT class FROM onlyonce.reconciliation_queue WHERE idempotency_key = $1 ORDER BY 1";
        self.root.query(rows, &[&key]).await.unwrap().iter().map(|row| row.get(0)).collect()
    }
}

/// Runs a scenario on a new ledger of each wanted major, and on a partitioned one of the newest of them. Where a Citus
/// is given, on that alone.
pub(crate) async fn on_every_major<F: AsyncFn(&Ledger)>(scenario: F) {
    if let Some(ledger) = cluster::ledger().await {
        return scenario(&ledger).await;
    }
    let plain = async {
        for major in majors() {
            scenario(&Ledger::on(server(major)).await).await;
        }
    };
    let partitioned = async {
        let newest = majors().into_iter().max().expect("a major is wanted");
        scenario(&Ledger::of(server(newest), &script(&partitioned()).0).await).await;
    };
    tokio::join!(plain, partitioned);
}

/// Waits until what was reserved before is past its deadline.
pub(crate) async fn pass_deadline() {
    tokio::time::sleep(DEADLINE + Duration::from_millis(100)).await;
}

/// Calls `reserve`.
pub(crate) async fn try_reserve(
    client: &Client,
    action_type: &str,
    key: &str,
    token: Uuid,
    payload: &Value,
) -> Result<Answer, Refused> {
    const RESERVE: &str = "CALL onlyonce.reserve($1, $2, $3, $4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)";
    let row =
        client.query_one(RESERVE, &[&action_type, &key, &token, payload]).await.map_err(|error| refused(&error))?;
    Ok(Answer {
        verdict: row.get::<_, Option<String>>("verdict").unwrap_or_else(|| "no verdict".to_owned()),
        attempt: row.get("attempt"),
        payload: row.get("payload_kept"),
        conflict: row.get("payload_conflict"),
        message_id: row.get("message_id"),
        result: row.get("result"),
        reason: row.get("reason"),
    })
}

/// Calls `reserve` with a new token and an empty payload; the verdict.
pub(crate) async fn reserve(client: &Client, action_type: &str, key: &str) -> String {
    reserve_as(client, action_type, key, Uuid::new_v4()).await
}

/// Calls `reserve` with this token and an empty payload; the verdict.
pub(crate) async fn reserve_as(client: &Client, action_type: &str, key: &str, token: Uuid) -> String {
    try_reserve(client, action_type, key, token, &json!({})).await.unwrap().verdict
}

/// Reserves what has to be free; its token.
pub(crate) async fn go(client: &Client, action_type: &str, key: &str) -> Uuid {
    let token = Uuid::new_v4();
    assert_eq!(reserve_as(client, action_type, key, token).await, "go");
    token
}

/// Calls a function that answers with a text.
pub(crate) async fn ask(client: &Client, call: &str, values: &[&(dyn ToSql + Sync)]) -> Result<String, Refused> {
    let places: Vec<String> = (1..=values.len()).map(|place| format!("${place}")).collect();
    let statement = format!("SELECT onlyonce.{call}({})", places.join(", "));
    let row = client.query_one(&statement, values).await.map_err(|error| refused(&error))?;
    Ok(row.get(0))
}

/// Records an outcome; `sent` with a message id made from the key.
pub(crate) async fn record(client: &Client, action_type: &str, key: &str, token: Uuid, outcome: &str) -> String {
    let message_id = (outcome == "sent").then(|| format!("message-{key}"));
    ask(client, "record", &[&action_type, &key, &token, &outcome, &message_id]).await.unwrap()
}

/// Decides as a person would.
pub(crate) async fn resolve(
    client: &Client,
    action_type: &str,
    key: &str,
    attempt: i32,
    decision: &str,
) -> Result<String, Refused> {
    ask(client, "resolve", &[&action_type, &key, &attempt, &decision, &"looked it up", &"kim"]).await
}

/// Sweeps once; how many became unknown.
pub(crate) async fn sweep(client: &Client) -> i32 {
    client.query_one("SELECT onlyonce.sweep()", &[]).await.unwrap().get(0)
}

/// Runs a statement that has to be refused; its SQLSTATE.
pub(crate) async fn refusal(client: &Client, statement: &str) -> Refused {
    match client.batch_execute(statement).await {
        Ok(()) => "nothing".to_owned(),
        Err(error) => refused(&error),
    }
}

fn refused(error: &tokio_postgres::Error) -> Refused {
    error.code().map_or_else(|| format!("no answer: {error}"), |code| code.code().to_owned())
}
