//! Predicates that put time-outs and errors that are surely safe into one group.

use std::collections::BTreeSet;

use crate::diagnostic::Finding;
use crate::scan::index::FnId;
use crate::scan::ir::{Body, Expr, ExprId};
use crate::scan::rules::timeout_as_failure::RULE;
use crate::scan::rules::{Context, Found};
use crate::scan::types::binding::{Binding, binding_of, name_of};
use crate::scan::types::value::Scope;

/// How many callers up it is asked whether anything is sent.
const LEVELS: u32 = 3;
/// How far below the one who asks the send may be: what is further down is not what failed there.
const BELOW: u32 = 2;

/// What says that nothing was done, and what leaves it open.
const SAFE: [&str; 3] = ["is_connect", "is_builder", "is_rate_limited"];
const OPEN: [&str; 2] = ["is_timeout", "is_server_error"];

pub(super) fn findings(context: &Context<'_, '_, '_>, holders: &BTreeSet<FnId>) -> Vec<Found> {
    let sending = leading(context, holders.iter().copied());
    let speaking = leading(context, context.sites.iter().map(|site| site.sink.function));
    let mut told = Vec::new();
    for id in context.functions_near(&["is_timeout"]) {
        let Some(body) = context.flow.body(id) else { continue };
        let Some(at) = body.ids().find(|at| is_outermost(body, *at) && groups(body, *at)) else { continue };
        if !is_asked(context, id, &sending, &speaking) || !is_of_a_send(context, id, body, at, &sending) {
            continue;
        }
        let message = "a time-out counts as an error after which nothing was sent".to_owned();
        let Some(label) = context.at_expr(id, at, "a request that timed out may have been done") else { continue };
        let function = context.path_of(id);
        let finding = Finding::new(RULE.name, RULE.level, message, label)
            .with_help("keep the two apart: `is_connect() && !is_timeout()` is surely not sent, a time-out is unknown")
            .with_subject(&function);
        told.push(Found { finding, function });
    }
    told
}

/// These functions, and those that lead there in a few calls.
fn leading(context: &Context<'_, '_, '_>, holders: impl Iterator<Item = FnId>) -> BTreeSet<FnId> {
    let mut all: BTreeSet<FnId> = holders.collect();
    let mut level = all.clone();
    for _ in 0..BELOW {
        let callers = level.iter().flat_map(|id| context.flow.graph.callers(context.guards.types, *id));
        level = callers.map(|call| call.caller).filter(|id| !all.contains(id)).collect();
        all.extend(&level);
    }
    all
}

/// Whether anybody asks it about a send; of a function that nobody asks at all it may be, of a method it is not said. The nearest callers that lead out of the
/// process decide: where those only read, a send further out is none of its matter.
fn is_asked(context: &Context<'_, '_, '_>, id: FnId, sending: &BTreeSet<FnId>, speaking: &BTreeSet<FnId>) -> bool {
    let index = context.guards.types.index;
    let mut level: BTreeSet<FnId> = BTreeSet::from([id]);
    for up in 0..LEVELS {
        if level.iter().any(|id| sending.contains(id)) {
            return true;
        }
        if level.iter().any(|id| speaking.contains(id)) {
            return false;
        }
        let mut above: BTreeSet<FnId> = level
            .iter()
            .flat_map(|id| context.flow.graph.callers(context.guards.types, *id))
            .map(|call| call.caller)
            .collect();
        if up == 0 && above.is_empty() {
            above = by_name(context, id);
        }
        if up == 0 && above.is_empty() {
            let function = &index.function(id).function;
            return !function.has_self && !function.params.is_empty();
        }
        level = above;
    }
    false
}

/// Whether the error that is looked at is that of something that sends, where the function itself shows whose it is:
/// `match next_event().await { Err(error) if error.is_timeout() || .. }`.
fn is_of_a_send(
    context: &Context<'_, '_, '_>,
    id: FnId,
    body: &Body,
    groups: ExprId,
    sending: &BTreeSet<FnId>,
) -> bool {
    let span = body.node(groups).span;
    let asked = body.ids().filter(|at| span.contains(body.node(*at).span)).find_map(|at| match body.expr(at) {
        Expr::Method { receiver, name, .. } if OPEN.contains(&name.as_str()) => Some(*receiver),
        _ => None,
    });
    let Some(error) = asked else { return true };
    let Some(whole) = context.flow.body(id) else { return true };
    let Some(name) = name_of(body, error) else { return true };
    let bound = binding_of(&context.flow.eval, Scope::Fn(id), whole, error, name);
    if !matches!(bound, Some(Binding::Matched(..))) {
        return true;
    }
    let own = context.acts.iter().filter(|(_, act)| act.function == id).map(|(_, act)| act.expr);
    let below = context
        .flow
        .graph
        .callees(context.guards.types, id)
        .filter(|call| sending.contains(&call.callee))
        .map(|call| call.expr);
    own.chain(below).any(|call| context.flow.tells_of(id, whole, error, call))
}

/// Functions that call a method of its name on what has no type: an error out of a `match`.
fn by_name(context: &Context<'_, '_, '_>, id: FnId) -> BTreeSet<FnId> {
    let entry = context.guards.types.index.function(id);
    if !entry.function.has_self {
        return BTreeSet::new();
    }
    let calls = |function: &FnId| {
        let Some(body) = context.flow.body(*function) else { return false };
        body.ids().any(|at| matches!(body.expr(at), Expr::Method { name, .. } if *name == entry.name))
    };
    context.functions_near(&[&entry.name]).filter(|function| *function != id).filter(calls).collect()
}

fn is_or(body: &Body, id: ExprId) -> bool {
    matches!(body.expr(id), Expr::Binary(operator, ..) if operator == "||")
}

fn is_outermost(body: &Body, id: ExprId) -> bool {
    is_or(body, id) && !body.node(id).parent.is_some_and(|parent| is_or(body, parent))
}

/// `e.is_timeout() || e.is_connect()`, with more beside them.
fn groups(body: &Body, id: ExprId) -> bool {
    let mut names = Vec::new();
    alternatives(body, id, &mut names);
    let has = |words: &[&str]| names.iter().any(|name| words.contains(name));
    has(&SAFE) && has(&OPEN)
}

fn alternatives<'b>(body: &'b Body, id: ExprId, names: &mut Vec<&'b str>) {
    match body.expr(id) {
        Expr::Binary(operator, left, right) if operator == "||" => {
            alternatives(body, *left, names);
            alternatives(body, *right, names);
        }
        Expr::Method { name, .. } => names.push(name),
        _ => {}
    }
}
