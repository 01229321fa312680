//! `shared-key`

use std::collections::HashSet;

use crate::catalog::call::Effect;
use crate::diagnostic::{Finding, Level};
use crate::rule::{Domain, Rule};
use crate::scan::flow::origin::Arguments;
use crate::scan::index::FnId;
use crate::scan::ir::{Body, Expr, ExprId, LoopKind, Pat, Stmt};
use crate::scan::rules::{Context, Found};
use crate::scan::site::GuardKind;
use crate::scan::types::value::Scope;

/// Several sends under one key: the first is done, the others are taken for its repeats.
pub(super) static RULE: Rule = Rule {
    name: "shared-key",
    level: Level::Error,
    domain: Domain::Code,
    page: include_str!("../../../lints/rules/shared-key.md"),
};

pub(super) fn run(context: &Context<'_, '_, '_>) -> Vec<Found> {
    let mut told = in_loops(context);
    told.extend(in_guards(context));
    told
}

/// Keys that are the same in every round of a loop whose rounds send something of their own.
fn in_loops(context: &Context<'_, '_, '_>) -> Vec<Found> {
    let keyed = context.keys.iter().filter_map(|keyed| {
        let (function, value) = (keyed.used.function, keyed.used.value);
        let body = context.flow.body(function)?;
        let around = item_loop(body, value)?;
        let sends = holder_of(context, function, body, value, keyed.used.by)?;
        let items = items(body, around);
        let about = mentions_any(body, sends, &items) || context.flow.is_made_of(function, body, sends, &items);
        if !about || varies(context, function, body, around, value) {
            return None;
        }
        let label = context.at_expr(function, value, "the same key in every round")?;
        let message =
            "a loop sends each item under one key: after the first, every other counts as its repeat".to_owned();
        let path = context.path_of(function);
        let mut finding = Finding::new(RULE.name, RULE.level, message, label)
            .with_help("put what tells the items apart into the key")
            .with_subject(&path);
        finding.related.extend(context.at_expr(function, around, "the loop"));
        Some(Found { finding, function: path })
    });
    keyed.collect()
}

/// The innermost loop over items around the place, within the same closure or function.
fn item_loop(body: &Body, id: ExprId) -> Option<ExprId> {
    let mut child = id;
    for holder in body.ancestors(id) {
        if let Expr::Loop { kind, body: inner, head, .. } = body.expr(holder)
            && *inner == child
        {
            let over_items = match (kind, head) {
                (LoopKind::For, Some(head)) => !matches!(body.expr(*head), Expr::Range(..)),
                (LoopKind::While, Some(head)) => matches!(body.expr(*head), Expr::Let(..)),
                _ => false,
            };
            return over_items.then_some(holder);
        }
        child = holder;
    }
    None
}

fn items(body: &Body, around: ExprId) -> Vec<&str> {
    let mut names = Vec::new();
    let Expr::Loop { pat, head, .. } = body.expr(around) else { return names };
    let by_condition = head.and_then(|head| match body.expr(head) {
        Expr::Let(pat, _) => Some(pat),
        _ => None,
    });
    for pat in pat.iter().chain(by_condition) {
        pat.bindings(&mut |name, _| names.push(name));
    }
    names
}

/// What is sent under the key: the call of the guard, or the request that carries it.
fn holder_of(
    context: &Context<'_, '_, '_>,
    function: FnId,
    body: &Body,
    value: ExprId,
    by: GuardKind,
) -> Option<ExprId> {
    if by == GuardKind::ProviderKey {
        let carries = |act: &crate::scan::guards::Act| {
            act.function == function && act.provider_key.as_ref().is_some_and(|key| key.value == value)
        };
        return context.acts.iter().find(|(_, act)| carries(act)).map(|(_, act)| act.expr);
    }
    body.ancestors(value)
        .find(|id| matches!(body.expr(*id), Expr::Method { args, .. } | Expr::Call { args, .. } if args.len() > 1))
}

fn mentions_any(body: &Body, holder: ExprId, names: &[&str]) -> bool {
    let inside = body.node(holder).span;
    body.ids().any(|id| {
        inside.contains(body.node(id).span)
            && matches!(body.expr(id), Expr::Path(path) if path.ident().is_some_and(|name| names.contains(&name)))
    })
}

/// Whether something in the key differs from round to round.
fn varies(context: &Context<'_, '_, '_>, function: FnId, body: &Body, around: ExprId, value: ExprId) -> bool {
    let scope = Scope::Fn(function);
    let inside = body.node(around).span;
    let changing = changing(body, around);
    let names: Vec<&str> = changing.iter().copied().collect();
    if context.flow.body(function).is_some_and(|own| context.flow.is_made_of(function, own, value, &names)) {
        return true;
    }
    let from = context.flow.origins(scope, value, Arguments::All);
    from.places.iter().filter(|(of, _)| *of == scope).any(|(_, id)| match body.expr(*id) {
        Expr::Path(path) => path.ident().is_some_and(|name| changing.contains(name)),
        // What is awaited or taken from something in the round is new in each.
        Expr::Await(_) => inside.contains(body.node(*id).span),
        Expr::Method { name, .. } => {
            inside.contains(body.node(*id).span)
                && ["next", "pop", "recv", "take", "fetch", "increment"].iter().any(|start| name.starts_with(start))
        }
        _ => false,
    })
}

