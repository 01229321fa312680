//! Workers, each with statements that were prepared before the upgrade, and the provider that they send to.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection, Row as _};
use tokio_postgres::{Client, Statement};
use uuid::Uuid;

use crate::support::{self, Database};

const RESERVE: &str = "CALL onlyonce.reserve($1, $2, $3, $4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)";
const RECORD: &str = "SELECT onlyonce.record($1, $2, $3, $4, $5)";

/// What was seen from outside the database.
#[derive(Default)]
pub(crate) struct World {
    /// How often the provider accepted each key.
    pub(crate) accepted: Mutex<BTreeMap<String, u32>>,
    /// The token of the last attempt that was told to go, by key.
    pub(crate) went: Mutex<BTreeMap<String, Uuid>>,
    /// Keys whose `sent` was acknowledged.
    pub(crate) sent: Mutex<BTreeMap<String, String>>,
    /// What a call failed with.
    pub(crate) errors: Mutex<Vec<String>>,
    /// The longest call so far, in microseconds.
    pub(crate) longest: AtomicU64,
    /// Calls so far.
    pub(crate) calls: AtomicU64,
    /// Whether everybody is to stop.
    pub(crate) over: AtomicBool,
    /// Held by whoever wants all workers to stand still between two actions.
    pub(crate) gate: tokio::sync::RwLock<()>,
}

impl World {
    /// Keeps how long a call took, and what it failed with.
    fn note<T>(&self, what: &str, started: Instant, answer: Result<T, String>) -> Option<T> {
        let micros = u64::try_from(started.elapsed().as_micros()).unwrap();
        self.longest.fetch_max(micros, Ordering::Relaxed);
        self.calls.fetch_add(1, Ordering::Relaxed);
        answer.map_err(|error| self.fail(format!("{what}: {error}"))).ok()
    }

    /// One failure is one too many: everybody stops.
    fn fail(&self, error: String) {
        self.errors.lock().unwrap().push(error);
        self.over.store(true, Ordering::Relaxed);
    }

    /// The longest call since the last time this was asked.
    pub(crate) fn take_longest(&self) -> Duration {
        Duration::from_micros(self.longest.swap(0, Ordering::Relaxed))
    }
}

/// A connection, by either of the two clients that are generated for.
enum Line {
    Tokio(Box<(Client, Statement, Statement)>),
    Sqlx(Box<PgConnection>),
}

impl Line {
    async fn open(database: &Database, by_sqlx: bool) -> Line {
        if by_sqlx {
            return Line::Sqlx(Box::new(PgConnection::connect(&database.url("worker")).await.unwrap()));
        }
        let client = database.connect_as("worker").await;
        let reserve = client.prepare(RESERVE).await.unwrap();
        let record = client.prepare(RECORD).await.unwrap();
        Line::Tokio(Box::new((client, reserve, record)))
    }

    async fn reserve(&mut self, key: &str, token: Uuid, payload: &Value) -> Result<String, String> {
        match self {
            Line::Tokio(line) => {
                let (client, reserve, _) = line.as_ref();
                let row = client.query_one(reserve, &[&"send_reply", &key, &token, payload]).await;
                row.map(|row| row.get("verdict")).map_err(|error| support::describe(&error))
            }
            Line::Sqlx(connection) => {
                let call = sqlx::query(RESERVE).bind("send_reply").bind(key).bind(token).bind(payload);
                let row = call.fetch_one(connection.as_mut()).await;
                row.map(|row| row.get("verdict")).map_err(|error| error.to_string())
            }
        }
    }

    async fn record(&mut self, key: &str, token: Uuid, outcome: &str) -> Result<String, String> {
        let message_id = (outcome == "sent").then(|| format!("message-{key}"));
        match self {
            Line::Tokio(line) => {
                let (client, _, record) = line.as_ref();
                let row = client.query_one(record, &[&"send_reply", &key, &token, &outcome, &message_id]).await;
                row.map(|row| row.get(0)).map_err(|error| support::describe(&error))
            }
            Line::Sqlx(connection) => {
                let call = sqlx::query(RECORD).bind("send_reply").bind(key).bind(token).bind(outcome).bind(message_id);
                let row = call.fetch_one(connection.as_mut()).await;
                row.map(|row| row.get(0)).map_err(|error| error.to_string())
            }
        }
    }
}

/// One worker: new keys, keys that others work on too, and keys from long ago, until it is over. Odd ones speak through
/// sqlx.
pub(crate) async fn work(world: &World, database: &Database, number: u64) {
    let mut line = Line::open(database, number % 2 == 1).await;
    let mut turn = 0_u64;
    while !world.over.load(Ordering::Relaxed) {
        turn += 1;
        let _open = world.gate.read().await;
        let key = match turn % 10 {
            0..=5 => format!("new:{number}:{turn}"),
            6..=8 => format!("hot:{}", turn / 40),
            _ => format!("old:{}", 1 + turn * 37 % 900),
        };
        let token = Uuid::new_v4();
        let started = Instant::now();
        let verdict = line.reserve(&key, token, &json!({ "key": key })).await;
        if world.note("reserve", started, verdict).as_deref() != Some("go") {
            continue;
        }
        world.went.lock().unwrap().insert(key.clone(), token);
        // Every seventh new one is not attempted the first time, and some are never heard of again.
        let outcome = match turn % 7 {
            0 => "not_attempted",
            1 => "unknown",
            _ => "sent",
        };
        if outcome == "sent" {
            *world.accepted.lock().unwrap().entry(key.clone()).or_default() += 1;
        }
        if turn.is_multiple_of(31) && outcome == "sent" {
            continue;
        }
        let started = Instant::now();
        let answer = line.record(&key, token, outcome).await;
        if world.note("record", started, answer).as_deref() == Some("recorded") && outcome == "sent" {
            world.sent.lock().unwrap().insert(key.clone(), format!("message-{key}"));
        }
    }
}

/// Maintenance, until it is over.
pub(crate) async fn sweep(world: &World, database: &Database) {
    let client = database.connect_as("keeper").await;
    let sweep = client.prepare("SELECT onlyonce.sweep()").await.unwrap();
    while !world.over.load(Ordering::Relaxed) {
        let swept = client.query_one(&sweep, &[]).await;
        if let Err(error) = swept {
            world.fail(format!("sweep: {}", support::describe(&error)));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
