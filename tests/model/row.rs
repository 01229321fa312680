//! What each call does to the row of an action, as pure functions over the table of transitions: the ledger without
//! SQL. The model runs on them, and `tests/postgres/alongside.rs` compares them with the functions of a real server.

use std::collections::BTreeSet;
use std::sync::Mutex;

use onlyonce::states::{Attempt, Call, Change, Condition, State, Table};

/// The token of whoever is gone, and of rows that nobody reserved.
pub(crate) const NOBODY: u8 = 0;

/// What a row says that a change may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Row {
    pub(crate) state: State,
    pub(crate) attempt: u8,
    pub(crate) token: u8,
    /// The attempt's deadline is past.
    pub(crate) overdue: bool,
    /// The provider may have forgotten the key.
    pub(crate) forgotten: bool,
    /// Its payload was taken away.
    pub(crate) stripped: bool,
}

/// What the action's type says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) may_retry: bool,
    pub(crate) max_attempts: u8,
}

/// Who asks, and what they say.
#[derive(Clone, Copy, Debug, Default)]
struct Asking<'a> {
    token: Option<u8>,
    attempt: Option<u8>,
    says: Option<&'a str>,
    past_keeping: bool,
}

/// The ledger's functions on one row.
pub(crate) struct Ledger {
    pub(crate) table: Table,
    pub(crate) rules: Rules,
    /// The rows of the table that were used.
    pub(crate) used: Mutex<BTreeSet<Used>>,
}

/// From which state to which (nothing before the start and after the end), and by which call.
pub(crate) type Used = (Option<State>, Option<State>, Call);

impl Ledger {
    pub(crate) fn new(table: Table, rules: Rules) -> Ledger {
        Ledger { table, rules, used: Mutex::default() }
    }

    /// The change that this call makes of this row as it stands, if there is one.
    fn found(&self, row: &Row, call: Call, asking: Asking<'_>) -> Option<&Change> {
        let mut found =
            self.table.changes.iter().filter(|change| change.from == row.state && self.made(change, row, call, asking));
        let change = found.next()?;
        assert!(found.next().is_none(), "two changes of {row:?} by {call:?}");
        Some(change)
    }

    /// Makes that change.
    fn change(&self, row: &mut Row, call: Call, asking: Asking<'_>) -> bool {
        let Some(change) = self.found(row, call, asking) else { return false };
        self.note(Some(change.from), Some(change.to), call);
        row.state = change.to;
        if change.attempt == Attempt::Next {
            row.attempt += 1;
            row.token = asking.token.unwrap_or(NOBODY);
            row.overdue = false;
        }
        true
    }

    fn made(&self, change: &Change, row: &Row, call: Call, asking: Asking<'_>) -> bool {
        let Some(cause) = change.by.get(&call) else { return false };
        cause.says.as_deref() == asking.says
            && change.guard.iter().chain(&cause.needs).all(|condition| self.holds(*condition, row, asking))
    }

    fn holds(&self, condition: Condition, row: &Row, asking: Asking<'_>) -> bool {
        match condition {
            Condition::Token => asking.token == Some(row.token),
            Condition::OtherToken => asking.token != Some(row.token),
            Condition::PastDeadline => row.overdue,
            Condition::MayRetry => self.rules.may_retry,
            Condition::AttemptsLeft => row.attempt < self.rules.max_attempts,
            Condition::NoAttemptsLeft => row.attempt >= self.rules.max_attempts,
            Condition::KeyWindow => !row.forgotten,
            Condition::Payload => !row.stripped,
            Condition::Erased => row.stripped,
            Condition::Attempt => asking.attempt == Some(row.attempt),
            // Nobody here decides without: what is refused for that changes nothing.
            Condition::Evidence | Condition::Person => true,
            Condition::PastKeeping => asking.past_keeping,
        }
    }

    fn note(&self, from: Option<State>, to: Option<State>, call: Call) {
        self.used.lock().unwrap().insert((from, to, call));
    }

    fn start(&self, to: State, call: Call) {
        let known = self.table.starts.iter().any(|start| start.to == to && start.by.contains_key(&call));
        assert!(known, "nothing starts {to} by {call:?}");
        self.note(None, Some(to), call);
    }

