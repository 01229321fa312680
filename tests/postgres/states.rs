//! The guards of the rows against the table of transitions: every pair of states, every way to count the attempt, past
//! the deadline and before it, on types that may be repeated and that may not.

use onlyonce::states::{Attempt, Change, Condition, State, Table, table};

use crate::ledger::{Ledger, on_every_major, refusal};

/// What an update does with the attempt, whose number is 2 before it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Counted {
    /// Nothing.
    Same,
    /// The next one, whole: its number, a token, a deadline.
    Next,
    /// The number alone.
    NumberAlone,
    /// The token alone.
    TokenAlone,
    /// The deadline alone.
    DeadlineAlone,
    /// Two at once.
    Two,
    /// Back to the one before.
    Back,
}

impl Counted {
    const ALL: [Counted; 7] = [
        Counted::Same,
        Counted::Next,
        Counted::NumberAlone,
        Counted::TokenAlone,
        Counted::DeadlineAlone,
        Counted::Two,
        Counted::Back,
    ];

    fn set(self) -> &'static str {
        match self {
            Counted::Same => "",
            Counted::Next => ", attempt = 3, token = gen_random_uuid(), deadline_at = now() + interval '1 hour'",
            Counted::NumberAlone => ", attempt = 3",
            Counted::TokenAlone => ", token = gen_random_uuid()",
            Counted::DeadlineAlone => ", deadline_at = now() + interval '2 hours'",
            Counted::Two => ", attempt = 4, token = gen_random_uuid(), deadline_at = now() + interval '1 hour'",
            Counted::Back => ", attempt = 1, token = gen_random_uuid(), deadline_at = now() + interval '1 hour'",
        }
    }

    fn is(self, attempt: Attempt) -> bool {
        match attempt {
            Attempt::Same => self == Counted::Same,
            Attempt::Next => self == Counted::Next,
        }
    }
}

/// Where the update finds the row.
#[derive(Clone, Copy, Debug)]
struct Found {
    action_type: &'static str,
    past_deadline: bool,
    erased: bool,
}

impl Found {
    fn all() -> impl Iterator<Item = Found> {
        [true, false].into_iter().flat_map(|erased| {
            ["send", "retry"].into_iter().flat_map(move |action_type| {
                [true, false].map(|past_deadline| Found { action_type, past_deadline, erased })
            })
        })
    }

    fn holds(self, change: &Change) -> bool {
        change.guard.iter().all(|condition| match condition {
            Condition::PastDeadline => self.past_deadline,
            Condition::MayRetry => self.action_type == "retry",
            Condition::Erased => self.erased,
            other => panic!("{change}: no guard of a row can see {other:?}"),
        })
    }

    /// Puts a row there, past all guards.
    fn put(self, state: State, attempt: u8) -> String {
        let settled = [State::Pending, State::Unknown].iter().all(|open| *open != state);
        format!(
            "ALTER TABLE onlyonce.actions DISABLE TRIGGER ALL;
             INSERT INTO onlyonce.actions (action_type, idempotency_key, status, failure, attempt, token, created_at,
               deadline_at, settled_at, waits_since, step, message_id, evidence, actor, payload, stripped_at)
             VALUES ('{action_type}', 'a', {columns}, {attempt}, gen_random_uuid(), now() - interval '1 day',
               now() {deadline} interval '1 hour', {settled}, {waits}, 'x', 'm', 'e', 'p', {payload});
             ALTER TABLE onlyonce.actions ENABLE TRIGGER ALL;",
            action_type = self.action_type,
            columns = columns(state).join(", "),
            deadline = if self.past_deadline { "-" } else { "+" },
            settled = if settled { "now() - interval '1 hour'" } else { "NULL" },
            waits = waits(state),
            payload = if self.erased { "NULL, now()" } else { "'{}', NULL" },
        )
    }
}

fn columns(state: State) -> [String; 2] {
    [format!("'{}'", state.status()), state.failure().map_or("NULL".to_owned(), |failure| format!("'{failure}'"))]
}

