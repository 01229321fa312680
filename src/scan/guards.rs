//! Which outbound calls are guarded, by what, and which are not.
//!
//! [`client`] knows the generated module, `cover` the closures that guards are given, `permit` the proofs of
//! a reservation, [`key`] and [`derivation`] what a key is made of. What a function does is guarded, too, when
//! every caller of it is: the least fixpoint over the call graph, so that a cycle guards nothing.

pub mod attempt;
pub mod client;
mod cover;
pub mod derivation;
pub mod key;
mod minted;
mod permit;
mod tasks;
pub mod uses;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap as HashMap;

use crate::catalog::call::Effect;
use crate::manifest::Manifest;
use crate::scan::graph::Graph;
use crate::scan::guards::attempt::{Fresh, Reach};
use crate::scan::guards::client::Client;
use crate::scan::guards::cover::Cover;
use crate::scan::index::{FnId, ModuleId};
use crate::scan::ir::{Expr, ExprId};
use crate::scan::site::{Guard, GuardKind, ProviderKey, Sink, Site, Verdict};
use crate::scan::types::Types;
use crate::scan::types::eval::Eval;
use crate::scan::types::value::{Place, Scope};

/// How deep one question about keys and permits may lead.
const DEPTH: u32 = 64;

/// What guards are told from.
pub struct Guards<'t, 'a> {
    /// Types and names.
    pub types: &'t Types<'a>,
    /// Evaluates expressions.
    pub eval: Eval<'t, 'a>,
    /// Who calls whom.
    pub graph: &'t Graph,
    /// The generated module.
    pub client: Client<'a>,
    /// The manifest.
    pub manifest: Option<&'t Manifest>,
    /// By function: what guards all that it does, when every caller is guarded.
    by_callers: BTreeMap<FnId, Guard>,
    /// What of expressions differs from attempt to attempt, by how far and by which way it was looked for.
    fresh: RefCell<HashMap<(Scope, ExprId, Reach), Option<Fresh>>>,
    depth: Cell<u32>,
    /// Counts answers that were cut short.
    cuts: Cell<u32>,
}

impl<'t, 'a> Guards<'t, 'a> {
    /// Looks at the callers of every function that a sink stands in, up to where they are guarded.
    #[must_use]
    pub fn new(
        types: &'t Types<'a>,
        graph: &'t Graph,
        manifest: Option<&'t Manifest>,
        sinks: &[Sink],
    ) -> Guards<'t, 'a> {
        let mut guards = Guards {
            types,
            eval: Eval::new(types),
            graph,
            client: Client::new(types.index, manifest),
            manifest,
            by_callers: BTreeMap::new(),
            fresh: RefCell::default(),
            depth: Cell::new(0),
            cuts: Cell::new(0),
        };
        let harmful = sinks.iter().filter(|sink| may_do_harm(sink));
        guards.look_upwards(harmful.flat_map(|sink| {
            let asking = sink.asked.iter().flat_map(|asked| asked.calls.iter().map(|(caller, _)| *caller));
            asking.chain([sink.function])
        }));
        guards
    }

    /// What guards a place: in its own body, or in every caller.
    #[must_use]
    pub fn guard(&self, scope: Scope, at: ExprId) -> Option<Guard> {
        match self.around(scope, at) {
            Cover::By(guard) => Some(guard),
            Cover::Open => self.by_callers(scope),
            Cover::Astray => None,
        }
    }

    /// What guards all that the body does, because every caller is guarded.
    #[must_use]
    pub fn by_callers(&self, scope: Scope) -> Option<Guard> {
        match scope {
            Scope::Fn(id) => self.by_callers.get(&id).cloned(),
            Scope::Const(_) | Scope::Macro(..) => None,
        }
    }

    /// The places from which a function is called or taken as a value, tests left out.
    #[must_use]
    pub fn callers(&self, id: FnId) -> Vec<(FnId, ExprId)> {
        self.graph.callers(self.types, id).map(|call| (call.caller, call.expr)).collect()
    }

