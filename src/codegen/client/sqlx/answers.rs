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

impl Answer {
    fn read(row: &PgRow) -> Result<Self, sqlx::Error> {
        let payload: Option<Json<Value>> = row.try_get("payload_kept")?;
        let result: Option<Json<Value>> = row.try_get("result")?;
        let send_budget: Option<PgInterval> = row.try_get("send_budget")?;
        Ok(Self {
            verdict: row.try_get("verdict")?,
            payload: payload.map(|Json(value)| value).unwrap_or_default(),
            message_id: row.try_get("message_id")?,
            result: result.map(|Json(value)| value),
            reason: row.try_get("reason")?,
            send_budget: send_budget.as_ref().map(duration).unwrap_or_default(),
        })
    }
}

fn duration(interval: &PgInterval) -> Duration {
    const DAY: i64 = 86_400_000_000;
    let days = i64::from(interval.months) * 30 + i64::from(interval.days);
    let microseconds = days
        .saturating_mul(DAY)
        .saturating_add(interval.microseconds);
    Duration::from_micros(u64::try_from(microseconds).unwrap_or_default())
}

impl Released {
    fn read(row: &PgRow) -> Result<Self, sqlx::Error> {
        let Json(payload) = row.try_get("payload")?;
        let action_type = row.try_get("action_type")?;
        Ok(Self {
            action_type,
            key: row.try_get("idempotency_key")?,
            payload,
        })
    }
}

type Ask<'q> = sqlx::query::QueryScalar<'q, Postgres, String, sqlx::postgres::PgArguments>;

fn accept<'q>(
    source: &'q str,
    event_id: &'q str,
    token: Uuid,
    body: &'q Value,
    occurred_at: Option<SystemTime>,
) -> Ask<'q> {
    let since_epoch = occurred_at.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    sqlx::query_scalar(ACCEPT_EVENT)
        .persistent(PREPARED)
        .bind(source)
        .bind(event_id)
        .bind(token)
        .bind(Json(body))
        .bind(since_epoch.map(|passed| passed.as_secs_f64()))
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
async fn persist<T, F, Fut>(patience: Duration, mut ask: F) -> Result<T, sqlx::Error>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Result<T, sqlx::Error>>,
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
fn may_pass(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut => true,
        sqlx::Error::Database(error) => error.code().is_some_and(|code| {
            let class = code.get(..2).unwrap_or_default();
            matches!(class, "08" | "40" | "53" | "57") || matches!(&*code, "55P03" | "26000")
        }),
        _ => false,
    }
}

/// The database could not take the values: data that it cannot keep, or too much of it.
fn is_refusal(error: &sqlx::Error) -> bool {
    let code = error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| matches!(code.get(..2), Some("22" | "54")))
}
