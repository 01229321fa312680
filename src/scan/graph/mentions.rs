//! Where names of functions stand in bodies, and which functions the places lead to, told name by name.

use std::sync::OnceLock;

use rayon::prelude::*;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::scan::graph::{Call, CallKind, Counts, entry};
use crate::scan::index::{FnId, Index, MacroId};
use crate::scan::ir::{Body, Expr, ExprId};
use crate::scan::types::Types;
use crate::scan::types::call::Target;
use crate::scan::types::eval::Eval;
use crate::scan::types::value::Scope;

/// Constructors that every program sees: nobody binds a function to these names.
const PRELUDE: [&str; 3] = ["Err", "Ok", "Some"];

/// Names of functions. Of what has another name nothing in the workspace is called.
#[derive(Clone, Debug, Default)]
pub struct Names {
    ids: HashMap<String, NameId>,
    /// Under which imports bring functions in.
    others: HashSet<String>,
    /// By function.
    of: Vec<NameId>,
}

/// Names a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct NameId(usize);

/// How a place may lead to a function.
enum Mention {
    /// By a function's name.
    Named(NameId),
    /// Under whatever name: a variable or import that is called, a macro; or by a path that is given away, which a
    /// router may be given.
    Loose,
}

impl Names {
    /// The names of all functions.
    #[must_use]
    pub fn new(index: &Index) -> Names {
        let mut names = Names::default();
        for entry in &index.functions {
            let next = NameId(names.ids.len());
            let id = match names.ids.get(&entry.name) {
                Some(id) => *id,
                None => *names.ids.entry(entry.name.clone()).or_insert(next),
            };
            names.of.push(id);
        }
        let renamed = index.every_import().filter(|import| {
            let last = import.path.last().filter(|last| **last != import.name);
            last.is_some_and(|last| names.contains(last))
        });
        names.others = renamed.map(|import| import.name.clone()).collect();
        names
    }

    /// Whether a function has this name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.ids.contains_key(name)
    }

    fn mention(&self, types: &Types<'_>, body: &Body, expr: ExprId) -> Option<Mention> {
        let named = |name: &str| self.ids.get(name).copied().map(Mention::Named);
        match body.expr(expr) {
            Expr::Method { name, .. } => named(name),
            Expr::Call { callee, .. } => match body.expr(*callee) {
                Expr::Path(path) => match path.segments.as_slice() {
                    [only] => (!PRELUDE.contains(&only.name.as_str())).then_some(Mention::Loose),
                    [.., last] if self.others.contains(&last.name) => Some(Mention::Loose),
                    [.., last] => named(&last.name),
                    [] => None,
                },
                _ => None,
            },
            Expr::Path(path) => {
                let last = &path.segments.last()?.name;
                let known = self.contains(last) || self.others.contains(last);
                (known && !is_callee(body, expr)).then_some(Mention::Loose)
            }
            Expr::Macro(call) => types.is_macro(&call.path.segments.last()?.name).then_some(Mention::Loose),
            _ => None,
        }
    }
}

/// What one body mentions.
#[derive(Default)]
pub struct Found {
    named: Vec<(NameId, ExprId)>,
    /// Where its other places lead.
    loose: Told,
    /// Calls among these whose name is a function's.
    counts: Vec<(NameId, Counts)>,
}

impl Found {
    /// Of a function.
    #[must_use]
    pub fn of(names: &Names, arms: &Arms, eval: &Eval<'_, '_>, caller: FnId) -> Found {
        let mut found = Found::default();
        let Some(body) = eval.types.body(Scope::Fn(caller)) else { return found };
        for expr in body.ids() {
            match names.mention(eval.types, body, expr) {
                Some(Mention::Named(name)) => found.named.push((name, expr)),
                Some(Mention::Loose) => {
                    found.loose.look(eval, arms, body, caller, expr);
                    let counts = std::mem::take(&mut found.loose.counts);
                    found.counts.extend(called_name(names, body, expr).map(|name| (name, counts)));
                }
                None => {}
            }
        }
        found
    }
}

fn called_name(names: &Names, body: &Body, expr: ExprId) -> Option<NameId> {
    let Expr::Call { callee, .. } = body.expr(expr) else { return None };
    let Expr::Path(path) = body.expr(*callee) else { return None };
    names.ids.get(&path.segments.last()?.name).copied()
}

