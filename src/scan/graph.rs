//! Who calls whom, and where the outside world comes in.

pub mod entry;

use std::collections::VecDeque;
use std::sync::OnceLock;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::scan::graph::entry::Entry;
use crate::scan::index::{FnId, Index, MacroId};
use crate::scan::ir::{Body, Expr, ExprId};
use crate::scan::types::Types;
use crate::scan::types::call::Target;
use crate::scan::types::eval::Eval;
use crate::scan::types::value::Scope;

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

/// Every call between functions of the workspace.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Sorted by caller, then by expression, then by callee.
    pub calls: Vec<Call>,
    by_callee: Places,
    by_caller: Places,
    /// By name: calls of methods on something whose type is not known, with the number of their arguments.
    loose: HashMap<String, Vec<(usize, FnId, ExprId)>>,
    entries: HashMap<FnId, Entry>,
    /// How many calls were looked at, and how many of them lead somewhere that is known.
    pub counts: Counts,
}

/// Places of the list of calls, by function.
#[derive(Clone, Debug, Default)]
struct Places {
    /// By function: where its places begin; the next one's beginning is their end.
    starts: Vec<usize>,
    places: Vec<usize>,
}

impl Places {
    fn of(calls: &[Call], functions: usize, of: impl Fn(&Call) -> FnId) -> Places {
        let mut starts = vec![0; functions + 1];
        for call in calls {
            starts[of(call).0 as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let (mut next, mut places) = (starts.clone(), vec![0; calls.len()]);
        for (at, call) in calls.iter().enumerate() {
            let slot = &mut next[of(call).0 as usize];
            places[*slot] = at;
            *slot += 1;
        }
        Places { starts, places }
    }

    fn get(&self, id: FnId) -> &[usize] {
        let at = id.0 as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(start), Some(end)) => &self.places[*start..*end],
            _ => &[],
        }
    }
}

