//! What becomes of a call's value: whether it is awaited, and how far its chain reaches in the text.

use crate::scan::ir::{BlockKind, Body, Expr, ExprId, Pat, Stmt};
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
            Expr::Block { kind, stmts } => match in_block(body, stmts, at, direct) {
                // The value of a block that stands in another expression is that one's.
                End::Used(..) if *kind == BlockKind::Plain && is_value(stmts, at) && goes_on(body, parent) => {
                    at = parent;
                }
                end => return end,
            },
            Expr::If { condition, .. } if *condition != at => at = parent,
            Expr::Match { scrutinee, .. } if *scrutinee != at => at = parent,
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

/// Whether an expression is the value of a block.
fn is_value(stmts: &[Stmt], at: ExprId) -> bool {
    matches!(stmts.last(), Some(Stmt::Expr { expr, value: true }) if *expr == at)
}

/// Whether a block is part of a statement: not the body of a function, closure or loop.
fn goes_on(body: &Body, block: ExprId) -> bool {
    let parent = body.node(block).parent.map(|parent| body.expr(parent));
    !matches!(parent, None | Some(Expr::Closure { .. } | Expr::Loop { .. } | Expr::Macro(_)))
}

/// How often a value is followed to another name.
const NAMES: usize = 4;

/// Whether a call is awaited right where it stands.
#[must_use]
pub fn is_awaited_here(body: &Body, id: ExprId) -> bool {
    matches!(body.node(id).parent.map(|parent| body.expr(parent)), Some(Expr::Await(_)))
}

/// Whether a value is awaited: at once, behind wrappers and other names, by what runs futures.
#[must_use]
pub fn is_awaited(body: &Body, id: ExprId) -> bool {
    reaches_await(body, id, NAMES)
}

fn reaches_await(body: &Body, id: ExprId, names: usize) -> bool {
    let mut at = id;
    while let Some(parent) = body.node(at).parent {
        match body.expr(parent) {
            Expr::Await(_) => return true,
            Expr::Macro(call) => match call.path.segments.last().map(|last| last.name.as_str()) {
                Some("vec") => {}
                name => return !name.is_some_and(is_told),
            },
            Expr::Call { callee, .. } if *callee != at => match body.expr(*callee) {
                Expr::Path(path) if path.segments.last().is_some_and(|last| runs(&last.name)) => return true,
                _ => {}
            },
            Expr::Method { receiver, name, .. } if *receiver != at => return runs(name) || name == "push",
            Expr::Match { scrutinee, arms } if *scrutinee == at => {
                return arms.iter().any(|arm| name_reaches(body, &arm.pat, at, names));
            }
            Expr::Let(pat, _) => return name_reaches(body, pat, at, names),
            Expr::Block { stmts, .. } if !is_value(stmts, at) => {
                return stmts.iter().any(|stmt| match stmt {
                    Stmt::Let { pat, value, .. } => *value == Some(at) && name_reaches(body, pat, at, names),
                    Stmt::Expr { .. } | Stmt::Item(_) => false,
                });
            }
            Expr::Loop { .. } | Expr::Assign(..) | Expr::Return(_) => return false,
            _ => {}
        }
        at = parent;
    }
    false
}

/// Whether a macro only tells of what it is given.
fn is_told(name: &str) -> bool {
    let tells = ["dbg", "debug", "error", "format", "info", "print", "println", "trace", "warn", "write", "writeln"];
    tells.contains(&name) || name.contains("assert")
}

/// Whether a function or method runs the futures that it is given.
fn runs(name: &str) -> bool {
    const RUN: [&str; 12] = [
        "block_on",
        "join",
        "join_all",
        "join3",
        "run_until",
        "select",
        "select_all",
        "spawn",
        "spawn_local",
        "timeout",
        "try_join",
        "try_join_all",
    ];
    RUN.contains(&name)
}

/// Whether what a pattern takes out of a value is awaited under its new name.
fn name_reaches(body: &Body, pat: &Pat, from: ExprId, names: usize) -> bool {
    if names == 0 {
        return false;
    }
    let after = body.node(from).span.end;
    let mut bound = Vec::new();
    pat.bindings(&mut |name, _| bound.push(name));
    let uses = body.ids().filter(|id| {
        let node = body.node(*id);
        node.span.start >= after
            && matches!(&node.expr, Expr::Path(path) if path.ident().is_some_and(|name| bound.contains(&name)))
    });
    uses.take(8).any(|id| reaches_await(body, id, names - 1))
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

/// Methods that give a request what it carries.
pub const BODIES: [&str; 5] = ["body", "form", "json", "send_form", "send_json"];

/// How many bindings of a chain are followed.
const BINDINGS: usize = 4;

/// The methods that a call is called upon, outermost first, through the bindings that hold what it begins with.
#[must_use]
pub fn names_before(body: &Body, id: ExprId) -> Vec<&str> {
    let mut out: Vec<&str> = chain(body, id).into_iter().skip(1).map(|(_, name, _)| name).collect();
    let mut at = body.base(id);
    for _ in 0..BINDINGS {
        let Expr::Path(path) = body.expr(at) else { break };
        let Some(value) = path.ident().and_then(|name| bound_before(body, name, body.node(at).span.start)) else {
            break;
        };
        out.extend(chain(body, value).into_iter().map(|(_, name, _)| name));
        at = body.base(value);
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
