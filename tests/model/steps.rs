//! The model: which steps are possible in a world, and what each does.

use std::collections::BTreeSet;

use onlyonce::states::State;

use crate::row::{Ledger, Row};
use crate::world::{Budget, Message, Place, Worker, World};

/// What a world is checked with.
pub(crate) struct Setting {
    /// The ledger, whole or weakened.
    pub(crate) ledger: Ledger,
    /// How many workers there are at once; whoever ends makes room for another.
    pub(crate) workers: usize,
    /// How many persons look at the key at once.
    pub(crate) persons: usize,
    /// The provider forgets the key some time.
    pub(crate) key_window: bool,
    /// Worlds with more attempts are not looked at.
    pub(crate) attempts: u8,
    /// What is broken.
    pub(crate) flaws: BTreeSet<Flaw>,
}

/// A promise that is not kept, by the ledger or by those who use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Flaw {
    /// Workers send when their budget is over.
    BudgetIgnored,
    /// Their budget begins anew when they ask again.
    BudgetRestarts,
    /// Messages arrive when the deadline of their attempt is past.
    MessagesWithoutEnd,
    /// Messages arrive when the provider has forgotten the key.
    MessagesOutliveKey,
    /// A worker tells a call without an answer as not attempted.
    SilenceAsFailure,
    /// `reserve` answers before it commits: with its worker the reservation is gone.
    UncommittedReserve,
    /// The commit of `reserve` is told before it is on disk: a crash of the server takes it back.
    LostCommit,
    /// What is unknown holds its key no more.
    PartialKey,
    /// The sweep writes what it has chosen, whatever became of it.
    StaleSweep,
    /// What the sweep marks may go again.
    ResendingSweep,
    /// There is no sweep, and the queue shows only what one has marked.
    BlindQueue,
    /// The purge does not wait until nobody asks for the key any more.
    EarlyPurge,
}

/// A step. Workers are named by their place in the world's list, persons by their look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A worker comes, with a token of its own.
    Comes,
    /// `reserve` runs and commits; its answer arrives, or does not.
    Reserve { worker: usize, heard: bool },
    /// The worker calls the provider.
    Call { worker: usize },
    /// The worker gives up before a byte is sent: no connection, or its budget is over.
    Refrain { worker: usize },
    /// What happens to a message on its way.
    Arrives { worker: usize, message: Message },
    /// The answer of the provider reaches the worker.
    Hear { worker: usize },
    /// The worker waits no longer for it.
    GiveUp { worker: usize },
    /// `record` runs and commits; its answer arrives, or does not.
    Record { worker: usize, heard: bool },
    /// The worker is gone.
    Crash { worker: usize },
    /// A message whose sender listens no more arrives, or is lost.
    Drifts { message: usize, arrives: bool },
    /// The attempt's deadline passes.
    Deadline,
    /// The provider may have forgotten the key from now on.
    Forgotten,
    /// The sweep chooses the row.
    SweepChooses,
    /// The sweep writes.
    SweepWrites,
    /// The sweep is gone before it does.
    SweepCrashes,
    /// A person looks at the queue.
    Look,
    /// A person decides about what was looked at, right or wrong.
    Resolve { look: usize, decision: &'static str },
    /// A status event, or a look-up, says that the provider has it.
    Confirm,
    /// A person says that it was sent.
    Import,
    /// A person has it erased.
    Erase,
    /// The purge, once nobody asks for the key any more.
    Purge,
    /// The server crashes (only where that loses what was committed).
    ServerCrash,
}

const DECISIONS: [&str; 3] = ["sent", "not_sent", "abandon"];

impl Setting {
    pub(crate) fn has(&self, flaw: Flaw) -> bool {
        self.flaws.contains(&flaw)
    }

    /// Whether a reserve or a look finds something here still.
    fn in_use(&self, world: &World) -> bool {
        !world.purged || self.has(Flaw::EarlyPurge)
    }

    pub(crate) fn steps(&self, world: &World, steps: &mut Vec<Step>) {
        if self.in_use(world) && world.workers.len() < self.workers {
            steps.push(Step::Comes);
        }
        for (worker, Worker { place, .. }) in world.workers.iter().enumerate() {
            self.worker_steps(worker, *place, steps);
        }
        for message in 0..world.adrift.len() {
            steps.extend([true, false].map(|arrives| Step::Drifts { message, arrives }));
        }
        self.time_steps(world, steps);
        self.keeper_steps(world, steps);
        self.person_steps(world, steps);
    }

    fn worker_steps(&self, worker: usize, place: Place, steps: &mut Vec<Step>) {
        steps.push(Step::Crash { worker });
        match place {
            Place::Asks { .. } => steps.extend([true, false].map(|heard| Step::Reserve { worker, heard })),
            Place::Holds { budget, .. } => {
                if budget != Budget::Over || self.has(Flaw::BudgetIgnored) {
                    steps.push(Step::Call { worker });
                }
                steps.push(Step::Refrain { worker });
            }
            Place::Calls { message, .. } => {
                match message {
                    Message::UnderWay => steps.extend(
                        [Message::Accepted, Message::Rejected, Message::Lost]
                            .map(|message| Step::Arrives { worker, message }),
                    ),
                    Message::Accepted | Message::Rejected => steps.push(Step::Hear { worker }),
                    Message::Lost => {}
                }
                steps.push(Step::GiveUp { worker });
            }
            Place::Tells(_) => steps.extend([true, false].map(|heard| Step::Record { worker, heard })),
        }
    }

    fn time_steps(&self, world: &World, steps: &mut Vec<Step>) {
        let Some(row) = world.row else { return };
        let open = matches!(row.state, State::Pending | State::Unknown);
        let arrived = |flaw| !world.under_way() || self.has(flaw);
        // A deadline is two budgets away: who may send has sent, and what was sent has had a budget's time to arrive.
        if open && !row.overdue && arrived(Flaw::MessagesWithoutEnd) {
            steps.push(Step::Deadline);
        }
        // Whoever was told to go may send until its budget is over, and reserve has seen to it that this is before.
        if self.key_window && !row.forgotten && arrived(Flaw::MessagesOutliveKey) {
            steps.push(Step::Forgotten);
        }
        if self.has(Flaw::LostCommit) && row.state == State::Pending {
            steps.push(Step::ServerCrash);
        }
    }

    fn keeper_steps(&self, world: &World, steps: &mut Vec<Step>) {
        let Some(row) = world.row else { return };
        if row.state == State::Pending && row.overdue && !self.has(Flaw::BlindQueue) {
            steps.push(Step::SweepChooses);
        }
        if world.chosen.is_some() {
            steps.extend([Step::SweepWrites, Step::SweepCrashes]);
        }
        let quiet = world.workers.is_empty() && !world.under_way();
        if quiet || self.has(Flaw::EarlyPurge) {
            steps.push(Step::Purge);
        }
    }

    fn person_steps(&self, world: &World, steps: &mut Vec<Step>) {
        if world.accepted() > 0 {
            steps.push(Step::Confirm);
        }
        if !self.in_use(world) || self.persons == 0 {
            return;
        }
        steps.extend([Step::Import, Step::Erase]);
        if world.row.is_some_and(|row| self.queued(&row)) && world.looks.len() < self.persons {
            steps.push(Step::Look);
        }
        for look in 0..world.looks.len() {
            steps.extend(DECISIONS.map(|decision| Step::Resolve { look, decision }));
        }
    }

    pub(crate) fn queued(&self, row: &Row) -> bool {
        Ledger::queued(row) && !(self.has(Flaw::BlindQueue) && row.state == State::Pending)
    }
}
