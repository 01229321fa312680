//! What a scanned file says, owned and `Send`: no syn type, byte ranges instead of spans.
//!
//! Bodies are arenas: an [`ExprId`] names a node, every node knows its parent, so that "inside the closure
//! that is given to the guard" is a walk upwards. Macros are lowered by what their tokens parse as; what
//! could not be read is counted, never dropped.

mod children;

use crate::source::{Source, Span};

/// One file.
#[derive(Clone, Debug)]
pub struct FileSummary {
    /// The file; its name is relative to the scanned folder, with `/`.
    pub source: Source,
    /// Its items, or none when it did not parse.
    pub items: Vec<Item>,
    /// `// onlyonce: allow(..)` comments, in order, inside macros too.
    pub allows: Vec<AllowComment>,
    /// Why the file could not be read as Rust, and where.
    pub unread: Option<Unread>,
    /// Macro calls whose tokens no Rust parser takes and that were searched as tokens.
    pub macros_as_tokens: usize,
    /// Whether `#![cfg(..)]` at its head makes it for tests only.
    pub test: bool,
}

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The parser's word for it.
    pub reason: String,
    /// Where it stopped.
    pub span: Span,
}

/// `// onlyonce: allow(rule, reason = "...")`.
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Path {
    /// `<T as Trait>::..`: the self type; the segments then start with the trait's.
    pub qself: Option<Box<Ty>>,
    /// Whether it starts with `::`.
    pub global: bool,
    /// Names with their generic arguments.
    pub segments: Vec<Segment>,
}

/// One name of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Segment {
    /// The name.
    pub name: String,
    /// Generic type arguments; `Output = T` counts as one, lifetimes and consts are left out.
    pub args: Vec<Ty>,
}

impl Path {
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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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

/// An item with what every item has.
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// `tokio::main`.
    pub path: String,
    /// The tokens in its brackets or after `=`, as text.
    pub tokens: String,
}

/// What kinds of item there are.
#[derive(Clone, Debug)]
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
        /// Its tokens.
        tokens: String,
    },
}

/// One arm of a `macro_rules!`.
#[derive(Clone, Debug)]
pub struct MacroArm {
    /// Names of the metavariables, in order.
    pub parameters: Vec<String>,
    /// What it expands to, as an expression or block; empty body when it makes items.
    pub body: Body,
    /// The items that it makes.
    pub items: Vec<Item>,
}

/// One name that a `use` brings in.
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDef {
    /// Its name, or its index.
    pub name: String,
    /// Its type.
    pub ty: Ty,
}

/// A variant of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Its fields.
    pub fields: Vec<FieldDef>,
}

/// A generic parameter with its bounds, `where` clauses included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generic {
    /// `T`, or `T::Error` from a `where` clause.
    pub name: String,
    /// Traits; an `Fn` bound is in `function`.
    pub bounds: Vec<Path>,
    /// Its `Fn(A) -> R` bound.
    pub function: Option<Ty>,
}

/// `impl [Trait for] Type { .. }`.
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug)]
pub struct TraitDef {
    /// Supertraits.
    pub supertraits: Vec<Path>,
    /// Generic parameters.
    pub generics: Vec<Generic>,
    /// Functions (with or without a body), constants and associated types.
    pub items: Vec<Item>,
}

/// A function, method or trait method.
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug)]
pub struct Param {
    /// Its pattern.
    pub pat: Pat,
    /// Its type; [`Ty::Other`] when a closure leaves it out.
    pub ty: Ty,
    /// All of it.
    pub span: Span,
}

/// A pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pat {
    /// `x`, `mut x`, `ref x`, `x @ p`.
    Bind {
        /// The name.
        name: String,
        /// Its bytes.
        span: Span,
        /// What stands behind `@`.
        inner: Option<Box<Pat>>,
    },
    /// `_`, `..`.
    Wild,
    /// `(a, b)`.
    Tuple(Vec<Pat>),
    /// `Some(x)`.
    TupleStruct(Path, Vec<Pat>),
    /// `S { a, b: p, .. }`.
    Struct(Path, Vec<(String, Pat)>),
    /// `A::B`, a constant, a literal in path form.
    Path(Path),
    /// `&p`, `box p`.
    Ref(Box<Pat>),
    /// `a | b`.
    Or(Vec<Pat>),
    /// `[a, b]`.
    Slice(Vec<Pat>),
    /// `p: T`.
    Typed(Box<Pat>, Ty),
    /// A literal or range.
    Lit(Lit),
    /// What is not read.
    Other,
}

