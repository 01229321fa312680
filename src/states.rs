//! The life of an action as data: `sql/transitions.toml`, read once.
//!
//! Whatever has to know which changes of an action's state are legal takes it from here: the guard of the emitted
//! ledger is filled from it (`src/emit/transitions.rs`), and the tests check an exhaustive model and real servers
//! against it. Nothing here looks at a server or a file: the text is part of the program.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::diagnostic::Fault;

const TEXT: &str = include_str!("../sql/transitions.toml");

/// A status, with why it failed: what one column of the ledger says, or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
pub enum State {
    /// An attempt holds it.
    #[serde(rename = "pending")]
    Pending,
    /// It was sent. Final.
    #[serde(rename = "sent")]
    Sent,
    /// An attempt went silent, or could not tell.
    #[serde(rename = "unknown")]
    Unknown,
    /// The provider refused it for good.
    #[serde(rename = "failed(rejected)")]
    Rejected,
    /// Nothing left us, for certain: the next attempt may go.
    #[serde(rename = "failed(not_attempted)")]
    NotAttempted,
    /// The same, at the last attempt that its type allows.
    #[serde(rename = "failed(exhausted)")]
    Exhausted,
    /// A person found that it was not sent: the next attempt may go.
    #[serde(rename = "failed(released)")]
    Released,
    /// A person gave it up. Final.
    #[serde(rename = "failed(abandoned)")]
    Abandoned,
}

impl State {
    /// Every state.
    pub const ALL: [State; 8] = [
        State::Pending,
        State::Sent,
        State::Unknown,
        State::Rejected,
        State::NotAttempted,
        State::Exhausted,
        State::Released,
        State::Abandoned,
    ];

    /// The column `status`.
    #[must_use]
    pub fn status(self) -> &'static str {
        match self {
            State::Pending => "pending",
            State::Sent => "sent",
            State::Unknown => "unknown",
            State::Rejected | State::NotAttempted | State::Exhausted | State::Released | State::Abandoned => "failed",
        }
    }

    /// The column `failure`: of failed actions alone.
    #[must_use]
    pub fn failure(self) -> Option<&'static str> {
        match self {
            State::Pending | State::Sent | State::Unknown => None,
            State::Rejected => Some("rejected"),
            State::NotAttempted => Some("not_attempted"),
            State::Exhausted => Some("exhausted"),
            State::Released => Some("released"),
            State::Abandoned => Some("abandoned"),
        }
    }
}

/// As the table and the guard write it: `pending`, `failed(rejected)`.
impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.failure() {
            Some(failure) => write!(f, "{}({failure})", self.status()),
            None => f.write_str(self.status()),
        }
    }
}

/// A function of the ledger that may change a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// A worker asks whether it may go.
    Reserve,
    /// A worker says what came of its attempt.
    Record,
    /// A status event or a look-up found it at the provider.
    Confirm,
    /// Maintenance looks for what went silent.
    Sweep,
    /// A person decides.
    Resolve,
    /// A person says that it was sent before, or elsewhere.
    Import,
    /// A person takes away what may be about somebody.
    Erase,
    /// Maintenance forgets what is past its time.
    Purge,
}

/// What has to hold for a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// The caller shows the token of the attempt that holds the action.
    Token,
    /// The caller shows another token than that.
    OtherToken,
    /// The database's clock is past the attempt's deadline.
    PastDeadline,
    /// The type says `when_unknown = "retry"`.
    MayRetry,
    /// The attempt's number is below the type's `max_attempts`.
    AttemptsLeft,
    /// The attempt's number is `max_attempts`, or over it.
    NoAttemptsLeft,
    /// Whoever sends now, to the end of its send budget, meets a provider that still remembers the key, which it does
    /// for the type's key window from the first reservation on; or the type needs no such thing (a model's, or
    /// one whose provider remembers keys for ever).
    KeyWindow,
    /// The payload has not been taken away.
    Payload,
    /// It has.
    Erased,
    /// The caller names the attempt that the action is at.
    Attempt,
    /// The caller says how it knows.
    Evidence,
    /// The caller says who decided, and how they know.
    Person,
    /// The type keeps the row no longer.
    PastKeeping,
}

/// How a call makes a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cause {
    /// What the caller says: the outcome of `record`, the decision of `resolve`; nothing for changes that these
    /// make whatever is said, and for the other calls.
    pub says: Option<String>,
    /// What the call demands besides the guard of the row.
    #[serde(default)]
    pub needs: Vec<Condition>,
}

/// Whether a change begins an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attempt {
    /// Number, token and deadline stay.
    Same,
    /// The number grows by one; token and deadline are new.
    Next,
}

/// A legal change of a state.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The state before.
    pub from: State,
    /// The state after; never the same.
    pub to: State,
    /// Whether the attempt stays.
    pub attempt: Attempt,
    /// What the guard of the row demands, whoever makes the change.
    #[serde(default)]
    pub guard: Vec<Condition>,
    /// Who makes it.
    pub by: BTreeMap<Call, Cause>,
}

/// As the guard writes it: `unknown -> failed(released)`.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}", self.from, self.to)
    }
}

/// A way that an action begins, at attempt 1.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// Its first state.
    pub to: State,
    /// Who makes it.
    pub by: BTreeMap<Call, Cause>,
}

/// A way that an action is forgotten.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// Its last state.
    pub from: State,
    /// Who forgets it.
    pub by: BTreeMap<Call, Cause>,
}

/// The whole table.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// How actions begin.
    #[serde(rename = "start")]
    pub starts: Vec<Start>,
    /// How they change; each pair of states at most once.
    #[serde(rename = "change")]
    pub changes: Vec<Change>,
    /// How they end.
    #[serde(rename = "end")]
    pub ends: Vec<End>,
}

impl Table {
    /// The change from one state to another, if it is legal at all.
    #[must_use]
    pub fn change(&self, from: State, to: State) -> Option<&Change> {
        self.changes.iter().find(|change| (change.from, change.to) == (from, to))
    }

    /// Whether nothing leads away from this state.
    #[must_use]
    pub fn is_final(&self, state: State) -> bool {
        self.changes.iter().all(|change| change.from != state)
    }
}

static TABLE: LazyLock<Result<Table, String>> =
    LazyLock::new(|| toml::from_str(TEXT).map_err(|error| error.message().to_owned()));

/// The table that ships with the program.
///
/// # Errors
/// When its text is broken: a mistake of ours, which the tests find.
pub fn table() -> Result<&'static Table, Fault> {
    TABLE.as_ref().map_err(|error| {
        Fault::new(format!("the table of transitions of onlyonce is broken: {error}")).with_help("please report this")
    })
}

#[cfg(test)]
mod tests;
