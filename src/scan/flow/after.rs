//! What is done once a call has failed, and only then.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet as HashSet;

use crate::scan::flow::Flow;
use crate::scan::flow::order::{Point, Turn};
use crate::scan::flow::outcome::Outcome;
use crate::scan::index::FnId;
use crate::scan::ir::ExprId;

impl Flow<'_, '_> {
    /// The expressions that are evaluated only after the call has failed in a way that leaves open whether it was
    /// done: neither after a success nor after a refusal.
    #[must_use]
    pub fn after_failure(&self, function: FnId, call: ExprId) -> BTreeSet<ExprId> {
        let (Some(body), Some(order)) = (self.body(function), self.order(function)) else { return BTreeSet::new() };
        let Some(from) = order.done(call) else { return BTreeSet::new() };
        let mut seen: HashSet<(Point, bool)> = HashSet::default();
        let mut waiting = vec![(from, false)];
        while let Some((at, failed)) = waiting.pop() {
            if !seen.insert((at, failed)) {
                continue;
            }
            if !self.step(function) {
                return BTreeSet::new();
            }
            for (to, turn) in &order.next[at] {
                // Another round makes another call.
                if matches!(turn, Some(Turn::Again(_))) {
                    continue;
                }
                match turn.and_then(|turn| self.outcome(function, call, &turn)) {
                    Some(Outcome::Refused) => {}
                    Some(Outcome::Failed) => waiting.push((*to, true)),
                    Some(Outcome::Done) | None => waiting.push((*to, failed)),
                }
            }
        }
        let only = |point: Point| seen.contains(&(point, true)) && !seen.contains(&(point, false));
        body.ids().filter(|id| order.done(*id).is_some_and(only)).collect()
    }
}