impl Pat {
    /// Calls `each` on every name that the pattern binds.
    pub fn bindings<'a>(&'a self, each: &mut impl FnMut(&'a str, Span)) {
        match self {
            Pat::Bind { name, span, inner } => {
                each(name, *span);
                if let Some(inner) = inner {
                    inner.bindings(each);
                }
            }
            Pat::Tuple(pats) | Pat::TupleStruct(_, pats) | Pat::Or(pats) | Pat::Slice(pats) => {
                pats.iter().for_each(|pat| pat.bindings(each));
            }
            Pat::Struct(_, fields) => fields.iter().for_each(|(_, pat)| pat.bindings(each)),
            Pat::Ref(inner) | Pat::Typed(inner, _) => inner.bindings(each),
            Pat::Wild | Pat::Path(_) | Pat::Lit(_) | Pat::Other => {}
        }
    }
}

/// A literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lit {
    /// A string, its escapes undone.
    Str(String),
    /// A byte string, as far as it is UTF-8.
    Bytes(String),
    /// An integer, as written without suffix and `_`.
    Int(String),
    /// `true`, `false`.
    Bool(bool),
    /// Another.
    Other,
}

/// Names a node of a [`Body`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// The expressions of one function, constant or macro arm; closures live in the body that holds them.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// The nodes; a child may stand before or after its parent.
    pub nodes: Vec<Node>,
    /// The outermost expression; `None` in an empty body.
    pub root: Option<ExprId>,
}

/// One expression.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it is.
    pub expr: Expr,
    /// Its bytes: of a method call from the receiver's first byte to the closing bracket.
    pub span: Span,
    /// The expression that holds it.
    pub parent: Option<ExprId>,
}

impl Body {
    /// The node of an id of this body.
    #[must_use]
    pub fn node(&self, id: ExprId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The expression of an id of this body.
    #[must_use]
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.node(id).expr
    }

    /// Every id, in the order of the arena.
    pub fn ids(&self) -> impl Iterator<Item = ExprId> + use<> {
        (0..u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)).map(ExprId)
    }

    /// The expressions that hold `id`, innermost first, `id` itself left out.
    pub fn ancestors(&self, id: ExprId) -> impl Iterator<Item = ExprId> + '_ {
        std::iter::successors(self.node(id).parent, |at| self.node(*at).parent)
    }
}

