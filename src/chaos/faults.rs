//! The faults that a run injects, and in which order: the same plan and seed give the same.

use crate::chaos::plan::Plan;

/// Something that goes wrong in production, under the name that plans and reports use.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its name.
    pub name: &'static str,
    /// What happens.
    pub kind: Kind,
    /// How exactly the moment is met.
    pub placed: Placed,
    /// What it is, for people.
    pub says: &'static str,
}

/// How exactly a moment is met without the worker's help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// Exactly.
    Exact,
    /// Exactly where the worker has a ledger with a key for the act: its row is locked, so that the record has to wait.
    /// Else near it.
    Ledger,
    /// Near it: just before or just after.
    Near,
}

impl Placed {
    /// The words for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Placed::Exact => "exact",
            Placed::Ledger => "exact with a ledger",
            Placed::Near => "near",
        }
    }
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The event is delivered three times, each after the last one's effects.
    InTurn,
    /// The event is delivered three times at once.
    AtOnce,
    /// The worker gets a signal at a moment of its request.
    Signal(Signal, Moment),
    /// The provider does something to the request.
    Answer(Answer),
    /// Postgres is stopped without a checkpoint and started again while the provider's answer is pending.
    Postgres,
}

/// A signal to the worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGKILL, and a new start.
    Kill,
    /// SIGTERM, and a new start once it has ended.
    Terminate,
    /// SIGSTOP, and SIGCONT when its deadline is over.
    Stop,
}

/// A moment of a request, as the provider sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Its key stands in the ledger and the provider has seen no request; without a ledger, soon after the delivery.
    Reserved,
    /// The provider has taken the connection and the first byte, and takes nothing of it.
    Begun,
    /// The provider has read half of it, and takes nothing of it.
    Half,
    /// The provider has accepted it, and has not answered.
    Accepted,
    /// The provider has answered, and the worker is about to record it.
    Answered,
}

/// What the provider does to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Accepts it and says nothing until the worker gives up.
    SilentAccepted,
    /// Does not accept it and says nothing until the worker gives up.
    SilentRefused,
    /// Accepts it and resets the connection.
    ResetAccepted,
    /// Resets the connection in the middle of the request.
    ResetHalf,
    /// Accepts it and sends half of its answer, then resets the connection.
    CutAnswer,
    /// Accepts it and sends the answer a few bytes at a time.
    SlowAnswer,
    /// Does not accept it and answers with this status.
    Status(u16),
    /// Accepts it and answers with this status.
    StatusAccepted(u16),
}

const fn signal(name: &'static str, signal: Signal, moment: Moment, says: &'static str) -> Fault {
    let placed = match moment {
        Moment::Begun | Moment::Half | Moment::Accepted => Placed::Exact,
        Moment::Answered => Placed::Ledger,
        Moment::Reserved => Placed::Near,
    };
    Fault { name, kind: Kind::Signal(signal, moment), placed, says }
}

const fn answer(name: &'static str, answer: Answer, says: &'static str) -> Fault {
    Fault { name, kind: Kind::Answer(answer), placed: Placed::Exact, says }
}

