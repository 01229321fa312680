//! When a closure or future runs: where it stands, by whoever is given it, or as a task of its own.

use crate::scan::guards::cover::called_name;
use crate::scan::ir::{BlockKind, Body, Expr, ExprId, MacroShape, Pat, Path, Stmt};

/// Methods and functions that keep a closure or future for later.
const KEEPERS: [&str; 11] =
    ["add", "defer", "enqueue", "insert", "push", "push_back", "push_front", "schedule", "set", "submit", "try_send"];

/// What becomes of a value on its way out through the expression that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way<'b> {
    /// It is still to be run so many times over: 0 once it ran, 2 for a closure that makes a future.
    Pending(u32),
    /// A variable holds it.
    Bound(&'b str),
    /// It is stored where nobody here sees who runs it.
    Stored,
    /// It is what the function, or the closure or async block around it, answers.
    Returned,
}

/// What `holder` makes of its child, of which so many layers are still to run.
pub(super) fn way<'b>(body: &'b Body, holder: ExprId, child: ExprId, pending: u32) -> Way<'b> {
    match body.expr(holder) {
        Expr::Closure { .. } => Way::Pending(pending + 1),
        Expr::Block { kind, stmts } => through_block(*kind, stmts, child, pending),
        Expr::Await(_) => Way::Pending(pending.saturating_sub(1)),
        Expr::Call { callee, .. } if *callee == child => Way::Pending(pending.saturating_sub(1)),
        Expr::Call { callee, .. } => Way::Pending(if wraps(body, *callee) { pending } else { 0 }),
        Expr::Method { receiver, .. } => Way::Pending(if *receiver == child { pending } else { 0 }),
        Expr::Struct { .. } | Expr::Assign(..) if pending > 0 => Way::Stored,
        Expr::Return(_) if pending > 0 => Way::Returned,
        Expr::If { condition, .. } if *condition == child => Way::Pending(0),
        Expr::Match { scrutinee, .. } if *scrutinee == child => Way::Pending(0),
        Expr::Loop { .. } | Expr::Macro(_) => Way::Pending(0),
        Expr::Path(_)
        | Expr::Lit(_)
        | Expr::Field(..)
        | Expr::Index(..)
        | Expr::Try(_)
        | Expr::Ref(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Cast(..)
        | Expr::Assign(..)
        | Expr::If { .. }
        | Expr::Let(..)
        | Expr::Match { .. }
        | Expr::Struct { .. }
        | Expr::Tuple(_)
        | Expr::Array(_)
        | Expr::Range(..)
        | Expr::Return(_)
        | Expr::Break(_)
        | Expr::Continue
        | Expr::Other => Way::Pending(pending),
    }
}

fn through_block<'b>(kind: BlockKind, stmts: &'b [Stmt], child: ExprId, pending: u32) -> Way<'b> {
    let bound = stmts.iter().find_map(|stmt| match stmt {
        Stmt::Let { pat: Pat::Bind { name, .. }, value: Some(id), .. } if *id == child => Some(name.as_str()),
        _ => None,
    });
    if let Some(name) = bound.filter(|_| pending > 0) {
        return Way::Bound(name);
    }
    let value = stmts.iter().any(|stmt| matches!(stmt, Stmt::Expr { expr, value: true } if *expr == child));
    let inner = if value { pending } else { 0 };
    Way::Pending(match kind {
        BlockKind::Plain => inner,
        BlockKind::Async => inner + 1,
    })
}

/// Whether the call only wraps what it is given: `Ok(..)`, `Job(..)`, `Box::pin(..)`.
fn wraps(body: &Body, callee: ExprId) -> bool {
    let Expr::Path(path) = body.expr(callee) else { return false };
    let mut names = path.segments.iter().rev().map(|segment| segment.name.as_str());
    let (last, owner) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
    let is_box = matches!((owner, last), ("Arc" | "Box" | "Pin" | "Rc", "new" | "pin"));
    is_box || last.starts_with(|letter: char| letter.is_uppercase())
}

/// Whether the call starts what it is given as a task of its own, or keeps it for later.
pub(super) fn is_spawn(body: &Body, call: ExprId, child: ExprId, pending: u32) -> bool {
    let name = match body.expr(call) {
        Expr::Method { args, .. } | Expr::Call { args, .. } if args.contains(&child) => called_name(body, call),
        Expr::Macro(call) => call.path.segments.last().map(|last| last.name.as_str()),
        _ => None,
    };
    name.is_some_and(|name| name.contains("spawn") || (pending > 0 && KEEPERS.contains(&name)))
}

/// Where the task is waited for: awaited at once, or by its handle, or by the set that it was put into.
pub(super) fn waits(body: &Body, spawn: ExprId) -> Vec<ExprId> {
    let mut names = Vec::new();
    let mut child = spawn;
    for holder in body.ancestors(spawn) {
        match body.expr(holder) {
            Expr::Await(_) => return vec![holder],
            Expr::Try(_) => child = holder,
            Expr::Block { stmts, .. } => {
                names.extend(bound(stmts, child));
                break;
            }
            _ => break,
        }
    }
    if let Expr::Method { receiver, .. } = body.expr(spawn) {
        names.extend(name_of(body, *receiver));
    }
    body.ids().filter(|id| *id != spawn && names.iter().any(|name| waits_for(body, *id, name))).collect()
}

fn bound(stmts: &[Stmt], value: ExprId) -> Option<&str> {
    stmts.iter().find_map(|stmt| match stmt {
        Stmt::Let { pat: Pat::Bind { name, .. }, value: Some(id), .. } if *id == value => Some(name.as_str()),
        _ => None,
    })
}

fn name_of(body: &Body, id: ExprId) -> Option<&str> {
    match body.expr(id) {
        Expr::Path(path) => path.ident(),
        Expr::Ref(inner) => name_of(body, *inner),
        _ => None,
    }
}

/// Whether the expression waits for the task or for all tasks of the set that the variable holds.
fn waits_for(body: &Body, id: ExprId, name: &str) -> bool {
    let is_it = |id: &ExprId| name_of(body, *id) == Some(name);
    match body.expr(id) {
        Expr::Await(inner) => is_it(inner),
        Expr::Macro(call) => match &call.shape {
            MacroShape::Exprs(args) => args.iter().any(is_it),
            MacroShape::Select(arms) => arms.iter().any(|(future, _)| is_it(future)),
            MacroShape::Block(_) | MacroShape::Map(_) | MacroShape::Tokens(_) | MacroShape::Inert => false,
        },
        Expr::Call { callee, args } => args.iter().any(is_it) && !wraps(body, *callee) && !lets_go(body, *callee),
        Expr::Method { receiver, name: method, .. } => {
            matches!(method.as_str(), "join" | "join_all" | "join_next" | "next") && is_it(receiver)
        }
        _ => false,
    }
}

fn lets_go(body: &Body, callee: ExprId) -> bool {
    let last = |path: &Path| path.segments.last().is_some_and(|last| matches!(last.name.as_str(), "drop" | "forget"));
    matches!(body.expr(callee), Expr::Path(path) if last(path))
}
