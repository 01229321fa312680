//! What happens in what order, and what a value is made of: the questions that several rules ask.
//!
//! [`order`] is the control flow of one body, [`outcome`] what its turns say of a call that was made, [`rounds`]
//! whether a call is made again once it failed, [`after`] what is done then, [`origin`] what a value may come from. Each
//! looks at one body at a time and is kept; what leads from function to function goes over the call graph, every
//! function once.

pub mod after;
pub mod order;
pub mod origin;
pub mod outcome;
mod reads;
mod requeue;
pub mod rounds;
mod signs;

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::scan::flow::order::{Order, Point};
use crate::scan::flow::rounds::{Again, Back};
use crate::scan::graph::Graph;
use crate::scan::index::FnId;
use crate::scan::ir::{Body, ExprId};
use crate::scan::types::Types;
use crate::scan::types::eval::Eval;
use crate::scan::types::value::Scope;

/// The expressions that gave a value.
type Sources = Rc<HashSet<ExprId>>;

/// Moments of one body.
type Points = Rc<HashSet<Point>>;

/// Answers questions about order and values; keeps what it found.
pub struct Flow<'t, 'a> {
    /// Types and names.
    pub types: &'t Types<'a>,
    /// Who calls whom.
    pub graph: &'t Graph,
    /// Evaluates expressions.
    pub eval: Eval<'t, 'a>,
    orders: RefCell<HashMap<FnId, Rc<Order<'a>>>>,
    again: RefCell<HashMap<(FnId, ExprId), Option<Again>>>,
    /// By function: the calls that make its work begin again.
    back: RefCell<HashMap<FnId, Rc<Back>>>,
    /// By loop: where something is set that its condition looks at.
    sets: RefCell<HashMap<(FnId, ExprId), Points>>,
    /// By value: the expressions that gave it.
    sources: RefCell<HashMap<(FnId, ExprId), Sources>>,
    /// By function: the steps that were taken on its ways.
    spent: RefCell<HashMap<FnId, usize>>,
}

/// How many steps all questions together may take on the ways of one function: nobody writes one that needs more.
const STEPS: usize = 400_000;

impl<'t, 'a> Flow<'t, 'a> {
    /// Nothing is looked at before it is asked for.
    #[must_use]
    pub fn new(types: &'t Types<'a>, graph: &'t Graph) -> Flow<'t, 'a> {
        Flow {
            types,
            graph,
            eval: Eval::new(types),
            orders: RefCell::default(),
            again: RefCell::default(),
            back: RefCell::default(),
            sets: RefCell::default(),
            sources: RefCell::default(),
            spent: RefCell::default(),
        }
    }

    /// Takes a step on the ways of a function, unless too many were taken.
    fn step(&self, id: FnId) -> bool {
        let mut spent = self.spent.borrow_mut();
        let steps = spent.entry(id).or_default();
        *steps += 1;
        *steps <= STEPS
    }

    /// The functions of which not every way was followed.
    #[must_use]
    pub fn unfollowed(&self) -> Vec<FnId> {
        let spent = self.spent.borrow();
        let mut over: Vec<FnId> = spent.iter().filter(|(_, steps)| **steps > STEPS).map(|(id, _)| *id).collect();
        over.sort_unstable();
        over
    }

    /// The control flow of a function; `None` where it has no body.
    #[must_use]
    pub fn order(&self, id: FnId) -> Option<Rc<Order<'a>>> {
        if let Some(found) = self.orders.borrow().get(&id) {
            return Some(Rc::clone(found));
        }
        let source = &self.types.index.files.get(self.types.index.function(id).file)?.source;
        let order = Rc::new(Order::of(self.body(id)?, source));
        self.orders.borrow_mut().insert(id, Rc::clone(&order));
        Some(order)
    }

    /// The body of a function.
    #[must_use]
    pub fn body(&self, id: FnId) -> Option<&'a Body> {
        self.types.body(Scope::Fn(id))
    }
}
