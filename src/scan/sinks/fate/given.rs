//! What becomes of a value that a function, method or macro is given.

use std::cell::Cell;

use crate::scan::ir::{Body, Expr, ExprId, MacroShape};
use crate::scan::sinks::Context;
use crate::scan::types::binding::name_of;
use crate::scan::types::call::Target;
use crate::scan::types::value::Scope;

use super::{Budget, End, Fate, Held, Step, ends};

/// How many functions that a call may lead to are looked into.
const TARGETS: usize = 4;

impl<'a> Context<'_, 'a> {
    pub(super) fn given_to_function(&self, held: Held<'a>, budget: &Budget) -> Step {
        let Held { scope, body, at, parent } = held;
        let Expr::Call { callee, args } = body.expr(parent) else { return ends(End::Given) };
        let name = match body.expr(*callee) {
            Expr::Path(path) => path.segments.last().map_or("", |last| last.name.as_str()),
            _ => "",
        };
        if runs(name) && !is_closure(body, at) {
            return ends(End::Awaited);
        }
        let position = args.iter().position(|arg| *arg == at).unwrap_or(0);
        if position == 0 && wraps(name) {
            return Step::On(parent, true);
        }
        match self.eval.target(scope, parent) {
            Target::Construct(_) => Step::On(parent, true),
            Target::Fns(found) => {
                let inside = found.iter().take(TARGETS).map(|id| (Scope::Fn(*id), position));
                self.through(inside, parent, budget)
            }
            Target::Closure(..) | Target::Outside { .. } | Target::Unknown => Step::On(parent, is_closure(body, at)),
        }
    }

    pub(super) fn given_to_method(&self, held: Held<'a>, budget: &Budget) -> Step {
        let Held { scope, body, at, parent } = held;
        let Expr::Method { receiver, name, args, .. } = body.expr(parent) else { return ends(End::Given) };
        // `path.join(..)` runs nothing.
        if runs(name) && name != "join" && !is_closure(body, at) {
            return ends(End::Awaited);
        }
        if matches!(name.as_str(), "push" | "push_back") {
            let list = name_of(body, *receiver).map(|list| self.used(scope, body, &[list], 0, budget));
            // Whoever has a list of futures awaits them.
            let listed = Fate { end: End::Awaited, as_is: false };
            return Step::Ends(list.map_or(listed, |fate| fate.max(listed)));
        }
        match self.eval.target(scope, parent) {
            Target::Fns(found) => {
                let position = args.iter().position(|arg| *arg == at).unwrap_or(0);
                let inside = found.iter().take(TARGETS).map(|id| {
                    let has_self = self.types.index.functions[id.0 as usize].function.has_self;
                    (Scope::Fn(*id), position + usize::from(has_self))
                });
                self.through(inside, parent, budget)
            }
            // `calls.map(|it| client.create(it))`: what comes out of the adapter is what the closure answers.
            _ if is_closure(body, at) => Step::On(parent, true),
            _ => ends(End::Given),
        }
    }

    pub(super) fn given_to_macro(&self, held: Held<'a>, budget: &Budget) -> Step {
        let Held { scope, body, at, parent } = held;
        let Expr::Macro(call) = body.expr(parent) else { return ends(End::Given) };
        let args = match &call.shape {
            MacroShape::Select(arms) if arms.iter().any(|(future, _)| *future == at) => return ends(End::Awaited),
            MacroShape::Select(_) | MacroShape::Block(_) => return Step::On(parent, true),
            MacroShape::Map(_) => return ends(End::Given),
            MacroShape::Exprs(args) | MacroShape::Tokens(args) => args.as_slice(),
            MacroShape::Inert => &[],
        };
        if let Some(id) = self.eval.local_macro(scope, body, parent, &call.path) {
            let position = args.iter().position(|arg| *arg == at).unwrap_or(0);
            let arms = &self.types.index.macros[id.0 as usize].arms;
            let fitting = |arm: &usize| arms[*arm].parameters.len() == args.len();
            let arm = (0..arms.len()).find(fitting).unwrap_or(0);
            return self.through(std::iter::once((Scope::Macro(id, arm), position)), parent, budget);
        }
        match call.path.segments.last().map_or("", |last| last.name.as_str()) {
            "dbg" | "pin" | "vec" => Step::On(parent, true),
            name if runs(name) => ends(End::Awaited),
            name if tells(name) => ends(End::Plain),
            // Macros that nobody has looked into mostly run what they are given.
            _ => Step::Ends(Fate { end: End::Awaited, as_is: false }),
        }
    }

    /// Into functions or macro arms, and further from the call where they answer with what they were given.
    fn through(&self, inside: impl Iterator<Item = (Scope, usize)>, call: ExprId, budget: &Budget) -> Step {
        let fate = inside.map(|(scope, position)| self.as_parameter(scope, position, budget)).max();
        match fate {
            Some(Fate { end: End::Answered, as_is }) => Step::On(call, as_is),
            Some(fate) if fate.end > End::Dropped => Step::Ends(fate),
            Some(_) | None => ends(End::Given),
        }
    }

    /// What a function or macro arm does with what it is given at a position.
    fn as_parameter(&self, scope: Scope, position: usize, budget: &Budget) -> Fate {
        let given = Fate { end: End::Given, as_is: true };
        let Some(body) = self.types.body(scope) else { return given };
        let index = self.types.index;
        let below = Budget { steps: Cell::new(budget.steps.get()), names: budget.names };
        let fate = match scope {
            Scope::Fn(id) => {
                let params = &index.functions[id.0 as usize].function.params;
                params.get(position).map(|param| self.named(scope, body, &[&param.pat], 0, &below))
            }
            Scope::Macro(id, arm) => {
                let names = index.macros[id.0 as usize].arms.get(arm).map(|arm| arm.parameters.as_slice());
                let name = names.and_then(|names| names.get(position).or(names.last()));
                name.map(|name| self.used(scope, body, &[name.as_str()], 0, &below))
            }
            Scope::Const(_) => None,
        };
        budget.steps.set(below.steps.get());
        fate.unwrap_or(given)
    }
}

fn is_closure(body: &Body, id: ExprId) -> bool {
    matches!(body.expr(id), Expr::Closure { .. })
}

/// Whether a function, method or macro runs the futures that it is given.
fn runs(name: &str) -> bool {
    const RUN: [&str; 20] = [
        "block_on",
        "join",
        "join3",
        "join4",
        "join_all",
        "join_set",
        "run_until",
        "select",
        "select_all",
        "select_biased",
        "select_ok",
        "spawn",
        "spawn_local",
        "spawn_on",
        "timeout",
        "timeout_at",
        "try_join",
        "try_join3",
        "try_join_all",
        "within",
    ];
    RUN.contains(&name)
}

/// Whether a function answers with its first argument: a future, or what holds it.
fn wraps(name: &str) -> bool {
    const WRAP: [&str; 17] = [
        "Err",
        "Ok",
        "Some",
        "black_box",
        "boxed",
        "boxed_local",
        "fuse",
        "identity",
        "into_future",
        "new",
        "next",
        "once",
        "pin",
        "ready",
        "shared",
        "unconstrained",
        "unwrap",
    ];
    WRAP.contains(&name)
}

/// Whether a macro only tells of what it is given.
fn tells(name: &str) -> bool {
    const TELL: [&str; 10] =
        ["debug", "error", "format", "info", "print", "println", "trace", "warn", "write", "writeln"];
    TELL.contains(&name) || name.contains("assert")
}
