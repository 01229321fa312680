//! An exhaustive model of one key: every order in which workers, the sweep, persons, the provider and the clock can
//! take their steps, with a crash and a lost answer at each of them, up to the bounds below.
//!
//! The row changes by `sql/transitions.toml` (`model/row.rs`), from which the guard of the emitted ledger is filled
//! too; `tests/postgres/states.rs` and `tests/postgres/alongside.rs` compare both with real servers. Around the row
//! (`model/world.rs`, `model/steps.rs`, `model/next.rs`):
//!
//! - *Workers* ask with a token of their own, send, hear or give up, and record. Each may crash or sleep anywhere, and
//!   ask and record again when no answer came. Whoever is gone makes room for another, without end.
//! - The *provider* is a log that only grows and knows no keys; for types that may be repeated, it honours the key until
//!   it forgets it. Messages arrive, are refused or are lost, whether or not somebody waits for them.
//! - The *clock* is whether the deadline of the attempt is past, and whether the provider may have forgotten the key.
//! - *Persons* look at the queue, and later decide anything at all about the attempt that they saw; they import, erase,
//!   and pass on what a status event says. The *sweep* chooses a row and later writes; the *purge* forgets.
//!
//! What is taken for granted, and seen to be needed (`OF_ASSUMPTIONS`, `OF_HONESTY`, and some of the rest in
//! `model/weakened.rs`):
//!
//! - a worker sends within its budget, counted from before its first question with that token, and a deadline is at
//!   least two budgets away: who has not sent by then does not;
//! - what was sent arrives or is lost by that deadline (else a person who looks sees too little), and before the provider
//!   forgets the key;
//! - a worker calls nothing "not attempted" or "rejected" that it does not know to be so;
//! - nobody asks for a key any more when the purge forgets it.
//!
//! Not modelled: two keys at once (no function of the ledger looks at a second one, save for batches of maintenance,
//! which `tests/postgres/races.rs` covers), `pause`, and the payload. Worlds are told apart by hashes of 64 bits.

#[path = "model/checked.rs"]
mod checked;
#[path = "model/next.rs"]
mod next;
#[path = "model/row.rs"]
mod row;
#[path = "model/steps.rs"]
mod steps;
#[path = "model/weakened.rs"]
mod weakened;
#[path = "model/world.rs"]
mod world;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use checked::{AT_MOST_ONCE, POSSIBLE};
use onlyonce::states::table;
use row::{Rules, Used};
use stateright::{Checker, HasDiscoveries, Model, Path};
use steps::{Setting, Step};
use weakened::{OF_ASSUMPTIONS, OF_HONESTY, OF_RETRIES, OF_THE_LEDGER, Weakening};
use world::World;

const RECONCILED: Rules = Rules { may_retry: false, max_attempts: 2 };
const RETRIED: Rules = Rules { may_retry: true, max_attempts: 2 };

/// What the model found in a setting.
struct Run {
    name: &'static str,
    /// Promises that do not hold, and things that are possible, each with the steps that lead there.
    found: Vec<(&'static str, String)>,
    used: BTreeSet<Used>,
    worlds: usize,
}

impl Run {
    fn of(name: &'static str, setting: Setting, finish: HasDiscoveries) -> Run {
        let checker = setting.checker().finish_when(finish).spawn_bfs().join();
        Run {
            name,
            found: checker.discoveries().into_iter().map(|(name, path)| (name, steps_of(path))).collect(),
            used: checker.model().ledger.used.lock().unwrap().clone(),
            worlds: checker.unique_state_count(),
        }
    }

    fn finds(&self, property: &str) -> bool {
        self.found.iter().any(|(name, _)| *name == property)
    }