    /// What every caller gives for a parameter, `self` counted.
    #[must_use]
    pub fn arguments(&self, id: FnId, position: usize) -> Vec<Place> {
        let given = self.callers(id).into_iter();
        given.filter_map(|(caller, call)| self.argument(Scope::Fn(caller), call, position)).collect()
    }

    /// What one call gives for a parameter.
    fn argument(&self, caller: Scope, call: ExprId, position: usize) -> Option<Place> {
        let argument = match self.types.body(caller)?.expr(call) {
            Expr::Call { args, .. } => args.get(position).copied(),
            Expr::Method { receiver, args, .. } => match position.checked_sub(1) {
                None => Some(*receiver),
                Some(at) => args.get(at).copied(),
            },
            _ => None,
        };
        Some((caller, argument?))
    }

    /// Paths of functions from entry points down to one, shortest first, at most five.
    #[must_use]
    pub fn paths(&self, id: FnId) -> Vec<Vec<String>> {
        let index = self.types.index;
        let named = |path: Vec<FnId>| path.into_iter().map(|id| index.function(id).path.clone()).collect();
        self.graph.paths_to(self.types, id).into_iter().map(named).collect()
    }

    /// The module whose names a body sees.
    #[must_use]
    pub fn module(&self, scope: Scope) -> ModuleId {
        self.types.names(scope).module
    }

    /// Runs a step one level deeper; `None` past the limit.
    fn deeper<T>(&self, step: impl FnOnce() -> T) -> Option<T> {
        if self.depth.get() >= DEPTH {
            self.cuts.set(self.cuts.get() + 1);
            return None;
        }
        self.depth.set(self.depth.get() + 1);
        let result = step();
        self.depth.set(self.depth.get() - 1);
        Some(result)
    }

    /// Least fixpoint over the functions that lead to these: one is guarded once all its callers are; none is
    /// at the start.
    fn look_upwards(&mut self, from: impl Iterator<Item = FnId>) {
        let mut covers: BTreeMap<FnId, Option<Vec<Covered>>> = BTreeMap::new();
        let mut waiting: Vec<FnId> = from.collect();
        while let Some(id) = waiting.pop() {
            if covers.contains_key(&id) {
                continue;
            }
            let calls = self.covered_calls(id);
            let open = calls.iter().flatten().filter(|call| matches!(call.own, Cover::Open)).map(|call| call.caller);
            waiting.extend(open);
            covers.insert(id, calls);
        }
        while self.round(&covers) {}
    }

    /// One round of the fixpoint; whether it found anything.
    fn round(&mut self, covers: &BTreeMap<FnId, Option<Vec<Covered>>>) -> bool {
        let mut found = Vec::new();
        for (id, calls) in covers {
            if self.by_callers.contains_key(id) {
                continue;
            }
            let Some(calls) = calls else { continue };
            let guards = calls.iter().map(|call| match &call.own {
                Cover::By(guard) => Some(guard.clone()),
                Cover::Open => self.by_callers.get(&call.caller).cloned(),
                Cover::Astray => None,
            });
            found.extend(joined(guards).map(|guard| (*id, guard)));
        }
        let any = !found.is_empty();
        self.by_callers.extend(found);
        any
    }

    /// For every caller what covers the call there; `None` when something outside can call the function.
    fn covered_calls(&self, id: FnId) -> Option<Vec<Covered>> {
        let callers = self.callers(id);
        if callers.is_empty() || self.graph.entry(self.types, id).is_some() {
            return None;
        }
        let covered = |(caller, call)| Covered { caller, own: self.around(Scope::Fn(caller), call) };
        Some(callers.into_iter().map(covered).collect())
    }
}

/// A call of a function, and what guards it in the caller's own body.
struct Covered {
    caller: FnId,
    own: Cover,
}