/// By macro: the functions that its arms call.
#[derive(Clone, Debug, Default)]
pub struct Arms(Vec<OnceLock<Vec<FnId>>>);

impl Arms {
    /// Nothing is looked at yet.
    #[must_use]
    pub fn new(index: &Index) -> Arms {
        Arms(index.macros.iter().map(|_| OnceLock::new()).collect())
    }

    fn calls(&self, types: &Types<'_>, id: MacroId) -> &[FnId] {
        self.0.get(id.0 as usize).map_or(&[], |slot| slot.get_or_init(|| called_in(types, id)))
    }
}

/// Where places lead.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    pub(super) calls: Vec<Call>,
    /// Calls of methods on something whose type is not known, with the number of their arguments.
    pub(super) untyped: Vec<(usize, FnId, ExprId)>,
    pub(super) counts: Counts,
}

impl Told {
    /// Looks where one place leads.
    fn look(&mut self, eval: &Eval<'_, '_>, arms: &Arms, body: &Body, caller: FnId, expr: ExprId) {
        let (types, scope) = (eval.types, Scope::Fn(caller));
        eval.refill();
        match body.expr(expr) {
            Expr::Method { args, .. } => {
                let target = eval.target(scope, expr);
                self.counts.add(types.index, &target);
                match target {
                    Target::Fns(found) => self.push(caller, expr, &found, CallKind::Call),
                    Target::Unknown => self.untyped.push((args.len(), caller, expr)),
                    Target::Closure(..) | Target::Outside { .. } | Target::Construct(_) => {}
                }
            }
            Expr::Call { .. } => {
                let target = eval.target(scope, expr);
                self.counts.add(types.index, &target);
                if let Target::Fns(found) = target {
                    self.push(caller, expr, &found, CallKind::Call);
                }
            }
            Expr::Path(_) => {
                if let Target::Fns(found) = eval.path_value(scope, expr) {
                    self.push(caller, expr, &found, CallKind::Value);
                }
            }
            Expr::Macro(call) => {
                if let Some(id) = eval.local_macro(scope, body, expr, &call.path) {
                    self.push(caller, expr, arms.calls(types, id), CallKind::Call);
                }
            }
            _ => {}
        }
    }

    fn push(&mut self, caller: FnId, expr: ExprId, found: &[FnId], kind: CallKind) {
        self.calls.extend(found.iter().map(|callee| Call { caller, expr, callee: *callee, kind }));
    }

    fn join(&mut self, other: Told) {
        self.calls.extend(other.calls);
        self.untyped.extend(other.untyped);
        self.counts.join(other.counts);
    }

    fn sorted(mut self) -> Told {
        self.calls.sort_by_key(|call| (call.callee, call.caller, call.expr));
        self.calls.dedup();
        self
    }

    /// The calls of one function, once sorted.
    fn calls_of(&self, callee: FnId) -> &[Call] {
        let start = self.calls.partition_point(|call| call.callee < callee);
        let length = self.calls[start..].partition_point(|call| call.callee == callee);
        &self.calls[start..start + length]
    }
}

/// Where the name of a function stands.
#[derive(Clone, Debug, Default)]
struct Places {
    /// Sorted.
    places: Vec<(FnId, ExprId)>,
    /// Where they lead, once somebody has asked.
    told: OnceLock<Told>,
    /// Calls of variables and imports of this name, which are told already.
    loose: Counts,
}

impl Places {
    /// Those of each body.
    fn bodies(&self) -> impl Iterator<Item = &[(FnId, ExprId)]> {
        self.places.chunk_by(|one, other| one.0 == other.0)
    }
}

/// All places, by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Mentions {
    names: Names,
    arms: Arms,
    places: Vec<Places>,
    loose: Told,
}

impl Mentions {
    /// Puts together what was found in each body, in the order of the functions.
    pub(super) fn new(names: Names, arms: Arms, found: impl IntoIterator<Item = (FnId, Found)>) -> Mentions {
        let mut places: Vec<Places> = Vec::new();
        places.resize_with(names.ids.len(), Places::default);
        let mut loose = Told::default();
        for (caller, found) in found {
            for (name, expr) in found.named {
                places[name.0].places.push((caller, expr));
            }
            loose.calls.extend(found.loose.calls);
            for (name, counts) in found.counts {
                places[name.0].loose.join(counts);
            }
        }
        Mentions { names, arms, places, loose: loose.sorted() }
    }

