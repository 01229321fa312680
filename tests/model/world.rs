//! Everything around one key: its row, its workers, the provider, persons and maintenance; and each step that any of
//! them can take.

use onlyonce::states::State;

use crate::row::{NOBODY, Row};

/// The highest attempt that is looked at.
pub(crate) const ATTEMPTS: usize = 4;

/// What came of an attempt, as its worker tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Outcome {
    Sent,
    Rejected,
    NotAttempted,
    Unknown,
}

impl Outcome {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Outcome::Sent => "sent",
            Outcome::Rejected => "rejected",
            Outcome::NotAttempted => "not_attempted",
            Outcome::Unknown => "unknown",
        }
    }
}

/// A message to the provider, and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Message {
    /// Neither here nor there.
    UnderWay,
    /// The provider has it in its log, and its answer is on the way.
    Accepted,
    /// The provider refused it, and says so.
    Rejected,
    /// It never arrives.
    Lost,
}

/// A worker's send budget, which begins before it asks for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Budget {
    /// It may send.
    Left,
    /// It may not.
    Over,
    /// It began anew when the worker asked again (only where that mistake is made).
    Restarted,
}

/// Where a worker stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Place {
    /// It calls `reserve`, for the first time or because no answer came.
    Asks { budget: Budget },
    /// It was told to go, and has not called the provider.
    Holds { attempt: u8, budget: Budget },
    /// It called the provider.
    Calls { attempt: u8, message: Message },
    /// It calls `record`, for the first time or because no answer came.
    Tells(Outcome),
}

/// A worker, from its first question to its last: one token. Whoever comes back after a crash is another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Worker {
    pub(crate) place: Place,
    pub(crate) token: u8,
}

/// Sets of small numbers: attempts that a person said something about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Attempts(u8);

impl Attempts {
    pub(crate) fn insert(&mut self, attempt: u8) {
        self.0 |= 1 << attempt;
    }

    pub(crate) fn len(self) -> u8 {
        u8::try_from(self.0.count_ones()).unwrap()
    }
}

/// What the ledger must never do, seen at a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Breaches {
    /// A final row changed, or went otherwise than by the purge.
    pub(crate) final_left: bool,
    /// An attempt became smaller, or jumped.
    pub(crate) attempt_jumped: bool,
    /// A step of no worker and no person made a further attempt possible.
    pub(crate) timer_sends: bool,
    /// The row changed otherwise than the table says.
    pub(crate) lawless: bool,
}

/// One key and all that is going on around it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct World {
    pub(crate) row: Option<Row>,
    /// Sorted, so that it does not matter who is who.
    pub(crate) workers: Vec<Worker>,
    /// The attempts of messages that are under way and whose sender listens no more. Sorted.
    pub(crate) adrift: Vec<u8>,
    /// How many messages of each attempt stand in the provider's log.
    pub(crate) accepts: [u8; ATTEMPTS],
    /// How many of them had an effect at a provider that honours the key as long as it remembers it.
    pub(crate) effects: u8,
    /// The attempts that persons have looked at, and have not decided about. Sorted.
    pub(crate) looks: Vec<u8>,
    /// The attempt that the sweep has chosen and not yet written.
    pub(crate) chosen: Option<u8>,
    /// The attempts of which a person said, to effect, that they were not sent.
    pub(crate) released: Attempts,
    /// Those of them that stood in the provider's log when it was said.
    pub(crate) belied: Attempts,
    /// Late evidence was kept.
    pub(crate) evidence: bool,
    /// The type's time to keep the key is over, and the purge was here.
    pub(crate) purged: bool,
    pub(crate) breaches: Breaches,
}

impl World {
    /// How many messages stand in the provider's log.
    pub(crate) fn accepted(&self) -> u8 {
        self.accepts.iter().sum()
    }

    /// How many messages of this attempt and those before it.
    pub(crate) fn accepted_up_to(&self, attempt: u8) -> u8 {
        self.accepts.iter().take(usize::from(attempt)).sum()
    }

    /// Whether a message may still arrive.
    pub(crate) fn under_way(&self) -> bool {
        let calling = |worker: &Worker| matches!(worker.place, Place::Calls { message: Message::UnderWay, .. });
        !self.adrift.is_empty() || self.workers.iter().any(calling)
    }

    pub(crate) fn is_at(&self, state: State) -> bool {
        self.row.is_some_and(|row| row.state == state)
    }

    pub(crate) fn is_at_attempt(&self, attempt: u8) -> bool {
        self.row.is_some_and(|row| row.attempt == attempt)
    }

    /// A message arrives at the provider.
    pub(crate) fn accept(&mut self, attempt: u8) {
        self.accepts[usize::from(attempt) - 1] += 1;
        if self.effects == 0 || self.row.is_some_and(|row| row.forgotten) {
            self.effects += 1;
        }
    }

    /// The send budget is over of everybody who was told to go, and of the holder who has not heard so.
    pub(crate) fn end_budgets(&mut self) {
        let holder = self.row.map_or(NOBODY, |row| row.token);
        for worker in &mut self.workers {
            match &mut worker.place {
                Place::Holds { budget, .. } if *budget == Budget::Left => *budget = Budget::Over,
                Place::Asks { budget } if worker.token == holder => *budget = Budget::Over,
                Place::Asks { .. } | Place::Holds { .. } | Place::Calls { .. } | Place::Tells(_) => {}
            }
        }
    }

    /// The worker is gone; what it sent is still under way.
    pub(crate) fn crash(&mut self, worker: usize) {
        if let Place::Calls { attempt, message: Message::UnderWay } = self.workers.remove(worker).place {
            self.adrift.push(attempt);
        }
    }

    /// The same world under names that depend on nobody's history: workers that stand in the same place are alike,
    /// and a token says only whose the row is.
    pub(crate) fn renamed(mut self) -> World {
        let holder = self.row.map_or(NOBODY, |row| row.token);
        self.workers.sort_by_key(|worker| (worker.place, worker.token == holder));
        let place = self.workers.iter().position(|worker| worker.token == holder);
        for (worker, token) in self.workers.iter_mut().zip(NOBODY + 1..) {
            worker.token = token;
        }
        if let Some(row) = &mut self.row {
            row.token = place.map_or(NOBODY, |place| self.workers[place].token);
        }
        self.adrift.sort_unstable();
        self.looks.sort_unstable();
        self
    }
}