/// Calls in numbers. What has a name that no function of the workspace has leads outside, and is not among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls that could lead to a function of the workspace, by their name.
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
    /// Puts together what was found in every function.
    #[must_use]
    pub fn of<'a>(search: &Search<'_, 'a>, found: impl IntoIterator<Item = Found<'a>>) -> Graph {
        let Search { types, names, .. } = search;
        let mut graph = Graph::default();
        let mut registered = HashSet::default();
        for one in found {
            graph.calls.extend(one.calls);
            registered.extend(one.handlers);
            graph.counts.join(one.counts);
            for (name, arguments, caller, expr) in one.loose {
                match graph.loose.get_mut(name) {
                    Some(known) => known.push((arguments, caller, expr)),
                    None => drop(graph.loose.insert(name.to_owned(), vec![(arguments, caller, expr)])),
                }
            }
        }
        registered.extend(entry::of_constants(types, names));
        registered.extend(entry::of_item_macros(types.index, names));
        let functions = types.index.functions.len();
        graph.by_callee = Places::of(&graph.calls, functions, |call| call.callee);
        graph.by_caller = Places::of(&graph.calls, functions, |call| call.caller);
        graph.entries = entry::entries(types.index, &registered, |id| !graph.by_callee.get(id).is_empty());
        graph
    }

    /// The places that reach a function, tests left out.
    pub fn callers<'g>(&'g self, index: &'g Index, id: FnId) -> impl Iterator<Item = &'g Call> {
        let places = self.by_callee.get(id).iter();
        places.map(|at| &self.calls[*at]).filter(|call| !index.functions[call.caller.0 as usize].test)
    }

    /// Calls that may reach a method: of its name, with as many arguments, on something whose type is not known;
    /// tests left out.
    #[must_use]
    pub fn possible_callers(&self, index: &Index, id: FnId) -> Vec<(FnId, ExprId)> {
        let entry = &index.functions[id.0 as usize];
        let Some(arguments) = entry.function.params.len().checked_sub(1).filter(|_| entry.function.has_self) else {
            return Vec::new();
        };
        let found = self.loose.get(&entry.name).into_iter().flatten();
        let found = found.filter(|(given, caller, _)| *given == arguments && !index.function(*caller).test);
        found.map(|(_, caller, expr)| (*caller, *expr)).collect()
    }

    /// The calls in a function.
    pub fn callees(&self, id: FnId) -> impl Iterator<Item = &Call> {
        self.by_caller.get(id).iter().map(|at| &self.calls[*at])
    }

    /// How the outside world comes into a function by itself, when it does.
    #[must_use]
    pub fn entry(&self, id: FnId) -> Option<Entry> {
        self.entries.get(&id).copied()
    }

    /// Paths from entry points down to a function, shortest first, at most five.
    #[must_use]
    pub fn paths_to(&self, index: &Index, id: FnId) -> Vec<Vec<FnId>> {
        let mut below: HashMap<FnId, Option<FnId>> = HashMap::from_iter([(id, None)]);
        let mut waiting = VecDeque::from([id]);
        let mut tops = Vec::new();
        while let Some(at) = waiting.pop_front() {
            let callers: Vec<FnId> = self.callers(index, at).map(|call| call.caller).collect();
            if self.entry(at).is_some() || callers.is_empty() {
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

/// Every function of the index.
pub fn function_ids(index: &Index) -> impl Iterator<Item = FnId> + use<> {
    (0..u32::try_from(index.functions.len()).unwrap_or(u32::MAX)).map(FnId)
}

/// Finds the calls of one function after another. Shared by threads.
pub struct Search<'t, 'a> {
    types: &'t Types<'a>,
    /// Of functions: what has another name leads outside.
    names: HashSet<&'a str>,
    /// By macro: the functions that its arms call.
    arms: Vec<OnceLock<Vec<FnId>>>,
}

/// What one body says of calls.
#[derive(Default)]
pub struct Found<'a> {
    calls: Vec<Call>,
    handlers: Vec<FnId>,
    loose: Vec<(&'a str, usize, FnId, ExprId)>,
    counts: Counts,
}

impl<'t, 'a> Search<'t, 'a> {
    /// Nothing is found yet.
    #[must_use]
    pub fn new(types: &'t Types<'a>) -> Search<'t, 'a> {
        let names = types.index.functions.iter().map(|entry| entry.name.as_str()).collect();
        let arms = types.index.macros.iter().map(|_| OnceLock::new()).collect();
        Search { types, names, arms }
    }

    /// The calls of a function.
    #[must_use]
    pub fn calls(&self, eval: &Eval<'t, 'a>, caller: FnId) -> Found<'a> {
        calls_of(self, eval, caller)
    }
}

fn calls_of<'t, 'a>(search: &Search<'t, 'a>, eval: &Eval<'t, 'a>, caller: FnId) -> Found<'a> {
    let Search { types, names, arms } = search;
    let scope = Scope::Fn(caller);
    let Some(body) = types.body(scope) else { return Found::default() };
    let Found { mut calls, mut handlers, mut loose, mut counts } = Found::default();
    for expr in body.ids() {
        eval.refill();
        match body.expr(expr) {
            Expr::Method { name, args, .. } if names.contains(name.as_str()) => {
                let target = eval.target(scope, expr);
                counts.add(types.index, &target);
                match target {
                    Target::Fns(found) => push_all(&mut calls, caller, expr, &found, CallKind::Call),
                    Target::Unknown => loose.push((name, args.len(), caller, expr)),
                    Target::Closure(..) | Target::Outside { .. } | Target::Construct(_) => {}
                }
            }
            Expr::Call { callee, .. } if could_be(body, *callee, names) => {
                let target = eval.target(scope, expr);
                counts.add(types.index, &target);
                if let Target::Fns(found) = target {
                    push_all(&mut calls, caller, expr, &found, CallKind::Call);
                }
            }
            Expr::Path(path) if path.segments.last().is_some_and(|last| names.contains(last.name.as_str())) => {
                if !is_callee(body, expr)
                    && let Target::Fns(found) = eval.path_value(scope, expr)
                {
                    push_all(&mut calls, caller, expr, &found, CallKind::Value);
                    if entry::registers(eval, scope, body, expr) {
                        handlers.extend(found);
                    }
                }
            }
            Expr::Macro(call) => {
                if let Some(id) = eval.local_macro(scope, body, expr, &call.path)
                    && let Some(slot) = arms.get(id.0 as usize)
                {
                    push_all(&mut calls, caller, expr, slot.get_or_init(|| called_in(types, id)), CallKind::Call);
                }
            }
            _ => {}
        }
    }
    calls.sort_by_key(|call| (call.expr, call.callee));
    calls.dedup();
    Found { calls, handlers, loose, counts }
}

/// The functions that the arms of a macro call.
fn called_in(types: &Types<'_>, id: MacroId) -> Vec<FnId> {
    let eval = Eval::new(types);
    let mut found = Vec::new();
    for arm in 0..types.index.macros[id.0 as usize].arms.len() {
        let scope = Scope::Macro(id, arm);
        let Some(body) = types.body(scope) else { continue };
        for at in body.ids().filter(|at| matches!(body.expr(*at), Expr::Call { .. } | Expr::Method { .. })) {
            eval.refill();
            found.extend(eval.targets(scope, at));
        }
    }
    found
}

fn push_all(into: &mut Vec<Call>, caller: FnId, expr: ExprId, found: &[FnId], kind: CallKind) {
    into.extend(found.iter().map(|callee| Call { caller, expr, callee: *callee, kind }));
}

fn could_be(body: &Body, callee: ExprId, names: &HashSet<&str>) -> bool {
    match body.expr(callee) {
        Expr::Path(path) => {
            path.segments.len() == 1 || path.segments.last().is_some_and(|last| names.contains(last.name.as_str()))
        }
        _ => false,
    }
}

fn is_callee(body: &Body, id: ExprId) -> bool {
    let parent = body.node(id).parent.map(|parent| body.expr(parent));
    matches!(parent, Some(Expr::Call { callee, .. }) if *callee == id)
}
