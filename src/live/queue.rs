//! What waits for a person, and what they decide.

use postgres::Row;
use postgres::types::Type;
use serde::Serialize;

use crate::diagnostic::Fault;
use crate::live::Ledger;
use crate::live::refusal::{self, Doing};

/// Why something waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Nobody knows whether it was sent.
    Unknown,
    /// The provider refused it for good.
    Rejected,
    /// It was not attempted, and no attempt is left.
    Exhausted,
    /// An event that was claimed and not finished.
    Inbound,
}

impl Class {
    /// The word for it, as the view has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Class::Unknown => "unknown",
            Class::Rejected => "rejected",
            Class::Exhausted => "exhausted",
            Class::Inbound => "inbound",
        }
    }
}

/// A row of the view `reconciliation_queue`, under its columns' names. Times are in UTC, lengths of time in seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// The name of a [`Class`].
    pub class: String,
    /// The action type; of an inbound event its source.
    pub action_type: String,
    /// The key; of an inbound event its id.
    pub idempotency_key: String,
    /// `unknown` or `failed`; of an inbound event `received`.
    pub status: String,
    /// Why it failed.
    pub failure: Option<String>,
    /// Which attempt this is about; of an inbound event how often it was claimed.
    pub attempt: i32,
    /// How long it has been waiting, in seconds.
    pub age: f64,
    /// Until when its worker might have been at it.
    pub deadline_at: String,
    /// SHA-256 of the payload, in hexadecimal digits; none once that was erased.
    pub payload_digest: Option<String>,
    /// What was recorded as the reason.
    pub reason: Option<String>,
    /// For how long the provider still knows the key, in seconds; none where it takes no key or keeps it for ever.
    pub key_window_left: Option<f64>,
    /// How to find out what became of it.
    pub look_up: Option<String>,
    /// What moved it last.
    pub last_step: String,
    /// The provider's message id, where one is known.
    pub message_id: Option<String>,
    /// Since when it has been waiting.
    pub since: String,
}

/// A part of the queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// The longest waiting first.
    pub entries: Vec<Entry>,
    /// How many there are in all that were asked for.
    pub total: u64,
}

/// Which part of the queue.
#[derive(Clone, Debug, Default)]
pub struct Filter<'a> {
    /// Of these classes; none is every class.
    pub classes: &'a [Class],
    /// Of these action types and sources; none is every one.
    pub types: &'a [String],
    /// With this key.
    pub key: Option<&'a str>,
}

/// What a person found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The provider has it.
    Sent,
    /// It certainly never reached the provider: it may go as a new attempt.
    NotSent,
    /// Nobody knows or cares any more: it is final, and is never sent.
    Abandon,
    /// An inbound event: it has had its effect.
    Processed,
    /// An inbound event: it has had no effect, and may be claimed anew.
    Release,
}

impl Decision {
    /// The word for it, as the ledger has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Decision::Sent => "sent",
            Decision::NotSent => "not_sent",
            Decision::Abandon => "abandon",
            Decision::Processed => "processed",
            Decision::Release => "release",
        }
    }

    /// Whether it is about an inbound event.
    #[must_use]
    pub fn is_inbound(self) -> bool {
        matches!(self, Decision::Processed | Decision::Release)
    }
}

/// A decision with who took it, and why.
#[derive(Clone, Debug)]
pub struct Resolution<'a> {
    /// The action type, or the source.
    pub action_type: &'a str,
    /// The key, or the event's id.
    pub key: &'a str,
    /// The attempt that was looked at. Not used for inbound events.
    pub attempt: i32,
    /// What was found out.
    pub decision: Decision,
    /// On what evidence.
    pub evidence: &'a str,
    /// By whom.
    pub actor: &'a str,
    /// The provider's id, for [`Decision::Sent`].
    pub message_id: Option<&'a str>,
}

const COLUMNS: &str = "q.class, q.action_type, q.idempotency_key, q.status, q.failure, q.attempt, \
    EXTRACT(epoch FROM q.age)::float8 AS age, \
    to_char(q.deadline_at, 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"') AS deadline_at, q.payload_digest, q.reason, \
    EXTRACT(epoch FROM q.key_window_left)::float8 AS key_window_left, q.look_up, q.last_step, q.message_id, \
    to_char(q.since, 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"') AS since";

