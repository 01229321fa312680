//! Each promise of the ledger, or of those who use it, taken away, and what the model finds then. A promise without
//! which nothing is found would be idle, or the model blind.

use std::collections::{BTreeMap, BTreeSet};

use onlyonce::states::{Attempt, Call, Cause, Change, Condition, End, State};

use crate::checked::{AT_MOST_ONCE, BOUNDED, FINAL, GROWS, NO_TIMER, ONCE_UNLESS_WRONG, ONE_EFFECT, QUEUED, SEEN};
use crate::row::{Ledger, Rules};
use crate::steps::{Flaw, Setting};

/// What is taken away, and what does not hold any more.
pub(crate) struct Weakening {
    pub(crate) name: &'static str,
    pub(crate) weaken: fn(&mut Setting),
    pub(crate) breaks: &'static str,
}

/// Weakenings of the ledger.
pub(crate) const OF_THE_LEDGER: &[Weakening] = &[
    Weakening {
        name: "record asks for no token",
        weaken: |setting| setting.drop_condition(Call::Record, Condition::Token),
        breaks: ONCE_UNLESS_WRONG,
    },
    Weakening {
        name: "no quarantine before not_sent",
        weaken: |setting| setting.drop_condition(Call::Resolve, Condition::PastDeadline),
        breaks: ONCE_UNLESS_WRONG,
    },
    Weakening {
        name: "not_sent about an attempt that the row has left",
        weaken: |setting| {
            setting.drop_condition(Call::Resolve, Condition::Attempt);
            setting.persons = 2;
        },
        breaks: ONCE_UNLESS_WRONG,
    },
    Weakening {
        name: "any type may repeat what is unknown",
        weaken: |setting| setting.drop_condition(Call::Reserve, Condition::MayRetry),
        breaks: AT_MOST_ONCE,
    },
    Weakening {
        name: "the sweep writes what it chose, whatever became of it",
        weaken: |setting| setting.add(Flaw::StaleSweep),
        breaks: FINAL,
    },
    Weakening {
        name: "what the sweep marks may go again",
        weaken: |setting| setting.add(Flaw::ResendingSweep),
        breaks: AT_MOST_ONCE,
    },
    Weakening {
        name: "what the sweep marks may go again, and that is seen before it goes",
        weaken: |setting| setting.add(Flaw::ResendingSweep),
        breaks: NO_TIMER,
    },
    Weakening {
        name: "reserve answers before it commits",
        weaken: |setting| setting.add(Flaw::UncommittedReserve),
        breaks: AT_MOST_ONCE,
    },
    Weakening {
        name: "reserve's commit is told before it is on disk",
        weaken: |setting| setting.add(Flaw::LostCommit),
        breaks: AT_MOST_ONCE,
    },
    Weakening {
        name: "the key is unique as long as nothing is unknown",
        weaken: |setting| setting.add(Flaw::PartialKey),
        breaks: AT_MOST_ONCE,
    },
    Weakening {
        name: "a late record moves what is final",
        weaken: |setting| {
            setting.allow(State::Abandoned, State::NotAttempted, Attempt::Same, Call::Record, Some("not_attempted"));
        },
        breaks: FINAL,
    },
    Weakening {
        name: "what was sent may go again",
        weaken: |setting| setting.allow(State::Sent, State::Pending, Attempt::Next, Call::Reserve, None),
        breaks: AT_MOST_ONCE,
    },
    Weakening {
        name: "what the provider refused goes again without a person",
        weaken: |setting| setting.allow(State::Rejected, State::Pending, Attempt::Next, Call::Reserve, None),
        breaks: BOUNDED,
    },
    Weakening {
        name: "the last attempt is no limit",
        weaken: |setting| {
            setting.drop_condition(Call::Record, Condition::AttemptsLeft);
            setting.drop_changes(Call::Record, State::Exhausted);
        },
        breaks: BOUNDED,
    },
    Weakening {
        name: "the purge takes what is unknown",
        weaken: |setting| {
            let end = End { from: State::Unknown, by: BTreeMap::from([(Call::Purge, Cause::default())]) };
            setting.ledger.table.ends.push(end);
        },
        breaks: FINAL,
    },
    Weakening {
        name: "the purge takes keys that are still asked for",
        weaken: |setting| setting.add(Flaw::EarlyPurge),
        breaks: AT_MOST_ONCE,
    },
    Weakening {
        name: "there is no sweep, and the queue shows what one has marked",
        weaken: |setting| setting.add(Flaw::BlindQueue),
        breaks: QUEUED,
    },
    Weakening {
        name: "the key is unique as long as nothing is unknown, and attempts are counted anew",
        weaken: |setting| setting.add(Flaw::PartialKey),
        breaks: GROWS,
    },
];