    pub(super) fn name_of(&self, id: FnId) -> Option<NameId> {
        self.names.of.get(id.0 as usize).copied()
    }

    /// Where the places lead at which the function's name stands. On this thread alone: one that waited for others could
    /// take up a task that asks for the same.
    pub(super) fn told(&self, types: &Types<'_>, id: FnId) -> Option<&Told> {
        let places = self.places.get(self.name_of(id)?.0)?;
        Some(places.told.get_or_init(|| {
            let mut told = Told::default();
            places.bodies().for_each(|of_body| told.join(self.told_in(types, of_body)));
            told.sorted()
        }))
    }

    /// Looks where these names lead, on all cores: some stand in thousands of bodies. No task of another kind may be
    /// under way.
    pub(super) fn tell(&self, types: &Types<'_>, names: &[NameId]) {
        let open = names.iter().filter_map(|name| self.places.get(name.0)).filter(|places| places.told.get().is_none());
        let open: Vec<&Places> = open.collect();
        let bodies = open.iter().enumerate().flat_map(|(at, places)| places.bodies().map(move |of_body| (at, of_body)));
        let bodies: Vec<(usize, &[(FnId, ExprId)])> = bodies.collect();
        let look = |(at, of_body)| (at, self.told_in(types, of_body));
        let looked: Vec<(usize, Told)> = bodies.into_par_iter().map(look).collect();
        let mut all: Vec<Told> = Vec::new();
        all.resize_with(open.len(), Told::default);
        for (at, told) in looked {
            all[at].join(told);
        }
        for (places, told) in open.into_iter().zip(all) {
            let _ = places.told.set(told.sorted());
        }
    }

    /// Where the places of one body lead.
    fn told_in(&self, types: &Types<'_>, of_body: &[(FnId, ExprId)]) -> Told {
        let mut told = Told::default();
        if let Some(&(caller, _)) = of_body.first()
            && let Some(body) = types.body(Scope::Fn(caller))
        {
            let eval = Eval::new(types);
            of_body.iter().for_each(|(_, expr)| told.look(&eval, &self.arms, body, caller, *expr));
        }
        told
    }

    /// The places that give a function away as a value.
    pub(super) fn given(&self, id: FnId) -> impl Iterator<Item = &Call> {
        self.loose.calls_of(id).iter().filter(|call| call.kind == CallKind::Value)
    }

    /// Whether a router is given the function.
    pub(super) fn is_registered(&self, types: &Types<'_>, id: FnId) -> bool {
        self.given(id).any(|call| {
            let scope = Scope::Fn(call.caller);
            types.body(scope).is_some_and(|body| entry::registers(&Eval::new(types), scope, body, call.expr))
        })
    }

    /// Every place that reaches a function, sorted by the function that holds it and by its expression.
    pub(super) fn callers(&self, types: &Types<'_>, id: FnId) -> Vec<Call> {
        let named = self.told(types, id).map_or(&[][..], |told| told.calls_of(id));
        let mut calls = [named, self.loose.calls_of(id)].concat();
        calls.sort_by_key(|call| (call.caller, call.expr));
        calls
    }

    /// The calls in a function, sorted by expression, then by callee.
    pub(super) fn callees(&self, types: &Types<'_>, id: FnId) -> Vec<Call> {
        let Some(body) = types.body(Scope::Fn(id)) else { return Vec::new() };
        let (eval, mut told) = (Eval::new(types), Told::default());
        for expr in body.ids().filter(|expr| self.names.mention(types, body, *expr).is_some()) {
            told.look(&eval, &self.arms, body, id, expr);
        }
        told.calls.sort_by_key(|call| (call.expr, call.callee));
        told.calls.dedup();
        told.calls
    }

    /// The calls under a name in numbers.
    pub(super) fn counts(&self, name: NameId) -> Counts {
        let Some(Places { told, loose, .. }) = self.places.get(name.0) else { return Counts::default() };
        let mut counts = *loose;
        counts.join(told.get().map_or_else(Counts::default, |told| told.counts));
        counts
    }
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

fn is_callee(body: &Body, id: ExprId) -> bool {
    let parent = body.node(id).parent.map(|parent| body.expr(parent));
    matches!(parent, Some(Expr::Call { callee, .. }) if *callee == id)
}
