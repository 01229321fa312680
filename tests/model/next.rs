//! What each step does.

use onlyonce::states::{Attempt, Call, Condition, State, Table, table};

use crate::row::{NOBODY, Row};
use crate::steps::{Flaw, Setting, Step};
use crate::world::{Budget, Message, Outcome, Place, Worker, World};

impl Setting {
    /// The world after this step, if it changes anything.
    pub(crate) fn next(&self, before: &World, step: &Step) -> Option<World> {
        let mut world = before.clone();
        let call = self.take(&mut world, step);
        self.judge(before, &mut world, call, step);
        let world = world.renamed();
        (world != *before).then_some(world)
    }

    /// Takes the step; the call of the ledger that it is, if it is one.
    fn take(&self, world: &mut World, step: &Step) -> Option<Call> {
        match *step {
            Step::Comes => {
                let token = u8::try_from(world.workers.len()).unwrap() + NOBODY + 1;
                world.workers.push(Worker { place: Place::Asks { budget: Budget::Left }, token });
            }
            Step::Reserve { worker, heard } => return Some(self.reserve(world, worker, heard)),
            Step::Record { worker, heard } => return Some(self.record(world, worker, heard)),
            Step::Crash { worker } => self.crash(world, worker),
            Step::Call { worker } | Step::Refrain { worker } | Step::Hear { worker } | Step::GiveUp { worker } => {
                self.proceed(world, worker, step);
            }
            Step::Arrives { worker, message } => arrive(world, worker, message),
            Step::Drifts { message, arrives } => {
                let attempt = world.adrift.remove(message);
                if arrives {
                    world.accept(attempt);
                }
            }
            Step::Deadline | Step::Forgotten => pass(world, step),
            Step::SweepChooses => world.chosen = world.row.map(|row| row.attempt),
            Step::SweepCrashes => world.chosen = None,
            Step::SweepWrites => {
                self.sweep(world);
                return Some(Call::Sweep);
            }
            Step::Look => world.looks.extend(world.row.map(|row| row.attempt)),
            Step::Resolve { look, decision } => {
                self.resolve(world, look, decision);
                return Some(Call::Resolve);
            }
            Step::Confirm => {
                let answer = self.ledger.confirm(&mut world.row);
                world.evidence |= answer == "fenced";
                return Some(Call::Confirm);
            }
            Step::Import => {
                let _ = self.ledger.import(&mut world.row);
                return Some(Call::Import);
            }
            Step::Erase => {
                let _ = self.ledger.erase(&mut world.row);
                return Some(Call::Erase);
            }
            Step::Purge => {
                world.purged |= self.ledger.purge(&mut world.row, true);
                return Some(Call::Purge);
            }
            Step::ServerCrash => world.row = None,
        }
        None
    }

    fn reserve(&self, world: &mut World, worker: usize, heard: bool) -> Call {
        let token = world.workers[worker].token;
        if self.has(Flaw::PartialKey) && world.is_at(State::Unknown) {
            world.row = None;
        }
        let verdict = self.ledger.reserve(&mut world.row, token);
        if !heard {
            // The same question again, with the same token.
            return Call::Reserve;
        }
        match (verdict, world.workers[worker].place) {
            ("go" | "go_again", Place::Asks { budget }) => {
                let attempt = world.row.map_or(1, |row| row.attempt);
                let restarts = verdict == "go_again" && self.has(Flaw::BudgetRestarts);
                let budget = if restarts { Budget::Restarted } else { budget };
                world.workers[worker].place = Place::Holds { attempt, budget };
            }
            _ => drop(world.workers.remove(worker)),
        }
        Call::Reserve
    }

    fn record(&self, world: &mut World, worker: usize, heard: bool) -> Call {
        let Worker { place, token } = world.workers[worker];
        let Place::Tells(outcome) = place else { return Call::Record };
        let answer = self.ledger.record(&mut world.row, token, outcome.name());
        world.evidence |= answer == "fenced";
        if heard {
            world.workers.remove(worker);
        }
        Call::Record
    }

    fn crash(&self, world: &mut World, worker: usize) {
        let token = world.workers[worker].token;
        let told = matches!(world.workers[worker].place, Place::Tells(_));
        world.crash(worker);
        let reserved = world.row.is_some_and(|row| row.state == State::Pending && row.token == token);
        if self.has(Flaw::UncommittedReserve) && reserved && !told {
            world.row = None;
        }
    }

