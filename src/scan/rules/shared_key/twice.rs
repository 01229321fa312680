//! One key that is given to two guards, one after the other: the second act is taken for a repeat of the first.

use crate::diagnostic::Finding;
use crate::scan::guards::uses::KeyUse;
use crate::scan::index::FnId;
use crate::scan::ir::{Body, Expr, ExprId};
use crate::scan::rules::shared_key::{RULE, reached};
use crate::scan::rules::{Context, Found};
use crate::scan::site::GuardKind;
use crate::scan::types::binding::{Bound, bound_of};
use crate::scan::types::value::Scope;

/// A key that is a variable, where a guard is given it.
struct Given {
    function: FnId,
    bound: Bound,
    value: ExprId,
    call: ExprId,
}

pub(super) fn findings(context: &Context<'_, '_, '_>) -> Vec<Found> {
    let given: Vec<Given> = context.keys().iter().filter_map(|keyed| given(context, &keyed.used)).collect();
    let mut told = Vec::new();
    for (at, second) in given.iter().enumerate() {
        let of_it = |first: &&Given| (first.function, first.bound) == (second.function, second.bound);
        let first = given[..at].iter().filter(of_it).find(|first| is_another(context, first, second));
        told.extend(first.and_then(|first| finding(context, first, second)));
    }
    told
}

fn given(context: &Context<'_, '_, '_>, used: &KeyUse) -> Option<Given> {
    if used.by == GuardKind::ProviderKey {
        return None;
    }
    let function = used.function;
    let body = context.flow.body(function)?;
    let base = body.base(used.value);
    let Expr::Path(path) = body.expr(base) else { return None };
    let bound = bound_of(&context.flow.eval, Scope::Fn(function), body, base, path.ident()?)?;
    Some(Given { function, bound, value: used.value, call: body.given_to(used.value)? })
}

/// Whether the second is done once the first is, and is not the same act once more.
fn is_another(context: &Context<'_, '_, '_>, first: &Given, second: &Given) -> bool {
    let (Some(body), Some(order)) = (context.flow.body(first.function), context.flow.order(first.function)) else {
        return false;
    };
    let follows = order.done(second.call).is_some_and(|at| reached(&order, first.call, None).contains(&at));
    follows
        && words(context, first, body) != words(context, second, body)
        && !context.flow.after_failure(first.function, first.call).contains(&second.call)
}

/// The call as it is written, blanks left out.
fn words(context: &Context<'_, '_, '_>, given: &Given, body: &Body) -> String {
    let index = context.guards.types.index;
    let source = &index.files[index.function(given.function).file].source;
    source.slice(body.node(given.call).span).split_whitespace().collect()
}

fn finding(context: &Context<'_, '_, '_>, first: &Given, second: &Given) -> Option<Found> {
    let label = context.at_expr(second.function, second.value, "another act under the same key")?;
    let path = context.path_of(second.function);
    let message = "two acts go under one key: the second is taken for a repeat of the first and is not done".to_owned();
    let mut finding = Finding::new(RULE.name, RULE.level, message, label)
        .with_help("give each act an action and a key of its own")
        .with_subject(&path);
    finding.related.extend(context.at_expr(first.function, first.value, "the first act"));
    Some(Found { finding, function: path })
}
