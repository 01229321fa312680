use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// What the provider answered to an act that it took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Receipt {
    /// The provider's own id of the message, charge or job.
    pub message_id: Option<String>,
    /// What is worth keeping: a model's answer is given back to whoever asks under the same key.
    pub result: Option<Value>,
}

impl Receipt {
    /// The provider gave its own id.
    #[must_use]
    pub fn id(message_id: impl Into<String>) -> Self {
        Self {
            message_id: Some(message_id.into()),
            result: None,
        }
    }

    /// What came back is the receipt: a model's answer.
    #[must_use]
    pub fn result(result: impl Into<Value>) -> Self {
        Self {
            message_id: None,
            result: Some(result.into()),
        }
    }

    /// The provider's status alone says that it took the act, as a Slack or Discord webhook does.
    #[must_use]
    pub fn accepted() -> Self {
        Self::result(json!({ "accepted": true }))
    }

    /// The kept result as a value of the program's own type; `None` where no result is kept.
    ///
    /// # Errors
    /// When the kept result is of another shape.
    pub fn read<T: DeserializeOwned>(&self) -> Result<Option<T>, serde_json::Error> {
        self.result.as_ref().map(T::deserialize).transpose()
    }
}

/// Why a call brought no receipt, as far as it is certain what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendError {
    /// The provider refused it for good.
    Rejected(String),
    /// It certainly never left us, or the provider certainly did nothing: it may go again.
    NotAttempted(String),
    /// It may have been done: a timeout, a reset, an answer that cannot be read. Never sent again
    /// until a person has looked.
    Unknown(String),
}

impl SendError {
    /// What an HTTP status of failure means where the provider documents nothing else: 400, 402,
    /// 404 and 422 are a refusal, with 401 and 403 nothing was done, and of all else nobody knows.
    #[must_use]
    pub fn from_status(status: u16, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        match status {
            400 | 402 | 404 | 422 => Self::Rejected(detail),
            401 | 403 => Self::NotAttempted(detail),
            _ => Self::Unknown(detail),
        }
    }
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected(detail) => write!(f, "rejected: {detail}"),
            Self::NotAttempted(detail) => write!(f, "not attempted: {detail}"),
            Self::Unknown(detail) => write!(f, "outcome unknown: {detail}"),
        }
    }
}

impl std::error::Error for SendError {}

impl From<KeyTooShort> for SendError {
    fn from(error: KeyTooShort) -> Self {
        Self::NotAttempted(error.to_string())
    }
}

/// Why an action is settled without having been sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What was recorded of it.
    pub reason: String,
}

/// What became of an action.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "an action can also be in progress, failed, unknown or paused"]
pub enum Outcome {
    /// Done, now or before: the receipt of the one time.
    Sent(Receipt),
    /// Another worker holds it.
    InProgress,
    /// Not done.
    Failed(Failure),
    /// Nobody knows yet; a person or the provider's answer will settle it. Do not send.
    Unknown,
    /// Sending is paused for everybody.
    Paused,
}

/// The answer to a reservation.
#[derive(Debug)]
#[must_use = "a reservation that is granted has to be used and its outcome recorded"]
pub enum Reservation<A, P> {
    /// Ours: send this payload, the one that was kept first, and record what came of it.
    Go(Permit<A>, P),
    /// Another worker holds it.
    InProgress,
    /// Done before: the receipt of the one time.
    Sent(Receipt),
    /// Not done, and not to be done.
    Failed(Failure),
    /// Nobody knows yet. Do not send.
    Unknown,
    /// Sending is paused for everybody.
    Paused,
}

/// The answer to an inbound event.
#[derive(Debug)]
#[must_use = "an event that is not fresh must have no second effect"]
pub enum Accepted {
    /// The first time that it is seen.
    Fresh(Claim),
    /// It was claimed before and never finished.
    Reclaimed(Claim),
    /// Another worker holds it.
    InProgress,
    /// Seen before.
    Duplicate,
    /// Seen before with another body: a duplicate too, and counted.
    Conflict,
    /// Older than its source's ids are remembered: nobody can tell whether it was seen.
    Stale,
}

/// An action that may go again and whose job may be gone.
#[derive(Clone, Debug, PartialEq)]
pub struct Released {
    /// Its type.
    pub action_type: String,
    /// The canonical text of its key.
    pub key: String,
    /// What is to be sent.
    pub payload: Value,
}

/// The ledger gave no answer that allows anything. From [`Ledger::reserve`] and from
/// [`Ledger::accept_event`] it always means: do not act.
#[derive(Debug)]
pub enum LedgerError {
    /// The payload does not become JSON.
    Payload(serde_json::Error),
    /// The payload holds the character U+0000, which Postgres cannot keep in JSON.
    NulCharacter,
    /// The database refused, or could not be reached.
    Database(DatabaseError),
    /// The act is over, and what came of it (named first) could not be recorded: it becomes
    /// unknown, and a person will see it.
    Unrecorded(&'static str, DatabaseError),
    /// Another attempt holds the action or the event by now; what came of this one is kept as late
    /// evidence.
    Fenced,
    /// The source is declared in the other mode: one is accepted by [`Ledger::accept_event`], the
    /// other by [`Ledger::accept_event_in`].
    WrongMode,
    /// The ledger answered with a word that this client does not know: generate it anew.
    Unexpected(String),
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Payload(_) => f.write_str("the payload does not become JSON"),
            Self::NulCharacter => f.write_str("the payload holds the character U+0000"),
            Self::Database(_) => f.write_str("the ledger could not be asked"),
            Self::Unrecorded(outcome, _) => {
                write!(
                    f,
                    "the outcome ({outcome}) could not be recorded; it becomes unknown"
                )
            }
            Self::Fenced => f.write_str("another attempt holds it by now"),
            Self::WrongMode => f.write_str("the source is declared in the other mode"),
            Self::Unexpected(word) => write!(f, "the ledger answered {word:?}; generate anew"),
        }
    }
}

impl std::error::Error for LedgerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Payload(error) => Some(error),
            Self::Database(error) | Self::Unrecorded(_, error) => Some(error),
            Self::NulCharacter | Self::Fenced | Self::WrongMode | Self::Unexpected(_) => None,
        }
    }
}

impl From<DatabaseError> for LedgerError {
    fn from(error: DatabaseError) -> Self {
        Self::Database(error)
    }
}
