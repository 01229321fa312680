//! Items.

use serde::{Deserialize, Serialize};

use super::{Body, Pat, Path, Ty};
use crate::source::Span;

/// An item with what every item has.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Item {
    /// Its name; of an impl the empty string.
    pub name: String,
    /// The name's bytes, or the item's when it has none.
    pub name_span: Span,
    /// All of it, attributes included.
    pub span: Span,
    /// `pub` in any form but `pub(self)`.
    pub public: bool,
    /// Plain `pub`: as far as the item itself says, other crates see it.
    pub exported: bool,
    /// Whether its own cfg implies `test`, or it is a `#[test]`.
    pub test: bool,
    /// Attributes other than docs.
    pub attributes: Vec<Attribute>,
    /// Doc comments, one line each, the leading space removed.
    pub docs: Vec<String>,
    /// The rest.
    pub kind: ItemKind,
}

/// `#[path(tokens)]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attribute {
    /// `tokio::main`.
    pub path: String,
    /// The tokens in its brackets or after `=`, as text.
    pub tokens: String,
}

/// What kinds of item there are.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ItemKind {
    /// `mod a;` (`None`) or `mod a { .. }`; `path` is the `#[path]` of the one that applies here.
    Mod {
        /// The items of an inline module.
        items: Option<Vec<Item>>,
        /// The file that `#[path]` names.
        path: Option<String>,
    },
    /// `use`, flattened.
    Use(Vec<Import>),
    /// `extern crate a as b`: the crate's name; the item's name is what it is called here.
    ExternCrate(String),
    /// A free function.
    Fn(Function),
    /// `struct`, `union`: its fields.
    Struct(Vec<FieldDef>),
    /// `enum`: its variants.
    Enum(Vec<Variant>),
    /// `impl [Trait for] Type`.
    Impl(Impl),
    /// `trait`.
    Trait(TraitDef),
    /// `type A<T> = B`.
    Alias(Ty),
    /// `const` and `static`.
    Const {
        /// The written type.
        ty: Ty,
        /// The value.
        value: Body,
    },
    /// `macro_rules!`: for each arm the transcriber, lowered as well as its tokens allow (`$x` as paths named `x`).
    MacroRules(Vec<MacroArm>),
    /// `include!("file")`; `None` when the argument is no literal (`OUT_DIR`).
    Include(Option<String>),
    /// A macro call in item place, by path, with its tokens as text.
    MacroCall {
        /// `progenitor::generate_api`.
        path: String,
        /// Its tokens, unless they were read as items.
        tokens: String,
    },
}

/// One arm of a `macro_rules!`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MacroArm {
    /// Names of the metavariables, in order.
    pub parameters: Vec<String>,
    /// What it expands to, as an expression or block; empty body when it makes items.
    pub body: Body,
    /// The items that it makes.
    pub items: Vec<Item>,
}

/// One name that a `use` brings in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The path, without `self` at its end; may start with `crate`, `self`, `super`.
    pub path: Vec<String>,
    /// Whether the path starts with `::`.
    pub global: bool,
    /// The name here; `_` for `as _`; the empty string of a glob.
    pub name: String,
    /// `use a::*`.
    pub glob: bool,
}

/// A field of a struct or variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldDef {
    /// Its name, or its index.
    pub name: String,
    /// Its type.
    pub ty: Ty,
}

/// A variant of an enum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Its fields.
    pub fields: Vec<FieldDef>,
}

/// A generic parameter with its bounds, `where` clauses included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generic {
    /// `T`, or `T::Error` from a `where` clause.
    pub name: String,
    /// Traits; an `Fn` bound is in `function`.
    pub bounds: Vec<Path>,
    /// Its `Fn(A) -> R` bound.
    pub function: Option<Ty>,
}

/// `impl [Trait for] Type { .. }`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Impl {
    /// The type.
    pub self_ty: Ty,
    /// The trait.
    pub trait_path: Option<Path>,
    /// Generic parameters.
    pub generics: Vec<Generic>,
    /// Functions, constants and associated types (as [`ItemKind::Alias`]).
    pub items: Vec<Item>,
}

/// `trait T: S { .. }`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TraitDef {
    /// Supertraits.
    pub supertraits: Vec<Path>,
    /// Generic parameters.
    pub generics: Vec<Generic>,
    /// Functions (with or without a body), constants and associated types.
    pub items: Vec<Item>,
}

/// A function, method or trait method.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Function {
    /// Whether it is `async`.
    pub is_async: bool,
    /// Whether it takes `self`; then `self` is the first of `params`, typed as written (`&Self` as a reference).
    pub has_self: bool,
    /// Generic parameters.
    pub generics: Vec<Generic>,
    /// Parameters.
    pub params: Vec<Param>,
    /// The written return type; `()` when none is.
    pub returns: Ty,
    /// The body; `None` in a trait without a default.
    pub body: Option<Body>,
}

/// A parameter of a function or closure.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Param {
    /// Its pattern.
    pub pat: Pat,
    /// Its type; [`Ty::Other`] when a closure leaves it out.
    pub ty: Ty,
    /// All of it.
    pub span: Span,
}
