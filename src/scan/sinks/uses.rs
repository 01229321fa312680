//! The chain in which a call stands: how far it reaches in the text, and what is called upon what.

use crate::scan::ir::{Body, Expr, ExprId, Pat, Stmt};
use crate::source::Span;

/// The whole chain: `?`, `.await` and what wraps the call up to there.
#[must_use]
pub fn chain_span(body: &Body, id: ExprId) -> Span {
    let mut at = id;
    while let Some(parent) = body.node(at).parent {
        match body.expr(parent) {
            Expr::Await(inner) if *inner == at => at = parent,
            _ => break,
        }
    }
    body.node(id).span.to(body.node(at).span)
}

/// The methods of a chain from the call inwards: each with its expression, name and arguments.
#[must_use]
pub fn chain(body: &Body, id: ExprId) -> Vec<(ExprId, &str, &[ExprId])> {
    let mut out = Vec::new();
    let mut at = id;
    loop {
        match body.expr(at) {
            Expr::Method { receiver, name, args, .. } => {
                out.push((at, name.as_str(), args.as_slice()));
                at = *receiver;
            }
            Expr::Await(inner) | Expr::Try(inner) | Expr::Ref(inner) => at = *inner,
            _ => return out,
        }
    }
}

/// Methods that give a request what it carries.
pub const BODIES: [&str; 5] = ["body", "form", "json", "send_form", "send_json"];

/// How many bindings of a chain are followed.
const BINDINGS: usize = 4;

/// The methods that a call is called upon, outermost first, through the bindings that hold what it begins with.
#[must_use]
pub fn names_before(body: &Body, id: ExprId) -> Vec<&str> {
    calls_before(body, id).into_iter().map(|(name, _)| name).collect()
}

/// The same, each with what it is given.
#[must_use]
pub fn calls_before(body: &Body, id: ExprId) -> Vec<(&str, &[ExprId])> {
    let mut out: Vec<_> = chain(body, id).into_iter().skip(1).map(|(_, name, args)| (name, args)).collect();
    let mut at = body.base(id);
    for _ in 0..BINDINGS {
        let Expr::Path(path) = body.expr(at) else { break };
        let Some(value) = path.ident().and_then(|name| bound_before(body, name, at)) else {
            break;
        };
        let methods = chain(body, value).into_iter().filter(|(id, ..)| !opens(body, *id));
        out.extend(methods.map(|(_, name, args)| (name, args)));
        at = body.base(value);
    }
    out
}

/// `CELL.get().unwrap()`, `clients.get(name).cloned()`: what is held is taken out, and nothing is asked of it.
#[must_use]
pub fn opens(body: &Body, id: ExprId) -> bool {
    let takes = matches!(body.expr(id), Expr::Method { name, .. } if name == "get");
    let parent = || body.node(id).parent.map(|parent| body.expr(parent));
    let option = |name: &str| {
        matches!(
            name,
            "unwrap" | "expect" | "cloned" | "is_some" | "is_none" | "ok_or" | "ok_or_else" | "unwrap_or_else"
        )
    };
    takes && matches!(parent(), Some(Expr::Method { name, receiver, .. }) if *receiver == id && option(name))
}

/// The value of the last `let` of a name before a place, in the blocks around it: no more of the body is looked at, which
/// may hold a thousand calls beside much else.
pub fn bound_before(body: &Body, name: &str, at: ExprId) -> Option<ExprId> {
    let before = body.node(at).span.start;
    let held = |stmt: &Stmt| match stmt {
        Stmt::Let { pat: Pat::Bind { name: bound, .. }, value: Some(value), .. } if bound == name => {
            (body.node(*value).span.end <= before).then_some(*value)
        }
        _ => None,
    };
    let around = std::iter::successors(body.node(at).parent, |inner| body.node(*inner).parent);
    around.into_iter().find_map(|inner| match body.expr(inner) {
        Expr::Block { stmts, .. } => stmts.iter().rev().find_map(held),
        _ => None,
    })
}

/// Whether a chain goes over a list: `find` and `count` of what `iter` gives stay here.
pub(super) fn is_iterator(body: &Body, id: ExprId) -> bool {
    let mut at = id;
    while let Expr::Method { receiver, name, .. } = body.expr(at) {
        match name.as_str() {
            "iter" | "iter_mut" | "into_iter" | "chars" | "bytes" | "lines" | "keys" | "values" | "values_mut" => {
                return true;
            }
            "chain" | "cloned" | "copied" | "enumerate" | "filter" | "filter_map" | "flat_map" | "flatten"
            | "inspect" | "map" | "peekable" | "rev" | "skip" | "skip_while" | "step_by" | "take" | "take_while"
            | "zip" => {
                at = *receiver;
            }
            _ => return false,
        }
    }
    false
}

/// `CELL.get().unwrap()`: what a cell holds is taken out of it.
pub(super) fn opens_a_cell(body: &Body, expr: ExprId) -> bool {
    matches!(body.expr(expr), Expr::Method { args, .. } if args.is_empty()) && opens(body, expr)
}
