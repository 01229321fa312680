//! What a turn says of a call that was made: that it was sent, that nobody knows, or that it surely was not.

use std::rc::Rc;

use rustc_hash::FxHashSet as HashSet;

use crate::scan::flow::Flow;
use crate::scan::flow::order::Turn;
use crate::scan::flow::reads::is_for_reads;
use crate::scan::flow::signs::{by_name, flag, is_option, others, pattern, takes_something, text_says, word_says};
use crate::scan::index::FnId;
use crate::scan::ir::{BlockKind, Body, Expr, ExprId, Lit, MacroShape, Pat, Stmt};
use crate::scan::types::binding::{Binding, binding_of};
use crate::scan::types::value::{Scope, shown};

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

/// How many variables a condition is followed through.
const STEPS: u32 = 24;
/// How many expressions a value is followed back to.
const SOURCES: usize = 400;

impl<'a> Flow<'_, 'a> {
    /// What a turn says of the call; `None` when it is about something else.
    #[must_use]
    pub fn outcome(&self, function: FnId, call: ExprId, turn: &Turn<'a>) -> Option<Outcome> {
        let body = self.body(function)?;
        let leads = |id: ExprId| self.tells_of(function, body, id, call);
        match *turn {
            Turn::Try(inner, good) => leads(inner).then_some(if good { Outcome::Done } else { Outcome::Failed }),
            Turn::Fits(pat, value, fits) => {
                if let Some(told) = self.by_helper(function, body, value, call) {
                    return told.filter(|_| fits == takes_something(pat) && leads(value));
                }
                if is_option(pat) && self.is_unwrapped(function, body, value, call) {
                    return None;
                }
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
            // What is done for reads alone is not done after a call that writes.
            Turn::If(condition, held) if is_for_reads(body, condition, held) => Some(Outcome::Refused),
            Turn::If(condition, held) => self.by_condition(function, body, condition, held, call, STEPS),
            Turn::Called(closure) => self.by_call(function, body, closure, call),
            Turn::Again(_) => None,
        }
    }

    /// `map_err(|error| ..)` is called with a failure, `map(|answer| ..)` with a success.
    fn by_call(&self, function: FnId, body: &'a Body, closure: ExprId, call: ExprId) -> Option<Outcome> {
        let Expr::Method { receiver, name, args, .. } = body.expr(body.node(closure).parent?) else { return None };
        let told = match (name.as_str(), args.iter().position(|arg| *arg == closure)?) {
            ("inspect_err" | "map_err" | "or_else" | "unwrap_or_else" | "map_or_else", 0) => Outcome::Failed,
            ("and_then" | "inspect" | "map", 0) | ("map_or" | "map_or_else", 1) => Outcome::Done,
            _ => return None,
        };
        self.tells_of(function, body, *receiver, call).then_some(told)
    }

    fn by_arm(&self, function: FnId, body: &'a Body, id: ExprId, position: usize, call: ExprId) -> Option<Outcome> {
        match body.expr(id) {
            Expr::Match { scrutinee, arms } => {
                if !self.tells_of(function, body, *scrutinee, call) {
                    return None;
                }
                let pat = &arms.get(position)?.pat;
                if arms.iter().any(|arm| is_option(&arm.pat)) && self.is_unwrapped(function, body, *scrutinee, call) {
                    return None;
                }
                if self.is_answered_for_reads(function, body, *scrutinee, pat) {
                    return Some(Outcome::Refused);
                }
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
                    // What the call gave may be waited for: then the call itself is over.
                    let races = |future: ExprId| {
                        self.tells_of(function, body, future, call) && !self.is_over(function, body, future, call)
                    };
                    if races(*future) {
                        return Some(pattern(&arm.pat).unwrap_or(Outcome::Done)).filter(|told| *told != Outcome::Done);
                    }
                    let dropped = arms.iter().any(|(other, _)| races(*other));
                    dropped.then_some(Outcome::Failed)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// What a predicate says of which the answer is looked at: `needs_pause(&answer)`. `None` where it is none,
    /// `Some(None)` where its name says nothing.
    fn by_helper(&self, function: FnId, body: &'a Body, id: ExprId, call: ExprId) -> Option<Option<Outcome>> {
        let mut at = id;
        while let Expr::Await(inner) | Expr::Ref(inner) = body.expr(at) {
            at = *inner;
        }
        if at == call {
            return None;
        }
        let name = match body.expr(at) {
            Expr::Call { callee, .. } => match body.expr(*callee) {
                Expr::Path(path) => &path.segments.last()?.name,
                _ => return None,
            },
            Expr::Method { receiver, name, args, .. }
                if !self.tells_of(function, body, *receiver, call) && !args.is_empty() =>
            {
                name
            }
            _ => return None,
        };
        let found = self.eval.targets(Scope::Fn(function), at);
        let told = by_name(name);
        if found.is_empty() && told.is_none() {
            return None;
        }
        Some(told.map(|told| self.looked_into(&found, told)))
    }

    /// A predicate of the workspace that names refusals alone says that it was refused.
    fn looked_into(&self, found: &[FnId], told: Outcome) -> Outcome {
        let words = |outcome: Outcome| {
            found.iter().filter_map(|id| self.body(*id)).any(|body| {
                body.ids().any(|at| match body.expr(at) {
                    Expr::Path(path) => path.segments.last().is_some_and(|last| word_says(&last.name) == Some(outcome)),
                    Expr::Lit(Lit::Int(number)) => word_says(number) == Some(outcome),
                    Expr::Method { name, .. } => word_says(name) == Some(outcome),
                    Expr::Macro(of) => of
                        .tokens
                        .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
                        .any(|word| word_says(word) == Some(outcome)),
                    _ => false,
                })
            })
        };
        match told {
            Outcome::Failed if words(Outcome::Refused) && !words(Outcome::Failed) => Outcome::Refused,
            told => told,
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
            Expr::Method { receiver, name, args, .. } => {
                if !self.tells_of(function, body, *receiver, call) {
                    return None;
                }
                match name.as_str() {
                    "contains" | "starts_with" | "ends_with" if held => self.by_text(function, args),
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
                let about = [left, right].into_iter().any(|side| self.tells_of(function, body, *side, call));
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
                let told = self.looked_into(&self.eval.targets(Scope::Fn(function), id), told);
                args.iter().any(|arg| self.tells_of(function, body, *arg, call)).then_some(told)
            }
            Expr::Macro(of) if of.path.segments.last().is_some_and(|last| last.name == "matches") => {
                let MacroShape::Exprs(args) = &of.shape else { return None };
                let about = args.first().is_some_and(|arg| self.tells_of(function, body, *arg, call));
                let words = || of.tokens.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
                let told = words()
                    .find_map(word_says)
                    .or_else(|| words().any(|word| word == "Err").then_some(Outcome::Failed));
                about.then(|| good(told?)).flatten()
            }
            _ => None,
        }
    }

    /// What a text says that an error holds.
    fn by_text(&self, function: FnId, args: &[ExprId]) -> Option<Outcome> {
        let texts = args.first().map(|arg| self.eval.texts(Scope::Fn(function), *arg))?;
        texts.iter().map(|text| text_says(&shown(text))).max_by_key(|told| *told == Outcome::Failed)
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
    pub fn tells_of(&self, function: FnId, body: &'a Body, id: ExprId, call: ExprId) -> bool {
        let sources = self.sources(function, body, id);
        // What fails inside an async block fails it.
        sources.contains(&call) || sources.iter().any(|source| is_async(body, *source) && holds(body, *source, call))
    }

    /// The expressions of the body that a value is what they gave, or something of it; each is looked at once.
    fn sources(&self, function: FnId, body: &'a Body, id: ExprId) -> Rc<HashSet<ExprId>> {
        if let Some(found) = self.sources.borrow().get(&(function, id)) {
            return Rc::clone(found);
        }
        let mut seen = HashSet::from_iter([id]);
        let mut waiting = vec![id];
        while let Some(at) = waiting.pop() {
            if seen.len() > SOURCES {
                break;
            }
            for next in self.given_by(function, body, at) {
                if seen.insert(next) {
                    waiting.push(next);
                }
            }
        }
        let found = Rc::new(seen);
        self.sources.borrow_mut().insert((function, id), Rc::clone(&found));
        found
    }

    /// One step from a value to what gave it.
    fn given_by(&self, function: FnId, body: &'a Body, id: ExprId) -> Vec<ExprId> {
        match body.expr(id) {
            Expr::Await(inner)
            | Expr::Try(inner)
            | Expr::Ref(inner)
            | Expr::Unary(_, inner)
            | Expr::Cast(inner, _)
            | Expr::Field(inner, _)
            | Expr::Closure { body: inner, .. }
            | Expr::Method { receiver: inner, .. } => vec![*inner],
            Expr::Call { args, .. } => args.clone(),
            Expr::Block { stmts, .. } => match stmts.last() {
                Some(Stmt::Expr { expr, value: true }) => vec![*expr],
                _ => Vec::new(),
            },
            Expr::If { then, otherwise, .. } => otherwise.iter().copied().chain([*then]).collect(),
            Expr::Match { scrutinee, arms } => arms.iter().map(|arm| arm.body).chain([*scrutinee]).collect(),
            Expr::Path(path) => {
                path.ident().map_or_else(Vec::new, |name| self.names(Scope::Fn(function), body, id, name))
            }
            _ => Vec::new(),
        }
    }

    /// Whether a `?` has taken the failure off: then nothing is an answer like another.
    fn is_unwrapped(&self, function: FnId, body: &'a Body, id: ExprId, call: ExprId) -> bool {
        self.passes(function, body, id, call, |expr| matches!(expr, Expr::Try(_)))
    }

    /// Whether the call was awaited before the value came about.
    fn is_over(&self, function: FnId, body: &'a Body, id: ExprId, call: ExprId) -> bool {
        self.passes(function, body, id, call, |expr| matches!(expr, Expr::Try(_) | Expr::Await(_)))
    }

    /// Whether such an expression stands between the call and the value.
    fn passes(&self, function: FnId, body: &'a Body, id: ExprId, call: ExprId, such: fn(&Expr) -> bool) -> bool {
        let mut seen = HashSet::from_iter([id]);
        let mut waiting = vec![id];
        while let Some(at) = waiting.pop() {
            if at == call || seen.len() > SOURCES {
                continue;
            }
            let next = match body.expr(at) {
                expr if such(expr) => return true,
                Expr::Await(_) | Expr::Call { .. } | Expr::Ref(_) | Expr::Method { .. } | Expr::Path(_) => {
                    self.given_by(function, body, at)
                }
                _ => Vec::new(),
            };
            waiting.extend(next.into_iter().filter(|next| seen.insert(*next)));
        }
        false
    }

    /// What a variable was bound to or is set to.
    pub(super) fn names(&self, scope: Scope, body: &'a Body, at: ExprId, name: &str) -> Vec<ExprId> {
        let binding = binding_of(&self.eval, scope, body, at, name);
        let bound = match binding {
            Some(Binding::Let(_, _, value)) => value,
            Some(Binding::Matched(_, value)) => Some(value),
            Some(Binding::Closure(closure, 0, _)) => match body.node(closure).parent.map(|holder| body.expr(holder)) {
                Some(Expr::Method { receiver, .. }) => Some(*receiver),
                _ => None,
            },
            _ => None,
        };
        let changes = self.eval.changes(scope, body);
        let set = changes.assigned.of(name, binding.and_then(|binding| binding.bound(name)));
        bound.into_iter().chain(set.take(8).copied()).collect()
    }
}

fn is_async(body: &Body, id: ExprId) -> bool {
    matches!(body.expr(id), Expr::Block { kind: BlockKind::Async, .. })
}

fn holds(body: &Body, id: ExprId, inner: ExprId) -> bool {
    body.node(id).span.contains(body.node(inner).span)
}

fn is_comparison(operator: &str) -> bool {
    matches!(operator, "==" | "!=" | ">=" | ">" | "<" | "<=")
}
