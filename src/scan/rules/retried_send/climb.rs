//! From a send outwards and up to its callers, to what repeats it: loops, functions that are given a closure,
//! attributes, queues. A guard on the way ends the search: a repeat of the guard is no repeat of the send.

use std::collections::HashSet;

use crate::catalog::call::Effect;
use crate::catalog::retries::{self, Kind, Repeats};
use crate::diagnostic::Level;
use crate::scan::flow::rounds::Again;
use crate::scan::guards::Act;
use crate::scan::index::FnId;
use crate::scan::ir::{BlockKind, Body, Expr, ExprId, LoopKind, Pat, Stmt};
use crate::scan::rules::Context;
use crate::scan::rules::retried_send::Reason;
use crate::scan::site::Site;
use crate::scan::types::call::Target;
use crate::scan::types::value::Scope;

/// How many callers up.
const LEVELS: u32 = 5;
/// The same of what is said over a socket: that is said to one connection, and a loop further out makes a new one.
const SOCKET_LEVELS: u32 = 2;
/// How many callers a function may have for them to be followed.
const CALLERS: usize = 4;
/// How many functions one send is followed into.
const FUNCTIONS: usize = 64;

/// Why the act is made again, the nearest reason first.
pub(super) fn reason(context: &Context<'_, '_, '_>, site: &Site, act: &Act) -> Option<Reason> {
    let mut seen = HashSet::new();
    let mut level = vec![(act.function, act.expr)];
    let levels = match site.sink.api.to_lowercase().contains("websocket") {
        true if connects(context, act.function) => 1,
        true => SOCKET_LEVELS,
        false => LEVELS,
    };
    for up in 0..levels {
        let mut above = Vec::new();
        for (function, at) in std::mem::take(&mut level) {
            if !seen.insert((function, at)) || seen.len() > FUNCTIONS {
                continue;
            }
            let step = Step { context, function, act, up };
            match step.look(at) {
                Look::Repeated(reason) => return Some(reason),
                Look::Ends => {}
                Look::Goes => {
                    let calls = context.flow.graph.callers(context.guards.types, function);
                    let calls: Vec<_> = calls.filter(|call| call.caller != function).collect();
                    // What many call is a tool, and no one of them says what becomes of it.
                    if calls.len() <= CALLERS {
                        above.extend(calls.iter().map(|call| (call.caller, call.expr)));
                    }
                }
            }
        }
        level = above;
    }
    None
}

/// Whether a function makes a connection: whoever calls it anew gets another one.
fn connects(context: &Context<'_, '_, '_>, function: FnId) -> bool {
    let Some(body) = context.flow.body(function) else { return false };
    body.ids().any(|id| {
        matches!(
            called(body, id),
            "connect" | "connect_async" | "connect_async_tls_with_config" | "connect_async_with_config"
        )
    })
}

enum Look {
    Repeated(Reason),
    /// A guard, a task of its own, or a loop that runs for good stands around it.
    Ends,
    /// On to the callers.
    Goes,
}

struct Step<'s, 'c, 't, 'a> {
    context: &'s Context<'c, 't, 'a>,
    function: FnId,
    act: &'s Act,
    /// How many callers above the act this is.
    up: u32,
}

