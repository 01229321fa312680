//! A worker as an agent has it: reserves, calls the provider within its budget, records. It can be stopped at
//! each point where a real one may die.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_postgres::Client;
use uuid::Uuid;

use crate::ledger::{Answer, DEADLINE, Refused, ask, try_reserve};

/// How long after it began to reserve a worker may still send.
pub(crate) const BUDGET: Duration = Duration::from_millis(500);

/// Where a worker can be stopped, in order.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
pub(crate) enum Point {
    BeforeReserve,
    BeforeConnect,
    HalfWritten,
    Written,
    BeforeRecord,
    Recorded,
}

/// What an attempt is about.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) action_type: String,
    pub(crate) key: String,
    pub(crate) token: Uuid,
    pub(crate) payload: Value,
}

impl Job {
    /// A new attempt for this key, with a payload that says so.
    pub(crate) fn new(action_type: &str, key: &str) -> Job {
        let payload = json!({"to": key});
        Job { action_type: action_type.to_owned(), key: key.to_owned(), token: Uuid::new_v4(), payload }
    }
}

/// What became of a job: the verdict, and what was recorded and answered when there was something to record.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) answer: Answer,
    pub(crate) recorded: Option<(&'static str, Result<String, Refused>)>,
}

/// What came of a call.
pub(crate) struct Outcome {
    pub(crate) outcome: &'static str,
    pub(crate) message_id: Option<String>,
    pub(crate) reason: Option<String>,
}

impl Outcome {
    fn of(outcome: &'static str, reason: impl ToString) -> Outcome {
        Outcome { outcome, message_id: None, reason: Some(reason.to_string()) }
    }
}

/// Does a job; `reach` is told of each point before it is passed.
///
/// # Errors
/// The SQLSTATE of a refused reservation: then nothing was sent.
pub(crate) async fn work<F: Future<Output = ()> + Send>(
    ledger: &Client,
    provider: SocketAddr,
    job: &Job,
    reach: impl Fn(Point) -> F,
) -> Result<Done, Refused> {
    reach(Point::BeforeReserve).await;
    let started = Instant::now();
    let answer = try_reserve(ledger, &job.action_type, &job.key, job.token, &job.payload).await?;
    if !["go", "go_again"].contains(&answer.verdict.as_str()) {
        return Ok(Done { answer, recorded: None });
    }
    let payload = answer.payload.clone().unwrap_or_default();
    let outcome = call(provider, job, &payload, started + BUDGET, &reach).await;
    reach(Point::BeforeRecord).await;
    let recorded = record(ledger, job, &outcome).await;
    reach(Point::Recorded).await;
    Ok(Done { answer, recorded: Some((outcome.outcome, recorded)) })
}

async fn record(ledger: &Client, job: &Job, outcome: &Outcome) -> Result<String, Refused> {
    let result: Option<Value> = outcome.message_id.as_ref().map(|id| json!({"plan": id}));
    let (id, reason) = (&outcome.message_id, &outcome.reason);
    ask(ledger, "record", &[&job.action_type, &job.key, &job.token, &outcome.outcome, id, &result, reason]).await
}

/// Calls the provider, or does not where its time is over.
pub(crate) async fn call<F: Future<Output = ()> + Send>(
    provider: SocketAddr,
    job: &Job,
    payload: &Value,
    until: Instant,
    reach: &impl Fn(Point) -> F,
) -> Outcome {
    reach(Point::BeforeConnect).await;
    if Instant::now() >= until {
        return Outcome::of("not_attempted", "the budget was used up before the call");
    }
    let Ok(mut stream) = TcpStream::connect(provider).await else {
        return Outcome::of("not_attempted", "the connection was refused");
    };
    match tokio::time::timeout_at(until, exchange(&mut stream, job, payload, reach)).await {
        Err(_) => Outcome::of("unknown", "no answer in time"),
        Ok(Err(error)) => Outcome::of("unknown", error),
        Ok(Ok(answer)) => judge(&answer),
    }
}

async fn exchange<F: Future<Output = ()> + Send>(
    stream: &mut TcpStream,
    job: &Job,
    payload: &Value,
    reach: &impl Fn(Point) -> F,
) -> std::io::Result<String> {
    let body = payload.to_string();
    let head = format!("POST /{}/{} HTTP/1.1\r\ncontent-length: {}\r\n\r\n", job.action_type, job.key, body.len());
    let (first, second) = body.split_at(body.len() / 2);
    stream.write_all(format!("{head}{first}").as_bytes()).await?;
    reach(Point::HalfWritten).await;
    stream.write_all(second.as_bytes()).await?;
    reach(Point::Written).await;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

/// What an answer proves; whatever proves nothing is unknown.
fn judge(answer: &str) -> Outcome {
    let status = answer.split(' ').nth(1).unwrap_or_default();
    let body: Value =
        answer.split("\r\n\r\n").nth(1).and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default();
    match (status, body["id"].as_str()) {
        ("200", Some(id)) => Outcome { outcome: "sent", message_id: Some(id.to_owned()), reason: None },
        ("400" | "402" | "404" | "422", _) => Outcome::of("rejected", status),
        ("401" | "403", _) => Outcome::of("not_attempted", status),
        _ => Outcome::of("unknown", format!("answered {status:?}")),
    }
}

/// Stops nowhere.
pub(crate) async fn pass(_: Point) {}

/// Longer than any deadline here: what waits for that long hangs.
pub(crate) const LONG: Duration = Duration::from_secs(30 * DEADLINE.as_secs());
