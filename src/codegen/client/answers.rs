use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use uuid::Uuid;

const RESERVE: &str = "\
    CALL ledger_schema.reserve($1, $2, $3, $4, \
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)";

const RECORD: &str = "\
    SELECT ledger_schema.record($1, $2, $3, $4, $5, $6, $7)";

const CONFIRM: &str = "\
    SELECT ledger_schema.confirm($1, $2, $3, $4)";

const RELEASED: &str = "\
    SELECT action_type, idempotency_key, payload \
    FROM ledger_schema.released($1)";

const UNKNOWN: &str = "\
    SELECT idempotency_key, message_id, attempt, reason \
    FROM ledger_schema.reconciliation_queue \
    WHERE class = 'unknown' AND action_type = $1 AND idempotency_key COLLATE \"C\" > $2 \
    ORDER BY idempotency_key COLLATE \"C\" LIMIT $3";

const ACCEPT_EVENT: &str = "\
    SELECT ledger_schema.accept_event($1, $2, $3, $4, to_timestamp($5::double precision))";

const FINISH_EVENT: &str = "\
    SELECT ledger_schema.finish_event($1, $2, $3)";

/// What `reserve` answers.
struct Answer {
    verdict: String,
    payload: Value,
    message_id: Option<String>,
    result: Option<Value>,
    reason: Option<String>,
    send_budget: Duration,
}

/// An interval of Postgres.
fn duration(months: i32, days: i32, microseconds: i64) -> Duration {
    const DAY: i64 = 86_400_000_000;
    let days = i64::from(months) * 30 + i64::from(days);
    let microseconds = days.saturating_mul(DAY).saturating_add(microseconds);
    Duration::from_micros(u64::try_from(microseconds).unwrap_or_default())
}

/// What is recorded of an attempt.
struct Found<'q> {
    outcome: &'static str,
    message_id: Option<&'q str>,
    result: Option<&'q Value>,
    reason: Option<&'q str>,
}

/// An inbound event as it is put to the ledger.
struct Arrival<'q> {
    source: &'q str,
    event_id: &'q str,
    token: Uuid,
    body: &'q Value,
    since_epoch: Option<f64>,
}

impl<'q> Arrival<'q> {
    fn new(
        source: &'q str,
        event_id: &'q str,
        body: &'q Value,
        occurred_at: Option<SystemTime>,
    ) -> Self {
        let since_epoch = occurred_at.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        Self {
            source,
            event_id,
            token: Uuid::new_v4(),
            body,
            since_epoch: since_epoch.map(|passed| passed.as_secs_f64()),
        }
    }

    fn subject(&self) -> Subject<'q> {
        Subject {
            name: self.source,
            key: self.event_id,
        }
    }
}

impl Accepted {
    fn read(verdict: String, claim: Claim) -> Result<Self, LedgerError> {
        match verdict.as_str() {
            "fresh" => Ok(Self::Fresh(claim)),
            "reclaimed" => Ok(Self::Reclaimed(claim)),
            "in_progress" => Ok(Self::InProgress),
            "duplicate" => Ok(Self::Duplicate),
            "conflict" => Ok(Self::Conflict),
            "stale" => Ok(Self::Stale),
            _ => Err(LedgerError::Unexpected(verdict)),
        }
    }
}

fn settled(answer: String) -> Result<(), LedgerError> {
    match answer.as_str() {
        "recorded" | "finished" | "already" => Ok(()),
        "fenced" => Err(LedgerError::Fenced),
        _ => Err(LedgerError::Unexpected(answer)),
    }
}

/// Asks until there is an answer, an error that asking again cannot mend, or no patience left. Only
/// for what the ledger answers alike when it is asked twice.
async fn persist<T, F, Fut>(patience: Duration, mut ask: F) -> Result<T, DatabaseError>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Result<T, DatabaseError>>,
{
    let started = Instant::now();
    let mut pause = Duration::from_millis(50);
    loop {
        let error = match ask().await {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        if !may_pass(&error) || started.elapsed().saturating_add(pause) > patience {
            return Err(error);
        }
        tokio::time::sleep(pause).await;
        pause = pause.saturating_mul(2);
    }
}

/// Lost connections, a server that starts or stops, locks, and a statement that a pooler prepared
/// on another connection.
fn may_pass(error: &DatabaseError) -> bool {
    is_lost(error)
        || sql_state(error).is_some_and(|code| {
            let class = code.get(..2).unwrap_or_default();
            matches!(class, "08" | "40" | "53" | "57") || matches!(&*code, "55P03" | "26000")
        })
}

/// The database could not take the values: data that it cannot keep, or too much of it.
fn is_refusal(error: &DatabaseError) -> bool {
    sql_state(error).is_some_and(|code| matches!(code.get(..2), Some("22" | "54")))
}
