//! Bodies: expressions, statements and patterns.

use serde::{Deserialize, Serialize};

use super::{Item, Param, Path, Ty};
use crate::source::Span;

/// A pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Whether it binds a name.
    #[must_use]
    pub fn binds(&self, name: &str) -> bool {
        let mut found = false;
        self.bindings(&mut |bound, _| found |= bound == name);
        found
    }

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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExprId(pub u32);

/// The expressions of one function, constant or macro arm; closures live in the body that holds them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Body {
    /// The nodes; a child may stand before or after its parent.
    pub nodes: Vec<Node>,
    /// The outermost expression; `None` in an empty body.
    pub root: Option<ExprId>,
    /// Where structs are written out.
    pub structs: Vec<ExprId>,
    /// Whether items stand among the statements.
    pub items: bool,
}

/// One expression.
#[derive(Clone, Debug, Serialize, Deserialize)]
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

    /// The innermost expression of a chain of methods.
    #[must_use]
    pub fn base(&self, id: ExprId) -> ExprId {
        let mut at = id;
        while let Expr::Method { receiver: inner, .. }
        | Expr::Await(inner)
        | Expr::Try(inner)
        | Expr::Ref(inner)
        | Expr::Unary('*', inner) = self.expr(at)
        {
            at = *inner;
        }
        at
    }

    /// The call that is given this as an argument.
    #[must_use]
    pub fn given_to(&self, id: ExprId) -> Option<ExprId> {
        let parent = self.node(id).parent?;
        let (Expr::Method { args, .. } | Expr::Call { args, .. }) = self.expr(parent) else { return None };
        args.contains(&id).then_some(parent)
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
#[derive(Clone, Debug, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlockKind {
    /// Runs where it stands.
    Plain,
    /// `async { .. }`: runs when awaited.
    Async,
}

/// What kind of loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoopKind {
    /// `loop`
    Loop,
    /// `while`, `while let`
    While,
    /// `for`
    For,
}

/// One statement of a block.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Arm {
    /// The pattern.
    pub pat: Pat,
    /// `if ..`.
    pub guard: Option<ExprId>,
    /// The body.
    pub body: ExprId,
}

/// A macro call in a body.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MacroCall {
    /// `tokio::select`.
    pub path: Path,
    /// How far its tokens could be read.
    pub shape: MacroShape,
    /// Its tokens as text, at most 4096 bytes of it: literals for rules that look for names.
    pub tokens: String,
}

/// What a macro's tokens were read as.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