    /// `reserve`: the verdict. Neither paused nor retired.
    pub(crate) fn reserve(&self, found: &mut Option<Row>, token: u8) -> &'static str {
        let Some(row) = found else {
            self.start(State::Pending, Call::Reserve);
            *found = Some(Row {
                state: State::Pending,
                attempt: 1,
                token,
                overdue: false,
                forgotten: false,
                stripped: false,
            });
            return "go";
        };
        let asking = Asking { token: Some(token), ..Asking::default() };
        if row.state == State::Pending {
            self.change(row, Call::Reserve, asking);
        }
        if row.state != State::Pending && self.change(row, Call::Reserve, asking) {
            return "go";
        }
        match row.state {
            State::Sent => "sent",
            State::Unknown => "unknown",
            State::Pending if row.overdue => "unknown",
            State::Pending if row.token == token => "go_again",
            State::Pending => "in_progress",
            _ => "failed",
        }
    }

    /// `record`.
    pub(crate) fn record(&self, found: &mut Option<Row>, token: u8, outcome: &str) -> &'static str {
        let Some(row) = found else { return "fenced" };
        if self.change(row, Call::Record, Asking { token: Some(token), says: Some(outcome), ..Asking::default() }) {
            return "recorded";
        }
        let told_before = match outcome {
            "sent" => row.state == State::Sent,
            "unknown" => row.state == State::Unknown,
            "rejected" => row.state == State::Rejected,
            _ => matches!(row.state, State::NotAttempted | State::Exhausted),
        };
        if told_before && row.token == token { "already" } else { "fenced" }
    }

    /// `confirm`.
    pub(crate) fn confirm(&self, found: &mut Option<Row>) -> &'static str {
        let Some(row) = found else { return "absent" };
        if self.change(row, Call::Confirm, Asking::default()) {
            return "recorded";
        }
        if row.state == State::Sent { "already" } else { "fenced" }
    }

    /// What `sweep` does with the row: whether it became unknown.
    pub(crate) fn sweep(&self, found: &mut Option<Row>) -> bool {
        found.as_mut().is_some_and(|row| self.change(row, Call::Sweep, Asking::default()))
    }

    /// `resolve`, or the SQLSTATE of its refusal, after which nothing has changed.
    pub(crate) fn resolve(
        &self,
        found: &mut Option<Row>,
        attempt: u8,
        decision: &str,
    ) -> Result<&'static str, &'static str> {
        let Some(before) = *found else { return Err("P0002") };
        let mut row = before;
        let looked = Asking { attempt: Some(attempt), ..Asking::default() };
        self.change(&mut row, Call::Resolve, looked);
        let decided = match decision {
            "sent" => row.state == State::Sent,
            "not_sent" => row.state == State::Released && !row.stripped,
            _ => row.state == State::Abandoned,
        };
        if decided && attempt == row.attempt {
            return Ok("already");
        }
        if self.change(&mut row, Call::Resolve, Asking { says: Some(decision), ..looked }) {
            *found = Some(row);
            return Ok("resolved");
        }
        let open = matches!(row.state, State::Pending | State::Unknown);
        Err(match decision {
            _ if attempt != row.attempt => "OO006",
            "not_sent" if open && !row.overdue => "OO005",
            _ => "OO004",
        })
    }

    /// `import`, or the SQLSTATE of its refusal.
    pub(crate) fn import(&self, found: &mut Option<Row>) -> Result<&'static str, &'static str> {
        let Some(row) = found else {
            self.start(State::Sent, Call::Import);
            *found = Some(Row {
                state: State::Sent,
                attempt: 1,
                token: NOBODY,
                overdue: true,
                forgotten: true,
                stripped: true,
            });
            return Ok("imported");
        };
        if matches!(row.state, State::NotAttempted | State::Released) {
            self.change(row, Call::Import, Asking { token: Some(NOBODY), ..Asking::default() });
        }
        if self.change(row, Call::Import, Asking::default()) {
            return Ok("imported");
        }
        if row.state == State::Sent { Ok("already") } else { Err("OO004") }
    }

    /// `erase`, or the SQLSTATE of its refusal.
    pub(crate) fn erase(&self, found: &mut Option<Row>) -> Result<&'static str, &'static str> {
        let Some(row) = found else { return Ok("absent") };
        if row.state == State::Pending && !self.change(row, Call::Erase, Asking::default()) {
            return Err("OO004");
        }
        row.stripped = true;
        Ok("erased")
    }

    /// What `purge` does with the row: whether it is forgotten.
    pub(crate) fn purge(&self, found: &mut Option<Row>, past_keeping: bool) -> bool {
        let Some(row) = *found else { return false };
        let asking = Asking { past_keeping, ..Asking::default() };
        let forgets = self.table.ends.iter().filter(|end| end.from == row.state).any(|end| {
            end.by.get(&Call::Purge).is_some_and(|cause| cause.needs.iter().all(|need| self.holds(*need, &row, asking)))
        });
        if forgets {
            self.note(Some(row.state), None, Call::Purge);
            *found = None;
        }
        forgets
    }

    /// What `released` gives.
    pub(crate) fn may_go(&self, row: &Row) -> bool {
        let newcomer = Asking { token: Some(u8::MAX), ..Asking::default() };
        row.state != State::Pending && self.found(row, Call::Reserve, newcomer).is_some()
    }

    /// What stands in `reconciliation_queue`.
    pub(crate) fn queued(row: &Row) -> bool {
        match row.state {
            State::Unknown | State::Rejected | State::Exhausted => true,
            State::Pending => row.overdue,
            State::NotAttempted | State::Released => row.stripped,
            State::Sent | State::Abandoned => false,
        }
    }
}
