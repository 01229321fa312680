//! `timeout-as-failure`

mod content;
mod predicates;
mod records;

use std::collections::{BTreeSet, HashSet};

use crate::catalog::call::Effect;
use crate::diagnostic::{Finding, Label, Level};
use crate::rule::{Domain, Rule};
use crate::scan::guards::Act;
use crate::scan::index::FnId;
use crate::scan::ir::{Body, Expr, ExprId, MacroShape};
use crate::scan::rules::settling::settles;
use crate::scan::rules::{Context, Found, words};
use crate::scan::sinks::uses::chain;
use crate::scan::site::Site;

/// An outcome that nobody knows, taken for "not sent".
pub(super) static RULE: Rule = Rule {
    name: "timeout-as-failure",
    level: Level::Error,
    domain: Domain::Code,
    page: include_str!("../../../lints/rules/timeout-as-failure.md"),
};

/// How many callers up an outcome is followed.
const LEVELS: u32 = 3;
/// How many callers a function may have for them to be followed.
const CALLERS: usize = 4;
/// How many places one act is followed to.
const PLACES: usize = 24;

/// What is made of an outcome that nobody knows.
struct Taken {
    /// "is recorded as not sent"
    what: &'static str,
    place: Option<Label>,
    level: Level,
}

pub(super) fn run(context: &Context<'_, '_, '_>) -> Vec<Found> {
    let acts = || context.acts.iter().filter(|(_, act)| is_asked_of(act));
    let mut told: Vec<Found> = acts()
        .filter_map(|(site, act)| {
            let taken = taken(context, site, act)?;
            let message = format!("an outcome of {} that nobody knows {}", words::act(site, act), taken.what);
            let level = if act.effect == Effect::Mutate { taken.level.min(Level::Warning) } else { taken.level };
            let finding = Finding::new(RULE.name, level, message, context.at_act(site, act, words::label(act)))
                .with_help("record it as unknown, and let a status query, an event or a person say what became of it; only a refusal, or a connection that never came about, is a failure")
                .with_subject(words::subject(context, site, act));
            let finding = match taken.place {
                Some(place) => finding.with_related(place),
                None => finding,
            };
            Some(Found { finding, function: context.path_of(act.function) })
        })
        .collect();
    let harmful = acts().filter(|(site, act)| !settles(context, site, act));
    let holders: BTreeSet<FnId> = harmful.map(|(_, act)| act.function).collect();
    told.extend(predicates::findings(context, &holders));
    told
}

fn is_asked_of(act: &Act) -> bool {
    matches!(act.effect, Effect::Send | Effect::Charge | Effect::Mutate) && !act.natural
}

fn taken(context: &Context<'_, '_, '_>, site: &Site, act: &Act) -> Option<Taken> {
    let body = context.flow.body(act.function)?;
    if let Some(place) = loses_to_a_timer(body, act.expr) {
        let place = context.at_expr(act.function, place, "this may be first, and drops the request on its way");
        return Some(Taken { what: "is dropped where a timer is first", place, level: Level::Warning });
    }
    let mut seen = HashSet::new();
    let mut level = vec![(act.function, act.expr)];
    for _ in 0..LEVELS {
        let mut above = Vec::new();
        for (function, call) in std::mem::take(&mut level) {
            if !seen.insert((function, call)) || seen.len() > PLACES {
                continue;
            }
            if let Some(taken) = at(context, site, act, function, call) {
                return Some(taken);
            }
            let callers = context.flow.graph.callers(context.guards.types, function);
            let callers: Vec<_> = callers.filter(|call| call.caller != function).collect();
            if callers.len() <= CALLERS {
                above.extend(callers.iter().map(|call| (call.caller, call.expr)));
            }
        }
        level = above;
    }
    None
}

