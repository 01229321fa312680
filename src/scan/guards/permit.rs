//! Permits and slots: bindings that show that a reservation stands, until they are consumed.

use crate::scan::guards::Guards;
use crate::scan::guards::client::Named;
use crate::scan::index::Index;
use crate::scan::ir::{BlockKind, Body, Expr, ExprId, Pat, Stmt, Ty};
use crate::scan::site::{Guard, GuardKind};
use crate::scan::types::binding::{Binding, binding_of};
use crate::scan::types::value::Scope;

/// What ends a permit.
const ENDS: [&str; 5] = ["not_attempted", "record", "rejected", "sent", "unknown"];

/// A binding of a permit or slot.
struct Held<'b> {
    name: &'b str,
    kind: Named,
    action: Option<String>,
}

impl<'a> Guards<'_, 'a> {
    /// A permit or slot that is in scope where the place stands and not consumed before. Into a task that is
    /// started and left alone only a permit that moves in goes along.
    pub(super) fn permit(&self, scope: Scope, at: ExprId, detached: Option<ExprId>) -> Option<Guard> {
        let body = self.types.body(scope)?;
        let mut names: Vec<&str> = Vec::new();
        self.each_name(scope, body, &mut names);
        names.sort_unstable();
        names.dedup();
        names.into_iter().find_map(|name| {
            let held = self.held(scope, body, at, name)?;
            let along = detached.is_none_or(|task| held.kind == Named::Permit && mentions(body, task, name));
            let stands = along && !self.is_consumed(scope, body, at, &held);
            stands.then_some(Guard { kind: GuardKind::Permit, action: held.action })
        })
    }

    /// Names whose binding may be a permit or slot: by written type, or taken out of a reservation.
    fn each_name(&self, scope: Scope, body: &'a Body, names: &mut Vec<&'a str>) {
        let index: &'a Index = self.types.index;
        if let Scope::Fn(id) = scope {
            for param in &index.functions[id.0 as usize].function.params {
                param.pat.bindings(&mut |name, _| names.push(name));
            }
        }
        for id in body.ids() {
            match body.expr(id) {
                Expr::Closure { params, .. } => {
                    params.iter().for_each(|param| param.pat.bindings(&mut |name, _| names.push(name)));
                }
                Expr::Block { stmts, .. } => {
                    for stmt in stmts {
                        if let Stmt::Let { pat, .. } = stmt {
                            pat.bindings(&mut |name, _| names.push(name));
                        }
                    }
                }
                Expr::Let(pat, _) => pat.bindings(&mut |name, _| names.push(name)),
                Expr::Match { arms, .. } => {
                    arms.iter().for_each(|arm| arm.pat.bindings(&mut |name, _| names.push(name)));
                }
                _ => {}
            }
        }
    }

    /// The action type of the permit or slot that a name stands for, where it is known.
    pub(super) fn proof(&self, scope: Scope, at: ExprId, name: &'a str) -> Option<String> {
        self.held(scope, self.types.body(scope)?, at, name)?.action
    }

    fn held(&self, scope: Scope, body: &'a Body, at: ExprId, name: &'a str) -> Option<Held<'a>> {
        self.deeper(|| self.held_at(scope, body, at, name)).flatten()
    }

    fn held_at(&self, scope: Scope, body: &'a Body, at: ExprId, name: &'a str) -> Option<Held<'a>> {
        let module = self.module(scope);
        let by_type = |ty: &Ty| self.client.of_ty(module, ty).filter(|(named, _)| is_proof(named));
        let (kind, action) = match binding_of(&self.eval, scope, body, at, name)? {
            Binding::Param(_, param) => by_type(&param.ty)?,
            Binding::Closure(closure, position, param) => match by_type(&param.ty) {
                Some(found) => found,
                None => self.slot_of_once(scope, body, closure, position)?,
            },
            Binding::Let(pat, ty, value) => match ty.and_then(by_type) {
                Some(found) => found,
                None => self.taken_from(scope, body, pat, value?, name)?,
            },
            Binding::Matched(pat, value) => self.taken_from(scope, body, pat, value, name)?,
            Binding::For(..) | Binding::Meta(_) => return None,
        };
        Some(Held { name, kind, action })
    }

    /// The second parameter of the closure that `once` is given is a slot.
    fn slot_of_once(
        &self,
        scope: Scope,
        body: &'a Body,
        closure: ExprId,
        position: usize,
    ) -> Option<(Named, Option<String>)> {
        let call = body.node(closure).parent?;
        let found = self.guard_call(scope, call)?;
        let is_slot = position == 1 && found.kind == GuardKind::Once && found.body == Some(closure);
        let action = || found.key.and_then(|key| self.key(scope, key).action().map(str::to_owned));
        is_slot.then(|| (Named::Slot, action()))
    }

    /// `Reservation::Go(permit, payload)`, or a whole value of one of the types.
    fn taken_from(
        &self,
        scope: Scope,
        body: &'a Body,
        pat: &Pat,
        value: ExprId,
        name: &str,
    ) -> Option<(Named, Option<String>)> {
        match pat {
            Pat::TupleStruct(path, parts) if path.segments.last().is_some_and(|last| last.name == "Go") => {
                let first =
                    parts.first().is_some_and(|part| matches!(part, Pat::Bind { name: own, .. } if own == name));
                let reserve = self.reserve_call(scope, body, value);
                let named = self.client.of_path(self.module(scope), path) == Some(Named::Go);
                let action = reserve.and_then(|key| self.key(scope, key).action().map(str::to_owned));
                (first && (named || reserve.is_some())).then_some((Named::Permit, action))
            }
            Pat::TupleStruct(path, parts)
                if path.segments.last().is_some_and(|last| matches!(last.name.as_str(), "Ok" | "Some")) =>
            {
                parts.iter().find_map(|part| self.taken_from(scope, body, part, value, name))
            }
            Pat::Or(parts) => parts.iter().find_map(|part| self.taken_from(scope, body, part, value, name)),
            Pat::Ref(inner) | Pat::Typed(inner, _) => self.taken_from(scope, body, inner, value, name),
            Pat::Bind { name: own, .. } if own == name => self.whole(scope, body, value),
            _ => None,
        }
    }

    /// A value that is a permit or slot: another variable, `permit.slot()`, `slot.clone()`, a typed call.
    fn whole(&self, scope: Scope, body: &'a Body, value: ExprId) -> Option<(Named, Option<String>)> {
        match body.expr(value) {
            Expr::Path(path) => {
                let held = self.held(scope, body, value, path.ident()?)?;
                Some((held.kind, held.action))
            }
            Expr::Method { receiver, name, .. } if name == "slot" || name == "clone" => {
                let (kind, action) = self.whole(scope, body, *receiver)?;
                Some((if name == "slot" { Named::Slot } else { kind }, action))
            }
            Expr::Ref(inner) | Expr::Await(inner) | Expr::Try(inner) => self.whole(scope, body, *inner),
            _ => self.client.of_type(&self.eval.ty(scope, value)).filter(is_proof).map(|kind| (kind, None)),
        }
    }

    /// The key of the `reserve` call whose outcome this is.
    fn reserve_call(&self, scope: Scope, body: &'a Body, value: ExprId) -> Option<ExprId> {
        match body.expr(value) {
            Expr::Await(inner) | Expr::Try(inner) | Expr::Ref(inner) => self.reserve_call(scope, body, *inner),
            Expr::Method { receiver, name, .. } if name != "reserve" => self.reserve_call(scope, body, *receiver),
            Expr::Method { args, .. } | Expr::Call { args, .. } => {
                let first = self.ledger_call(scope, value, "reserve")?;
                args.get(first).copied()
            }
            Expr::Path(path) => match binding_of(&self.eval, scope, body, value, path.ident()?)? {
                Binding::Let(Pat::Bind { .. }, _, Some(init)) => self.reserve_call(scope, body, init),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether the permit was recorded or given away on the way to the place.
    fn is_consumed(&self, scope: Scope, body: &'a Body, at: ExprId, held: &Held<'_>) -> bool {
        let place = body.node(at).span;
        body.ids().any(|id| {
            let Expr::Path(path) = body.expr(id) else { return false };
            path.ident() == Some(held.name)
                && body.node(id).span.end <= place.start
                && takes_it(body, id, held)
                && same_binding(self, scope, body, id, at, held.name)
                && leads_to(body, id, at)
        })
    }
}

fn is_proof(named: &Named) -> bool {
    matches!(named, Named::Permit | Named::Slot)
}

/// Whether the use ends or moves the value. A slot is a copy: only what is given away is gone.
fn takes_it(body: &Body, id: ExprId, held: &Held<'_>) -> bool {
    let Some(parent) = body.node(id).parent else { return false };
    match body.expr(parent) {
        Expr::Method { receiver, name, .. } if *receiver == id => ENDS.contains(&name.as_str()),
        Expr::Method { .. } | Expr::Call { .. } | Expr::Struct { .. } | Expr::Tuple(_) | Expr::Return(_) => true,
        Expr::Block { stmts, .. } => {
            let binds = |stmt: &Stmt| match stmt {
                Stmt::Let { pat, value, .. } => *value == Some(id) && !matches!(pat, Pat::Wild),
                Stmt::Expr { expr, .. } => *expr == id,
                Stmt::Item(_) => false,
            };
            held.kind == Named::Permit && stmts.iter().any(binds)
        }
        Expr::Array(_) | Expr::Assign(..) | Expr::Break(_) | Expr::If { .. } | Expr::Match { .. } => {
            held.kind == Named::Permit
        }
        _ => false,
    }
}

fn same_binding<'a>(
    guards: &Guards<'_, 'a>,
    scope: Scope,
    body: &'a Body,
    one: ExprId,
    two: ExprId,
    name: &str,
) -> bool {
    let pattern = |at: ExprId| binding_of(&guards.eval, scope, body, at, name).map(|binding| address(&binding));
    pattern(one) == pattern(two)
}

fn address(binding: &Binding<'_>) -> *const Pat {
    match binding {
        Binding::Param(_, param) | Binding::Closure(_, _, param) => &raw const param.pat,
        Binding::Let(pat, ..) | Binding::Matched(pat, _) | Binding::For(pat, _) => std::ptr::from_ref(*pat),
        Binding::Meta(_) => std::ptr::null(),
    }
}

fn mentions(body: &Body, holder: ExprId, name: &str) -> bool {
    let inside = body.node(holder).span;
    body.ids().any(|id| {
        inside.contains(body.node(id).span) && matches!(body.expr(id), Expr::Path(path) if path.ident() == Some(name))
    })
}

/// Whether control can come from one place to the later other: not from another branch, and not from one
/// that leaves what holds both.
fn leads_to(body: &Body, from: ExprId, to: ExprId) -> bool {
    let holders: Vec<ExprId> = body.ancestors(to).collect();
    let mut child = from;
    let mut left = None;
    for holder in body.ancestors(from) {
        if holders.contains(&holder) {
            let other = std::iter::once(to).chain(holders.iter().copied()).take_while(|at| *at != holder).last();
            return left.is_none() && !are_branches(body, holder, child, other.unwrap_or(to));
        }
        left = left.filter(|left| !ends(body.expr(holder), *left)).or_else(|| leaves(body, holder));
        child = holder;
    }
    true
}

/// What a jump leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    /// The innermost loop, or one turn of it.
    Loop,
    /// The innermost closure, async block or function.
    Function,
}

/// Whether a jump out of something goes no further than this.
fn ends(holder: &Expr, left: Left) -> bool {
    match left {
        Left::Loop => matches!(holder, Expr::Loop { .. }),
        Left::Function => {
            matches!(holder, Expr::Closure { .. } | Expr::Block { kind: BlockKind::Async, .. })
        }
    }
}

fn are_branches(body: &Body, holder: ExprId, one: ExprId, two: ExprId) -> bool {
    match body.expr(holder) {
        Expr::If { condition, .. } => one != *condition && two != *condition,
        Expr::Match { scrutinee, .. } => one != *scrutinee && two != *scrutinee,
        Expr::Macro(_) => one != two,
        _ => false,
    }
}

/// What the block's last statement jumps out of.
fn leaves(body: &Body, block: ExprId) -> Option<Left> {
    let Expr::Block { kind: BlockKind::Plain, stmts } = body.expr(block) else { return None };
    match stmts.last() {
        Some(Stmt::Expr { expr, .. }) => match body.expr(*expr) {
            Expr::Return(_) => Some(Left::Function),
            Expr::Break(_) | Expr::Continue => Some(Left::Loop),
            _ => None,
        },
        _ => None,
    }
}
