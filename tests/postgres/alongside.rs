//! The functions of a real server and those of the model, side by side: the same calls in the same order, and after
//! each the same answer and the same row. What the exhaustive model finds of its rows holds for a ledger only as far as
//! this. The calls are random; of many histories those are tried on a server that lead to a situation that none before
//! did.

use std::collections::BTreeSet;

use onlyonce::states::{Call, Change, Condition, State, table};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::json;
use tokio_postgres::Client;
use uuid::Uuid;

use crate::ledger::{Ledger, ask, on_every_major, record, resolve, sweep, try_reserve};
use crate::row::{self, Row, Rules};

/// How many histories are thought of for each type, and how many new situations one must lead to so as to be tried: at
/// first those that lead to many, so that fewer do.
const ROUNDS: [(usize, usize); 3] = [(1500, 5), (1500, 3), (5000, 1)];

/// Of how many steps.
const STEPS: usize = 8;

/// A step that both take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Reserve {
        token: u8,
    },
    Record {
        token: u8,
        outcome: &'static str,
    },
    Confirm,
    Sweep,
    /// About the attempt that the row is at, and this many before or after it.
    Resolve {
        off: i32,
        decision: &'static str,
    },
    Import,
    Erase,
    /// The deadline passes.
    Deadline,
    /// The provider's key window passes.
    Forgotten,
}

fn step() -> impl Strategy<Value = Step> {
    let token = || 1..=2u8;
    let outcome =
        prop::sample::select(vec!["sent", "rejected", "not_attempted", "not_attempted", "unknown", "unknown"]);
    let decision = prop::sample::select(vec!["sent", "not_sent", "not_sent", "abandon"]);
    let off = prop::sample::select(vec![-1, 0, 0, 0, 0, 1]);
    prop_oneof![
        12 => token().prop_map(|token| Step::Reserve { token }),
        8 => (token(), outcome).prop_map(|(token, outcome)| Step::Record { token, outcome }),
        8 => (off, decision).prop_map(|(off, decision)| Step::Resolve { off, decision }),
        5 => Just(Step::Deadline),
        2 => Just(Step::Sweep),
        1 => Just(Step::Confirm),
        1 => Just(Step::Import),
        1 => Just(Step::Erase),
        1 => Just(Step::Forgotten),
    ]
}

/// Half of the histories begin with a second attempt, which chance alone seldom leads to.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let second = vec![
        Step::Reserve { token: 1 },
        Step::Record { token: 1, outcome: "not_attempted" },
        Step::Reserve { token: 2 },
    ];
    let begun = prop::sample::select(vec![Vec::new(), second]);
    (begun, prop::collection::vec(step(), STEPS)).prop_map(|(begun, steps)| [begun, steps].concat())
}

/// What both say after a step: the answer, the state, the attempt, whether it is queued, whether it may go again.
type Said = (String, Option<(String, Option<String>, i32)>, bool, bool);

#[tokio::test]
async fn the_model_and_the_ledger_answer_alike() {
    on_every_major(alike).await;
}

pub(crate) async fn alike(ledger: &Ledger) {
    // Deadlines pass when the test says so.
    let slow = "UPDATE onlyonce.action_types SET pending_timeout = '1 hour'";
    ledger.root.batch_execute(slow).await.unwrap();
    let server = Server::of(ledger).await;
    // The same numbers at each run.
    let mut numbers = TestRunner::deterministic();
    for (action_type, may_retry) in [("send", false), ("retry", true)] {
        let model = row::Ledger::new(table().unwrap().clone(), Rules { may_retry, max_attempts: 2 });
        let histories = histories(&model, &mut numbers);
        for (number, steps) in histories.iter().enumerate() {
            let key = format!("key-{number}");
            let mut row = None;
            for (at, step) in steps.iter().enumerate() {
                let before = row;
                let wanted = modelled(&model, &mut row, *step);
                let said = server.said(action_type, &key, before, *step).await;
                assert_eq!(said, wanted, "{action_type}, {before:?}, after {:#?}", &steps[..=at]);
            }
            // What is left overdue must not count for the next.
            sweep(&server.keeper).await;
        }
        demand_every_line(&model, may_retry);
    }
}

/// Random histories, each of which leads to situations that those before do not lead to.
fn histories(model: &row::Ledger, numbers: &mut TestRunner) -> Vec<Vec<Step>> {
    let mut seen = BTreeSet::new();
    let mut histories = Vec::new();
    for (thought_of, wanted) in ROUNDS {
        for _ in 0..thought_of {
            let mut steps = steps().new_tree(numbers).unwrap().current();
            let mut row = None;
            let passed: Vec<Situation> = steps.iter().map(|step| situation(model, &mut row, *step)).collect();
            let Some(last) = passed.iter().rposition(|situation| !seen.contains(situation)) else { continue };
            let new: BTreeSet<_> = passed.into_iter().filter(|situation| !seen.contains(situation)).collect();
            if new.len() >= wanted {
                seen.extend(new);
                steps.truncate(last + 1);
                histories.push(steps);
            }
        }
    }
    histories
}

/// What a step finds, and what comes of it. The number of the attempt, the key window and whether a payload is left do
/// not stand in it: where they matter, something else comes of it.
type Situation = (Option<(State, bool)>, Step, String, Option<State>);

fn situation(model: &row::Ledger, row: &mut Option<Row>, step: Step) -> Situation {
    let before = row.map(|row| (row.state, row.overdue));
    let holder = row.map(|row| row.token);
    // Whatever the tokens are called.
    let renamed = |token| 1 + u8::from(Some(token) == holder);
    let alike = match step {
        Step::Reserve { token } => Step::Reserve { token: renamed(token) },
        Step::Record { token, outcome } => Step::Record { token: renamed(token), outcome },
        other => other,
    };
    let (answer, ..) = modelled(model, row, step);
    (before, alike, answer, row.map(|row| row.state))
}

