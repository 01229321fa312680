//! Who calls whom, and where the outside world comes in: told where somebody asks. Most functions lead to nothing that
//! leaves the process, and nobody asks for them.

pub mod entry;
pub mod mentions;

use std::collections::VecDeque;
use std::sync::OnceLock;

use rayon::prelude::*;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::scan::graph::entry::Entry;
use crate::scan::graph::mentions::{Arms, Found, Mentions, NameId, Names};
use crate::scan::index::{FnId, ImplEntry, Index, TraitId};
use crate::scan::ir::ExprId;
use crate::scan::types::Types;
use crate::scan::types::call::Target;

/// Paths that are told of one function.
const PATHS: usize = 5;
/// Functions that the search for paths looks at.
const LOOKS: usize = 4000;

/// How a function is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallKind {
    /// `f(x)`, `x.f()`, from a macro too.
    Call,
    /// `map(f)`, `spawn(f)`: given as a value to something that may call it.
    Value,
}

/// One place that reaches a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The function that holds the place.
    pub caller: FnId,
    /// The call, or the path that is given as a value.
    pub expr: ExprId,
    /// The function that is reached.
    pub callee: FnId,
    /// How.
    pub kind: CallKind,
}

/// Every call between functions of the workspace. What is told is kept; shared by threads.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    mentions: Mentions,
    /// By function.
    callers: Vec<OnceLock<Vec<Call>>>,
    /// By function.
    callees: Vec<OnceLock<Vec<Call>>>,
    /// By function: whether a router is given it.
    registered: Vec<OnceLock<bool>>,
    /// What constants and macros of items name: who calls it cannot be seen.
    named_outside: HashSet<FnId>,
}

/// Calls in numbers. What has a name that no function of the workspace has leads outside, and is not among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls that could lead to one of the functions, by their name.
    pub looked_at: usize,
    /// Those of which the target is known.
    pub known: usize,
    /// Those that lead to a trait's declaration, of which no implementation is known.
    pub unimplemented: usize,
}

impl Counts {
    /// Notes a call and where it leads.
    fn add(&mut self, index: &Index, target: &Target) {
        let bodiless = |id: &FnId| index.functions[id.0 as usize].function.body.is_none();
        self.looked_at += 1;
        self.known += usize::from(!matches!(target, Target::Unknown));
        self.unimplemented += usize::from(matches!(target, Target::Fns(found) if found.iter().all(bodiless)));
    }

    fn join(&mut self, other: Counts) {
        self.looked_at += other.looked_at;
        self.known += other.known;
        self.unimplemented += other.unimplemented;
    }
}

impl Graph {
    /// Puts together what was found in every function, in their order.
    #[must_use]
    pub fn new(types: &Types<'_>, names: Names, arms: Arms, found: impl IntoIterator<Item = (FnId, Found)>) -> Graph {
        let mut named_outside = HashSet::from_iter(entry::of_constants(types, &names));
        named_outside.extend(entry::of_item_macros(types.index, &names));
        let functions = types.index.functions.len();
        let slots = || std::iter::repeat_with(OnceLock::new).take(functions).collect();
        let registered = std::iter::repeat_with(OnceLock::new).take(functions).collect();
        let mentions = Mentions::new(names, arms, found);
        Graph { mentions, callers: slots(), callees: slots(), registered, named_outside }
    }

    fn all_callers(&self, types: &Types<'_>, id: FnId) -> &[Call] {
        let slot = self.callers.get(id.0 as usize);
        slot.map_or(&[], |slot| slot.get_or_init(|| self.mentions.callers(types, id)))
    }

