use sqlx::{AssertSqlSafe, RawSql, ValueRef as _};

/// The statements of the ledger, each asked once.
///
/// Each goes out in one message with its values spelled in it. A driver that prepares a statement
/// first, even without a name, asks in two; a pooler may hand the second to another session, where
/// another statement waits to be run with these values.
impl Ledger {
    async fn ask_reserve(
        &self,
        key: &Key,
        token: Uuid,
        payload: &Value,
    ) -> Result<Answer, DatabaseError> {
        let values = [
            Some(key.action_type().into()),
            Some(key.as_str().into()),
            Some(token.to_string()),
            Some(payload.to_string()),
        ];
        let row = spelled(RESERVE, &values).fetch_one(&self.pool).await?;
        Answer::read(&row)
    }

    async fn ask_record(
        &self,
        key: &Key,
        token: Uuid,
        found: &Found<'_>,
    ) -> Result<String, DatabaseError> {
        let values = [
            Some(key.action_type().into()),
            Some(key.as_str().into()),
            Some(token.to_string()),
            Some(found.outcome.into()),
            found.message_id.map(Into::into),
            found.result.map(Value::to_string),
            found.reason.map(Into::into),
        ];
        self.ask_for_word(RECORD, &values).await
    }

    async fn ask_confirm(
        &self,
        action_type: &str,
        key: &str,
        message_id: &str,
        evidence: &str,
    ) -> Result<String, DatabaseError> {
        let values = [action_type, key, message_id, evidence].map(|text| Some(text.into()));
        self.ask_for_word(CONFIRM, &values).await
    }

    async fn ask_released(&self, max_rows: i32) -> Result<Vec<Released>, DatabaseError> {
        let values = [Some(max_rows.to_string())];
        let rows = spelled(RELEASED, &values).fetch_all(&self.pool).await?;
        rows.iter().map(Released::read).collect()
    }

    async fn ask_unknown(
        &self,
        action_type: &'static str,
        after: &str,
        max_rows: i32,
    ) -> Result<Vec<Sought>, DatabaseError> {
        let values = [
            Some(action_type.into()),
            Some(after.into()),
            Some(max_rows.to_string()),
        ];
        let rows = spelled(UNKNOWN, &values).fetch_all(&self.pool).await?;
        rows.iter()
            .map(|row| Sought::read(action_type, row))
            .collect()
    }

    async fn ask_accept(&self, event: &Arrival<'_>) -> Result<String, DatabaseError> {
        self.ask_for_word(ACCEPT_EVENT, &event.values()).await
    }

    async fn ask_accept_in(
        transaction: &mut PgTransaction<'_>,
        event: &Arrival<'_>,
    ) -> Result<String, DatabaseError> {
        let ask = spelled(ACCEPT_EVENT, &event.values());
        ask.fetch_one(&mut **transaction).await?.try_get(0)
    }

    async fn ask_finish(
        &self,
        source: &str,
        event_id: &str,
        token: Uuid,
    ) -> Result<String, DatabaseError> {
        let values = [
            Some(source.into()),
            Some(event_id.into()),
            Some(token.to_string()),
        ];
        self.ask_for_word(FINISH_EVENT, &values).await
    }

    async fn ask_for_word(
        &self,
        statement: &'static str,
        values: &[Option<String>],
    ) -> Result<String, DatabaseError> {
        let row = spelled(statement, values).fetch_one(&self.pool).await?;
        row.try_get(0)
    }
}

impl Arrival<'_> {
    fn values(&self) -> [Option<String>; 5] {
        [
            Some(self.source.into()),
            Some(self.event_id.into()),
            Some(self.token.to_string()),
            Some(self.body.to_string()),
            self.since_epoch.map(|seconds| seconds.to_string()),
        ]
    }
}

/// A statement of ours with these values in the places of `$1` and so on.
fn spelled(statement: &'static str, values: &[Option<String>]) -> RawSql {
    let mut pieces = statement.split('$');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for (piece, value) in pieces.zip(values) {
        match value {
            Some(value) => text.push_str(&literal(value)),
            None => text.push_str("NULL"),
        }
        text.push_str(piece.trim_start_matches(|digit: char| digit.is_ascii_digit()));
    }
    sqlx::raw_sql(AssertSqlSafe(text))
}

/// A literal that is read alike whatever `standard_conforming_strings` says. Postgres refuses the
/// character U+0000 in it.
fn literal(value: &str) -> String {
    let escaped = value.replace('\\', r"\\").replace('\'', "''");
    let escaped = escaped.replace('\0', r"\000");
    format!("E'{escaped}'")
}

/// How long a send may take, as `reserve` answers: the driver does not read an interval's text.
fn send_budget(row: &PgRow) -> Result<Duration, DatabaseError> {
    let raw = row.try_get_raw("send_budget")?;
    if raw.is_null() {
        return Ok(Duration::ZERO);
    }
    let text = raw.as_str().map_err(DatabaseError::Decode)?;
    interval(text).ok_or_else(|| DatabaseError::Decode(format!("interval {text:?}").into()))
}

/// An interval that is not negative, as `IntervalStyle` postgres and `postgres_verbose` write it:
/// `1 day 00:00:20`, `@ 1 day 20 secs`.
fn interval(text: &str) -> Option<Duration> {
    let mut words = text.split_whitespace().filter(|word| *word != "@");
    let mut seconds = 0.0;
    while let Some(word) = words.next() {
        if word.contains(':') {
            let mut clock = word.split(':').map(str::parse::<f64>);
            let (hours, minutes, rest) = (clock.next()?, clock.next()?, clock.next()?);
            seconds += hours.ok()? * 3_600.0 + minutes.ok()? * 60.0 + rest.ok()?;
        } else if let Ok(number) = word.parse::<f64>() {
            seconds += number
                * match words.next() {
                    None | Some("sec" | "secs") => 1.0,
                    Some("min" | "mins") => 60.0,
                    Some("hour" | "hours") => 3_600.0,
                    Some("day" | "days") => 86_400.0,
                    Some("mon" | "mons") => 30.0 * 86_400.0,
                    Some(_) => return None,
                };
        } else {
            return None;
        }
    }
    Duration::try_from_secs_f64(seconds).ok()
}