/// One guard of all: that every caller is guarded, with their action when it is one.
fn joined(mut guards: impl Iterator<Item = Option<Guard>>) -> Option<Guard> {
    let first = guards.next()??;
    let mut action = first.action;
    for guard in guards {
        if guard?.action != action {
            action = None;
        }
    }
    Some(Guard { kind: GuardKind::Callers, action })
}

fn may_do_harm(sink: &Sink) -> bool {
    sink.effect.is_write() || sink.undecided.is_some()
}

/// The verdict on every outbound call, in the order of the sinks.
#[must_use]
pub fn judge(guards: &Guards<'_, '_>, sinks: Vec<Sink>) -> Vec<Site> {
    sinks.into_iter().map(|sink| site(guards, sink)).collect()
}

fn site(guards: &Guards<'_, '_>, sink: Sink) -> Site {
    let function = guards.types.index.functions[sink.function.0 as usize].path.clone();
    let acts = if may_do_harm(&sink) { guards.acts(&sink) } else { Vec::new() };
    let guard = guard_of(&acts);
    let doubt = guard.as_ref().and_then(|_| acts.iter().find_map(|act| guards.doubt(act)));
    let guard = guard.filter(|_| doubt.is_none());
    let undecided = doubt.or_else(|| sink.undecided.clone());
    let verdict = match (&undecided, sink.effect) {
        _ if guard.is_some() => Verdict::Guarded,
        (Some(_), _) => Verdict::Undecided,
        (None, Effect::Read) => Verdict::Read,
        (None, Effect::Auth | Effect::Telemetry) => Verdict::Exempt,
        (None, Effect::Model | Effect::Mutate | Effect::Send | Effect::Charge) => Verdict::Unguarded,
    };
    let why = undecided.filter(|_| verdict == Verdict::Undecided);
    Site { function, verdict, guard, why, callers: guards.paths(sink.function), sink }
}

/// One act that an outbound call can be: itself, or what one of the calls that decide it asks for.
#[derive(Clone, Debug)]
pub struct Act {
    /// The function that holds the place where it is decided.
    pub function: FnId,
    /// The call that decides it.
    pub expr: ExprId,
    /// What it does.
    pub effect: Effect,
    /// What decided the effect, for people.
    pub reason: String,
    /// HTTP method.
    pub http_method: Option<String>,
    /// The URL's literal part.
    pub url: Option<String>,
    /// A PUT or DELETE that is repeatable by the id in its own URL.
    pub natural: bool,
    /// The key that it carries to the provider.
    pub provider_key: Option<ProviderKey>,
    /// What guards it.
    pub guard: Option<Guard>,
}

impl Guards<'_, '_> {
    /// The acts that an outbound call can be, each with what guards it.
    #[must_use]
    pub fn acts(&self, sink: &Sink) -> Vec<Act> {
        if sink.asked.is_empty() {
            return vec![self.own_act(sink)];
        }
        let mut acts: Vec<Act> = Vec::new();
        for asked in sink.asked.iter().filter(|asked| asked.effect.is_write()) {
            let Some((function, expr)) = asked.calls.last().copied() else { continue };
            if acts.iter().any(|act| (act.function, act.expr) == (function, expr)) {
                continue;
            }
            let way = std::iter::once((sink.function, sink.expr)).chain(asked.calls.iter().copied());
            let reserved = self.on_the_way(way, function);
            acts.push(Act {
                function,
                expr,
                effect: asked.effect,
                reason: asked.reason.clone(),
                http_method: asked.http_method.clone(),
                url: asked.url.clone(),
                natural: asked.natural,
                guard: reserved.or_else(|| self.by_provider(asked.provider_key.as_ref())),
                provider_key: asked.provider_key.clone(),
            });
        }
        // A way in of which it is not known what it asks for counts as the call itself.
        let told = |call: &(FnId, ExprId)| sink.asked.iter().any(|asked| asked.calls.first() == Some(call));
        let untold = self
            .callers(sink.function)
            .iter()
            .any(|call| !told(call) && self.guard(Scope::Fn(call.0), call.1).is_none());
        if untold || self.graph.entry(self.types, sink.function).is_some() {
            acts.push(self.own_act(sink));
        }
        if self.cover(Scope::Fn(sink.function), sink.expr).is_some() { vec![self.own_act(sink)] } else { acts }
    }