    fn proceed(&self, world: &mut World, worker: usize, step: &Step) {
        let place = &mut world.workers[worker].place;
        *place = match (step, *place) {
            (Step::Call { .. }, Place::Holds { attempt, .. }) => Place::Calls { attempt, message: Message::UnderWay },
            (Step::Refrain { .. }, _) => Place::Tells(Outcome::NotAttempted),
            (Step::Hear { .. }, Place::Calls { message: Message::Accepted, .. }) => Place::Tells(Outcome::Sent),
            (Step::Hear { .. }, _) => Place::Tells(Outcome::Rejected),
            (_, Place::Calls { attempt, message }) => {
                if message == Message::UnderWay {
                    world.adrift.push(attempt);
                }
                let silence = if self.has(Flaw::SilenceAsFailure) { Outcome::NotAttempted } else { Outcome::Unknown };
                Place::Tells(silence)
            }
            (_, other) => other,
        };
    }

    fn sweep(&self, world: &mut World) {
        let chosen = world.chosen.take();
        if self.has(Flaw::StaleSweep) {
            if let Some(row) = &mut world.row {
                row.state = State::Unknown;
            }
        } else if chosen.is_some_and(|attempt| world.is_at_attempt(attempt)) {
            let marked = self.ledger.sweep(&mut world.row);
            if let (Some(row), true, true) = (&mut world.row, marked, self.has(Flaw::ResendingSweep)) {
                row.state = State::NotAttempted;
            }
        }
    }

    fn resolve(&self, world: &mut World, look: usize, decision: &str) {
        let attempt = world.looks.remove(look);
        let answer = self.ledger.resolve(&mut world.row, attempt, decision);
        if answer == Ok("resolved") && decision == "not_sent" {
            world.released.insert(attempt);
            if world.accepted_up_to(attempt) > 0 {
                world.belied.insert(attempt);
            }
        }
    }

    /// Sees what must never happen. By the whole table, whatever the ledger is like that made the step.
    fn judge(&self, before: &World, after: &mut World, call: Option<Call>, step: &Step) {
        let whole = table().unwrap();
        let breaches = &mut after.breaches;
        let (old, new) = match (before.row, after.row) {
            (Some(old), Some(new)) => (old, new),
            (None, Some(new)) => {
                let begins = |start: &onlyonce::states::Start| {
                    start.to == new.state && call.is_some_and(|call| start.by.contains_key(&call))
                };
                breaches.lawless |= !whole.starts.iter().any(begins);
                breaches.attempt_jumped |= new.attempt != 1;
                return;
            }
            (Some(old), None) => {
                breaches.final_left |= !whole.is_final(old.state) || *step != Step::Purge;
                return;
            }
            (None, None) => return,
        };
        let same = old.state == new.state && old.attempt == new.attempt;
        breaches.final_left |= whole.is_final(old.state) && !same;
        breaches.attempt_jumped |= new.attempt < old.attempt || new.attempt > old.attempt + 1;
        let open = [State::NotAttempted, State::Released, State::Pending].contains(&new.state);
        let by_itself = matches!(step, Step::SweepWrites | Step::Deadline | Step::Forgotten | Step::Purge);
        breaches.timer_sends |= by_itself && open && !same;
        breaches.lawless |= !same && !call.is_some_and(|call| self.is_lawful(whole, old, new, call));
    }

    /// Whether the table has this change, at once, by way of unknown, or through an attempt that was lost (import).
    fn is_lawful(&self, whole: &Table, old: Row, new: Row, call: Call) -> bool {
        let grown = u8::from(new.attempt > old.attempt);
        let legal = |from: State, to: State, grown: u8| {
            whole.change(from, to).is_some_and(|change| {
                let guarded = change.guard.iter().all(|condition| match condition {
                    Condition::PastDeadline => old.overdue,
                    Condition::MayRetry => self.ledger.rules.may_retry,
                    Condition::Erased => old.stripped,
                    _ => false,
                });
                change.by.contains_key(&call) && guarded && (change.attempt == Attempt::Next) == (grown == 1)
            })
        };
        legal(old.state, new.state, grown)
            || (legal(old.state, State::Unknown, 0) && legal(State::Unknown, new.state, grown))
            || (legal(old.state, State::Pending, grown) && legal(State::Pending, new.state, 0))
    }
}

fn arrive(world: &mut World, worker: usize, arrived: Message) {
    if let Place::Calls { attempt, message } = &mut world.workers[worker].place {
        *message = arrived;
        let attempt = *attempt;
        if arrived == Message::Accepted {
            world.accept(attempt);
        }
    }
}

fn pass(world: &mut World, step: &Step) {
    if let Some(row) = &mut world.row {
        if *step == Step::Deadline {
            row.overdue = true;
        } else {
            row.forgotten = true;
        }
    }
    world.end_budgets();
}
