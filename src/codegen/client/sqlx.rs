use std::borrow::Cow;

use sqlx::postgres::PgRow;
use sqlx::types::Json;
use sqlx::{PgPool, PgTransaction, Row as _};
use uuid::Uuid;

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

impl Answer {
    fn read(row: &PgRow) -> Result<Self, DatabaseError> {
        let payload: Option<Json<Value>> = row.try_get("payload_kept")?;
        let result: Option<Json<Value>> = row.try_get("result")?;
        Ok(Self {
            verdict: row.try_get("verdict")?,
            payload: payload.map(|Json(value)| value).unwrap_or_default(),
            message_id: row.try_get("message_id")?,
            result: result.map(|Json(value)| value),
            reason: row.try_get("reason")?,
            send_budget: send_budget(row)?,
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
