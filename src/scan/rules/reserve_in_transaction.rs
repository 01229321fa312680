//! `reserve-in-transaction`

use std::collections::{BTreeSet, HashSet};

use crate::catalog::call::Effect;
use crate::diagnostic::{Finding, Level};
use crate::rule::{Domain, Rule};
use crate::scan::flow::order::{Order, Point};
use crate::scan::graph::CallKind;
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

/// How many helpers deep a reservation or a send is looked for.
const HELPERS: u32 = 3;

/// Functions that do, themselves or through others, what is told of.
struct Below {
    /// They call the ledger's `reserve` in SQL.
    reserve: BTreeSet<FnId>,
    /// They leave the process.
    leave: BTreeSet<FnId>,
    /// They do so themselves.
    leave_here: BTreeSet<FnId>,
}

/// A transaction of a function.
struct Open<'b> {
    name: &'b str,
    begun: ExprId,
}

pub(super) fn run(context: &Context<'_, '_, '_>) -> Vec<Found> {
    let below = Below::new(context);
    context.functions_near(&BEGINS).flat_map(|id| in_function(context, &below, id)).collect()
}

impl Below {
    fn new(context: &Context<'_, '_, '_>) -> Below {
        let words = format!("{}.reserve(", schema(context));
        let words = [words.as_str()];
        let reserving = context.functions_near(&words).filter(|id| {
            let body = context.flow.body(*id);
            body.is_some_and(|body| body.ids().any(|at| calls_reserve(context, body, at)))
        });
        let leaving = context.acts.iter().filter(|(_, act)| act.effect != Effect::Model);
        let leave_here: BTreeSet<FnId> = leaving.map(|(_, act)| act.function).collect();
        Below {
            reserve: with_callers(context, reserving.collect()),
            leave: with_callers(context, leave_here.clone()),
            leave_here,
        }
    }

    /// Calls of a body that lead to one of the functions and wait for it.
    fn calls<'b>(
        context: &'b Context<'_, '_, '_>,
        id: FnId,
        body: &'b Body,
        of: &'b BTreeSet<FnId>,
    ) -> impl Iterator<Item = ExprId> {
        let calls = context
            .flow
            .graph
            .callees(context.guards.types, id)
            .filter(move |call| call.kind == CallKind::Call && call.callee != id);
        calls.filter(|call| of.contains(&call.callee) && !is_spawned(body, call.expr)).map(|call| call.expr)
    }
}

/// The functions, and those that call them from a few helpers up.
fn with_callers(context: &Context<'_, '_, '_>, from: BTreeSet<FnId>) -> BTreeSet<FnId> {
    let (mut all, mut level) = (from.clone(), from);
    for _ in 1..HELPERS {
        let above = level.iter().flat_map(|id| context.flow.graph.callers(context.guards.types, *id)).filter(|call| {
            let body = context.flow.body(call.caller);
            call.kind == CallKind::Call && body.is_some_and(|body| !is_spawned(body, call.expr))
        });
        let above: BTreeSet<FnId> = above.map(|call| call.caller).collect();
        level = above.into_iter().filter(|id| all.insert(*id)).collect();
    }
    all
}

/// Whether it runs in a task of its own, which nothing here waits for.
fn is_spawned(body: &Body, at: ExprId) -> bool {
    body.ancestors(at).any(|holder| match body.expr(holder) {
        Expr::Method { name, .. } => name.contains("spawn"),
        Expr::Call { callee, .. } => matches!(body.expr(*callee), Expr::Path(path)
            if path.segments.last().is_some_and(|last| last.name.contains("spawn"))),
        _ => false,
    })
}

fn in_function(context: &Context<'_, '_, '_>, below: &Below, id: FnId) -> Vec<Found> {
    let Some(body) = context.flow.body(id) else { return Vec::new() };
    let opened = transactions(body);
    if opened.is_empty() {
        return Vec::new();
    }
    let own = context.acts.iter().filter(|(_, act)| act.function == id && act.effect != Effect::Model);
    let acts: Vec<ExprId> = own.map(|(_, act)| act.expr).chain(Below::calls(context, id, body, &below.leave)).collect();
    let own_calls = context.acts.iter().filter(|(_, act)| act.function == id).map(|(_, act)| act.expr);
    let here: HashSet<ExprId> = own_calls.chain(Below::calls(context, id, body, &below.leave_here)).collect();
    let scope = Scope::Fn(id);
    let guarded =
        |at: ExprId| ["reserve", "once"].iter().any(|name| context.guards.ledger_call(scope, at, name).is_some());
    let calls: Vec<ExprId> = match context.guards.client.is_used() {
        true => body.ids().filter(|at| guarded(*at)).collect(),
        false => Vec::new(),
    };
    let own = body.ids().filter(|at| calls_reserve(context, body, *at));
    let raw: Vec<ExprId> = own.chain(Below::calls(context, id, body, &below.reserve)).collect();
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
        // A helper that is given the transaction works on it: of what it may do further down only its own sends are sure.
        let sends = |at: ExprId| !mentions(body, at, open.name) || here.contains(&at);
        let held = calls.iter().chain(acts.iter().filter(|at| !inside(**at) && sends(**at))).filter(|at| is_open(at));
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
    let schema = schema(context);
    matches!(body.expr(id), Expr::Lit(Lit::Str(text)) if text.contains(&format!("{schema}.reserve(")))
}

fn schema<'c>(context: &Context<'c, '_, '_>) -> &'c str {
    context.manifest.map_or("onlyonce", |manifest| manifest.schema.name.as_str())
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
