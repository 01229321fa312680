//! What statements of a body do to variables, read once and sorted by variable.

use std::sync::Arc;

use rustc_hash::FxHashMap as HashMap;

use crate::scan::ir::{Body, Expr, ExprId};
use crate::scan::types::binding::{Bound, bound_of, name_of};
use crate::scan::types::eval::Eval;
use crate::scan::types::value::Scope;

/// What is done to each variable. One that shadows another of its name is another, so the name alone does not tell;
/// what binds it is `None` for what no statement of the body binds.
pub struct Table<'a, T>(HashMap<(&'a str, Option<Bound>), Vec<T>>);

impl<T> Default for Table<'_, T> {
    fn default() -> Self {
        Table(HashMap::default())
    }
}

impl<'a, T> Table<'a, T> {
    fn push(&mut self, of: (&'a str, Option<Bound>), change: T) {
        self.0.entry(of).or_default().push(change);
    }

    /// The changes of one variable, in the order of the text.
    pub fn of<'c>(&'c self, name: &'c str, bound: Option<Bound>) -> impl Iterator<Item = &'c T> {
        let known = bound.and_then(|_| self.0.get(&(name, bound)));
        self.0.get(&(name, None)).into_iter().chain(known).flatten()
    }
}

/// What statements of one body do to variables.
#[derive(Default)]
pub struct Changes<'a> {
    /// The right sides of `name = ..`.
    pub assigned: Table<'a, ExprId>,
    /// Calls that add to a text: `name.push_str(..)`, `name.set_path(..)`.
    pub extended: Table<'a, ExprId>,
    /// `*name.method_mut() = ..`, `name.with_method(..)`: the method and the right side.
    pub placed: Table<'a, (&'a str, ExprId)>,
    /// `name.insert(key, value)`, `name.append(key, value)`: the key and the value.
    pub put: Table<'a, (ExprId, ExprId)>,
    /// What is added to a list: `name.push(value)`.
    pub pushed: Table<'a, ExprId>,
    /// `name.arg(..)`, `name.args(..)`, in a chain too: what is given.
    pub given: Table<'a, &'a [ExprId]>,
}

impl<'a> Eval<'_, 'a> {
    /// What statements do to the variables of a body.
    #[must_use]
    pub fn changes(&self, scope: Scope, body: &'a Body) -> Arc<Changes<'a>> {
        if let Some(found) = self.changes.borrow().get(&scope) {
            return Arc::clone(found);
        }
        let found = match scope {
            Scope::Fn(id) => match self.types.changes_slot(id) {
                Some(slot) => Arc::clone(slot.get_or_init(|| Arc::new(self.changes_in(scope, body)))),
                None => Arc::default(),
            },
            Scope::Const(_) | Scope::Macro(..) => Arc::new(self.changes_in(scope, body)),
        };
        self.changes.borrow_mut().insert(scope, Arc::clone(&found));
        found
    }

    fn changes_in(&self, scope: Scope, body: &'a Body) -> Changes<'a> {
        let mut table = Changes::default();
        let variable = |id: ExprId| {
            let name = name_of(body, id)?;
            Some((name, bound_of(self, scope, body, id, name)))
        };
        for id in body.ids() {
            match body.expr(id) {
                Expr::Assign(operator, left, right) if operator == "=" => {
                    if let Some(of) = variable(*left) {
                        table.assigned.push(of, *right);
                    }
                    if let Expr::Unary('*', place) = body.expr(*left)
                        && let Expr::Method { receiver, name: method, .. } = body.expr(*place)
                        && let Some(of) = variable(*receiver)
                    {
                        table.placed.push(of, (method, *right));
                    }
                }
                Expr::Method { receiver, name, args, .. } if matches!(name.as_str(), "insert" | "append") => {
                    if let ([key, value], Some(of)) = (args.as_slice(), variable(*receiver)) {
                        table.put.push(of, (*key, *value));
                    }
                }
                Expr::Method { receiver, name, args, .. } if matches!(name.as_str(), "push" | "push_back") => {
                    if let ([value], Some(of)) = (args.as_slice(), variable(*receiver)) {
                        table.pushed.push(of, *value);
                    }
                }
                Expr::Method { receiver, name, args, .. } if matches!(name.as_str(), "arg" | "args") => {
                    if let Some(of) = variable(body.base(*receiver)) {
                        table.given.push(of, args);
                    }
                }
                Expr::Method { receiver, name, args, .. } if matches!(name.as_str(), "set_method" | "with_method") => {
                    if let ([method], Some(of)) = (args.as_slice(), variable(body.base(*receiver))) {
                        table.placed.push(of, (name, *method));
                    }
                }
                Expr::Method { receiver, name, args, .. }
                    if args.len() == 1 && matches!(name.as_str(), "push_str" | "set_path" | "set_query") =>
                {
                    if let Some(of) = variable(*receiver) {
                        table.extended.push(of, id);
                    }
                }
                _ => {}
            }
        }
        table
    }
}
