//! What statements of a body do to variables, read once and sorted by name.

use std::rc::Rc;

use rustc_hash::FxHashMap as HashMap;

use crate::scan::ir::{Body, Expr, ExprId};
use crate::scan::types::binding::name_of;
use crate::scan::types::eval::Eval;
use crate::scan::types::value::Scope;

/// What statements of one body do to variables, by name.
#[derive(Default)]
pub struct Changes<'a> {
    /// The right sides of `name = ..`.
    pub assigned: HashMap<&'a str, Vec<ExprId>>,
    /// Calls that add to a text: `name.push_str(..)`, `name.set_path(..)`.
    pub extended: HashMap<&'a str, Vec<ExprId>>,
    /// `*name.method_mut() = ..`: the method and the right side.
    pub placed: HashMap<&'a str, Vec<(&'a str, ExprId)>>,
    /// `name.insert(key, value)`, `name.append(key, value)`: the key and the value.
    pub put: HashMap<&'a str, Vec<(ExprId, ExprId)>>,
    /// `name.arg(..)`, `name.args(..)`, in a chain too: what is given.
    pub given: HashMap<&'a str, Vec<&'a [ExprId]>>,
}

impl<'a> Eval<'_, 'a> {
    /// What statements do to the variables of a body.
    #[must_use]
    pub fn changes(&self, scope: Scope, body: &'a Body) -> Rc<Changes<'a>> {
        if let Some(found) = self.changes.borrow().get(&scope) {
            return Rc::clone(found);
        }
        let mut table = Changes::default();
        for id in body.ids() {
            match body.expr(id) {
                Expr::Assign(operator, left, right) if operator == "=" => {
                    if let Some(name) = name_of(body, *left) {
                        table.assigned.entry(name).or_default().push(*right);
                    }
                    if let Expr::Unary('*', place) = body.expr(*left)
                        && let Expr::Method { receiver, name: method, .. } = body.expr(*place)
                        && let Some(name) = name_of(body, *receiver)
                    {
                        table.placed.entry(name).or_default().push((method, *right));
                    }
                }
                Expr::Method { receiver, name, args, .. } if matches!(name.as_str(), "insert" | "append") => {
                    if let (Some(name), [key, value]) = (name_of(body, *receiver), args.as_slice()) {
                        table.put.entry(name).or_default().push((*key, *value));
                    }
                }
                Expr::Method { receiver, name, args, .. } if matches!(name.as_str(), "arg" | "args") => {
                    if let Some(name) = name_of(body, body.base(*receiver)) {
                        table.given.entry(name).or_default().push(args);
                    }
                }
                Expr::Method { receiver, name, args, .. }
                    if args.len() == 1 && matches!(name.as_str(), "push_str" | "set_path" | "set_query") =>
                {
                    if let Some(name) = name_of(body, *receiver) {
                        table.extended.entry(name).or_default().push(id);
                    }
                }
                _ => {}
            }
        }
        let table = Rc::new(table);
        self.changes.borrow_mut().insert(scope, Rc::clone(&table));
        table
    }
}