/// What an expression is. Parentheses and groups are not nodes.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A variable, function, constant or unit struct.
    Path(Path),
    /// A literal.
    Lit(Lit),
    /// `f(a, b)`.
    Call {
        /// What is called.
        callee: ExprId,
        /// The arguments.
        args: Vec<ExprId>,
    },
    /// `r.m::<T>(a, b)`.
    Method {
        /// The receiver.
        receiver: ExprId,
        /// The method's name.
        name: String,
        /// The name's bytes.
        name_span: Span,
        /// Turbofish types.
        generics: Vec<Ty>,
        /// The arguments.
        args: Vec<ExprId>,
    },
    /// `e.name`, `e.0`.
    Field(ExprId, String),
    /// `e[i]`.
    Index(ExprId, ExprId),
    /// `e.await`.
    Await(ExprId),
    /// `e?`.
    Try(ExprId),
    /// `&e`, `&mut e`.
    Ref(ExprId),
    /// `*e`, `!e`, `-e`: the operator and its operand; `yield e` has the operator `y`.
    Unary(char, ExprId),
    /// `a + b`, `a && b`: the operator as written.
    Binary(String, ExprId, ExprId),
    /// `e as T`.
    Cast(ExprId, Ty),
    /// `a = b` (operator `=`), `a += b`.
    Assign(String, ExprId, ExprId),
    /// A block of any kind.
    Block {
        /// What kind.
        kind: BlockKind,
        /// Its statements.
        stmts: Vec<Stmt>,
    },
    /// `if c { .. } else ..`; a condition may hold [`Expr::Let`].
    If {
        /// The condition.
        condition: ExprId,
        /// The block.
        then: ExprId,
        /// What follows `else`.
        otherwise: Option<ExprId>,
    },
    /// `let p = e` in a condition.
    Let(Pat, ExprId),
    /// `match e { .. }`.
    Match {
        /// What is looked at.
        scrutinee: ExprId,
        /// The arms.
        arms: Vec<Arm>,
    },
    /// `loop`, `while c`, `for p in e`.
    Loop {
        /// Which.
        kind: LoopKind,
        /// The pattern of a `for`.
        pat: Option<Pat>,
        /// The condition of a `while`, what a `for` goes over.
        head: Option<ExprId>,
        /// The block.
        body: ExprId,
    },
    /// `|a, b| e`, async closures included.
    Closure {
        /// Its parameters.
        params: Vec<Param>,
        /// Its body.
        body: ExprId,
        /// Whether it is `async`.
        is_async: bool,
    },
    /// `S { a: b, ..rest }`.
    Struct {
        /// The struct or variant.
        path: Path,
        /// Fields by name.
        fields: Vec<(String, ExprId)>,
        /// What stands behind `..`.
        rest: Option<ExprId>,
    },
    /// `(a, b)`.
    Tuple(Vec<ExprId>),
    /// `[a, b]`, `[a; n]` (both `a` and `n`), `vec![a, b]`.
    Array(Vec<ExprId>),
    /// `a..b`.
    Range(Option<ExprId>, Option<ExprId>),
    /// `return e`.
    Return(Option<ExprId>),
    /// `break e`.
    Break(Option<ExprId>),
    /// `continue`.
    Continue,
    /// A macro call.
    Macro(MacroCall),
    /// What is not read; holds nothing.
    Other,
}

/// What kind of block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Runs where it stands.
    Plain,
    /// `async { .. }`: runs when awaited.
    Async,
}

/// What kind of loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    /// `loop`
    Loop,
    /// `while`, `while let`
    While,
    /// `for`
    For,
}

/// One statement of a block.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// `let p: T = e else { .. };`
    Let {
        /// The pattern.
        pat: Pat,
        /// The written type.
        ty: Option<Ty>,
        /// The initialiser.
        value: Option<ExprId>,
        /// What follows `else`.
        otherwise: Option<ExprId>,
        /// All of it.
        span: Span,
    },
    /// An expression; `value` when it is the block's value.
    Expr {
        /// The expression.
        expr: ExprId,
        /// Whether it has no semicolon and ends the block.
        value: bool,
    },
    /// An item inside a function.
    Item(Box<Item>),
}

/// An arm of a `match` or of a `select!`.
#[derive(Clone, Debug)]
pub struct Arm {
    /// The pattern.
    pub pat: Pat,
    /// `if ..`.
    pub guard: Option<ExprId>,
    /// The body.
    pub body: ExprId,
}

/// A macro call in a body.
#[derive(Clone, Debug)]
pub struct MacroCall {
    /// `tokio::select`.
    pub path: Path,
    /// How far its tokens could be read.
    pub shape: MacroShape,
    /// Its tokens as text, at most 4096 bytes of it: literals for rules that look for names.
    pub tokens: String,
}

/// What a macro's tokens were read as.
#[derive(Clone, Debug)]
pub enum MacroShape {
    /// `name!(a, b, c = d)`: expressions; of a format macro the string comes first and captured names follow
    /// as paths.
    Exprs(Vec<ExprId>),
    /// Statements, as in `stream! { .. }`: a block.
    Block(ExprId),
    /// `select!`: each arm's future, and its pattern and handler.
    Select(Vec<(ExprId, Arm)>),
    /// `json!({"a": b})`: keys that are literals with their values; nested objects are nested nodes.
    Map(Vec<(String, ExprId)>),
    /// Read as tokens only: the calls that were recognised in them.
    Tokens(Vec<ExprId>),
    /// `stringify!`, `quote!` and other macros whose tokens do not run.
    Inert,
}