    /// What guards one of the places that lead from an act to the call that decides it, or else all callers of
    /// the last; none where the act goes astray from that guard.
    fn on_the_way(&self, mut places: impl Iterator<Item = (FnId, ExprId)>, last: FnId) -> Option<Guard> {
        let found = places.find_map(|(function, at)| match self.around(Scope::Fn(function), at) {
            Cover::By(guard) => Some(Some(guard)),
            Cover::Astray => Some(None),
            Cover::Open => None,
        });
        found.unwrap_or_else(|| self.by_callers(Scope::Fn(last)))
    }

    /// Why it cannot be told whether every caller of an act is guarded: a call by the same name on something whose
    /// type is not known, here or further up.
    fn doubt(&self, act: &Act) -> Option<String> {
        if act.guard.as_ref()?.kind != GuardKind::Callers {
            return None;
        }
        let index = self.types.index;
        let mut seen = BTreeSet::new();
        let mut waiting = vec![act.function];
        while let Some(id) = waiting.pop() {
            if !seen.insert(id) {
                continue;
            }
            let open = |(caller, at): &(FnId, ExprId)| self.guard(Scope::Fn(*caller), *at).is_none();
            if let Some((caller, _)) = self.graph.possible_callers(self.types, id).into_iter().find(open) {
                let (name, by) = (&index.function(id).path, &index.function(caller).path);
                return Some(format!(
                    "{by} may call {name} without a guard: the type that it is called on is not known"
                ));
            }
            let above = self.callers(id).into_iter();
            waiting.extend(
                above
                    .filter(|(caller, at)| matches!(self.around(Scope::Fn(*caller), *at), Cover::Open))
                    .map(|call| call.0),
            );
        }
        None
    }

    fn own_act(&self, sink: &Sink) -> Act {
        let reserved = self.guard(Scope::Fn(sink.function), sink.expr);
        Act {
            function: sink.function,
            expr: sink.expr,
            effect: sink.effect,
            reason: sink.reason.clone(),
            http_method: sink.http_method.clone(),
            url: sink.url.clone(),
            natural: sink.natural,
            guard: reserved.or_else(|| self.by_provider(sink.provider_key.as_ref())),
            provider_key: sink.provider_key.clone(),
        }
    }

    /// A documented key that does not differ from attempt to attempt, in the request itself.
    fn by_provider(&self, carried: Option<&ProviderKey>) -> Option<Guard> {
        let carried = carried?;
        let place = Scope::Fn(carried.function);
        let key = self.key(place, carried.value);
        let stands = key.is_documented() && self.attempt(place, carried.value).is_none();
        stands.then(|| Guard { kind: GuardKind::ProviderKey, action: key.action().map(str::to_owned) })
    }
}

/// One guard of all acts: the weakest, a provider's key, where one has only that.
fn guard_of(acts: &[Act]) -> Option<Guard> {
    let guards: Vec<&Guard> = acts.iter().map(|act| act.guard.as_ref()).collect::<Option<_>>()?;
    let weakest = guards.iter().find(|guard| guard.kind == GuardKind::ProviderKey);
    let (first, rest) = guards.split_first()?;
    let (kind, action) = match weakest {
        Some(guard) => (guard.kind, guard.action.clone()),
        None if rest.is_empty() => (first.kind, first.action.clone()),
        None => {
            (GuardKind::Callers, first.action.clone().filter(|_| rest.iter().all(|guard| guard.action == first.action)))
        }
    };
    Some(Guard { kind, action })
}
