//! What a turn says of a call that was made: that it was sent, that nobody knows, or that it surely was not.

use crate::scan::flow::Flow;
use crate::scan::flow::order::Turn;
use crate::scan::index::FnId;
use crate::scan::ir::{Arm, BlockKind, Body, Expr, ExprId, Lit, MacroShape, Pat, Stmt};
use crate::scan::types::binding::{Binding, binding_of};
use crate::scan::types::value::Scope;

/// What is known of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It was done.
    Done,
    /// It failed, and may have been done all the same.
    Failed,
    /// It was turned down, or never left: doing it anew is the first time.
    Refused,
}

/// How many steps from a value back to the call that it tells of.
const STEPS: u32 = 24;

/// Words of errors and statuses that say that nothing was done: the other side turned it down, or nobody was reached.
/// In lower case, without what parts words.
const REFUSED: [&str; 24] = [
    "401",
    "403",
    "404",
    "409",
    "422",
    "429",
    "conflict",
    "connectionrefused",
    "forbidden",
    "isconnect",
    "isratelimited",
    "isunauthorized",
    "notfound",
    "ratelimit",
    "ratelimited",
    "ratelimitexceeded",
    "retryafter",
    "slowdown",
    "throttled",
    "throttling",
    "tokenexpired",
    "toomanyrequests",
    "unauthenticated",
    "unauthorized",
];

/// Statuses and words of success.
const DONE: [&str; 9] = ["200", "201", "202", "204", "accepted", "created", "issuccess", "nocontent", "ok"];

/// Statuses and words after which nobody knows.
const FAILED: [&str; 12] = [
    "408",
    "500",
    "502",
    "503",
    "504",
    "badgateway",
    "gatewaytimeout",
    "internalservererror",
    "isservererror",
    "istimeout",
    "requesttimeout",
    "serviceunavailable",
];