/// What the function makes of the call when nobody knows what became of it.
fn at(context: &Context<'_, '_, '_>, site: &Site, act: &Act, function: FnId, call: ExprId) -> Option<Taken> {
    let body = context.flow.body(function)?;
    if let Some(id) = records::by_path(context, function, body, call) {
        let place = context.at_expr(function, id, "taken for not sent here");
        return Some(Taken { what: "is recorded as not sent", place, level: Level::Error });
    }
    let after = context.flow.after_failure(function, call);
    let recorded = after.iter().copied().find(|id| records::as_not_sent(context, function, body, *id));
    if let Some(id) = recorded {
        let place = context.at_expr(function, id, "taken for not sent here");
        return Some(Taken { what: "is recorded as not sent", place, level: Level::Error });
    }
    let failed = after.iter().copied().find(|id| records::as_failed(body, *id));
    if let Some(id) = failed {
        let place = context.at_expr(function, id, "taken for a failure here");
        return Some(Taken { what: "is recorded as a failure", place, level: Level::Warning });
    }
    if act.provider_key.is_some() || settles(context, site, act) {
        return None;
    }
    let second = context.acts.iter().find(|(other_site, other)| {
        other.function == function
            && other.expr != call
            && other.expr != act.expr
            && after.contains(&other.expr)
            && does_the_same(site, act, other_site, other)
            && content::is_shared(context, function, call, other.expr)
            && !speaks_of(context, function, body, other.expr, call)
    });
    let place = context.at_expr(function, second?.1.expr, "sent a second time here");
    Some(Taken { what: "is answered with a second send", place, level: Level::Warning })
}

/// Whether the second act is the first one over: the same call of the same service.
fn does_the_same(site: &Site, act: &Act, other_site: &Site, other: &Act) -> bool {
    let same_url = match (&act.url, &other.url) {
        (Some(one), Some(two)) => one == two && one.chars().any(char::is_alphanumeric),
        (None, None) => act.http_method.is_none() && other.http_method.is_none(),
        _ => false,
    };
    site.sink.api == other_site.sink.api
        && act.effect == other.effect
        && act.http_method == other.http_method
        && same_url
}

/// Whether a second send tells somebody what became of the first: the error goes into it.
fn speaks_of<'a>(context: &Context<'_, '_, 'a>, function: FnId, body: &'a Body, second: ExprId, first: ExprId) -> bool {
    let given = chain(body, second).into_iter().flat_map(|(_, _, args)| args.iter().copied());
    let mut waiting: Vec<ExprId> = given.collect();
    while let Some(at) = waiting.pop() {
        if matches!(body.expr(at), Expr::Path(_)) && context.flow.tells_of(function, body, at, first) {
            return true;
        }
        body.expr(at).children(&mut |child| waiting.push(child));
    }
    false
}

/// The timer of a `select!` that drops the request when it is first.
fn loses_to_a_timer(body: &Body, call: ExprId) -> Option<ExprId> {
    let mut child = call;
    for holder in body.ancestors(call) {
        match body.expr(holder) {
            Expr::Closure { .. } => return None,
            Expr::Macro(of) => {
                if let MacroShape::Select(arms) = &of.shape
                    && arms.iter().any(|(future, _)| *future == child)
                {
                    return arms
                        .iter()
                        .map(|(future, _)| *future)
                        .find(|future| *future != child && is_timer(body, *future));
                }
            }
            _ => {}
        }
        child = holder;
    }
    None
}

fn is_timer(body: &Body, id: ExprId) -> bool {
    match body.expr(id) {
        Expr::Call { callee, .. } => matches!(body.expr(*callee), Expr::Path(path)
            if path.segments.last().is_some_and(|last| ["sleep", "sleep_until", "delay_for", "timeout"].contains(&last.name.as_str()))),
        Expr::Path(path) => path
            .ident()
            .is_some_and(|name| ["sleep", "timeout", "deadline", "timer"].iter().any(|word| name.contains(word))),
        Expr::Ref(inner) | Expr::Await(inner) => is_timer(body, *inner),
        Expr::Method { receiver, .. } => is_timer(body, *receiver),
        _ => false,
    }
}
