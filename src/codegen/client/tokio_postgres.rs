use std::borrow::Cow;
use std::pin::Pin;
use std::sync::Arc;

use tokio_postgres::types::{FromSql, ToSql, Type};
use tokio_postgres::{Client, Row, Transaction as PgTransaction};
use uuid::Uuid;

/// Why the database gave no answer.
#[derive(Debug)]
pub enum DatabaseError {
    /// The server refused, or the connection to it was lost.
    Postgres(tokio_postgres::Error),
    /// The pool gave no connection.
    NoConnection(Box<dyn std::error::Error + Send + Sync>),
    /// The one connection of [`Ledger::new`] is lost, and no other takes its place.
    Closed,
    /// The statement was answered without a row.
    NoRow,
}

impl fmt::Display for DatabaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Postgres(error) => error.fmt(f),
            Self::NoConnection(error) => write!(f, "no connection from the pool: {error}"),
            Self::Closed => f.write_str("the connection is closed"),
            Self::NoRow => f.write_str("the database answered without a row"),
        }
    }
}

impl std::error::Error for DatabaseError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Postgres(error) => error.source(),
            Self::NoConnection(error) => error.source(),
            Self::Closed | Self::NoRow => None,
        }
    }
}

impl From<tokio_postgres::Error> for DatabaseError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Postgres(error)
    }
}

/// The ledger in Postgres. Cheap to clone.
#[derive(Clone)]
pub struct Ledger {
    connections: Arc<dyn Connections>,
}

impl Ledger {
    /// The ledger that this connection's database holds, over this connection alone: it must not be
    /// inside a transaction, and statements wait for one another on it. When it is lost, an outcome
    /// that is not yet recorded is left to the sweep, which makes it unknown: a program that runs
    /// for long is better served by [`Ledger::pooled`].
    #[must_use]
    pub fn new(client: impl Into<Arc<Client>>) -> Self {
        let connections = Arc::new(One(client.into()));
        Self { connections }
    }

    /// The ledger over a pool of any kind: `take` gets a connection out of it, which goes back when
    /// its statement is over, and `client` shows the client within. With `deadpool-postgres`:
    ///
    /// ```ignore
    /// let take = move || {
    ///     let pool = pool.clone();
    ///     async move { pool.get().await }
    /// };
    /// let ledger = Ledger::pooled(take, |object| object);
    /// ```
    ///
    /// `take` has to give up in the end, so give the pool a time limit for waiting. Its connections
    /// must not be inside a transaction.
    #[must_use]
    pub fn pooled<F, Fut, C, E, V>(take: F, client: V) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<C, E>> + Send,
        C: Send + Sync,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
        V: Fn(&C) -> &Client + Send + Sync + 'static,
    {
        let connections = Arc::new(Pooled { take, client });
        Self { connections }
    }
}

impl From<Client> for Ledger {
    fn from(client: Client) -> Self {
        Self::new(client)
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger").finish_non_exhaustive()
    }
}

type Values<'a> = &'a [(&'a (dyn ToSql + Sync), Type)];

type Rows<'a> = Pin<Box<dyn Future<Output = Result<Vec<Row>, DatabaseError>> + Send + 'a>>;

/// Where connections come from. Statements go out with the types of their values and have no name,
/// so that nothing of them stays in a session: any pooler may lend another one to the next.
trait Connections: Send + Sync {
    fn ask<'a>(&'a self, statement: &'static str, values: Values<'a>) -> Rows<'a>;
}

struct One(Arc<Client>);

impl Connections for One {
    fn ask<'a>(&'a self, statement: &'static str, values: Values<'a>) -> Rows<'a> {
        Box::pin(async move {
            if self.0.is_closed() {
                return Err(DatabaseError::Closed);
            }
            Ok(self.0.query_typed(statement, values).await?)
        })
    }
}

struct Pooled<F, V> {
    take: F,
    client: V,
}