impl<'a> Step<'_, '_, '_, 'a> {
    fn look(&self, at: ExprId) -> Look {
        let Some(body) = self.context.flow.body(self.function) else { return Look::Ends };
        let guard = self.guard_around(body, at);
        let inside = |id: ExprId| guard.is_none_or(|guard| body.ancestors(id).any(|holder| holder == guard));
        if let Some(reason) = self.wrapped(body, at, guard, 2) {
            return Look::Repeated(reason);
        }
        if let Some(again) = self.context.flow.again(self.function, at) {
            let (id, by) = match again {
                Again::Loop(id) => (id, "by a loop"),
                Again::Recursion(id) => (id, "by a call of its own function"),
                Again::Queue(id) => (id, "by what is put back into a queue"),
            };
            let guarded = match again {
                Again::Loop(id) => !inside(id) || self.reserves(body, id) || self.up > 0 && !shows_retry(body, id),
                Again::Recursion(_) => guard.is_some() || self.act.guard.is_some(),
                // Work that changes something is mostly made to be repeated; a message is not.
                Again::Queue(_) => self.act.guard.is_some() || self.act.effect == Effect::Mutate,
            };
            if !guarded {
                let place = self.context.at_expr(self.function, id, "repeated here");
                return Look::Repeated(Reason { level: Level::Error, by: by.to_owned(), place });
            }
        }
        if guard.is_some() || self.reserves_before(body, at) || self.runs_alone(body, at) {
            return Look::Ends;
        }
        self.marked().map_or(Look::Goes, Look::Repeated)
    }

    /// The call of a guard that holds the place.
    fn guard_around(&self, body: &Body, at: ExprId) -> Option<ExprId> {
        let guards = self.context.guards;
        if !guards.can_guard() {
            return None;
        }
        let mut child = at;
        for holder in body.ancestors(at) {
            let given = guards.guard_call(Scope::Fn(self.function), holder);
            if given.is_some_and(|given| given.body == Some(child)) {
                return Some(holder);
            }
            child = holder;
        }
        None
    }

    /// Whether a reservation is made inside the loop, so that each round has its own.
    fn reserves(&self, body: &Body, holder: ExprId) -> bool {
        let guards = self.context.guards;
        let span = body.node(holder).span;
        guards.can_guard()
            && body.ids().any(|id| {
                span.contains(body.node(id).span)
                    && guards.ledger_call(Scope::Fn(self.function), id, "reserve").is_some()
            })
    }

    fn reserves_before(&self, body: &Body, at: ExprId) -> bool {
        let guards = self.context.guards;
        let start = body.node(at).span.start;
        guards.can_guard()
            && body.ids().any(|id| {
                body.node(id).span.start < start
                    && guards.ledger_call(Scope::Fn(self.function), id, "reserve").is_some()
            })
    }

    /// Whether the place is in a task that nobody waits for, or in a loop that goes on after a success.
    fn runs_alone(&self, body: &Body, at: ExprId) -> bool {
        let mut child = at;
        for holder in body.ancestors(at) {
            match body.expr(holder) {
                Expr::Loop { kind: LoopKind::Loop | LoopKind::While, body: inner, .. } if *inner == child => {
                    return true;
                }
                Expr::Call { args, .. } | Expr::Method { args, .. }
                    if args.contains(&child) && called(body, holder).contains("spawn") =>
                {
                    return true;
                }
                _ => {}
            }
            child = holder;
        }
        false
    }

    /// An attribute that repeats the whole function.
    fn marked(&self) -> Option<Reason> {
        let entry = self.context.guards.types.index.function(self.function);
        let marks = entry.attributes.iter().find(|attribute| {
            let last = attribute.path.rsplit("::").next().unwrap_or_default().trim();
            last.contains("retry") && is_repeating(last)
        })?;
        let place = self.context.at_function(self.function, "repeated as a whole");
        Some(Reason {
            level: Level::Error,
            by: format!("by the attribute `{}` of its function", marks.path.trim()),
            place: Some(place),
        })
    }

    /// A call that is given the closure, or the function, around the place and calls it more than once.
    fn wrapped(&self, body: &'a Body, at: ExprId, guard: Option<ExprId>, variables: u32) -> Option<Reason> {
        let mut child = at;
        let mut callable = matches!(body.expr(at), Expr::Path(_));
        for holder in body.ancestors(at) {
            if guard == Some(holder) {
                return None;
            }
            match body.expr(holder) {
                Expr::Closure { .. } => callable = true,
                Expr::Block { kind: BlockKind::Async, .. } if !callable => {}
                Expr::Call { args, .. } if callable && args.contains(&child) => {
                    if let Some(reason) = self.repeats(body, holder, child) {
                        return Some(reason);
                    }
                    // What `map` or `spawn` calls is called where it stands.
                    callable = false;
                }
                Expr::Method { receiver, args, .. } if callable && (*receiver == child || args.contains(&child)) => {
                    if let Some(reason) = self.repeats(body, holder, child) {
                        return Some(reason);
                    }
                    callable = *receiver == child;
                }
                Expr::Block { stmts, .. } if callable && variables > 0 => {
                    let name = stmts.iter().find_map(|stmt| match stmt {
                        Stmt::Let { pat: Pat::Bind { name, .. }, value: Some(value), .. } if *value == child => {
                            Some(name)
                        }
                        _ => None,
                    });
                    if let Some(name) = name {
                        let after = body.node(child).span.end;
                        let uses = body.ids().filter(|id| {
                            body.node(*id).span.start >= after
                                && matches!(body.expr(*id), Expr::Path(path) if path.ident() == Some(name))
                        });
                        let uses: Vec<ExprId> = uses.take(8).collect();
                        if let Some(reason) =
                            uses.into_iter().find_map(|id| self.wrapped(body, id, guard, variables - 1))
                        {
                            return Some(reason);
                        }
                        callable = false;
                    }
                }
                _ => {}
            }
            child = holder;
        }
        None
    }

    fn repeats(&self, body: &'a Body, call: ExprId, given: ExprId) -> Option<Reason> {
        if is_told_not_to(body, call) {
            return None;
        }
        let name = called(body, call);
        let scope = Scope::Fn(self.function);
        let target = self.context.flow.eval.target(scope, call);
        let reason = |by: String| {
            let place = self.context.at_expr(self.function, call, "repeated here");
            Some(Reason { level: Level::Error, by, place })
        };
        match &target {
            Target::Outside { path, name, .. } => {
                if let Some(known) = retries::of_call(Kind::Wrapper, path, name) {
                    let all = known.repeats == Repeats::All;
                    return all.then(|| reason(format!("by `{path}::{name}`"))).flatten();
                }
            }
            Target::Fns(found) => {
                if found.iter().any(|id| self.calls_again(*id, body, call, given)) {
                    return reason(format!("by `{name}`"));
                }
                if found.iter().any(|id| self.only_refused(*id)) {
                    return None;
                }
            }
            Target::Closure(..) | Target::Construct(_) | Target::Unknown => {}
        }
        is_repeating(name).then(|| reason(format!("by `{name}`"))).flatten()
    }

    /// Whether the function calls the closure that it is given once more after a failure.
    fn calls_again(&self, id: FnId, body: &'a Body, call: ExprId, given: ExprId) -> bool {
        let entry = self.context.guards.types.index.function(id);
        let position = match body.expr(call) {
            Expr::Method { receiver, .. } if *receiver == given => Some(0),
            Expr::Method { args, .. } => {
                args.iter().position(|arg| *arg == given).map(|at| at + usize::from(entry.function.has_self))
            }
            Expr::Call { args, .. } => args.iter().position(|arg| *arg == given),
            _ => None,
        };
        let Some(Pat::Bind { name, .. }) =
            position.and_then(|at| entry.function.params.get(at)).map(|param| &param.pat)
        else {
            return false;
        };
        let Some(inner) = &entry.function.body else { return false };
        let calls = inner.ids().filter(|at| match inner.expr(*at) {
            Expr::Call { callee, .. } => matches!(inner.expr(*callee), Expr::Path(path) if path.ident() == Some(name)),
            _ => false,
        });
        calls.into_iter().any(|at| matches!(self.context.flow.again(id, at), Some(Again::Loop(_))))
    }

    /// Whether it is one of ours that goes on only where nothing was done: its loops were looked at.
    fn only_refused(&self, id: FnId) -> bool {
        let entry = self.context.guards.types.index.function(id);
        let Some(body) = &entry.function.body else { return false };
        let loops = body.ids().any(|at| matches!(body.expr(at), Expr::Loop { .. }));
        let told = body.ids().any(|at| match body.expr(at) {
            Expr::Method { name, .. } => matches!(name.as_str(), "is_connect" | "is_rate_limited"),
            Expr::Path(path) => path.segments.last().is_some_and(|last| last.name == "TOO_MANY_REQUESTS"),
            _ => false,
        });
        loops && told
    }
}

