//! Type-lite inference: what expressions are, from what is written, and which functions calls lead to.
//!
//! Nothing is inferred as a compiler would: types come from annotations, fields, signatures and known
//! constructors, and wrappers are taken off ([`ty`]). Alongside the type goes what later steps ask of a
//! value ([`value`]): the HTTP method and URL of a request, the program of a command. Evaluation goes
//! backwards from what is asked and is cut at recursion, so that a scan pays for the calls it looks at alone.
//! A function's value is its summary: parameters stand in it until a call replaces them.

pub mod binding;
pub mod call;
pub mod changes;
pub mod document;
pub mod eval;
mod everyday;
pub mod known;
pub mod members;
pub mod outside;
mod plain;
pub mod requests;
pub mod text;
pub mod ty;
pub mod value;
mod wrappers;
mod written;

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashSet as HashSet;

use crate::catalog::Catalog;
use crate::scan::index::{FnId, Index, TypeId, TypeKind};
use crate::scan::ir::Body;
use crate::scan::types::changes::Changes;
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
    /// Names under which a `macro_rules!` of the workspace may be called.
    macros: HashSet<&'a str>,
    summaries: Vec<OnceLock<Arc<Value>>>,
    /// By [`FnId`].
    changes: Vec<OnceLock<Arc<Changes<'a>>>>,
    /// By [`TypeId`].
    fields: Vec<OnceLock<Vec<Field>>>,
}

/// A field of a struct.
pub(crate) struct Field {
    /// What is written, seen from where the struct stands.
    pub(crate) ty: Type,
    /// With what constructors put there, where no argument of the struct decides.
    pub(crate) value: OnceLock<Value>,
}

impl<'a> Types<'a> {
    /// Sets the tables up.
    #[must_use]
    pub fn new(index: &'a Index, catalog: &'a Catalog) -> Types<'a> {
        let summaries = index.functions.iter().map(|_| OnceLock::new()).collect();
        let changes = index.functions.iter().map(|_| OnceLock::new()).collect();
        let fields = index.types.iter().map(|_| OnceLock::new()).collect();
        let (members, known) = (Members::new(index, catalog), Known::new(catalog));
        Types { index, catalog, members, known, macros: macros(index), summaries, changes, fields }
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

    /// The fields of a struct in their order; nothing of what is none.
    pub(crate) fn fields(&self, id: TypeId) -> &[Field] {
        let Some(slot) = self.fields.get(id.0 as usize) else { return &[] };
        slot.get_or_init(|| {
            let entry = self.index.ty(id);
            let names = Names::of_module(self.index, self.catalog, entry.module);
            let TypeKind::Struct(fields) = &entry.kind else { return Vec::new() };
            fields.iter().map(|field| Field { ty: names.ty(&field.ty), value: OnceLock::new() }).collect()
        })
    }

    /// Whether a `macro_rules!` of the workspace may be called by this name.
    #[must_use]
    pub fn is_macro(&self, name: &str) -> bool {
        self.macros.contains(name)
    }

    pub(crate) fn changes_slot(&self, id: FnId) -> Option<&OnceLock<Arc<Changes<'a>>>> {
        self.changes.get(id.0 as usize)
    }

    pub(crate) fn summary_slot(&self, id: FnId) -> Option<&OnceLock<Arc<Value>>> {
        self.summaries.get(id.0 as usize)
    }
}

/// Names of macros, and other names that a `use` gives them.
fn macros(index: &Index) -> HashSet<&str> {
    let mut names: HashSet<&str> = index.macros.iter().map(|entry| entry.name.as_str()).collect();
    let renamed: Vec<&str> = index
        .every_import()
        .filter(|import| import.path.last().is_some_and(|last| names.contains(last.as_str())))
        .map(|import| import.name.as_str())
        .collect();
    names.extend(renamed);
    names
}