impl<F, Fut, C, E, V> Connections for Pooled<F, V>
where
    F: Fn() -> Fut + Send + Sync,
    Fut: Future<Output = Result<C, E>> + Send,
    C: Send + Sync,
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
    V: Fn(&C) -> &Client + Send + Sync,
{
    fn ask<'a>(&'a self, statement: &'static str, values: Values<'a>) -> Rows<'a> {
        Box::pin(async move {
            let taken = (self.take)().await;
            let connection = taken.map_err(|error| DatabaseError::NoConnection(error.into()))?;
            let client = (self.client)(&connection);
            Ok(client.query_typed(statement, values).await?)
        })
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
        let values: Values<'_> = &[
            (&key.action_type(), Type::TEXT),
            (&key.as_str(), Type::TEXT),
            (&token, Type::UUID),
            (payload, Type::JSONB),
        ];
        let rows = self.connections.ask(RESERVE, values).await?;
        Answer::read(rows.first().ok_or(DatabaseError::NoRow)?)
    }

    async fn ask_record(
        &self,
        key: &Key,
        token: Uuid,
        found: &Found<'_>,
    ) -> Result<String, DatabaseError> {
        let values: Values<'_> = &[
            (&key.action_type(), Type::TEXT),
            (&key.as_str(), Type::TEXT),
            (&token, Type::UUID),
            (&found.outcome, Type::TEXT),
            (&found.message_id, Type::TEXT),
            (&found.result, Type::JSONB),
            (&found.reason, Type::TEXT),
        ];
        word(&self.connections.ask(RECORD, values).await?)
    }

    async fn ask_confirm(
        &self,
        action_type: &str,
        key: &str,
        message_id: &str,
        evidence: &str,
    ) -> Result<String, DatabaseError> {
        let values: Values<'_> = &[
            (&action_type, Type::TEXT),
            (&key, Type::TEXT),
            (&message_id, Type::TEXT),
            (&evidence, Type::TEXT),
        ];
        word(&self.connections.ask(CONFIRM, values).await?)
    }

    async fn ask_released(&self, max_rows: i32) -> Result<Vec<Released>, DatabaseError> {
        let values: Values<'_> = &[(&max_rows, Type::INT4)];
        let rows = self.connections.ask(RELEASED, values).await?;
        rows.iter().map(Released::read).collect()
    }

    async fn ask_unknown(
        &self,
        action_type: &'static str,
        after: &str,
        max_rows: i32,
    ) -> Result<Vec<Sought>, DatabaseError> {
        let values: Values<'_> = &[
            (&action_type, Type::TEXT),
            (&after, Type::TEXT),
            (&max_rows, Type::INT4),
        ];
        let rows = self.connections.ask(UNKNOWN, values).await?;
        rows.iter()
            .map(|row| Sought::read(action_type, row))
            .collect()
    }

    async fn ask_accept(&self, event: &Arrival<'_>) -> Result<String, DatabaseError> {
        word(&self.connections.ask(ACCEPT_EVENT, &event.values()).await?)
    }

    async fn ask_accept_in(
        transaction: &mut PgTransaction<'_>,
        event: &Arrival<'_>,
    ) -> Result<String, DatabaseError> {
        let values = event.values();
        word(&transaction.query_typed(ACCEPT_EVENT, &values).await?)
    }

    async fn ask_finish(
        &self,
        source: &str,
        event_id: &str,
        token: Uuid,
    ) -> Result<String, DatabaseError> {
        let values: Values<'_> = &[
            (&source, Type::TEXT),
            (&event_id, Type::TEXT),
            (&token, Type::UUID),
        ];
        word(&self.connections.ask(FINISH_EVENT, values).await?)
    }
}

/// The answer of a statement that answers with a word.
fn word(rows: &[Row]) -> Result<String, DatabaseError> {
    let row = rows.first().ok_or(DatabaseError::NoRow)?;
    Ok(row.try_get(0)?)
}

impl Arrival<'_> {
    fn values(&self) -> [(&(dyn ToSql + Sync), Type); 5] {
        [
            (&self.source, Type::TEXT),
            (&self.event_id, Type::TEXT),
            (&self.token, Type::UUID),
            (self.body, Type::JSONB),
            (&self.since_epoch, Type::FLOAT8),
        ]
    }
}

impl Answer {
    fn read(row: &Row) -> Result<Self, DatabaseError> {
        let payload: Option<Value> = row.try_get("payload_kept")?;
        let send_budget: Option<Interval> = row.try_get("send_budget")?;
        Ok(Self {
            verdict: row.try_get("verdict")?,
            payload: payload.unwrap_or_default(),
            message_id: row.try_get("message_id")?,
            result: row.try_get("result")?,
            reason: row.try_get("reason")?,
            send_budget: send_budget
                .map(|Interval(budget)| budget)
                .unwrap_or_default(),
        })
    }
}

impl Released {
    fn read(row: &Row) -> Result<Self, DatabaseError> {
        Ok(Self {
            action_type: row.try_get("action_type")?,
            key: row.try_get("idempotency_key")?,
            payload: row.try_get("payload")?,
        })
    }
}

impl Sought {
    fn read(action_type: &'static str, row: &Row) -> Result<Self, DatabaseError> {
        let text = row.try_get("idempotency_key")?;
        Ok(Self {
            key: Key { action_type, text },
            message_id: row.try_get("message_id")?,
            attempt: row.try_get("attempt")?,
            reason: row.try_get("reason")?,
        })
    }
}

/// As Postgres sends it: microseconds in 8 octets, days and months in 4 each.
struct Interval(Duration);

impl<'a> FromSql<'a> for Interval {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        const SHORT: &str = "an interval has 16 octets";
        let (microseconds, rest) = raw.split_first_chunk().ok_or(SHORT)?;
        let (days, rest) = rest.split_first_chunk().ok_or(SHORT)?;
        let (months, _) = rest.split_first_chunk().ok_or(SHORT)?;
        let microseconds = i64::from_be_bytes(*microseconds);
        let days = i32::from_be_bytes(*days);
        let months = i32::from_be_bytes(*months);
        Ok(Self(duration(months, days, microseconds)))
    }

    fn accepts(kind: &Type) -> bool {
        *kind == Type::INTERVAL
    }
}

/// Whether the connection was lost, or none was to be had.
fn is_lost(error: &DatabaseError) -> bool {
    use std::error::Error as _;
    match error {
        DatabaseError::Postgres(error) if error.is_closed() => true,
        DatabaseError::Postgres(error) => match error.source() {
            Some(cause) => cause.is::<std::io::Error>(),
            None => false,
        },
        DatabaseError::NoConnection(_) => true,
        DatabaseError::Closed | DatabaseError::NoRow => false,
    }
}

/// The SQLSTATE of an error that the server gave.
fn sql_state(error: &DatabaseError) -> Option<Cow<'_, str>> {
    match error {
        DatabaseError::Postgres(error) => error.code().map(|state| state.code().into()),
        DatabaseError::NoConnection(_) | DatabaseError::Closed | DatabaseError::NoRow => None,
    }
}
