//! What a scanned file says, owned and `Send`: no syn type, byte ranges instead of spans.
//!
//! Bodies are arenas: an [`ExprId`] names a node, every node knows its parent, so that "inside the closure
//! that is given to the guard" is a walk upwards. Macros are lowered by what their tokens parse as; what
//! could not be read is counted, never dropped.

mod children;
mod expr;
mod item;

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::source::{Source, Span};

pub use expr::{Arm, BlockKind, Body, Expr, ExprId, Lit, LoopKind, MacroCall, MacroShape, Node, Pat, Stmt};
pub use item::{
    Attribute, FieldDef, Function, Generic, Impl, Import, Item, ItemKind, MacroArm, Param, TraitDef, Variant,
};

/// One file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FileSummary {
    /// The file; its name is relative to the scanned folder, with `/`.
    #[serde(skip)]
    pub source: Source,
    /// Its items, or none when it did not parse.
    pub items: Vec<Item>,
    /// `// onlyonce: allow(..)` comments, in order, inside macros too.
    pub allows: Vec<AllowComment>,
    /// Why the file could not be read as Rust, and where.
    pub unread: Option<Unread>,
    /// Macro calls whose tokens no Rust parser takes and that were searched as tokens.
    pub macros_as_tokens: usize,
    /// `include!` and its kin of files that a build script makes.
    pub made_includes: usize,
    /// What is called in it.
    pub called: Called,
    /// Whether `#![cfg(..)]` at its head makes it for tests only.
    pub test: bool,
    /// Whether nobody has read it yet: it is named like a file of tests, and read once code leads to it.
    #[serde(skip)]
    pub waits: bool,
}

/// The names by which methods and functions are called, of a function the last of its path; each once.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Called {
    /// `send` of `request.send()`.
    pub methods: FxHashSet<String>,
    /// `get` of `reqwest::get(url)`.
    pub functions: FxHashSet<String>,
}

impl Called {
    /// Notes what a node of these calls.
    pub fn note(&mut self, expr: &Expr, nodes: &[Node]) {
        let (names, name) = match expr {
            Expr::Method { name, .. } => (&mut self.methods, name),
            Expr::Call { callee, .. } => {
                let Some(Expr::Path(path)) = nodes.get(callee.0 as usize).map(|node| &node.expr) else { return };
                let Some(last) = path.segments.last() else { return };
                (&mut self.functions, &last.name)
            }
            _ => return,
        };
        if !names.contains(name) {
            names.insert(name.clone());
        }
    }
}

/// An operation of a GraphQL document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Its name; empty when it has none.
    pub name: String,
    /// Whether it is a mutation.
    pub changes: bool,
}

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unread {
    /// The parser's word for it.
    pub reason: String,
    /// Where it stopped.
    pub span: Span,
}

/// `// onlyonce: allow(rule, reason = "...")`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllowComment {
    /// The rules named; empty when the comment cannot be read.
    pub rules: Vec<String>,
    /// The reason, when there is one that is not blank.
    pub reason: Option<String>,
    /// The last day on which it holds, as written.
    pub until: Option<String>,
    /// The comment.
    pub span: Span,
    /// What it covers: the statement or item below it, or the rest of its own line's statement.
    pub covers: Span,
}

/// A path as written, generic arguments kept: `Vec::<u8>::new`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Path {
    /// `<T as Trait>::..`: the self type; the segments then start with the trait's.
    pub qself: Option<Box<Ty>>,
    /// Whether it starts with `::`.
    pub global: bool,
    /// Names with their generic arguments.
    pub segments: Vec<Segment>,
}

/// One name of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Segment {
    /// The name.
    pub name: String,
    /// Generic type arguments; `Output = T` counts as one, lifetimes and consts are left out.
    pub args: Vec<Ty>,
}

impl AsRef<str> for Segment {
    fn as_ref(&self) -> &str {
        &self.name
    }
}

impl Path {
    /// A path of plain names: `a::b`.
    #[must_use]
    pub fn of(names: &str) -> Path {
        let segment = |name: &str| Segment { name: name.to_owned(), args: Vec::new() };
        Path { qself: None, global: false, segments: names.split("::").map(segment).collect() }
    }

    /// The names without generic arguments.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.segments.iter().map(|segment| segment.name.as_str()).collect()
    }

    /// The single name of a path without `::`, generic arguments or qself.
    #[must_use]
    pub fn ident(&self) -> Option<&str> {
        match self.segments.as_slice() {
            [only] if self.qself.is_none() && !self.global => Some(&only.name),
            _ => None,
        }
    }
}

/// A type as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Ty {
    /// `a::B<C>`, `Self`, a generic parameter, an associated type.
    Path(Path),
    /// `&T`, `&mut T`, `*const T`.
    Ref(Box<Ty>),
    /// `(A, B)`; `()` is the empty one.
    Tuple(Vec<Ty>),
    /// `[T]`, `[T; n]`.
    Slice(Box<Ty>),
    /// `impl A + B`, `dyn A + B`. `Fn(A) -> R` bounds are [`Ty::Fn`] when they stand alone.
    Bounds(Vec<Path>),
    /// `fn(A) -> R`, `Fn(A) -> R` and its kin.
    Fn(Vec<Ty>, Box<Ty>),
    /// `_`, `!`, macros and the like.
    Other,
}