/// Whether a loop around a call of something larger shows that it is there to repeat it: it counts, waits, or says so.
/// What goes on after a failure may else be a menu, a feed, a server.
fn shows_retry(body: &Body, id: ExprId) -> bool {
    const WORDS: [&str; 10] =
        ["attempt", "backoff", "delay", "pause", "remaining", "retries", "retry", "sleep", "tries", "wait"];
    let says = |name: &str| {
        let name = name.to_lowercase();
        WORDS.iter().any(|word| name.contains(word))
    };
    let span = body.node(id).span;
    body.ids().filter(|at| span.contains(body.node(*at).span)).any(|at| match body.expr(at) {
        Expr::Assign(operator, ..) => matches!(operator.as_str(), "+=" | "-="),
        Expr::Method { name, .. } | Expr::Field(_, name) => says(name),
        Expr::Path(path) => path.segments.iter().any(|segment| says(&segment.name)),
        Expr::Loop { kind: LoopKind::For, head: Some(head), .. } if at == id => {
            matches!(body.expr(*head), Expr::Range(..))
        }
        _ => false,
    })
}

/// The last name of what is called.
fn called(body: &Body, call: ExprId) -> &str {
    match body.expr(call) {
        Expr::Method { name, .. } => name,
        Expr::Call { callee, .. } => match body.expr(*callee) {
            Expr::Path(path) => path.segments.last().map_or("", |last| last.name.as_str()),
            _ => "",
        },
        _ => "",
    }
}

/// Whether an argument tells what repeats to do it once: `RetryMethod::no_retry()`, `Backoff::None`.
fn is_told_not_to(body: &Body, call: ExprId) -> bool {
    let (Expr::Call { args, .. } | Expr::Method { args, .. }) = body.expr(call) else { return false };
    args.iter().any(|arg| {
        let path = match body.expr(*arg) {
            Expr::Call { callee, .. } => *callee,
            _ => *arg,
        };
        let Expr::Path(path) = body.expr(path) else { return false };
        let names = path.names().join("_").to_lowercase();
        let repeats = ["retry", "retries", "backoff", "attempt"].iter().any(|word| names.contains(word));
        repeats && names.split('_').any(|word| matches!(word, "no" | "none" | "never" | "once" | "disabled"))
    })
}

/// Whether a name says that what it is given is repeated.
fn is_repeating(name: &str) -> bool {
    const NOT: [&str; 12] =
        ["can_", "check_", "count_", "is_", "log_", "max_", "no_", "not_", "on_", "record_", "should_", "without_"];
    (name.contains("retry") || name.contains("retries") || name.contains("backoff"))
        && !NOT.iter().any(|start| name.starts_with(start))
        && !["_log", "_count", "_policy", "_disabled"].iter().any(|end| name.ends_with(end))
}
