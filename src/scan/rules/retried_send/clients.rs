//! Clients that send again by themselves: policies that they are built with, and what their crates do by default.

use std::cell::RefCell;
use std::collections::BTreeSet;

use rustc_hash::FxHashSet as HashSet;

use crate::catalog::lookup::fits;
use crate::catalog::retries::{self, Kind, Repeats, Retry};
use crate::diagnostic::{Finding, Level};
use crate::scan::flow::origin::{Arguments, Origins};
use crate::scan::guards::Act;
use crate::scan::index::FnId;
use crate::scan::ir::{Body, Expr, ExprId, Path, Ty};
use crate::scan::rules::retried_send::{RULE, Reason};
use crate::scan::rules::{Context, Found};
use crate::scan::sinks::recipes::words;
use crate::scan::sinks::verbs::writes;
use crate::scan::site::Site;
use crate::scan::types::call::Target;
use crate::scan::types::known::first_of;
use crate::scan::types::value::{Place, Scope};

/// A place where a client is told to repeat.
struct Policy {
    place: Place,
    known: &'static Retry,
}

/// What the workspace says of its clients.
pub(super) struct Clients {
    policies: Vec<Policy>,
    /// Policies that some send was found to go through.
    used: RefCell<BTreeSet<usize>>,
    /// Last names of paths that switch something off, as they stand in some file.
    off: Vec<&'static str>,
}

impl Clients {
    pub(super) fn new(context: &Context<'_, '_, '_>) -> Clients {
        let names = retries::all().iter().filter(|entry| entry.kind == Kind::Policy && entry.name != "*");
        let (patterns, exact): (Vec<&str>, Vec<&str>) =
            names.map(|entry| entry.name.as_str()).partition(|name| name.contains('*'));
        let exact: HashSet<&str> = exact.into_iter().collect();
        let of_policy = |name: &str| exact.contains(name) || patterns.iter().any(|pattern| fits(pattern, name));
        let mut policies = Vec::new();
        for id in context.functions_near(&["retry", "Retry"]) {
            let scope = Scope::Fn(id);
            let Some(body) = context.flow.body(id) else { continue };
            policies.extend(body.ids().filter_map(|at| policy(context, scope, body, at, &of_policy)));
        }
        let off = retries::all().iter().filter(|entry| !entry.off.is_empty() && is_switched_off(context, entry));
        Clients {
            off: off.flat_map(|entry| &entry.off).map(String::as_str).collect(),
            policies,
            used: RefCell::default(),
        }
    }

    /// Why the client repeats the act.
    pub(super) fn reason(&self, context: &Context<'_, '_, '_>, site: &Site, act: &Act) -> Option<Reason> {
        let package = context.guards.types.known.library(first_of(&site.sink.api)).map(|krate| krate.package.as_str());
        let default = package.filter(|_| site.sink.built_in_retry).and_then(retries::default_of);
        let default = default.filter(|known| known.repeats == Repeats::All && !known.keys(&site.sink.api));
        if self.policies.is_empty() && default.is_none() {
            return None;
        }
        let needed = !self.policies.is_empty() || default.is_some_and(|known| self.may_be_off(known));
        let from = if needed {
            context.flow.origins(Scope::Fn(act.function), act.expr, Arguments::Settings)
        } else {
            Origins::default()
        };
        self.by_policy(context, site, &from).or_else(|| self.by_default(context, default?, &from))
    }

    fn by_policy(&self, context: &Context<'_, '_, '_>, site: &Site, from: &Origins) -> Option<Reason> {
        let found = self.policies.iter().position(|policy| from.places.contains(&policy.place));
        let found = found.or_else(|| self.of_type(context, site, from))?;
        self.used.borrow_mut().insert(found);
        let policy = self.policies.get(found)?;
        Some(Reason {
            level: Level::Error,
            by: format!(
                "by its client, which is built with `{}::{}`",
                policy.known.path,
                policy.known.name.trim_end_matches('*')
            ),
            place: at(context, policy.place),
        })
    }

