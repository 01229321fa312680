//! Where code says of what it repeats that it reads, or that doing it again is harmless: then no write is repeated
//! there.

use crate::scan::flow::Flow;
use crate::scan::index::FnId;
use crate::scan::ir::{Body, Expr, ExprId, Pat, Path};
use crate::scan::types::value::Scope;

/// Names of kinds of requests that read.
const READS: [&str; 6] = ["GET", "Get", "HEAD", "Idempotent", "Read", "ReadOnly"];
/// Names of those that write.
const WRITES: [&str; 4] = ["Mutation", "POST", "Post", "Write"];

/// Whether a condition tells that a read is meant: `kind == Kind::Read`, `method == Method::GET`, `op.is_idempotent()`,
/// a flag `replay_safe`; or that no write is.
pub(super) fn is_for_reads(body: &Body, condition: ExprId, held: bool) -> bool {
    let is_one_of = |id: ExprId, names: &[&str]| matches!(body.expr(id), Expr::Path(path) if ends_in(path, names));
    match body.expr(condition) {
        Expr::Binary(operator, left, right) => match operator.as_str() {
            "==" | "!=" => {
                let equal = held == (operator == "==");
                let names: &[&str] = if equal { &READS } else { &WRITES };
                is_one_of(*left, names) || is_one_of(*right, names)
            }
            // All of them hold, or none does.
            "&&" if held => is_for_reads(body, *left, held) || is_for_reads(body, *right, held),
            "||" if !held => is_for_reads(body, *left, held) || is_for_reads(body, *right, held),
            _ => false,
        },
        Expr::Method { name, .. } => says(name, held),
        Expr::Path(path) => path.ident().is_some_and(|name| says(name, held)),
        Expr::Unary('!', inner) => is_for_reads(body, *inner, !held),
        _ => false,
    }
}

/// Whether this is `Kind::Name` or longer, with one of these names at its end.
fn ends_in(path: &Path, names: &[&str]) -> bool {
    path.segments.len() > 1 && path.segments.last().is_some_and(|last| names.contains(&last.name.as_str()))
}

/// What the name of a predicate or of a flag says when it holds, or does not.
fn says(name: &str, held: bool) -> bool {
    match name.strip_prefix("is_").unwrap_or(name) {
        "idempotent" | "read_only" | "replay_safe" | "replayable" => held,
        // Of a value alone the words say too little: `read` may be what was read.
        "read" | "safe" => held && name.starts_with("is_"),
        "mutation" | "write" => !held && name.starts_with("is_"),
        _ => false,
    }
}

impl<'a> Flow<'_, 'a> {
    /// Whether what is looked at is the answer of a function of the workspace that gives what this pattern takes for
    /// reads alone: `match classify(&error, kind) { Next::Again(pause) => .. }`.
    pub(super) fn is_answered_for_reads(&self, function: FnId, body: &'a Body, looked_at: ExprId, pat: &Pat) -> bool {
        let (Pat::TupleStruct(taken, _) | Pat::Struct(taken, _) | Pat::Path(taken)) = pat else { return false };
        let Some(variant) = taken.segments.last().filter(|_| taken.segments.len() > 1) else { return false };
        if !matches!(body.expr(looked_at), Expr::Call { .. } | Expr::Method { .. }) {
            return false;
        }
        let found = self.eval.targets(Scope::Fn(function), looked_at);
        let all = |id: &FnId| {
            let Some(inner) = self.body(*id) else { return false };
            let named = [variant.name.as_str()];
            let mut gives =
                inner.ids().filter(|at| matches!(inner.expr(*at), Expr::Path(path) if ends_in(path, &named)));
            let mut any = false;
            gives.all(|at| {
                any = true;
                is_under_read(inner, at)
            }) && any
        };
        !found.is_empty() && found.iter().all(all)
    }
}

/// Whether a place is reached for reads alone: in the `then` of such a condition, or in an arm of a read.
fn is_under_read(body: &Body, at: ExprId) -> bool {
    let mut child = at;
    for holder in body.ancestors(at) {
        let told = match body.expr(holder) {
            Expr::If { condition, then, .. } if *then == child => is_for_reads(body, *condition, true),
            Expr::Match { arms, .. } => {
                arms.iter().any(|arm| arm.body == child && matches!(&arm.pat, Pat::Path(path) if ends_in(path, &READS)))
            }
            _ => false,
        };
        if told {
            return true;
        }
        child = holder;
    }
    false
}
