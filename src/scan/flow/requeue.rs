//! Whether work that was taken out of a channel or a queue in memory is put into it once more.

use crate::scan::flow::Flow;
use crate::scan::index::FnId;
use crate::scan::ir::{Body, Expr, ExprId, Ty};
use crate::scan::types::binding::{Binding, binding_of};
use crate::scan::types::value::Scope;

/// Methods that put into a channel.
const SENDS: [&str; 5] = ["blocking_send", "send", "send_async", "send_timeout", "try_send"];
/// The same of a queue in memory.
const PUSHES: [&str; 3] = ["push", "push_back", "push_front"];
/// Methods that take work out of either.
const TAKES: [&str; 10] = [
    "blocking_recv",
    "dequeue",
    "next",
    "pop",
    "pop_back",
    "pop_front",
    "recv",
    "recv_async",
    "recv_timeout",
    "try_recv",
];
/// Words of channels whose work nobody does again.
const ENDS: [&str; 7] = ["answer", "dead", "dlq", "err", "fail", "reply", "result"];

impl<'a> Flow<'_, 'a> {
    /// `jobs.send(job)`, `queue.push_back(job)`, where the job was taken out of that channel or queue as it is.
    pub(super) fn hands_back(&self, function: FnId, body: &'a Body, id: ExprId) -> bool {
        let Expr::Method { receiver, name, args, .. } = body.expr(id) else { return false };
        let (sends, pushes) = (SENDS.contains(&name.as_str()), PUSHES.contains(&name.as_str()));
        let Some(work) = args.first().filter(|_| sends || pushes).and_then(|arg| whole(body, *arg)) else {
            return false;
        };
        let holder = holder(body, *receiver).to_lowercase();
        if ENDS.iter().any(|end| holder.contains(end)) {
            return false;
        }
        let scope = Scope::Fn(function);
        match binding_of(&self.eval, scope, body, id, work) {
            Some(Binding::Let(_, _, Some(value)) | Binding::Matched(_, value)) => {
                let Some(from) = taken_from(body, value) else { return false };
                match pushes {
                    true => holder == from.to_lowercase(),
                    false => self.is_channel(scope, *receiver, &holder),
                }
            }
            // Work that is given in, and a channel of the same work.
            Some(Binding::Param(_, param)) => sends && self.carries(function, *receiver, &param.ty),
            _ => false,
        }
    }

    /// Whether it sends within the process.
    fn is_channel(&self, scope: Scope, receiver: ExprId, holder: &str) -> bool {
        let ty = self.eval.ty(scope, receiver);
        match ty.path() {
            Some(path) => path.ends_with("Sender"),
            None => ty.is_unknown() && (holder.ends_with("tx") || holder.contains("sender")),
        }
    }

    /// Whether the parameter that is sent into is written as a channel of this type.
    fn carries(&self, function: FnId, receiver: ExprId, of: &Ty) -> bool {
        let index = self.types.index;
        let Some(body) = self.body(function) else { return false };
        let name = holder(body, receiver);
        let entry = index.function(function);
        let written = entry.function.params.iter().find(|param| param.pat.binds(name));
        written.is_some_and(|param| is_sender_of(&param.ty, of))
    }
}

/// `&mpsc::Sender<Job>` for `Job`.
fn is_sender_of(ty: &Ty, of: &Ty) -> bool {
    match ty {
        Ty::Ref(inner) => is_sender_of(inner, of),
        Ty::Path(path) => path.segments.last().is_some_and(|last| {
            last.name.ends_with("Sender") && last.args.first().is_some_and(|arg| last_name(arg) == last_name(of))
        }),
        _ => false,
    }
}

fn last_name(ty: &Ty) -> Option<&str> {
    match ty {
        Ty::Ref(inner) => last_name(inner),
        Ty::Path(path) => path.segments.last().map(|last| last.name.as_str()),
        _ => None,
    }
}

/// The variable that is handed on whole: `job`, `job.clone()`, `Job { attempts: job.attempts + 1, ..job }`.
fn whole(body: &Body, id: ExprId) -> Option<&str> {
    match body.expr(id) {
        Expr::Path(path) => path.ident(),
        Expr::Ref(inner) => whole(body, *inner),
        Expr::Method { receiver, name, args, .. } if name == "clone" && args.is_empty() => whole(body, *receiver),
        Expr::Struct { rest: Some(rest), .. } => whole(body, *rest),
        _ => None,
    }
}

/// What it was taken out of: `jobs` of `jobs.recv().await`.
fn taken_from(body: &Body, id: ExprId) -> Option<&str> {
    match body.expr(id) {
        Expr::Await(inner) | Expr::Try(inner) | Expr::Ref(inner) => taken_from(body, *inner),
        Expr::Method { receiver, name, .. } if TAKES.contains(&name.as_str()) => Some(holder(body, *receiver)),
        Expr::Method { receiver, .. } => taken_from(body, *receiver),
        Expr::Match { scrutinee, .. } => taken_from(body, *scrutinee),
        _ => None,
    }
}

/// The last name of what holds a method's receiver.
fn holder(body: &Body, id: ExprId) -> &str {
    match body.expr(id) {
        Expr::Path(path) => path.segments.last().map_or("", |last| last.name.as_str()),
        Expr::Field(_, name) => name,
        Expr::Ref(inner) | Expr::Await(inner) | Expr::Try(inner) | Expr::Unary(_, inner) => holder(body, *inner),
        Expr::Method { receiver, .. } => holder(body, *receiver),
        _ => "",
    }
}