    /// Where it cannot be followed which client this is: the one kind of client that the crate of the policy makes.
    fn of_type(&self, context: &Context<'_, '_, '_>, site: &Site, from: &Origins) -> Option<usize> {
        if !site.sink.api.starts_with("reqwest_middleware::") {
            return None;
        }
        let builds = |place: &Place| {
            let Some(body) = context.guards.types.body(place.0) else { return false };
            matches!(body.expr(place.1), Expr::Call { callee, .. }
                if matches!(body.expr(*callee), Expr::Path(path) if ends_in(path, "ClientBuilder::new")))
        };
        if from.places.iter().any(builds) {
            return None;
        }
        self.policies.iter().position(|policy| policy.known.package == "reqwest-retry")
    }

    fn may_be_off(&self, known: &Retry) -> bool {
        known.off.iter().any(|name| self.off.contains(&name.as_str()))
    }

    fn by_default(&self, context: &Context<'_, '_, '_>, known: &Retry, from: &Origins) -> Option<Reason> {
        if self.may_be_off(known) {
            let switched = from.places.iter().any(|place| switches_off(context, *place, known));
            if switched || from.open {
                return None;
            }
        }
        let by = format!("by {}, which does so unless {}", known.package, switch(known));
        Some(Reason { level: Level::Warning, by, place: None })
    }

    /// Policies of clients through which no send was seen to go, where nobody of the workspace takes the client: of
    /// the others it was seen what they send.
    pub(super) fn unused(&self, context: &Context<'_, '_, '_>) -> Vec<Found> {
        let used = self.used.borrow();
        let unused = self.policies.iter().enumerate().filter(|(at, _)| !used.contains(at)).map(|(_, policy)| policy);
        let told = unused.filter_map(|policy| {
            let Scope::Fn(function) = policy.place.0 else { return None };
            if is_for_downloads(context, function) {
                return None;
            }
            if !context.guards.callers(function).is_empty() {
                return None;
            }
            let label = context.at_expr(function, policy.place.1, "the client is built with it")?;
            let message = "this client repeats whatever failed, also what may have reached its goal".to_owned();
            let function = context.path_of(function);
            let finding = Finding::new(RULE.name, Level::Warning, message, label)
                .with_help("keep it from repeating what is not a read, or give those requests a client of their own")
                .with_subject(&function);
            Some(Found { finding, function })
        });
        told.collect()
    }
}

/// Whether a client is made for what only reads, by the names of its function and of the type that has it:
/// `FileDownloadService::new`, `build_fetcher`.
fn is_for_downloads(context: &Context<'_, '_, '_>, function: FnId) -> bool {
    let index = context.guards.types.index;
    let entry = index.function(function);
    let of_type = entry.impl_id.and_then(|id| match &index.impls.get(id.0 as usize)?.def.self_ty {
        Ty::Path(path) => path.segments.last().map(|last| last.name.as_str()),
        _ => None,
    });
    let said: Vec<String> = words(of_type.unwrap_or_default()).into_iter().chain(words(&entry.name)).collect();
    let reads = |word: &String| matches!(word.as_str(), "download" | "downloader" | "fetch" | "fetcher" | "reader");
    said.iter().any(reads) && !said.iter().any(|word| writes(word))
}

fn switch(known: &Retry) -> String {
    match known.off.first() {
        Some(off) => format!("its client is given `{off}`"),
        None => "it is switched off".to_owned(),
    }
}