impl<'a> Flow<'_, 'a> {
    /// What a turn says of the call; `None` when it is about something else.
    #[must_use]
    pub fn outcome(&self, function: FnId, call: ExprId, turn: &Turn<'a>) -> Option<Outcome> {
        let body = self.body(function)?;
        let leads = |id: ExprId| self.tells_of(function, body, id, call, STEPS);
        match *turn {
            Turn::Try(inner, good) => leads(inner).then_some(if good { Outcome::Done } else { Outcome::Failed }),
            Turn::Fits(pat, value, fits) => {
                let of = leads(value).then(|| pattern(pat)).flatten()?;
                match (of, fits) {
                    (of, true) => Some(of),
                    (Outcome::Done, false) => Some(Outcome::Failed),
                    (Outcome::Failed | Outcome::Refused, false) => {
                        Some(Outcome::Done).filter(|_| of == Outcome::Failed)
                    }
                }
            }
            Turn::Arm(id, position) => self.by_arm(function, body, id, position, call),
            Turn::If(condition, held) => self.by_condition(function, body, condition, held, call, STEPS),
            Turn::Again(_) => None,
        }
    }

    fn by_arm(&self, function: FnId, body: &'a Body, id: ExprId, position: usize, call: ExprId) -> Option<Outcome> {
        match body.expr(id) {
            Expr::Match { scrutinee, arms } => {
                if !self.tells_of(function, body, *scrutinee, call, STEPS) {
                    return None;
                }
                let pat = &arms.get(position)?.pat;
                if let Some(told) = pattern(pat) {
                    return Some(told);
                }
                if self.is_flag(body, *scrutinee, call) {
                    return flag(pat);
                }
                others(arms, position)
            }
            // The future that is not the call was first: the call was dropped on its way.
            Expr::Macro(of) => match &of.shape {
                MacroShape::Select(arms) => {
                    let (future, arm) = arms.get(position)?;
                    if self.tells_of(function, body, *future, call, STEPS) {
                        return Some(pattern(&arm.pat).unwrap_or(Outcome::Done)).filter(|told| *told != Outcome::Done);
                    }
                    let dropped = arms.iter().any(|(other, _)| self.tells_of(function, body, *other, call, STEPS));
                    dropped.then_some(Outcome::Failed)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether the value is the call's own, which then is a flag or a number.
    fn is_flag(&self, body: &Body, mut id: ExprId, call: ExprId) -> bool {
        while let Expr::Await(inner) | Expr::Ref(inner) | Expr::Try(inner) = body.expr(id) {
            id = *inner;
        }
        id == call
    }

    fn by_condition(
        &self,
        function: FnId,
        body: &'a Body,
        id: ExprId,
        held: bool,
        call: ExprId,
        steps: u32,
    ) -> Option<Outcome> {
        let steps = steps.checked_sub(1)?;
        let good = |of: Outcome| match (of, held) {
            (of, true) => Some(of),
            (Outcome::Done, false) => Some(Outcome::Failed),
            (Outcome::Failed, false) => Some(Outcome::Done),
            (Outcome::Refused, false) => None,
        };
        if self.is_flag(body, id, call) {
            return good(Outcome::Done);
        }
        match body.expr(id) {
            Expr::Method { receiver, name, .. } => {
                if !self.tells_of(function, body, *receiver, call, STEPS) {
                    return None;
                }
                match name.as_str() {
                    "is_ok" | "is_some" | "is_success" | "success" | "is_ok_and" | "is_some_and" => good(Outcome::Done),
                    "is_err" | "is_none" | "is_server_error" | "is_timeout" | "is_failure" | "is_err_and" => {
                        good(Outcome::Failed)
                    }
                    "is_connect" | "is_client_error" | "is_builder" | "is_rate_limited" => {
                        held.then_some(Outcome::Refused)
                    }
                    name => by_name(name).filter(|_| held),
                }
            }
            Expr::Binary(operator, left, right) if is_comparison(operator) => {
                let about = [left, right].into_iter().any(|side| self.tells_of(function, body, *side, call, STEPS));
                let told = self.by_words(body, id).filter(|_| about)?;
                match (operator.as_str(), told) {
                    ("!=", told) if held => match told {
                        Outcome::Done => Some(Outcome::Failed),
                        Outcome::Refused | Outcome::Failed => None,
                    },
                    ("!=", told) => Some(told),
                    ("==", told) => good(told),
                    (_, Outcome::Failed) => held.then_some(Outcome::Failed),
                    (_, Outcome::Done | Outcome::Refused) => None,
                }
            }
            Expr::Path(path) => {
                let name = path.ident()?;
                match binding_of(&self.eval, Scope::Fn(function), body, id, name)? {
                    Binding::Let(Pat::Bind { .. }, _, Some(value)) => {
                        self.by_condition(function, body, value, held, call, steps)
                    }
                    _ => None,
                }
            }
            Expr::Await(inner) | Expr::Ref(inner) => self.by_condition(function, body, *inner, held, call, steps),
            Expr::Unary('!', inner) => self.by_condition(function, body, *inner, !held, call, steps),
            Expr::Call { callee, args } => {
                let Expr::Path(path) = body.expr(*callee) else { return None };
                let told = by_name(&path.segments.last()?.name).filter(|_| held)?;
                args.iter().any(|arg| self.tells_of(function, body, *arg, call, STEPS)).then_some(told)
            }
            Expr::Macro(of) if of.path.segments.last().is_some_and(|last| last.name == "matches") => {
                let MacroShape::Exprs(args) = &of.shape else { return None };
                let about = args.first().is_some_and(|arg| self.tells_of(function, body, *arg, call, STEPS));
                let words = || of.tokens.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
                let told = words()
                    .find_map(word_says)
                    .or_else(|| words().any(|word| word == "Err").then_some(Outcome::Failed));
                about.then(|| good(told?)).flatten()
            }
            _ => None,
        }
    }

    /// What the words of a comparison or predicate say.
    fn by_words(&self, body: &Body, id: ExprId) -> Option<Outcome> {
        let mut told = None;
        let mut waiting = vec![id];
        let mut left = 64_u32;
        while let Some(at) = waiting.pop() {
            let Some(less) = left.checked_sub(1) else { break };
            left = less;
            let word = match body.expr(at) {
                Expr::Path(path) => path.segments.last().map(|last| last.name.as_str()),
                Expr::Lit(Lit::Int(number)) => Some(number.as_str()),
                Expr::Lit(Lit::Str(text)) => Some(text.as_str()),
                Expr::Method { name, .. } => Some(name.as_str()),
                _ => None,
            };
            told = told.or_else(|| word.and_then(word_says));
            body.expr(at).children(&mut |child| waiting.push(child));
        }
        told
    }

    /// Whether a value is what the call gave, or something of it.
    #[must_use]
    pub fn tells_of(&self, function: FnId, body: &'a Body, id: ExprId, call: ExprId, steps: u32) -> bool {
        if id == call {
            return true;
        }
        let Some(steps) = steps.checked_sub(1) else { return false };
        let of = |id: ExprId| self.tells_of(function, body, id, call, steps);
        match body.expr(id) {
            Expr::Await(inner)
            | Expr::Try(inner)
            | Expr::Ref(inner)
            | Expr::Unary(_, inner)
            | Expr::Cast(inner, _)
            | Expr::Field(inner, _) => of(*inner),
            Expr::Method { receiver, .. } => of(*receiver),
            Expr::Call { args, .. } => args.iter().any(|arg| of(*arg)),
            Expr::Closure { body: inner, .. } => of(*inner),
            // What fails inside an async block fails it.
            Expr::Block { kind: BlockKind::Async, .. } if holds(body, id, call) => true,
            Expr::Block { stmts, .. } => {
                matches!(stmts.last(), Some(Stmt::Expr { expr, value: true }) if of(*expr))
            }
            Expr::If { then, otherwise, .. } => of(*then) || otherwise.is_some_and(of),
            Expr::Match { scrutinee, arms } => {
                holds(body, id, call) && (arms.iter().any(|arm| of(arm.body)) || of(*scrutinee))
            }
            Expr::Path(path) => {
                let Some(name) = path.ident() else { return false };
                self.names(Scope::Fn(function), body, id, name).into_iter().any(of)
            }
            _ => false,
        }
    }

    /// What a variable was bound to or is set to.
    pub(super) fn names(&self, scope: Scope, body: &'a Body, at: ExprId, name: &str) -> Vec<ExprId> {
        let bound = match binding_of(&self.eval, scope, body, at, name) {
            Some(Binding::Let(_, _, value)) => value,
            Some(Binding::Matched(_, value)) => Some(value),
            Some(Binding::Closure(closure, 0, _)) => match body.node(closure).parent.map(|holder| body.expr(holder)) {
                Some(Expr::Method { receiver, .. }) => Some(*receiver),
                _ => None,
            },
            _ => None,
        };
        let changes = self.eval.changes(scope, body);
        let set = changes.assigned.get(name).map_or(&[][..], Vec::as_slice);
        bound.into_iter().chain(set.iter().take(8).copied()).collect()
    }
}

fn holds(body: &Body, id: ExprId, inner: ExprId) -> bool {
    body.node(id).span.contains(body.node(inner).span)
}

fn is_comparison(operator: &str) -> bool {
    matches!(operator, "==" | "!=" | ">=" | ">" | "<" | "<=")
}

/// What one word says.
fn word_says(word: &str) -> Option<Outcome> {
    let plain: String =
        word.chars().filter(|letter| !matches!(letter, '_' | '-')).flat_map(char::to_lowercase).collect();
    let is_of = |words: &[&str]| words.contains(&plain.as_str());
    if is_of(&REFUSED) {
        return Some(Outcome::Refused);
    }
    if is_of(&FAILED) {
        return Some(Outcome::Failed);
    }
    is_of(&DONE).then_some(Outcome::Done)
}

/// What a predicate's name says when it holds.
fn by_name(name: &str) -> Option<Outcome> {
    let speaks = |words: &[&str]| words.iter().any(|word| name.contains(word));
    word_says(name)
        .or_else(|| speaks(&["retry", "retri", "transient", "timeout", "timed_out"]).then_some(Outcome::Failed))
}

/// What a pattern that fits says; `None` when it tells nothing.
fn pattern(pat: &Pat) -> Option<Outcome> {
    match pat {
        Pat::TupleStruct(path, parts) => {
            let last = path.segments.last().map_or("", |last| last.name.as_str());
            match last {
                "Err" => Some(match parts.iter().find_map(refusal) {
                    Some(refused) => refused,
                    None => Outcome::Failed,
                }),
                "Ok" | "Some" => Some(parts.iter().find_map(pattern).unwrap_or(Outcome::Done)),
                _ => word_says(last),
            }
        }
        Pat::Path(path) | Pat::Struct(path, _) => {
            let last = path.segments.last().map_or("", |last| last.name.as_str());
            match last {
                "None" => Some(Outcome::Failed),
                "OK" => Some(Outcome::Done),
                _ => word_says(last),
            }
        }
        Pat::Bind { inner: Some(inner), .. } | Pat::Ref(inner) | Pat::Typed(inner, _) => pattern(inner),
        Pat::Tuple(parts) | Pat::Slice(parts) => parts.iter().find_map(pattern),
        Pat::Or(parts) => {
            let told: Vec<Option<Outcome>> = parts.iter().map(pattern).collect();
            // The worst of them is what may have happened.
            told.iter().copied().find(|one| *one == Some(Outcome::Failed)).unwrap_or(told.first().copied().flatten())
        }
        Pat::Lit(Lit::Int(number)) => status(number),
        Pat::Bind { inner: None, .. } | Pat::Wild | Pat::Lit(_) | Pat::Other => None,
    }
}

/// Whether the inside of `Err(..)` says that nothing was done.
fn refusal(pat: &Pat) -> Option<Outcome> {
    let mut words = Vec::new();
    names_in(pat, &mut words);
    let refused = !words.is_empty() && words.iter().any(|word| word_says(word) == Some(Outcome::Refused));
    refused.then_some(Outcome::Refused)
}

fn names_in<'p>(pat: &'p Pat, into: &mut Vec<&'p str>) {
    match pat {
        Pat::TupleStruct(path, parts) => {
            into.extend(path.segments.last().map(|last| last.name.as_str()));
            parts.iter().for_each(|part| names_in(part, into));
        }
        Pat::Path(path) => into.extend(path.segments.last().map(|last| last.name.as_str())),
        Pat::Struct(path, parts) => {
            into.extend(path.segments.last().map(|last| last.name.as_str()));
            parts.iter().for_each(|(_, part)| names_in(part, into));
        }
        Pat::Bind { inner: Some(inner), .. } | Pat::Ref(inner) | Pat::Typed(inner, _) => names_in(inner, into),
        Pat::Lit(Lit::Int(number)) => into.push(number),
        // One of several may be another.
        Pat::Or(_) | Pat::Bind { .. } | Pat::Wild | Pat::Tuple(_) | Pat::Slice(_) | Pat::Lit(_) | Pat::Other => {}
    }
}

fn status(number: &str) -> Option<Outcome> {
    match number.parse::<u16>().ok()? {
        200..=299 => Some(Outcome::Done),
        408 | 500..=599 => Some(Outcome::Failed),
        400..=499 => Some(Outcome::Refused),
        _ => None,
    }
}

fn flag(pat: &Pat) -> Option<Outcome> {
    match pat {
        Pat::Lit(Lit::Bool(true)) => Some(Outcome::Done),
        Pat::Lit(Lit::Bool(false)) => Some(Outcome::Failed),
        _ => None,
    }
}

/// What a pattern that takes the rest says, by what the others take.
fn others(arms: &[Arm], position: usize) -> Option<Outcome> {
    let pat = &arms.get(position)?.pat;
    if !matches!(pat, Pat::Wild | Pat::Bind { inner: None, .. }) {
        return None;
    }
    let told = |wanted: Outcome| {
        arms.iter()
            .enumerate()
            .any(|(at, arm)| at != position && arm.guard.is_none() && pattern(&arm.pat) == Some(wanted))
    };
    match (told(Outcome::Done), told(Outcome::Failed)) {
        (true, _) => Some(Outcome::Failed),
        (false, true) => Some(Outcome::Done),
        (false, false) => None,
    }
}