/// Weakenings of the ledger that concern types which may be repeated.
pub(crate) const OF_RETRIES: &[Weakening] = &[
    Weakening {
        name: "a repeat past the provider's key window",
        weaken: |setting| setting.drop_condition(Call::Reserve, Condition::KeyWindow),
        breaks: ONE_EFFECT,
    },
    Weakening {
        name: "repeats without end",
        weaken: |setting| setting.drop_condition(Call::Reserve, Condition::AttemptsLeft),
        breaks: BOUNDED,
    },
    Weakening {
        name: "messages that arrive when the provider has forgotten the key",
        weaken: |setting| setting.add(Flaw::MessagesOutliveKey),
        breaks: ONE_EFFECT,
    },
    Weakening {
        name: "workers that send when their budget is over",
        weaken: |setting| setting.add(Flaw::BudgetIgnored),
        breaks: ONE_EFFECT,
    },
];

/// What workers and the network are assumed to keep to. Without it a person's look at the provider proves less than it
/// says; what the ledger itself promises, at most one accept and one for each that a person releases, holds still.
pub(crate) const OF_ASSUMPTIONS: &[Weakening] = &[
    Weakening {
        name: "workers that send when their budget is over",
        weaken: |setting| setting.add(Flaw::BudgetIgnored),
        breaks: ONCE_UNLESS_WRONG,
    },
    Weakening {
        name: "workers whose budget begins anew when they ask again",
        weaken: |setting| setting.add(Flaw::BudgetRestarts),
        breaks: ONCE_UNLESS_WRONG,
    },
    Weakening {
        name: "messages that arrive after their attempt's deadline",
        weaken: |setting| setting.add(Flaw::MessagesWithoutEnd),
        breaks: ONCE_UNLESS_WRONG,
    },
];

/// Without this one, nothing holds: the ledger believes what a worker says about its own attempt.
pub(crate) const OF_HONESTY: &[Weakening] = &[
    Weakening {
        name: "workers that tell a call without an answer as not attempted",
        weaken: |setting| setting.add(Flaw::SilenceAsFailure),
        breaks: AT_MOST_ONCE,
    },
    Weakening {
        name: "workers that tell a call without an answer as not attempted, which nobody hears of",
        weaken: |setting| setting.add(Flaw::SilenceAsFailure),
        breaks: SEEN,
    },
];

impl Setting {
    fn add(&mut self, flaw: Flaw) {
        self.flaws.insert(flaw);
    }

    fn causes(&mut self, call: Call) -> impl Iterator<Item = &mut Change> {
        self.ledger.table.changes.iter_mut().filter(move |change| change.by.contains_key(&call))
    }

    /// This call, and the guard of what it changes, asks for this no more.
    fn drop_condition(&mut self, call: Call, condition: Condition) {
        let mut dropped = 0;
        for change in self.causes(call) {
            let needs = change.by.get_mut(&call).map(|cause| &mut cause.needs);
            for list in needs.into_iter().chain([&mut change.guard]) {
                let before = list.len();
                list.retain(|held| *held != condition);
                dropped += before - list.len();
            }
        }
        assert!(dropped > 0, "{call:?} does not ask for {condition:?}");
    }

    fn drop_changes(&mut self, call: Call, to: State) {
        for change in self.causes(call).filter(|change| change.to == to) {
            change.by.remove(&call);
        }
    }

    fn allow(&mut self, from: State, to: State, attempt: Attempt, call: Call, says: Option<&str>) {
        let cause = Cause { says: says.map(str::to_owned), needs: Vec::new() };
        let by = BTreeMap::from([(call, cause)]);
        assert!(self.ledger.table.change(from, to).is_none(), "{from} -> {to} is legal anyway");
        self.ledger.table.changes.push(Change { from, to, attempt, guard: Vec::new(), by });
    }

    /// A setting that finds whatever is to be found soon.
    pub(crate) fn small(rules: Rules) -> Setting {
        let table = onlyonce::states::table().unwrap().clone();
        Setting {
            ledger: Ledger::new(table, rules),
            workers: 2,
            persons: 1,
            key_window: rules.may_retry,
            attempts: 3,
            flaws: BTreeSet::new(),
        }
    }
}