fn waits(state: State) -> &'static str {
    match state {
        State::Pending | State::Sent | State::Abandoned => "NULL",
        State::Unknown | State::Rejected | State::NotAttempted | State::Exhausted | State::Released => "now()",
    }
}

/// The update that goes there, with all that the state needs.
fn update(to: State, counted: Counted) -> String {
    let [status, failure] = columns(to);
    let settled = if matches!(to, State::Pending | State::Unknown) { "NULL" } else { "now()" };
    let waits = waits(to);
    format!(
        "UPDATE onlyonce.actions SET status = {status}, failure = {failure}, settled_at = {settled}, waits_since = {waits}{}",
        counted.set()
    )
}

/// What the server says to a statement of the tables' owner about a row that stands there.
async fn said(ledger: &Ledger, put: &str, statement: &str) -> String {
    let said = refusal(&ledger.root, &format!("BEGIN; {put} SET LOCAL ROLE onlyonce_owner; {statement}")).await;
    ledger.root.batch_execute("ROLLBACK").await.unwrap();
    said
}

fn whole() -> &'static Table {
    table().unwrap()
}

#[tokio::test]
async fn rows_change_as_the_table_says_and_not_otherwise() {
    on_every_major(changes).await;
}

pub(crate) async fn changes(ledger: &Ledger) {
    for from in State::ALL {
        for to in State::ALL {
            let change = whole().change(from, to);
            // What is pending has its payload: erasing waits for the deadline, and nothing erased goes again.
            let pending = |found: &Found| found.erased && [from, to].contains(&State::Pending);
            for found in Found::all().filter(|found| !pending(found)) {
                for counted in Counted::ALL {
                    let said = said(ledger, &found.put(from, 2), &update(to, counted)).await;
                    let legal = change.is_some_and(|change| counted.is(change.attempt) && found.holds(change));
                    let quarantined = (from, to) == (State::Unknown, State::Released) && !found.past_deadline;
                    let wanted = if legal {
                        "nothing"
                    } else if quarantined {
                        "OO005"
                    } else {
                        "OO004"
                    };
                    assert_eq!(said, wanted, "{from} -> {to}, attempt {counted:?}, {found:?}");
                }
            }
        }
    }
}

#[tokio::test]
async fn rows_begin_and_end_as_the_table_says() {
    on_every_major(ends).await;
}

pub(crate) async fn ends(ledger: &Ledger) {
    let passing = |step: &str| format!("SELECT set_config('onlyonce.passing', '{step}', true);");
    let insert = |state: State, attempt: u8| {
        // The same row as elsewhere, with the guards on.
        let put = Found { action_type: "kept", past_deadline: true, erased: false }.put(state, attempt);
        put.lines().filter(|line| !line.contains("TRIGGER")).collect::<String>()
    };
    for state in State::ALL {
        let starts = |call| whole().starts.iter().any(|start| start.to == state && start.by.contains_key(&call));
        for (step, call) in [("", onlyonce::states::Call::Reserve), ("import", onlyonce::states::Call::Import)] {
            for attempt in [1, 2] {
                let said = said(ledger, &passing(step), &insert(state, attempt)).await;
                // What reserve may begin, it may begin at any time: it says nothing about passing.
                let legal = attempt == 1 && (starts(call) || starts(onlyonce::states::Call::Reserve));
                assert_eq!(said, if legal { "nothing" } else { "OO004" }, "{state} at {attempt}, passing as {step:?}");
            }
        }
        for (action_type, past_keeping) in [("kept", true), ("send", false)] {
            for step in ["purge", "erase", ""] {
                let found = Found { action_type, past_deadline: true, erased: false };
                let put = format!("{} {}", found.put(state, 2), passing(step));
                let said = said(ledger, &put, "DELETE FROM onlyonce.actions").await;
                let legal = past_keeping && step == "purge" && whole().ends.iter().any(|end| end.from == state);
                assert_eq!(said, if legal { "nothing" } else { "OO004" }, "{state} of {action_type}, as {step:?}");
            }
        }
    }
}
