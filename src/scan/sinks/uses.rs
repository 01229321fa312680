//! What becomes of a call's value: whether it is awaited, and how far its chain reaches in the text.

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

/// How the value of a lazy request ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Awaited, or given on to what may await it; the expression that does, and whether right at the call.
    Used(ExprId, bool),
    /// Made and dropped.
    Dropped,
}

/// Follows a value upwards: setters, bindings, blocks, to the await or to where it is given on.
#[must_use]
pub fn end_of(body: &Body, id: ExprId) -> End {
    let mut at = id;
    let mut direct = true;
    loop {
        let Some(parent) = body.node(at).parent else { return End::Used(at, direct) };
        match body.expr(parent) {
            Expr::Await(_) => return End::Used(parent, direct),
            Expr::Method { receiver, .. } if *receiver == at => {
                direct = false;
                at = parent;
            }
            Expr::Ref(_) | Expr::Try(_) | Expr::Cast(..) => at = parent,
            Expr::Block { stmts, .. } => return in_block(body, stmts, at, direct),
            _ => return End::Used(at, direct),
        }
    }
}

fn in_block(body: &Body, stmts: &[Stmt], at: ExprId, direct: bool) -> End {
    for stmt in stmts {
        match stmt {
            Stmt::Let { pat, value: Some(value), .. } if *value == at => {
                let used = match pat {
                    Pat::Bind { name, .. } => is_used(body, name, body.node(at).span.end),
                    Pat::Wild => false,
                    _ => true,
                };
                return if used { End::Used(at, direct) } else { End::Dropped };
            }
            Stmt::Expr { expr, value } if *expr == at => {
                return if *value { End::Used(at, direct) } else { End::Dropped };
            }
            Stmt::Let { .. } | Stmt::Expr { .. } | Stmt::Item(_) => {}
        }
    }
    End::Used(at, direct)
}

fn is_used(body: &Body, name: &str, after: usize) -> bool {
    body.nodes
        .iter()
        .any(|node| node.span.start >= after && matches!(&node.expr, Expr::Path(path) if path.ident() == Some(name)))
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

/// The innermost expression of a chain.
#[must_use]
pub fn base(body: &Body, id: ExprId) -> ExprId {
    let mut at = id;
    while let Expr::Method { receiver: inner, .. }
    | Expr::Await(inner)
    | Expr::Try(inner)
    | Expr::Ref(inner)
    | Expr::Unary('*', inner) = body.expr(at)
    {
        at = *inner;
    }
    at
}

/// How many bindings of a chain are followed.
const BINDINGS: usize = 4;

/// The methods that a call is called upon, outermost first, through the bindings that hold what it begins with.
#[must_use]
pub fn names_before(body: &Body, id: ExprId) -> Vec<&str> {
    let mut out: Vec<&str> = chain(body, id).into_iter().skip(1).map(|(_, name, _)| name).collect();
    let mut at = base(body, id);
    for _ in 0..BINDINGS {
        let Expr::Path(path) = body.expr(at) else { break };
        let Some(value) = path.ident().and_then(|name| bound_before(body, name, body.node(at).span.start)) else {
            break;
        };
        out.extend(chain(body, value).into_iter().map(|(_, name, _)| name));
        at = base(body, value);
    }
    out
}

/// The value of the last `let` of a name before a place.
fn bound_before(body: &Body, name: &str, before: usize) -> Option<ExprId> {
    let blocks = body.nodes.iter().filter_map(|node| match &node.expr {
        Expr::Block { stmts, .. } => Some(stmts),
        _ => None,
    });
    let values = blocks.flatten().filter_map(|stmt| match stmt {
        Stmt::Let { pat: Pat::Bind { name: bound, .. }, value: Some(value), .. } if bound == name => Some(*value),
        _ => None,
    });
    values.filter(|value| body.node(*value).span.end <= before).max_by_key(|value| body.node(*value).span.end)
}