    fn demand_every_promise(&self) {
        let possible = |name: &str| POSSIBLE.iter().any(|(possible, _)| *possible == name);
        let broken = self.found.iter().filter(|(name, _)| !possible(name));
        let broken: String = broken.map(|(name, steps)| format!("\n{name}:{steps}")).collect();
        assert!(broken.is_empty(), "{}: these do not hold:{broken}", self.name);
    }
}

fn steps_of(path: Path<World, Step>) -> String {
    path.into_actions().iter().map(|step| format!("\n  {step:?}")).collect()
}

/// Settings of the ledger as it is. Larger ones, which take minutes, in long runs only.
fn settings() -> Vec<(&'static str, Setting)> {
    let (two, three) = (|| Setting { attempts: 2, ..Setting::small(RECONCILED) }, || Setting::small(RECONCILED));
    let repeated = || Setting { attempts: 2, ..Setting::small(RETRIED) };
    let mut settings = vec![
        ("three workers, two attempts", Setting { workers: 3, ..two() }),
        ("two persons, two attempts", Setting { persons: 2, ..two() }),
        ("three attempts", three()),
        ("a type that may be repeated", repeated()),
    ];
    if std::env::var_os("ONLYONCE_LONG").is_some() {
        settings.push(("three workers, three attempts", Setting { workers: 3, ..three() }));
        settings.push(("two persons, three attempts", Setting { persons: 2, ..three() }));
        settings.push(("repeated by three workers", Setting { workers: 3, ..repeated() }));
    }
    settings
}

/// What was found in each, on a thread of its own.
static WHOLE: LazyLock<Vec<Run>> = LazyLock::new(|| {
    std::thread::scope(|scope| {
        let begun = settings()
            .into_iter()
            .map(|(name, setting)| scope.spawn(move || Run::of(name, setting, HasDiscoveries::All)));
        let begun: Vec<_> = begun.collect();
        begun.into_iter().map(|run| run.join().unwrap()).collect()
    })
});

#[test]
fn every_promise_holds() {
    for run in WHOLE.iter() {
        run.demand_every_promise();
        assert!(run.worlds > 50_000, "{}: only {} worlds", run.name, run.worlds);
    }
}

#[test]
fn what_is_possible_comes_about() {
    for (name, _) in POSSIBLE {
        assert!(WHOLE.iter().any(|run| run.finds(name)), "the model never sees that {name}");
    }
}

#[test]
fn every_line_of_the_table_is_used() {
    let whole = table().unwrap();
    let changes = whole
        .changes
        .iter()
        .flat_map(|change| change.by.keys().map(|call| (Some(change.from), Some(change.to), *call)));
    let starts = whole.starts.iter().flat_map(|start| start.by.keys().map(|call| (None, Some(start.to), *call)));
    let ends = whole.ends.iter().flat_map(|end| end.by.keys().map(|call| (Some(end.from), None, *call)));
    let written: BTreeSet<Used> = changes.chain(starts).chain(ends).collect();
    let used: BTreeSet<Used> = WHOLE.iter().flat_map(|run| run.used.iter().copied()).collect();
    assert_eq!(written, used);
}

/// What the model finds in this setting once that is taken away.
fn weakened(weakening: &Weakening, mut setting: Setting, finish: HasDiscoveries) -> Run {
    (weakening.weaken)(&mut setting);
    Run::of(weakening.name, setting, finish)
}

fn demand_found(weakenings: &[Weakening], rules: Rules) {
    let runs = weakenings.iter().map(|weakening| {
        let finish = HasDiscoveries::AnyOf(BTreeSet::from([weakening.breaks]));
        (weakening, weakened(weakening, Setting::small(rules), finish))
    });
    let missed = runs.filter(|(weakening, run)| !run.finds(weakening.breaks));
    let missed: Vec<_> = missed.map(|(weakening, _)| (weakening.name, weakening.breaks)).collect();
    assert!(missed.is_empty(), "what was taken away is not missed: {missed:#?}");
}

#[test]
fn a_weakened_ledger_is_found_out() {
    demand_found(OF_THE_LEDGER, RECONCILED);
}

#[test]
fn a_weakened_repeat_is_found_out() {
    demand_found(OF_RETRIES, RETRIED);
}

#[test]
fn a_worker_has_to_be_honest() {
    demand_found(OF_HONESTY, RECONCILED);
}

#[test]
fn without_its_assumptions_a_look_proves_less_and_the_ledger_promises_the_same() {
    demand_found(OF_ASSUMPTIONS, RECONCILED);
    for weakening in OF_ASSUMPTIONS {
        let setting = Setting { attempts: 2, ..Setting::small(RECONCILED) };
        let run = weakened(weakening, setting, HasDiscoveries::All);
        assert!(!run.finds(AT_MOST_ONCE), "{}: {:?}", run.name, run.found);
    }
}
