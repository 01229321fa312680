//! The model as the checker wants it, and what has to hold in every world.

use onlyonce::states::State;
use stateright::{Model, Property};

use crate::steps::{Setting, Step};
use crate::world::{Budget, Place, World};

/// At most one accept, and one more for each attempt that a person released.
pub(crate) const AT_MOST_ONCE: &str = "one accept, and one for each attempt that a person said was not sent";
/// At most one accept, and one more for each release that was wrong.
pub(crate) const ONCE_UNLESS_WRONG: &str = "one accept, and one for each time that a person was wrong about that";
/// The same of effects, for types that may be repeated.
pub(crate) const ONE_EFFECT: &str = "one effect, and one for each attempt that a person said was not sent";
/// Final rows stay, until they are forgotten.
pub(crate) const FINAL: &str = "what is final stays as it is, and nothing else is forgotten";
/// Attempts grow, one at a time.
pub(crate) const GROWS: &str = "attempts only grow, one at a time";
/// No timer sends.
pub(crate) const NO_TIMER: &str = "time alone makes no further attempt possible";
/// Every change is the table's.
pub(crate) const LAWFUL: &str = "every change stands in the table";
/// Attempts are bounded.
pub(crate) const BOUNDED: &str = "no more attempts than the type allows and persons added";
/// Every unknown is in the queue.
pub(crate) const QUEUED: &str = "what is unknown stands in the queue";
/// Nothing lies where nobody looks.
pub(crate) const LOOKED_AFTER: &str = "what is not final is held, waits in the queue, or may go again";
/// An accept is known, or somebody is told to look.
pub(crate) const SEEN: &str = "what was accepted is sent, under way, in the queue, or decided by a person";

/// What a world may look like.
type Look = fn(&Setting, &World) -> bool;

/// What comes about in some world, so that the rest is no promise about nothing.
pub(crate) const POSSIBLE: [(&str, Look); 11] = [
    ("an action is sent", |_, world| world.is_at(State::Sent) && world.accepted() == 1),
    ("an outcome is unknown", |_, world| world.is_at(State::Unknown)),
    ("what is unknown was accepted", |_, world| world.is_at(State::Unknown) && world.accepted() == 1),
    ("what is unknown was not", |_, world| {
        world.is_at(State::Unknown) && world.accepted() == 0 && world.workers.is_empty() && !world.under_way()
    }),
    ("a second attempt is sent", |_, world| world.is_at(State::Sent) && world.accepts[1] == 1),
    ("attempts run out", |_, world| world.is_at(State::Exhausted)),
    ("a person adds an attempt to those of the type", |setting, world| {
        world.row.is_some_and(|row| row.attempt > setting.ledger.rules.max_attempts)
    }),
    ("an attempt that holds the action no more tells what came of it", |_, world| world.evidence),
    ("a person is wrong, and it is sent twice", |_, world| world.accepted() == 2 && world.belied.len() == 1),
    ("a worker that may send no more holds an action", |_, world| {
        world.workers.iter().any(|worker| matches!(worker.place, Place::Holds { budget: Budget::Over, .. }))
    }),
    ("a provider that honours the key gets it twice", |_, world| world.accepted() == 2 && world.effects == 1),
];

impl Model for Setting {
    type State = World;
    type Action = Step;

    fn init_states(&self) -> Vec<World> {
        vec![World::default()]
    }

    fn actions(&self, world: &World, steps: &mut Vec<Step>) {
        self.steps(world, steps);
    }

    fn next_state(&self, world: &World, step: Step) -> Option<World> {
        self.next(world, &step)
    }

    fn within_boundary(&self, world: &World) -> bool {
        // A ledger that let four through has been found out.
        world.row.is_none_or(|row| row.attempt <= self.attempts) && world.accepted() < 4
    }

    fn properties(&self) -> Vec<Property<Setting>> {
        let mut properties = vec![
            Property::<Setting>::always(FINAL, |_, world| !world.breaches.final_left),
            Property::<Setting>::always(GROWS, |_, world| !world.breaches.attempt_jumped),
            Property::<Setting>::always(NO_TIMER, |_, world| !world.breaches.timer_sends),
            Property::<Setting>::always(LAWFUL, |_, world| !world.breaches.lawless),
            Property::<Setting>::always(BOUNDED, Setting::is_bounded),
            Property::<Setting>::always(QUEUED, Setting::is_queued),
            Property::<Setting>::always(LOOKED_AFTER, Setting::is_looked_after),
            Property::<Setting>::always(SEEN, Setting::is_seen),
        ];
        if self.ledger.rules.may_retry {
            properties
                .push(Property::<Setting>::always(ONE_EFFECT, |_, world| world.effects <= 1 + world.released.len()));
        } else {
            properties.push(Property::<Setting>::always(AT_MOST_ONCE, |_, world| {
                world.accepted() <= 1 + world.released.len()
            }));
            properties.push(Property::<Setting>::always(ONCE_UNLESS_WRONG, |_, world| {
                world.accepted() <= 1 + world.belied.len()
            }));
        }
        properties.extend(POSSIBLE.map(|(name, condition)| Property::<Setting>::sometimes(name, condition)));
        properties
    }
}

impl Setting {
    fn is_bounded(&self, world: &World) -> bool {
        world.row.is_none_or(|row| row.attempt <= self.ledger.rules.max_attempts + world.released.len())
    }

    fn is_queued(&self, world: &World) -> bool {
        world.row.is_none_or(|row| {
            let unknown = row.state == State::Unknown || row.state == State::Pending && row.overdue;
            !unknown || self.queued(&row)
        })
    }

    fn is_looked_after(&self, world: &World) -> bool {
        world.row.is_none_or(|row| match row.state {
            State::Sent | State::Abandoned => true,
            // Its deadline comes.
            State::Pending if !row.overdue => true,
            // What was erased goes no more: there is nothing left to send.
            State::NotAttempted | State::Released => self.ledger.may_go(&row) || row.stripped,
            State::Pending | State::Unknown | State::Rejected | State::Exhausted => self.queued(&row),
        })
    }

    fn is_seen(&self, world: &World) -> bool {
        let decided = world.released.len() > 0 || world.is_at(State::Abandoned) || world.purged;
        let known = world.row.is_some_and(|row| {
            row.state == State::Sent || row.state == State::Pending && !row.overdue || self.queued(&row)
        });
        world.accepted() == 0 || known || decided || world.evidence
    }
}