/// The policy that a client is given there.
fn policy(
    context: &Context<'_, '_, '_>,
    scope: Scope,
    body: &Body,
    at: ExprId,
    of_policy: &dyn Fn(&str) -> bool,
) -> Option<Policy> {
    let name = match body.expr(at) {
        Expr::Method { name, .. } => name.as_str(),
        Expr::Call { callee, .. } => match body.expr(*callee) {
            Expr::Path(path) => path.segments.last()?.name.as_str(),
            _ => return None,
        },
        _ => return None,
    };
    if !of_policy(name) {
        return None;
    }
    context.flow.eval.refill();
    let Target::Outside { path, name, .. } = context.flow.eval.target(scope, at) else { return None };
    let known = retries::of_call(Kind::Policy, &path, &name).filter(|known| known.repeats == Repeats::All)?;
    let from = context.flow.origins(scope, at, Arguments::All);
    let calls = |wanted: &dyn Fn(&str) -> bool| {
        from.places.iter().any(|(scope, id)| {
            let expr = context.guards.types.body(*scope).map(|body| body.expr(*id));
            matches!(expr, Some(Expr::Method { name, .. }) if wanted(name))
        })
    };
    let needed = known.needs.is_empty() || calls(&|name| known.needs.iter().any(|one| one == name));
    // A policy that looks at the method decides by it.
    let looks = from.places.iter().any(|(scope, id)| looks_at_method(context, *scope, *id));
    (needed && !looks).then_some(Policy { place: (scope, at), known })
}

/// Whether the expression asks for a request's method, the insides of closures counted.
fn looks_at_method(context: &Context<'_, '_, '_>, scope: Scope, id: ExprId) -> bool {
    let Some(body) = context.guards.types.body(scope) else { return false };
    let asks =
        |at: ExprId| matches!(body.expr(at), Expr::Method { name, args, .. } if name == "method" && args.is_empty());
    match body.expr(id) {
        Expr::Closure { body: inner, .. } => {
            let span = body.node(*inner).span;
            body.ids().any(|at| span.contains(body.node(at).span) && asks(at))
        }
        _ => asks(id),
    }
}

/// Whether anything of the workspace switches it off.
fn is_switched_off(context: &Context<'_, '_, '_>, known: &Retry) -> bool {
    let written: Vec<&str> = known.off.iter().map(String::as_str).collect();
    context.functions_near(&written).map(Scope::Fn).any(|scope| {
        let body = context.guards.types.body(scope);
        body.is_some_and(|body| body.ids().any(|id| switches_off(context, (scope, id), known)))
    })
}

fn switches_off(context: &Context<'_, '_, '_>, place: Place, known: &Retry) -> bool {
    let Some(body) = context.guards.types.body(place.0) else { return false };
    match body.expr(place.1) {
        Expr::Path(path) => known.off.iter().any(|off| ends_in(path, off)),
        Expr::Call { callee, .. } => {
            matches!(body.expr(*callee), Expr::Path(path) if known.off.iter().any(|off| ends_in(path, off)))
        }
        Expr::Assign(_, left, _) => matches!(body.expr(*left), Expr::Field(_, name) if known.off.contains(name)),
        Expr::Struct { fields, .. } => fields.iter().any(|(name, _)| known.off.contains(name)),
        _ => false,
    }
}

/// Whether a path ends in these names; a single one has to be all of it.
fn ends_in(path: &Path, names: &str) -> bool {
    let mut written = path.segments.iter().rev();
    let ends = names.rsplit("::").all(|name| written.next().is_some_and(|segment| segment.name == name));
    ends && (names.contains("::") || path.segments.len() == 1)
}

fn at(context: &Context<'_, '_, '_>, place: Place) -> Option<crate::diagnostic::Label> {
    let function: FnId = match place.0 {
        Scope::Fn(id) => id,
        Scope::Const(_) | Scope::Macro(..) => return None,
    };
    context.at_expr(function, place.1, "the client is built with it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_is_named_by_its_last_names() {
        assert!(ends_in(&Path::of("aws::config::RetryConfig::disabled"), "RetryConfig::disabled"));
        assert!(ends_in(&Path::of("default_retry"), "default_retry"));
        assert!(!ends_in(&Path::of("pool::default_retry"), "default_retry"));
        assert!(!ends_in(&Path::of("disabled"), "RetryConfig::disabled"));
        assert!(!ends_in(&Path::of("Other::disabled"), "RetryConfig::disabled"));
    }
}
