//! `reserve-in-transaction`

use std::collections::HashSet;

use crate::catalog::call::Effect;
use crate::diagnostic::{Finding, Level};
use crate::rule::{Domain, Rule};
use crate::scan::flow::order::{Order, Point};
use crate::scan::index::FnId;
use crate::scan::ir::{Body, Expr, ExprId, Lit, Pat, Stmt};
use crate::scan::rules::{Context, Found};
use crate::scan::types::value::Scope;

/// A reservation or a send while a transaction is open.
pub(super) static RULE: Rule = Rule {
    name: "reserve-in-transaction",
    level: Level::Warning,
    domain: Domain::Code,
    page: include_str!("../../../lints/rules/reserve-in-transaction.md"),
};

/// Methods that open a transaction, and those that end it.
const BEGINS: [&str; 5] = ["begin", "begin_with", "build_transaction", "start_transaction", "transaction"];
const ENDS: [&str; 2] = ["commit", "rollback"];

/// A transaction of a function.
struct Open<'b> {
    name: &'b str,
    begun: ExprId,
}

pub(super) fn run(context: &Context<'_, '_, '_>) -> Vec<Found> {
    context.functions_near(&BEGINS).flat_map(|id| in_function(context, id)).collect()
}

fn in_function(context: &Context<'_, '_, '_>, id: FnId) -> Vec<Found> {
    let Some(body) = context.flow.body(id) else { return Vec::new() };
    let opened = transactions(body);
    if opened.is_empty() {
        return Vec::new();
    }
    let acts: Vec<ExprId> = context
        .acts
        .iter()
        .filter(|(_, act)| act.function == id && act.effect != Effect::Model)
        .map(|(_, act)| act.expr)
        .collect();
    let scope = Scope::Fn(id);
    let guarded =
        |at: ExprId| ["reserve", "once"].iter().any(|name| context.guards.ledger_call(scope, at, name).is_some());
    let calls: Vec<ExprId> = match context.guards.client.is_used() {
        true => body.ids().filter(|at| guarded(*at)).collect(),
        false => Vec::new(),
    };
    let raw: Vec<ExprId> = body.ids().filter(|at| calls_reserve(context, body, *at)).collect();
    if acts.is_empty() && calls.is_empty() && raw.is_empty() {
        return Vec::new();
    }
    let Some(order) = context.flow.order(id) else { return Vec::new() };
    let mut told: Vec<Found> = Vec::new();
    for open in &opened {
        let within = within(body, &order, open);
        let is_open = |at: &ExprId| order.done(*at).is_some_and(|at| within.contains(&at));
        let on_it = raw.iter().filter(|at| is_open(at) && mentions(body, statement(body, **at), open.name));
        told.extend(on_it.filter_map(|at| {
            let message = "the ledger's `reserve` is called on a transaction: its rollback takes the reservation back, and the act with it is done anew";
            finding(context, id, open, *at, Level::Error, message)
        }));
        // What stands in the closure of a guard is told of with the guard.
        let inside =
            |at: ExprId| calls.iter().any(|call| *call != at && body.node(*call).span.contains(body.node(at).span));
        let held = calls.iter().chain(acts.iter().filter(|at| !inside(**at))).filter(|at| is_open(at));
        told.extend(held.filter_map(|at| {
            let message = "a transaction is open while this leaves the process: it is held across the call, and its rollback takes no send back";
            finding(context, id, open, *at, Level::Warning, message)
        }));
    }
    told.sort_by(|a, b| a.finding.order().cmp(&b.finding.order()));
    told.dedup_by(|a, b| a.finding.place.span == b.finding.place.span);
    told
}

fn finding(
    context: &Context<'_, '_, '_>,
    id: FnId,
    open: &Open<'_>,
    at: ExprId,
    level: Level,
    message: &str,
) -> Option<Found> {
    let label = context.at_expr(id, at, format!("`{}` is open here", open.name))?;
    let function = context.path_of(id);
    let mut finding = Finding::new(RULE.name, level, message, label)
        .with_help("commit first, then reserve and send; what has to be written with the outcome goes into a transaction of its own afterwards")
        .with_subject(&function);
    finding.related.extend(context.at_expr(id, open.begun, "begun here"));
    Some(Found { finding, function })
}

