//! `shared-key`

mod twice;
mod under_guard;

use std::collections::HashSet;

use crate::catalog::call::Effect;
use crate::diagnostic::{Finding, Level};
use crate::rule::{Domain, Rule};
use crate::scan::flow::order::{Order, Point};
use crate::scan::flow::origin::Arguments;
use crate::scan::index::FnId;
use crate::scan::ir::{Body, Expr, ExprId, Lit, LoopKind, Pat, Stmt};
use crate::scan::rules::{Context, Found};
use crate::scan::sinks::uses::chain;
use crate::scan::site::{GuardKind, Sink};
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
    told.extend(to_one_address(context));
    told.extend(under_guard::findings(context));
    told.extend(twice::findings(context));
    told
}

/// Keys that are the same in every round of a loop whose rounds send something of their own.
fn in_loops(context: &Context<'_, '_, '_>) -> Vec<Found> {
    let keyed = context.keys().iter().filter_map(|keyed| {
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

/// Messages that are put to an address whose last part is the key, the same in every round.
fn to_one_address(context: &Context<'_, '_, '_>) -> Vec<Found> {
    let put = context.sites.iter().map(|site| &site.sink).filter(|sink| {
        let is_put = matches!(sink.effect, Effect::Send | Effect::Charge) && sink.http_method.as_deref() == Some("PUT");
        is_put && sink.url.as_deref().is_some_and(ends_in_a_key)
    });
    put.filter_map(|sink| put_in_a_loop(context, sink)).collect()
}

fn put_in_a_loop(context: &Context<'_, '_, '_>, sink: &Sink) -> Option<Found> {
    let body = context.flow.body(sink.function)?;
    let around = item_loop(body, sink.expr)?;
    let links = chain(body, sink.expr);
    let address = links.iter().find(|(_, name, _)| matches!(*name, "put" | "request"))?.2.last().copied()?;
    // The parts of one thing go to one address.
    let in_parts = links.iter().any(|(_, name, args)| {
        let says =
            |arg: &ExprId| matches!(body.expr(*arg), Expr::Lit(Lit::Str(text)) if text.to_lowercase().contains("range"));
        *name == "header" && args.iter().any(says)
    });
    let items = items(body, around);
    let about = context.flow.is_made_of(sink.function, body, sink.expr, &items);
    if in_parts || !about || varies(context, sink.function, body, around, address) {
        return None;
    }
    let label = context.at_expr(sink.function, address, "the same address in every round")?;
    let message =
        "a loop puts each item under the key in one address: after the first, every other counts as its repeat";
    let path = context.path_of(sink.function);
    let mut finding = Finding::new(RULE.name, RULE.level, message.to_owned(), label)
        .with_help("make the last part of the address in the loop, of what tells the items apart")
        .with_subject(&path);
    finding.related.extend(context.at_expr(sink.function, around, "the loop"));
    Some(Found { finding, function: path })
}

/// `{}/rooms/{}/send/m.room.message/{}`: something that is made up ends an address that is known.
fn ends_in_a_key(url: &str) -> bool {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    path.strip_suffix("/{}").is_some_and(|before| before.contains('/') && before.chars().any(char::is_alphabetic))
}

/// The innermost loop over items around the place, within the same closure or function; what repeats one of them is
/// passed by.
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
            if over_items {
                return Some(holder);
            }
        }
        if matches!(body.expr(holder), Expr::Closure { .. }) {
            return None;
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

/// The points that come after one, up to an end.
fn reached(order: &Order<'_>, from: ExprId, end: Option<Point>) -> HashSet<Point> {
    let (mut seen, mut waiting) = (HashSet::new(), Vec::new());
    waiting.extend(order.done(from).into_iter().flat_map(|at| order.next[at].iter().map(|(to, _)| *to)));
    while let Some(at) = waiting.pop() {
        if Some(at) == end || !seen.insert(at) {
            continue;
        }
        waiting.extend(order.next[at].iter().map(|(to, _)| *to));
    }
    seen
}
