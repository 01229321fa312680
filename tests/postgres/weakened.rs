//! Each guarantee taken away, and the scenario that notices. A test that passes without the guarantee tests nothing.
//!
//! To add one: an entry in the list of its part. Swap text that says the guarantee and little else, so that a change of
//! the rest leaves it alone; where two things hold it up (a condition and a guard), swap both.

use std::cell::Cell;
use std::pin::Pin;
use std::sync::Arc;

use onlyonce::manifest::Roles;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::ledger::{Ledger, emitted, script};
use crate::support::{majors, server};

#[path = "weakened/events.rs"]
mod events;
#[path = "weakened/rights.rs"]
mod rights;
#[path = "weakened/sends.rs"]
mod sends;
#[path = "weakened/upkeep.rs"]
mod upkeep;

type Scenario = fn(&Ledger) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;

/// What stands in the ledger and what stands there instead, and who notices.
struct Weakening {
    name: &'static str,
    swaps: &'static [(&'static str, &'static str)],
    scenario: Scenario,
}

impl Weakening {
    /// The script with all its swaps made.
    fn applied_to(&self, whole: &str) -> String {
        self.swaps.iter().fold(whole.to_owned(), |weak, (from, to)| {
            assert!(weak.contains(from), "{}: the ledger does not say {from:?}", self.name);
            weak.replace(from, to)
        })
    }
}

macro_rules! scenario {
    ($path:path $(, $value:expr)?) => {
        |ledger| Box::pin($path(ledger $(, $value)?))
    };
}
use scenario;

/// By part: what workers and persons do, who may what, what comes in, what maintenance does.
const PARTS: [&[Weakening]; 4] = [sends::WEAKENINGS, rights::WEAKENINGS, events::WEAKENINGS, upkeep::WEAKENINGS];

/// How many ledgers are tried at once: most of their time goes into waiting for deadlines.
const AT_ONCE: usize = 6;

thread_local! {
    /// Whether panics of this thread are what is wanted: then none is printed, with its backtrace.
    static WANTED: Cell<bool> = const { Cell::new(false) };
}

/// Keeps this thread's panics to itself.
fn expect_panics() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !WANTED.get() {
            print(panic);
        }
    }));
    WANTED.set(true);
}

#[tokio::test]
async fn every_lost_guarantee_is_noticed() {
    let whole = script(&emitted(Roles::Create)).0;
    let weakened: Vec<_> =
        PARTS.into_iter().flatten().map(|weakening| (weakening, weakening.applied_to(&whole))).collect();
    assert!(weakened.len() >= 30);
    expect_panics();
    let room = Arc::new(Semaphore::new(AT_ONCE));
    let mut trying = JoinSet::new();
    for (weakening, weak) in weakened {
        let room = room.clone();
        trying.spawn(async move {
            let _place = room.acquire().await.unwrap();
            let ledger = Ledger::of(server(majors()[0]), &weak).await;
            let scenario = weakening.scenario;
            let run = tokio::spawn(async move { scenario(&ledger).await });
            run.await.is_ok().then_some(weakening.name)
        });
    }
    let mut unnoticed = Vec::new();
    let mut broken = Vec::new();
    while let Some(tried) = trying.join_next().await {
        tried.map_or_else(|error| broken.push(error.to_string()), |tried| unnoticed.extend(tried));
    }
    WANTED.set(false);
    assert!(broken.is_empty(), "a weakened ledger has to be a ledger still: {broken:#?}");
    assert!(unnoticed.is_empty(), "their scenarios pass without them: {unnoticed:#?}");
}