/// `let mut tx = pool.begin().await?;`
fn transactions(body: &Body) -> Vec<Open<'_>> {
    let mut found = Vec::new();
    for id in body.ids() {
        let Expr::Block { stmts, .. } = body.expr(id) else { continue };
        found.extend(stmts.iter().filter_map(|stmt| match stmt {
            Stmt::Let { pat: Pat::Bind { name, .. }, value: Some(value), .. } if begins(body, *value) => {
                Some(Open { name: name.as_str(), begun: *value })
            }
            _ => None,
        }));
    }
    // Something that is never committed and never given on as a transaction may be anything.
    found.retain(|open| body.ids().any(|id| ends(body, id, open.name)));
    found
}

fn begins(body: &Body, id: ExprId) -> bool {
    match body.expr(id) {
        Expr::Await(inner) | Expr::Try(inner) => begins(body, *inner),
        Expr::Method { name, receiver, args, .. } => {
            BEGINS.contains(&name.as_str()) && args.len() <= 1
                || matches!(name.as_str(), "start" | "map_err" | "context" | "with_context" | "unwrap" | "expect")
                    && begins(body, *receiver)
        }
        _ => false,
    }
}

fn ends(body: &Body, id: ExprId, name: &str) -> bool {
    match body.expr(id) {
        Expr::Method { receiver, name: method, .. } => {
            ENDS.contains(&method.as_str())
                && matches!(body.expr(*receiver), Expr::Path(path) if path.ident() == Some(name))
        }
        Expr::Call { callee, args } => {
            let drops = matches!(body.expr(*callee), Expr::Path(path) if path.segments.last().is_some_and(|last| last.name == "drop"));
            drops && args.iter().any(|arg| matches!(body.expr(*arg), Expr::Path(path) if path.ident() == Some(name)))
        }
        _ => false,
    }
}

/// The points at which the transaction is open.
fn within(body: &Body, order: &Order<'_>, open: &Open<'_>) -> HashSet<Point> {
    let over: HashSet<Point> =
        body.ids().filter(|id| ends(body, *id, open.name)).filter_map(|id| order.done(id)).collect();
    // Its scope: nothing after the block that binds it.
    let scope = body.ancestors(open.begun).find(|id| matches!(body.expr(*id), Expr::Block { .. }));
    let left = scope.and_then(|id| order.done(id));
    let (mut seen, mut waiting) = (HashSet::new(), Vec::from_iter(order.done(open.begun)));
    while let Some(at) = waiting.pop() {
        if over.contains(&at) || Some(at) == left || !seen.insert(at) {
            continue;
        }
        waiting.extend(order.next[at].iter().map(|(to, _)| *to));
    }
    seen
}

/// A statement's text that calls `reserve` of the ledger's schema.
fn calls_reserve(context: &Context<'_, '_, '_>, body: &Body, id: ExprId) -> bool {
    let schema = context.manifest.map_or("onlyonce", |manifest| manifest.schema.name.as_str());
    matches!(body.expr(id), Expr::Lit(Lit::Str(text)) if text.contains(&format!("{schema}.reserve(")))
}

fn statement(body: &Body, id: ExprId) -> ExprId {
    let mut at = id;
    for holder in body.ancestors(id) {
        if matches!(body.expr(holder), Expr::Block { .. } | Expr::Closure { .. }) {
            break;
        }
        at = holder;
    }
    at
}

fn mentions(body: &Body, holder: ExprId, name: &str) -> bool {
    let inside = body.node(holder).span;
    body.ids().any(|id| {
        inside.contains(body.node(id).span) && matches!(body.expr(id), Expr::Path(path) if path.ident() == Some(name))
    })
}