/// Names that stand for something else in each round: items, what is assigned, what patterns take out.
fn changing(body: &Body, around: ExprId) -> HashSet<&str> {
    let inside = body.node(around).span;
    let mut names: HashSet<&str> = items(body, around).into_iter().collect();
    for id in body.ids().filter(|id| *id != around && inside.contains(body.node(*id).span)) {
        match body.expr(id) {
            Expr::Assign(_, left, _) => {
                if let Expr::Path(path) = body.expr(*left) {
                    names.extend(path.ident());
                }
            }
            Expr::Let(pat, _) => pat.bindings(&mut |name, _| names.extend([name])),
            Expr::Match { arms, .. } => {
                arms.iter().for_each(|arm| arm.pat.bindings(&mut |name, _| names.extend([name])));
            }
            Expr::Block { stmts, .. } => {
                for stmt in stmts {
                    if let Stmt::Let { pat, .. } = stmt
                        && !matches!(pat, Pat::Bind { .. })
                    {
                        pat.bindings(&mut |name, _| names.extend([name]));
                    }
                }
            }
            _ => {}
        }
    }
    names
}

/// Guards under which more than one thing is sent.
fn in_guards(context: &Context<'_, '_, '_>) -> Vec<Found> {
    if !context.guards.can_guard() {
        return Vec::new();
    }
    let mut told = Vec::new();
    for id in context.guards.functions() {
        let Some(body) = context.flow.body(id) else { continue };
        for call in body.ids() {
            if !matches!(body.expr(call), Expr::Method { .. } | Expr::Call { .. }) {
                continue;
            }
            let given = context.guards.guard_call(Scope::Fn(id), call).and_then(|given| given.body);
            if let Some(closure) = given {
                told.extend(second_send(context, id, body, closure));
            }
        }
    }
    told
}

fn second_send(context: &Context<'_, '_, '_>, id: FnId, body: &Body, closure: ExprId) -> Option<Found> {
    let inside = body.node(closure).span;
    let here = |at: ExprId| inside.contains(body.node(at).span);
    let counts = |effect: Effect| matches!(effect, Effect::Send | Effect::Charge);
    let mut sends: Vec<ExprId> = context
        .acts
        .iter()
        .filter(|(_, act)| act.function == id && counts(act.effect) && here(act.expr))
        .map(|(_, act)| act.expr)
        .collect();
    let sending = |callee: FnId| context.acts.iter().any(|(_, act)| act.function == callee && counts(act.effect));
    sends.extend(
        context.flow.graph.callees(id).filter(|call| here(call.expr) && sending(call.callee)).map(|call| call.expr),
    );
    sends.sort_by_key(|at| body.node(*at).span);
    sends.dedup();
    if sends.is_empty() {
        return None;
    }
    let order = context.flow.order(id)?;
    let after = |from: ExprId| {
        let (mut seen, mut waiting) = (HashSet::new(), Vec::new());
        waiting.extend(order.done(from).into_iter().flat_map(|at| order.next[at].iter().map(|(to, _)| *to)));
        let end = order.done(closure);
        while let Some(at) = waiting.pop() {
            if Some(at) == end || !seen.insert(at) {
                continue;
            }
            waiting.extend(order.next[at].iter().map(|(to, _)| *to));
        }
        seen
    };
    let found = sends.iter().find_map(|first| {
        let reached = after(*first);
        let is_reached = |at: &ExprId| order.done(*at).is_some_and(|at| reached.contains(&at));
        let again = is_reached(first) && context.flow.again(id, *first).is_none();
        if again {
            return Some((*first, *first));
        }
        sends
            .iter()
            .find(|at| *at != first && is_reached(at) && !within(body, **at, *first))
            .map(|second| (*first, *second))
    });
    let (first, second) = found?;
    let (text, why) = match first == second {
        true => ("sent in every round under the same key", "a loop sends more than once under the key of one act"),
        false => ("a second send under the same key", "two things are sent under the key of one act"),
    };
    let label = context.at_expr(id, second, text)?;
    let path = context.path_of(id);
    let message = format!("{why}: when the second fails, the first is done and counts as not");
    let mut finding = Finding::new(RULE.name, RULE.level, message, label)
        .with_help("give each send an action and a key of its own")
        .with_subject(&path);
    if first != second {
        finding.related.extend(context.at_expr(id, first, "the first send"));
    }
    Some(Found { finding, function: path })
}

/// Whether one is part of the other's expression.
fn within(body: &Body, one: ExprId, two: ExprId) -> bool {
    let (one, two) = (body.node(one).span, body.node(two).span);
    one.contains(two) || two.contains(one)
}
