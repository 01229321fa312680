use sqlx::Postgres;
use sqlx::postgres::types::PgInterval;

/// The statements of the ledger, each asked once.
impl Ledger {
    async fn ask_reserve(
        &self,
        key: &Key,
        token: Uuid,
        payload: &Value,
    ) -> Result<Answer, DatabaseError> {
        let row = sqlx::query(RESERVE)
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
    sqlx::query_scalar(statement)
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

/// How long a send may take, as `reserve` answers.
fn send_budget(row: &PgRow) -> Result<Duration, DatabaseError> {
    let budget: Option<PgInterval> = row.try_get("send_budget")?;
    Ok(budget
        .map(|budget| duration(budget.months, budget.days, budget.microseconds))
        .unwrap_or_default())
}
