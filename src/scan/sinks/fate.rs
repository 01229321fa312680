//! What becomes of a value that may be a future or a request: whether it is awaited, however it gets there.

mod given;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustc_hash::FxHashMap as HashMap;

use crate::scan::ir::{BlockKind, Body, Expr, ExprId, LoopKind, MacroShape, Pat, Path, Stmt, Ty};
use crate::scan::sinks::Context;
use crate::scan::sinks::matching::Leaving;
use crate::scan::types::binding::name_of;
use crate::scan::types::value::Scope;

/// How a value ends, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// Made, and nothing is done with it.
    Dropped,
    /// Looked at as it is: compared, printed.
    Plain,
    /// Kept, or given to what may await it.
    Given,
    /// It is what its function answers.
    Answered,
    /// Awaited, or given to what runs it.
    Awaited,
}

/// What becomes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fate {
    /// How it ends.
    pub end: End,
    /// Whether all on the way hands it on as it is: no setter of a builder, nothing that is not known.
    pub as_is: bool,
}

/// How often a value is followed to another name or function.
const NAMES: usize = 4;
/// How many uses of a name are looked at.
const USES: usize = 8;
/// How many steps one value is followed; what goes on further may be awaited.
const STEPS: usize = 600;

/// Where the names of each body are used, in the order of the text.
pub(super) type Used<'a> = RefCell<HashMap<Scope, Rc<HashMap<&'a str, Vec<ExprId>>>>>;

/// A value and the expression that holds it.
#[derive(Clone, Copy)]
struct Held<'a> {
    scope: Scope,
    body: &'a Body,
    at: ExprId,
    parent: ExprId,
}

/// One step from a value to what holds it.
enum Step {
    /// To the expression that is worth the same; `false` where that is not sure.
    On(ExprId, bool),
    /// It ends here.
    Ends(Fate),
}

/// How far a value may still be followed.
struct Budget {
    steps: Cell<usize>,
    names: usize,
}

const fn ends(end: End) -> Step {
    Step::Ends(Fate { end, as_is: true })
}

