use std::borrow::Cow;

use sqlx::postgres::PgRow;
use sqlx::postgres::types::PgInterval;
use sqlx::types::Json;
use sqlx::{PgPool, PgTransaction, Postgres, Row as _};
use uuid::Uuid;

/// Whether statements may be prepared by name.
const PREPARED: bool = true;

/// What the driver says when it has no answer.
pub type DatabaseError = sqlx::Error;

/// The ledger in Postgres. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Ledger {
    pool: PgPool,
}

impl Ledger {
    /// The ledger that this pool's database holds. Its connections must not be inside a transaction.
    #[must_use]
    pub fn new(pool: PgPool) -> Self {
        Self { pool }
    }
}

impl From<PgPool> for Ledger {
    fn from(pool: PgPool) -> Self {
        Self::new(pool)
    }
}

/// The statements of the ledger, each asked once.
impl Ledger {
    async fn ask_reserve(
        &self,
        key: &Key,
        token: Uuid,
        payload: &Value,
    ) -> Result<Answer, DatabaseError> {
        let row = sqlx::query(RESERVE)
            .persistent(PREPARED)
            .bind(key.action_type())
            .bind(key.as_str())
            .bind(token)
            .bind(Json(payload))
            .fetch_one(&self.pool)
            .await?;
        Answer::read(&row)
    }

    async fn ask_record(
        &self,
        key: &Key,
        token: Uuid,
        found: &Found<'_>,
    ) -> Result<String, DatabaseError> {
        word(RECORD)
            .bind(key.action_type())
            .bind(key.as_str())
            .bind(token)
            .bind(found.outcome)
            .bind(found.message_id)
            .bind(found.result.map(Json))
            .bind(found.reason)
            .fetch_one(&self.pool)
            .await
    }

    async fn ask_confirm(
        &self,
        action_type: &str,
        key: &str,
        message_id: &str,
        evidence: &str,
    ) -> Result<String, DatabaseError> {
        word(CONFIRM)
            .bind(action_type)
            .bind(key)
            .bind(message_id)
            .bind(evidence)
            .fetch_one(&self.pool)
            .await
    }

    async fn ask_released(&self, max_rows: i32) -> Result<Vec<Released>, DatabaseError> {
        let rows = sqlx::query(RELEASED)
            .persistent(PREPARED)
            .bind(max_rows)
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(Released::read).collect()
    }

    async fn ask_unknown(
        &self,
        action_type: &'static str,
        after: &str,
        max_rows: i32,
    ) -> Result<Vec<Sought>, DatabaseError> {
        let rows = sqlx::query(UNKNOWN)
            .persistent(PREPARED)
            .bind(action_type)
            .bind(after)
            .bind(max_rows)
            .fetch_all(&self.pool)
            .await?;
        rows.iter()
            .map(|row| Sought::read(action_type, row))
            .collect()
    }

    async fn ask_accept(&self, event: &Arrival<'_>) -> Result<String, DatabaseError> {
        event.ask().fetch_one(&self.pool).await
    }

    async fn ask_accept_in(
        transaction: &mut PgTransaction<'_>,
        event: &Arrival<'_>,
    ) -> Result<String, DatabaseError> {
        event.ask().fetch_one(&mut **transaction).await
    }

    async fn ask_finish(
        &self,
        source: &str,
        event_id: &str,
        token: Uuid,
    ) -> Result<String, DatabaseError> {
        word(FINISH_EVENT)
            .bind(source)
            .bind(event_id)
            .bind(token)
            .fetch_one(&self.pool)
            .await
    }
}

type Word<'q> = sqlx::query::QueryScalar<'q, Postgres, String, sqlx::postgres::PgArguments>;

/// A statement that answers with a word.
fn word<'q>(statement: &'static str) -> Word<'q> {
    sqlx::query_scalar(statement).persistent(PREPARED)
}

impl<'q> Arrival<'q> {
    fn ask(&self) -> Word<'q> {
        word(ACCEPT_EVENT)
            .bind(self.source)
            .bind(self.event_id)
            .bind(self.token)
            .bind(Json(self.body))
            .bind(self.since_epoch)
    }
}

impl Answer {
    fn read(row: &PgRow) -> Result<Self, DatabaseError> {
        let payload: Option<Json<Value>> = row.try_get("payload_kept")?;
        let result: Option<Json<Value>> = row.try_get("result")?;
        let send_budget: Option<PgInterval> = row.try_get("send_budget")?;
        Ok(Self {
            verdict: row.try_get("verdict")?,
            payload: payload.map(|Json(value)| value).unwrap_or_default(),
            message_id: row.try_get("message_id")?,
            result: result.map(|Json(value)| value),
            reason: row.try_get("reason")?,
            send_budget: send_budget
                .map(|budget| duration(budget.months, budget.days, budget.microseconds))
                .unwrap_or_default(),
        })
    }
}

impl Released {
    fn read(row: &PgRow) -> Result<Self, DatabaseError> {
        let Json(payload) = row.try_get("payload")?;
        let action_type = row.try_get("action_type")?;
        Ok(Self {
            action_type,
            key: row.try_get("idempotency_key")?,
            payload,
        })
    }
}

impl Sought {
    fn read(action_type: &'static str, row: &PgRow) -> Result<Self, DatabaseError> {
        let text = row.try_get("idempotency_key")?;
        Ok(Self {
            key: Key { action_type, text },
            message_id: row.try_get("message_id")?,
            attempt: row.try_get("attempt")?,
            reason: row.try_get("reason")?,
        })
    }
}

/// Whether the connection was lost, or none was to be had.
fn is_lost(error: &DatabaseError) -> bool {
    matches!(error, sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut)
}

/// The SQLSTATE of an error that the server gave.
fn sql_state(error: &DatabaseError) -> Option<Cow<'_, str>> {
    error.as_database_error()?.code()
}