/// All of them, sorted by name.
pub static ALL: &[Fault] = &[
    answer("answer-cut", Answer::CutAnswer, "accepted, and the connection is reset within the answer"),
    answer("answer-slow", Answer::SlowAnswer, "accepted, and the answer comes a few bytes at a time"),
    signal("kill-after-acceptance", Signal::Kill, Moment::Accepted, "killed once the provider has accepted"),
    signal("kill-before-record", Signal::Kill, Moment::Answered, "killed with the answer read and not recorded"),
    signal("kill-before-send", Signal::Kill, Moment::Begun, "killed as it begins to send; nothing is accepted"),
    signal("kill-mid-request", Signal::Kill, Moment::Half, "killed within the request; nothing is accepted"),
    signal("kill-when-reserved", Signal::Kill, Moment::Reserved, "killed between reservation and request"),
    Fault {
        name: "postgres-restart",
        kind: Kind::Postgres,
        placed: Placed::Exact,
        says: "accepted, and Postgres crashes and starts again before the answer",
    },
    Fault { name: "replay-at-once", kind: Kind::AtOnce, placed: Placed::Exact, says: "delivered three times at once" },
    Fault { name: "replay-in-turn", kind: Kind::InTurn, placed: Placed::Exact, says: "delivered three times in turn" },
    answer("reset-after-acceptance", Answer::ResetAccepted, "accepted, and the connection is reset"),
    answer("reset-mid-request", Answer::ResetHalf, "the connection is reset within the request"),
    answer("status-429", Answer::Status(429), "refused with 429"),
    answer("status-500", Answer::Status(500), "refused with 500"),
    answer("status-500-after-acceptance", Answer::StatusAccepted(500), "accepted, and answered with 500"),
    signal(
        "stop-after-acceptance",
        Signal::Stop,
        Moment::Accepted,
        "stopped past its deadline once accepted, beside another worker",
    ),
    signal(
        "stop-mid-request",
        Signal::Stop,
        Moment::Half,
        "stopped past its deadline within the request, beside another worker",
    ),
    signal(
        "stop-when-reserved",
        Signal::Stop,
        Moment::Reserved,
        "stopped past its deadline before the request, beside another worker",
    ),
    signal("term-after-acceptance", Signal::Terminate, Moment::Accepted, "told to end once accepted"),
    signal(
        "term-before-record",
        Signal::Terminate,
        Moment::Answered,
        "told to end with the answer read and not recorded",
    ),
    signal("term-before-send", Signal::Terminate, Moment::Begun, "told to end as it begins to send"),
    signal("term-mid-request", Signal::Terminate, Moment::Half, "told to end within the request"),
    answer("timeout-after-acceptance", Answer::SilentAccepted, "accepted, and no answer until the worker gives up"),
    answer("timeout-before-acceptance", Answer::SilentRefused, "not accepted, and no answer until the worker gives up"),
];

/// The fault of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Fault> {
    ALL.iter().find(|fault| fault.name == name)
}

/// One round: an event of its own, and what goes wrong around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// From 1: the `{n}` of its event.
    pub number: usize,
    /// What goes wrong.
    pub fault: &'static Fault,
    /// Which of the plan's events.
    pub event: usize,
    /// Which of the plan's `hit` actions.
    pub hit: usize,
}

/// Every round of a plan in order; `times` repeats the plan's counts.
#[must_use]
pub fn rounds(plan: &Plan, seed: u64, times: u32) -> Vec<Round> {
    let mut dice = Dice(seed);
    let counted = plan.faults.iter().map(|(fault, count)| (*fault, count.saturating_mul(times)));
    let mut faults: Vec<&'static Fault> = counted.flat_map(|(fault, count)| (0..count).map(move |_| fault)).collect();
    for at in (1..faults.len()).rev() {
        faults.swap(at, dice.below(at + 1));
    }
    let rounds = faults.into_iter().enumerate().map(|(at, fault)| {
        let event = at % plan.events.len().max(1);
        let acts: Vec<usize> = hits_of(plan, event);
        let hit = acts.get(dice.below(acts.len())).copied().unwrap_or_default();
        Round { number: at + 1, fault, event, hit }
    });
    rounds.collect()
}

/// Which of the plan's `hit` actions an event leads to; all of them where none is named.
fn hits_of(plan: &Plan, event: usize) -> Vec<usize> {
    let acts = plan.events.get(event).map(|event| event.acts.as_slice()).unwrap_or_default();
    let of_event = |name: &String| acts.iter().any(|act| act.provider == *name);
    let found: Vec<usize> = (0..plan.hit.len()).filter(|at| plan.hit.get(*at).is_some_and(of_event)).collect();
    if found.is_empty() { (0..plan.hit.len()).collect() } else { found }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): small, well spread, and the same everywhere for ever. Not for secrets.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Under `limit`; 0 where that is 0. That some are likelier by 2^-50 is of no matter here.
    fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % limit).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_sorted_and_found() {
        assert!(ALL.is_sorted_by_key(|fault| fault.name));
        assert!(ALL.iter().all(|fault| find(fault.name) == Some(fault)));
    }

    #[test]
    fn the_dice_are_those_of_the_paper() {
        let mut dice = Dice(1_234_567);
        let rolled = [dice.next(), dice.next(), dice.next()];
        assert_eq!(rolled, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