impl<'a> Context<'_, 'a> {
    /// What becomes of the value of an expression.
    pub(super) fn fate(&self, scope: Scope, id: ExprId) -> Fate {
        let budget = Budget { steps: Cell::new(STEPS), names: NAMES };
        match self.types.body(scope) {
            Some(body) => self.followed(scope, body, id, &budget),
            None => Fate { end: End::Given, as_is: false },
        }
    }

    /// Whether a call is awaited: at once, behind setters and wrappers, under other names, by what runs futures.
    pub(super) fn is_awaited(&self, leaving: &Leaving<'a, '_>) -> bool {
        self.is_run(leaving, self.fate(leaving.scope, leaving.expr).end)
    }

    /// Whether what ends so runs: awaited here, or handed out as the future that the function says it answers with.
    fn is_run(&self, leaving: &Leaving<'a, '_>, end: End) -> bool {
        let function = &self.types.index.function(leaving.function).function;
        let handed_out = || matches!(leaving.scope, Scope::Fn(_)) && !function.is_async && is_future(&function.returns);
        end == End::Awaited || end == End::Answered && handed_out()
    }

    /// The same of its value as it is: a builder on which setters are called is another's.
    pub(super) fn is_awaited_as_is(&self, leaving: &Leaving<'a, '_>) -> bool {
        let Fate { end, as_is } = self.fate(leaving.scope, leaving.expr);
        as_is && self.is_run(leaving, end)
    }

    fn followed(&self, scope: Scope, body: &'a Body, id: ExprId, budget: &Budget) -> Fate {
        let (mut at, mut as_is) = (id, true);
        loop {
            let Some(left) = budget.steps.get().checked_sub(1) else { return Fate { end: End::Given, as_is: false } };
            budget.steps.set(left);
            let Some(parent) = body.node(at).parent else { return Fate { end: End::Answered, as_is } };
            match self.step(Held { scope, body, at, parent }, budget) {
                Step::On(next, same) => (at, as_is) = (next, as_is && same),
                Step::Ends(fate) => return Fate { as_is: fate.as_is && as_is, ..fate },
            }
        }
    }

    fn step(&self, held: Held<'a>, budget: &Budget) -> Step {
        let Held { scope, body, at, parent } = held;
        let after = body.node(at).span.end;
        let named = |pats: &[&'a Pat]| Step::Ends(self.named(scope, body, pats, after, budget));
        match body.expr(parent) {
            Expr::Await(_) => ends(End::Awaited),
            Expr::Ref(_)
            | Expr::Try(_)
            | Expr::Cast(..)
            | Expr::Unary('*', _)
            | Expr::Field(..)
            | Expr::Tuple(_)
            | Expr::Array(_)
            | Expr::Struct { .. }
            | Expr::Closure { .. } => Step::On(parent, true),
            Expr::Index(base, _) if *base == at => Step::On(parent, true),
            Expr::Block { stmts, .. } => {
                self.in_block(scope, body, stmts, at, budget).unwrap_or(Step::On(parent, true))
            }
            Expr::If { condition, .. } if *condition != at => Step::On(parent, true),
            Expr::Match { scrutinee, arms } if *scrutinee == at => {
                named(&arms.iter().map(|arm| &arm.pat).collect::<Vec<_>>())
            }
            Expr::Match { arms, .. } if arms.iter().any(|arm| arm.body == at) => Step::On(parent, true),
            Expr::Let(pat, _) => named(&[pat]),
            Expr::Loop { pat: Some(pat), head, .. } if *head == Some(at) => named(&[pat]),
            Expr::Break(_) => left(body, parent).map_or(ends(End::Given), |holder| Step::On(holder, true)),
            Expr::Return(_) => returned(body, parent).map_or(ends(End::Answered), |holder| Step::On(holder, true)),
            Expr::Assign(_, left, right) if *right == at => match name_of(body, *left) {
                Some(name) => Step::Ends(self.used(scope, body, &[name], after, budget)),
                None => ends(End::Given),
            },
            Expr::Call { callee, .. } if *callee == at => Step::On(parent, true),
            Expr::Call { .. } => self.given_to_function(held, budget),
            Expr::Method { receiver, name, .. } if *receiver == at => Step::On(parent, hands_on(name)),
            Expr::Method { .. } => self.given_to_method(held, budget),
            Expr::Macro(_) => self.given_to_macro(held, budget),
            _ => ends(End::Plain),
        }
    }

    /// `None` for the value of a block.
    fn in_block(&self, scope: Scope, body: &'a Body, stmts: &'a [Stmt], at: ExprId, budget: &Budget) -> Option<Step> {
        let stmt = stmts.iter().find(|stmt| match stmt {
            Stmt::Let { value, otherwise, .. } => *value == Some(at) || *otherwise == Some(at),
            Stmt::Expr { expr, .. } => *expr == at,
            Stmt::Item(_) => false,
        })?;
        match stmt {
            Stmt::Let { pat: Pat::Wild, .. } => Some(ends(End::Dropped)),
            Stmt::Let { pat, value, .. } if *value == Some(at) => {
                Some(Step::Ends(self.named(scope, body, &[pat], body.node(at).span.end, budget)))
            }
            Stmt::Let { .. } | Stmt::Item(_) => Some(ends(End::Plain)),
            Stmt::Expr { value, .. } => (!value).then_some(ends(End::Dropped)),
        }
    }

    /// What becomes of what patterns take out of a value.
    fn named(&self, scope: Scope, body: &'a Body, pats: &[&'a Pat], after: usize, budget: &Budget) -> Fate {
        let mut names = Vec::new();
        pats.iter().for_each(|pat| pat.bindings(&mut |name, _| names.push(name)));
        match names.is_empty() {
            true => Fate { end: End::Plain, as_is: true },
            false => self.used(scope, body, &names, after, budget),
        }
    }

    /// What becomes of what names hold, wherever it gets furthest.
    fn used(&self, scope: Scope, body: &'a Body, names: &[&str], after: usize, budget: &Budget) -> Fate {
        let Some(left) = budget.names.checked_sub(1) else { return Fate { end: End::Given, as_is: false } };
        let table = self.uses_of(scope, body);
        let uses = names.iter().filter_map(|name| table.get(*name)).flatten();
        let uses = uses.filter(|id| body.node(**id).span.start >= after).take(USES);
        let below = Budget { steps: Cell::new(budget.steps.get()), names: left };
        let fate = uses.map(|id| self.followed(scope, body, *id, &below)).max();
        budget.steps.set(below.steps.get());
        fate.unwrap_or_else(|| Fate {
            end: if in_tokens(body, names) { End::Given } else { End::Dropped },
            as_is: true,
        })
    }

    fn uses_of(&self, scope: Scope, body: &'a Body) -> Rc<HashMap<&'a str, Vec<ExprId>>> {
        if let Some(found) = self.used.borrow().get(&scope) {
            return Rc::clone(found);
        }
        let mut table: HashMap<&str, Vec<ExprId>> = HashMap::default();
        for id in body.ids() {
            if let Expr::Path(path) = body.expr(id)
                && let Some(name) = path.ident()
            {
                table.entry(name).or_default().push(id);
            }
        }
        let table = Rc::new(table);
        self.used.borrow_mut().insert(scope, Rc::clone(&table));
        table
    }
}