    /// The places that reach a function, sorted by the function that holds them and by their expression; tests left
    /// out.
    pub fn callers<'g>(&'g self, types: &'g Types<'_>, id: FnId) -> impl Iterator<Item = &'g Call> {
        self.all_callers(types, id).iter().filter(|call| !types.index.function(call.caller).test)
    }

    /// Those of them that give it away as a value: nothing need be looked for.
    pub fn given<'g>(&'g self, index: &'g Index, id: FnId) -> impl Iterator<Item = &'g Call> {
        self.mentions.given(id).filter(|call| !index.function(call.caller).test)
    }

    /// Calls that may reach a method: of its name, with as many arguments, on something whose type is not known;
    /// tests left out.
    #[must_use]
    pub fn possible_callers(&self, types: &Types<'_>, id: FnId) -> Vec<(FnId, ExprId)> {
        let function = &types.index.function(id).function;
        let Some(arguments) = function.params.len().checked_sub(1).filter(|_| function.has_self) else {
            return Vec::new();
        };
        let found = self.mentions.told(types, id).into_iter().flat_map(|told| &told.untyped);
        let found = found.filter(|(given, caller, _)| *given == arguments && !types.index.function(*caller).test);
        found.map(|(_, caller, expr)| (*caller, *expr)).collect()
    }

    /// The calls in a function, sorted by expression, then by callee.
    pub fn callees(&self, types: &Types<'_>, id: FnId) -> impl Iterator<Item = &Call> {
        let slot = self.callees.get(id.0 as usize);
        slot.map_or(&[][..], |slot| slot.get_or_init(|| self.mentions.callees(types, id))).iter()
    }

    /// Whether something that nobody here sees calls a function: a router, a framework, what a constant or a macro of
    /// items hands it to.
    #[must_use]
    pub fn is_handler(&self, types: &Types<'_>, id: FnId) -> bool {
        let registered = || {
            self.registered
                .get(id.0 as usize)
                .is_some_and(|slot| *slot.get_or_init(|| self.mentions.is_registered(types, id)))
        };
        entry::is_marked(types.index, id) || self.named_outside.contains(&id) || registered()
    }

    /// How the outside world comes into a function by itself, when it does.
    #[must_use]
    pub fn entry(&self, types: &Types<'_>, id: FnId) -> Option<Entry> {
        entry::entry_of(types.index, id, || self.is_handler(types, id), || !self.all_callers(types, id).is_empty())
    }

    /// Looks for all that leads to these functions, on all cores; in numbers the calls that may do so, by the name of
    /// a function on the way.
    #[must_use]
    pub fn climb(&self, types: &Types<'_>, from: impl IntoIterator<Item = FnId>) -> Counts {
        let mut way: HashSet<FnId> = from.into_iter().collect();
        let mut level: Vec<FnId> = way.iter().copied().collect();
        while !level.is_empty() {
            self.tell(types, &level);
            let callers = |id: &FnId| self.callers(types, *id).map(|call| call.caller).collect::<Vec<_>>();
            let above: Vec<Vec<FnId>> = level.par_iter().map(callers).collect();
            level = above.into_iter().flatten().filter(|id| way.insert(*id)).collect();
        }
        self.counts(way.into_iter())
    }

    /// Looks for the callers of all these at once.
    fn tell(&self, types: &Types<'_>, functions: &[FnId]) {
        let mut names: Vec<NameId> = functions.iter().filter_map(|id| self.mentions.name_of(*id)).collect();
        names.sort_unstable();
        names.dedup();
        self.mentions.tell(types, &names);
    }

    /// Calls of a trait's function where nothing in the workspace implements the trait.
    #[must_use]
    pub fn unimplemented(&self, types: &Types<'_>) -> usize {
        let index = types.index;
        let implemented: HashSet<TraitId> = index.impls.iter().filter_map(ImplEntry::local_trait).collect();
        let bare = |id: &FnId| {
            let entry = index.function(*id);
            entry.function.body.is_none() && entry.trait_id.is_some_and(|id| !implemented.contains(&id))
        };
        let bare: Vec<FnId> = index.function_ids().filter(bare).collect();
        self.tell(types, &bare);
        self.counts(bare.into_iter()).unimplemented
    }

    /// What was told of the names of these functions, in numbers.
    fn counts(&self, functions: impl Iterator<Item = FnId>) -> Counts {
        let names: HashSet<_> = functions.filter_map(|id| self.mentions.name_of(id)).collect();
        names.into_iter().fold(Counts::default(), |mut counts, name| {
            counts.join(self.mentions.counts(name));
            counts
        })
    }

    /// Paths from entry points down to a function, shortest first, at most five.
    #[must_use]
    pub fn paths_to(&self, types: &Types<'_>, id: FnId) -> Vec<Vec<FnId>> {
        let mut below: HashMap<FnId, Option<FnId>> = HashMap::from_iter([(id, None)]);
        let mut waiting = VecDeque::from([id]);
        let mut tops = Vec::new();
        while let Some(at) = waiting.pop_front() {
            let callers: Vec<FnId> = self.callers(types, at).map(|call| call.caller).collect();
            if self.entry(types, at).is_some() || callers.is_empty() {
                tops.push(at);
                if tops.len() == PATHS {
                    break;
                }
            }
            for caller in callers {
                if below.len() < LOOKS && !below.contains_key(&caller) {
                    below.insert(caller, Some(at));
                    waiting.push_back(caller);
                }
            }
        }
        tops.into_iter()
            .map(|top| std::iter::successors(Some(top), |at| below.get(at).copied().flatten()).collect())
            .collect()
    }
}

#[cfg(test)]
mod tests;