impl Ledger {
    /// The longest waiting first, at most `limit`, and how many there are.
    ///
    /// # Errors
    /// When the view cannot be read.
    pub fn queue(&mut self, filter: &Filter<'_>, limit: u32) -> Result<Listing, Fault> {
        let from = format!(
            "FROM {}.reconciliation_queue AS q WHERE (cardinality($1) = 0 OR q.class = ANY ($1)) \
             AND (cardinality($2) = 0 OR q.action_type = ANY ($2)) AND ($3 IS NULL OR q.idempotency_key = $3)",
            self.schema
        );
        let classes: Vec<&str> = filter.classes.iter().map(|class| class.name()).collect();
        let limit = i64::from(limit);
        let values = || -> Vec<super::Value<'_>> {
            vec![(&classes, Type::TEXT_ARRAY), (&filter.types, Type::TEXT_ARRAY), (&filter.key, Type::TEXT)]
        };
        let mut with_limit = values();
        with_limit.push((&limit, Type::INT8));
        // The rows first, in full only for those that are listed: each digest reads a payload.
        let statements = [
            (
                format!("SELECT {COLUMNS} {from} ORDER BY q.since, q.action_type, q.idempotency_key LIMIT $4"),
                with_limit,
            ),
            (format!("SELECT count(*) {from}"), values()),
        ];
        let mut answers = self.read(Doing::Reading, &statements)?.into_iter();
        let (rows, count) = (answers.next().unwrap_or_default(), answers.next().unwrap_or_default());
        let entries = rows.iter().map(entry).collect::<Result<Vec<_>, _>>().map_err(|error| self.strange(&error))?;
        let total = count.first().and_then(|row| row.try_get::<_, i64>(0).ok()).unwrap_or(0);
        Ok(Listing { entries, total: u64::try_from(total).unwrap_or(0) })
    }

    /// Writes down what a person found out: `resolved`, or `already` where that is so.
    ///
    /// # Errors
    /// When the ledger refuses it, and says why.
    pub fn resolve(&mut self, resolution: &Resolution<'_>) -> Result<String, Fault> {
        let Resolution { action_type, key, attempt, evidence, actor, message_id, .. } = resolution;
        let decision = resolution.decision.name();
        if resolution.decision.is_inbound() {
            let values: [super::Value<'_>; 5] = [
                (action_type, Type::TEXT),
                (key, Type::TEXT),
                (&decision, Type::TEXT),
                (evidence, Type::TEXT),
                (actor, Type::TEXT),
            ];
            let answer = self.call("resolve_event($1, $2, $3, $4, $5)", &values);
            return answer.map_err(|error| refusal::told(&error, Doing::Deciding, self));
        }
        let values: [super::Value<'_>; 7] = [
            (action_type, Type::TEXT),
            (key, Type::TEXT),
            (attempt, Type::INT4),
            (&decision, Type::TEXT),
            (evidence, Type::TEXT),
            (actor, Type::TEXT),
            (message_id, Type::TEXT),
        ];
        let answer = self.call("resolve($1, $2, $3, $4, $5, $6, $7)", &values);
        answer.map_err(|error| refusal::told(&error, Doing::Deciding, self))
    }
}

fn entry(row: &Row) -> Result<Entry, postgres::Error> {
    Ok(Entry {
        class: row.try_get("class")?,
        action_type: row.try_get("action_type")?,
        idempotency_key: row.try_get("idempotency_key")?,
        status: row.try_get("status")?,
        failure: row.try_get("failure")?,
        attempt: row.try_get("attempt")?,
        age: row.try_get("age")?,
        deadline_at: row.try_get("deadline_at")?,
        payload_digest: row.try_get("payload_digest")?,
        reason: row.try_get("reason")?,
        key_window_left: row.try_get("key_window_left")?,
        look_up: row.try_get("look_up")?,
        last_step: row.try_get("last_step")?,
        message_id: row.try_get("message_id")?,
        since: row.try_get("since")?,
    })
}