/// Every line of the table was used that this type can use.
fn demand_every_line(model: &row::Ledger, may_retry: bool) {
    let open = |change: &Change, call: &Call| {
        may_retry || !change.guard.iter().chain(&change.by[call].needs).any(|need| *need == Condition::MayRetry)
    };
    let used = model.used.lock().unwrap();
    for change in &table().unwrap().changes {
        for call in change.by.keys().filter(|call| open(change, call)) {
            assert!(used.contains(&(Some(change.from), Some(change.to), *call)), "{change} by {call:?} never happens");
        }
    }
}

/// Which attempt a person names.
fn named(row: Option<Row>, off: i32) -> i32 {
    row.map_or(1, |row| i32::from(row.attempt)) + off
}

fn modelled(model: &row::Ledger, row: &mut Option<Row>, step: Step) -> Said {
    let either = |answer: Result<&'static str, &'static str>| answer.unwrap_or_else(|code| code).to_owned();
    let answer = match step {
        Step::Reserve { token } => model.reserve(row, token).to_owned(),
        Step::Record { token, outcome } => model.record(row, token, outcome).to_owned(),
        Step::Confirm => model.confirm(row).to_owned(),
        Step::Sweep => u8::from(model.sweep(row)).to_string(),
        Step::Resolve { off, decision } => {
            let attempt = u8::try_from(named(*row, off)).unwrap();
            either(model.resolve(row, attempt, decision))
        }
        Step::Import => either(model.import(row)),
        Step::Erase => either(model.erase(row)),
        Step::Deadline | Step::Forgotten => {
            if let Some(row) = row {
                row.overdue |= matches!(step, Step::Deadline);
                row.forgotten |= matches!(step, Step::Forgotten);
            }
            String::new()
        }
    };
    let state =
        row.map(|row| (row.state.status().to_owned(), row.state.failure().map(str::to_owned), i32::from(row.attempt)));
    (answer, state, row.is_some_and(|row| row::Ledger::queued(&row)), row.is_some_and(|row| model.may_go(&row)))
}

/// The server's side.
struct Server<'l> {
    ledger: &'l Ledger,
    worker: Client,
    person: Client,
    keeper: Client,
}

impl Server<'_> {
    async fn of(ledger: &Ledger) -> Server<'_> {
        Server { ledger, worker: ledger.worker().await, person: ledger.person().await, keeper: ledger.keeper().await }
    }

    async fn said(&self, action_type: &str, key: &str, before: Option<Row>, step: Step) -> Said {
        let answer = self.answer(action_type, key, before, step).await;
        let look = "SELECT a.status, a.failure, a.attempt,
            EXISTS (SELECT FROM onlyonce.reconciliation_queue AS q
              WHERE q.action_type = a.action_type AND q.idempotency_key = a.idempotency_key),
            EXISTS (SELECT FROM onlyonce.released(100000) AS r
              WHERE r.action_type = a.action_type AND r.idempotency_key = a.idempotency_key)
          FROM onlyonce.actions AS a WHERE a.action_type = $1 AND a.idempotency_key = $2";
        let row = self.ledger.root.query_opt(look, &[&action_type, &key]).await.unwrap();
        row.map_or((answer.clone(), None, false, false), |row| {
            (answer, Some((row.get(0), row.get(1), row.get(2))), row.get(3), row.get(4))
        })
    }

    async fn answer(&self, action_type: &str, key: &str, before: Option<Row>, step: Step) -> String {
        let uuid = |token: u8| Uuid::from_u128(u128::from(token));
        let either = |answer: Result<String, String>| answer.unwrap_or_else(|code| code);
        match step {
            Step::Reserve { token } => {
                try_reserve(&self.worker, action_type, key, uuid(token), &json!({})).await.unwrap().verdict
            }
            Step::Record { token, outcome } => record(&self.worker, action_type, key, uuid(token), outcome).await,
            Step::Confirm => {
                either(ask(&self.worker, "confirm", &[&action_type, &key, &"found", &"the provider lists it"]).await)
            }
            Step::Sweep => sweep(&self.keeper).await.to_string(),
            Step::Resolve { off, decision } => {
                either(resolve(&self.person, action_type, key, named(before, off), decision).await)
            }
            Step::Import => {
                let call = "SELECT onlyonce.import($1, $2, now() - interval '1 day', 'the provider lists it', 'kim')";
                let said = self.person.query_one(call, &[&action_type, &key]).await;
                said.map_or_else(|error| error.code().unwrap().code().to_owned(), |row| row.get(0))
            }
            Step::Erase => either(ask(&self.person, "erase", &[&action_type, &key, &"kim"]).await),
            Step::Deadline => self.shift(action_type, key, "deadline_at = LEAST(deadline_at, clock_timestamp())").await,
            Step::Forgotten => self.shift(action_type, key, "created_at = created_at - interval '1 day'").await,
        }
    }

    /// Makes time pass for this row.
    async fn shift(&self, action_type: &str, key: &str, set: &str) -> String {
        let shift = format!(
            "BEGIN; ALTER TABLE onlyonce.actions DISABLE TRIGGER ALL;
             UPDATE onlyonce.actions SET {set} WHERE action_type = '{action_type}' AND idempotency_key = '{key}';
             ALTER TABLE onlyonce.actions ENABLE TRIGGER ALL; COMMIT"
        );
        self.ledger.root.batch_execute(&shift).await.unwrap();
        String::new()
    }
}
