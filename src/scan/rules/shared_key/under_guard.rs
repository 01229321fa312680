//! Guards and permits under which more than one thing is sent.

use crate::catalog::call::Effect;
use crate::diagnostic::Finding;
use crate::scan::guards::client::Named;
use crate::scan::index::FnId;
use crate::scan::ir::{Body, Expr, ExprId, Pat, Stmt, Ty};
use crate::scan::rules::shared_key::{RULE, reached};
use crate::scan::rules::{Context, Found};
use crate::scan::site::GuardKind;
use crate::scan::types::value::Scope;

pub(super) fn findings(context: &Context<'_, '_, '_>) -> Vec<Found> {
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
                told.extend(second_send(context, id, body, closure, &|_| true));
            }
        }
        if let Some(root) = body.root
            && has_one_permit(context, id, body)
        {
            let by_permit = |at: ExprId| {
                let guard = context.guards.guard(Scope::Fn(id), at);
                guard.is_some_and(|guard| guard.kind == GuardKind::Permit)
            };
            told.extend(second_send(context, id, body, root, &by_permit));
        }
    }
    told
}

/// Whether the function is given one permit, or takes one out of a reservation.
fn has_one_permit(context: &Context<'_, '_, '_>, id: FnId, body: &Body) -> bool {
    if !context.guards.client.is_used() {
        return false;
    }
    let entry = context.guards.types.index.function(id);
    let is_proof = |ty: &Ty| {
        let named = context.guards.client.of_ty(entry.module, ty).map(|(named, _)| named);
        matches!(named, Some(Named::Permit | Named::Slot))
    };
    let given = entry.function.params.iter().filter(|param| is_proof(&param.ty)).count();
    let taken = body.ids().flat_map(|at| match body.expr(at) {
        Expr::Match { arms, .. } => arms.iter().map(|arm| &arm.pat).collect(),
        Expr::Let(pat, _) => vec![pat],
        Expr::Block { stmts, .. } => {
            let bound = stmts.iter().filter_map(|stmt| match stmt {
                Stmt::Let { pat, .. } => Some(pat),
                Stmt::Expr { .. } | Stmt::Item(_) => None,
            });
            bound.collect()
        }
        _ => Vec::new(),
    });
    given + taken.filter(|pat| goes(pat)).count() == 1
}

/// `Reservation::Go(permit, _)`.
fn goes(pat: &Pat) -> bool {
    match pat {
        Pat::TupleStruct(path, parts) => {
            path.segments.last().is_some_and(|last| last.name == "Go") || parts.iter().any(goes)
        }
        Pat::Ref(inner) | Pat::Typed(inner, _) => goes(inner),
        _ => false,
    }
}

fn second_send(
    context: &Context<'_, '_, '_>,
    id: FnId,
    body: &Body,
    holder: ExprId,
    is_under: &dyn Fn(ExprId) -> bool,
) -> Option<Found> {
    let counts = |effect: Effect| matches!(effect, Effect::Send | Effect::Charge);
    let mut sends = context.acts_within(id, body, holder, counts);
    sends.retain(|at| is_under(*at));
    sends.sort_by_key(|at| body.node(*at).span);
    sends.dedup();
    if sends.is_empty() {
        return None;
    }
    let order = context.flow.order(id)?;
    let end = order.done(holder);
    let found = sends.iter().find_map(|first| {
        let reached = reached(&order, *first, end);
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