/// `impl Future<Output = Page>`, `BoxFuture<'_, Page>`, `Pin<Box<dyn Future<Output = Page>>>`.
fn is_future(ty: &Ty) -> bool {
    let named = |path: &Path| {
        path.segments.last().is_some_and(|last| match last.name.as_str() {
            "Box" | "Pin" => last.args.iter().any(is_future),
            name => matches!(name, "BoxFuture" | "Future" | "LocalBoxFuture"),
        })
    };
    match ty {
        Ty::Path(path) => named(path),
        Ty::Bounds(paths) => paths.iter().any(named),
        _ => false,
    }
}

/// Whether a name may stand in tokens that were read as no more than that.
fn in_tokens(body: &Body, names: &[&str]) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    body.nodes.iter().any(|node| match &node.expr {
        Expr::Macro(call) if matches!(call.shape, MacroShape::Tokens(_)) => {
            call.tokens.split(|c| !is_part(c)).any(|word| names.contains(&word))
        }
        _ => false,
    })
}

/// What `break value` gives its value to: a block with a label, of which it is the end, or the loop around it.
fn left(body: &Body, at: ExprId) -> Option<ExprId> {
    let block = body.node(at).parent?;
    let labelled = match body.expr(block) {
        Expr::Block { stmts, .. } => {
            let ends = matches!(stmts.last(), Some(Stmt::Expr { expr, .. }) if *expr == at);
            let holder = body.node(block).parent.map(|holder| body.expr(holder));
            let part =
                matches!(holder, Some(Expr::Loop { .. } | Expr::If { .. } | Expr::Match { .. } | Expr::Closure { .. }));
            ends && holder.is_some() && !part
        }
        _ => false,
    };
    if labelled {
        return Some(block);
    }
    let holders = body.ancestors(at).take_while(|id| !matches!(body.expr(*id), Expr::Closure { .. }));
    let mut loops = holders.filter(|id| matches!(body.expr(*id), Expr::Loop { kind: LoopKind::Loop, .. }));
    loops.next()
}

/// The closure or async block from which `return value` returns; none when it is the function.
fn returned(body: &Body, at: ExprId) -> Option<ExprId> {
    let answers =
        |id: &ExprId| matches!(body.expr(*id), Expr::Closure { .. } | Expr::Block { kind: BlockKind::Async, .. });
    body.ancestors(at).find(answers)
}

/// Whether a method answers with what it is called on: of futures, of what holds one, of a list of them.
pub(super) fn hands_on(name: &str) -> bool {
    const KEEP: [&str; 38] = [
        "and_then",
        "as_mut",
        "boxed",
        "boxed_local",
        "buffer_unordered",
        "buffered",
        "clone",
        "collect",
        "compat",
        "expect",
        "fuse",
        "in_current_span",
        "inspect_err",
        "instrument",
        "into_future",
        "into_inner",
        "into_iter",
        "iter_mut",
        "join",
        "left_future",
        "map",
        "map_err",
        "map_ok",
        "next",
        "ok",
        "or_else",
        "pop",
        "pop_front",
        "remove",
        "right_future",
        "shared",
        "take",
        "then",
        "timeout",
        "unwrap",
        "unwrap_or_else",
        "with_context",
        "with_current_subscriber",
    ];
    KEEP.contains(&name)
}
