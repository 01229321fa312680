//! Type-lite inference: what expressions are, from what is written, and which functions calls lead to.
//!
//! Nothing is inferred as a compiler would: types come from annotations, fields, signatures and known
//! constructors, and wrappers are taken off ([`ty`]). Alongside the type goes what later steps ask of a
//! value ([`value`]): the HTTP method and URL of a request, the program of a command. Evaluation goes
//! backwards from what is asked and is cut at recursion, so that a scan pays for the calls it looks at alone.
//! A function's value is its summary: parameters stand in it until a call replaces them.

pub mod binding;
pub mod call;
pub mod eval;
pub mod known;
pub mod members;
pub mod outside;
pub mod text;
pub mod ty;
pub mod value;

use std::sync::OnceLock;

use crate::catalog::Catalog;
use crate::scan::index::{FnId, Index};
use crate::scan::ir::Body;
use crate::scan::types::known::Known;
use crate::scan::types::members::Members;
use crate::scan::types::ty::{Names, Type};
use crate::scan::types::value::{Scope, Value};

/// What types and calls are told from, with what was found so far. Shared by threads.
pub struct Types<'a> {
    /// Everything that has a name.
    pub index: &'a Index,
    /// The outbound calls of public crates.
    pub catalog: &'a Catalog,
    /// Functions by the type that has them.
    pub members: Members<'a>,
    /// What is known of crates outside.
    pub known: Known<'a>,
    summaries: Vec<OnceLock<Value>>,
}

impl<'a> Types<'a> {
    /// Sets the tables up.
    #[must_use]
    pub fn new(index: &'a Index, catalog: &'a Catalog) -> Types<'a> {
        let summaries = index.functions.iter().map(|_| OnceLock::new()).collect();
        Types { index, catalog, members: Members::new(index, catalog), known: Known::new(catalog), summaries }
    }

    /// The body of a scope.
    #[must_use]
    pub fn body(&self, scope: Scope) -> Option<&'a Body> {
        match scope {
            Scope::Fn(id) => self.index.functions[id.0 as usize].function.body.as_ref(),
            Scope::Const(id) => Some(&self.index.consts[id.0 as usize].value),
            Scope::Macro(id, arm) => self.index.macros[id.0 as usize].arms.get(arm).map(|arm| &arm.body),
        }
    }

    /// The names that a scope sees.
    #[must_use]
    pub fn names(&self, scope: Scope) -> Names<'a> {
        match scope {
            Scope::Fn(id) => Names::of_fn(self.index, self.catalog, id),
            Scope::Const(id) => {
                let entry = &self.index.consts[id.0 as usize];
                Names {
                    index: self.index,
                    catalog: self.catalog,
                    module: entry.module,
                    function: None,
                    impl_id: entry.impl_id,
                }
            }
            Scope::Macro(id, _) => Names::of_module(self.index, self.catalog, self.index.macros[id.0 as usize].module),
        }
    }

    /// The type that a function's signature says it returns.
    #[must_use]
    pub fn written_return(&self, id: FnId) -> Type {
        Names::of_fn(self.index, self.catalog, id).ty(&self.index.functions[id.0 as usize].function.returns)
    }

    pub(crate) fn summary_slot(&self, id: FnId) -> Option<&OnceLock<Value>> {
        self.summaries.get(id.0 as usize)
    }
}
