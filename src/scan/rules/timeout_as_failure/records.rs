//! Where an outcome is written down: in the ledger's words, and in the team's own.

use crate::scan::index::FnId;
use crate::scan::ir::{Body, Expr, ExprId, Lit, Path};
use crate::scan::rules::Context;
use crate::scan::types::call::Target;
use crate::scan::types::value::Scope;

/// Methods of a permit, and variants of the client's error, that say that nothing was done.
const NOT_SENT: [&str; 2] = ["not_attempted", "rejected"];
const VARIANTS: [&str; 2] = ["SendError::NotAttempted", "SendError::Rejected"];

/// Words of counters and logs: what they count is no record.
const COUNTS: [&str; 10] =
    ["breaker", "circuit", "count", "health", "log", "metric", "progress", "span", "stats", "test"];

/// `permit.not_attempted(..)`, `SendError::Rejected(..)`.
pub(super) fn as_not_sent(context: &Context<'_, '_, '_>, function: FnId, body: &Body, id: ExprId) -> bool {
    if !context.guards.client.is_used() {
        return false;
    }
    match body.expr(id) {
        Expr::Method { receiver, name, .. } if NOT_SENT.contains(&name.as_str()) => {
            let of = context.flow.eval.ty(Scope::Fn(function), *receiver);
            of.is_unknown() || context.guards.client.of_type(&of).is_some()
        }
        Expr::Path(path) => is_variant(path),
        _ => false,
    }
}

fn is_variant(path: &Path) -> bool {
    let names = path.names();
    VARIANTS.contains(&names[names.len().saturating_sub(2)..].join("::").as_str())
}

/// `map_err(SendError::NotAttempted)`, or a function of the workspace that makes that of any error.
pub(super) fn by_path(context: &Context<'_, '_, '_>, function: FnId, body: &Body, call: ExprId) -> Option<ExprId> {
    if !context.guards.client.is_used() {
        return None;
    }
    let mut child = call;
    for holder in body.ancestors(call) {
        match body.expr(holder) {
            Expr::Await(_) | Expr::Try(_) | Expr::Ref(_) => {}
            Expr::Method { receiver, name, args, .. } if *receiver == child => {
                let path = args.first().copied().filter(|_| matches!(name.as_str(), "map_err" | "or_else"));
                if let Some(given) = path
                    && let Expr::Path(path) = body.expr(given)
                {
                    let by_function = || match context.flow.eval.path_value(Scope::Fn(function), given) {
                        Target::Fns(found) => found.iter().any(|id| makes_not_sent(context, *id)),
                        _ => false,
                    };
                    return (is_variant(path) || by_function()).then_some(given);
                }
            }
            _ => return None,
        }
        child = holder;
    }
    None
}

/// Whether a function makes "not sent" of an error without a look at what it is.
fn makes_not_sent(context: &Context<'_, '_, '_>, id: FnId) -> bool {
    let Some(body) = context.flow.body(id) else { return false };
    let makes = body.ids().any(|at| matches!(body.expr(at), Expr::Path(path) if is_variant(path)));
    let looks = body.ids().any(|at| matches!(body.expr(at), Expr::If { .. } | Expr::Match { .. }));
    makes && !looks
}

/// `job.failed()`, `db.mark_failed(id)`, `set_status(id, Status::Failed)`, `row.status = "failed"`.
pub(super) fn as_failed(body: &Body, id: ExprId) -> bool {
    match body.expr(id) {
        Expr::Method { receiver, name, args, .. } => {
            !counts(body, *receiver)
                && (is_verdict(name) || sets_state(name) && args.iter().any(|arg| is_failed(body, *arg)))
        }
        Expr::Call { callee, args } => match body.expr(*callee) {
            Expr::Path(path) => {
                let name = path.segments.last().map_or("", |last| last.name.as_str());
                is_verdict(name) || sets_state(name) && args.iter().any(|arg| is_failed(body, *arg))
            }
            _ => false,
        },
        Expr::Assign(operator, left, right) if operator == "=" => {
            let state =
                matches!(body.expr(*left), Expr::Field(_, name) if name.contains("status") || name.contains("state"));
            state && is_failed(body, *right)
        }
        _ => false,
    }
}

/// A verb that writes the verdict down.
fn is_verdict(name: &str) -> bool {
    const VERDICTS: [&str; 12] = [
        "fail_job",
        "failed",
        "mark_as_failed",
        "mark_delivery_failed",
        "mark_failed",
        "mark_failure",
        "mark_job_failed",
        "mark_message_failed",
        "record_failed",
        "save_failed",
        "set_failed",
        "store_failed",
    ];
    VERDICTS.contains(&name)
}

fn sets_state(name: &str) -> bool {
    let verb = ["mark", "record", "save", "set", "store", "update"].iter().any(|verb| name.starts_with(verb));
    verb && ["state", "status", "outcome"].iter().any(|what| name.contains(what))
        && !COUNTS.iter().any(|word| name.contains(word))
}

/// `Status::Failed`, `"failed"`, `"failed".to_string()`.
fn is_failed(body: &Body, id: ExprId) -> bool {
    match body.expr(id) {
        Expr::Path(path) => path.segments.len() > 1 && path.segments.last().is_some_and(|last| last.name == "Failed"),
        Expr::Lit(Lit::Str(text)) => text.eq_ignore_ascii_case("failed"),
        Expr::Call { callee, args } => is_failed(body, *callee) || args.iter().any(|arg| is_failed(body, *arg)),
        Expr::Struct { path, .. } => {
            path.segments.len() > 1 && path.segments.last().is_some_and(|last| last.name == "Failed")
        }
        Expr::Method { receiver, .. } => is_failed(body, *receiver),
        Expr::Ref(inner) => is_failed(body, *inner),
        _ => false,
    }
}

fn counts(body: &Body, id: ExprId) -> bool {
    let name = match body.expr(id) {
        Expr::Path(path) => path.segments.last().map_or("", |last| last.name.as_str()),
        Expr::Field(_, name) | Expr::Method { name, .. } => name.as_str(),
        _ => "",
    };
    let name = name.to_lowercase();
    COUNTS.iter().any(|word| name.contains(word))
}
