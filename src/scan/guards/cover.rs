//! Whether a place in a body stands under a guard: in the closure given to one, or with a permit in scope.

use crate::manifest::GuardDeclaration;
use crate::scan::guards::Guards;
use crate::scan::guards::client::Named;
use crate::scan::ir::{Body, Expr, ExprId, MacroShape, Path, Stmt};
use crate::scan::site::{Guard, GuardKind};
use crate::scan::types::call::Target;
use crate::scan::types::value::Scope;

/// How many variables that hold a closure are followed to where they are used.
const HOLDERS: usize = 4;

/// A call of a guard: which arguments are its key and its body.
#[derive(Clone, Copy, Debug)]
pub struct GuardCall {
    /// The expression of the key.
    pub key: Option<ExprId>,
    /// The expression that holds the send.
    pub body: Option<ExprId>,
    /// Which form.
    pub kind: GuardKind,
}

/// A task that is started and left alone: what is given to it.
type Detached = Option<ExprId>;

impl Guards<'_, '_> {
    /// What guards the place, in its own body.
    #[must_use]
    pub fn cover(&self, scope: Scope, at: ExprId) -> Option<Guard> {
        if self.can_guard() { self.cover_from(scope, at, HOLDERS) } else { None }
    }

    /// Whether the workspace has any guard at all: the generated client or a declared one.
    pub(super) fn can_guard(&self) -> bool {
        self.client.is_used() || self.manifest.is_some_and(|manifest| !manifest.scan.guards.is_empty())
    }

    fn cover_from(&self, scope: Scope, at: ExprId, holders: usize) -> Option<Guard> {
        let body = self.types.body(scope)?;
        let mut detached: Detached = None;
        let mut child = at;
        for holder in body.ancestors(at) {
            if matches!(body.expr(holder), Expr::Call { .. } | Expr::Method { .. } | Expr::Macro(_)) {
                if detached.is_none()
                    && let Some(guard) = self.given_to_guard(scope, holder, child)
                {
                    return Some(guard);
                }
                if detached.is_none() && is_spawn(body, holder, child) && !is_joined(body, holder) {
                    detached = Some(child);
                }
            }
            if detached.is_none()
                && holders > 0
                && let Some(name) = bound_by_let(body, holder, child)
                && let Some(guard) = self.cover_uses(scope, child, name, holders)
            {
                return Some(guard);
            }
            child = holder;
        }
        self.permit(scope, at, detached)
    }

    fn given_to_guard(&self, scope: Scope, call: ExprId, child: ExprId) -> Option<Guard> {
        let found = self.guard_call(scope, call)?;
        if found.body != Some(child) {
            return None;
        }
        let action = found.key.and_then(|key| self.key(scope, key).action().map(str::to_owned));
        Some(Guard { kind: found.kind, action })
    }

    /// A closure or future that a variable holds is guarded where every use of it is.
    fn cover_uses(&self, scope: Scope, value: ExprId, name: &str, holders: usize) -> Option<Guard> {
        let body = self.types.body(scope)?;
        if !matches!(body.expr(value), Expr::Closure { .. } | Expr::Block { .. }) {
            return None;
        }
        let after = body.node(value).span.end;
        let uses = body.ids().filter(|id| {
            body.node(*id).span.start >= after
                && matches!(body.expr(*id), Expr::Path(path) if path.ident() == Some(name))
        });
        let mut found = None;
        for id in uses {
            found = Some(self.cover_from(scope, id, holders - 1)?);
        }
        found
    }

    /// The call as a call of a guard.
    #[must_use]
    pub fn guard_call(&self, scope: Scope, call: ExprId) -> Option<GuardCall> {
        let body = self.types.body(scope)?;
        let (args, by_method) = match body.expr(call) {
            Expr::Method { args, .. } => (args, true),
            Expr::Call { args, .. } => (args, false),
            _ => return None,
        };
        if let Some(first) = self.ledger_call(scope, call, "once") {
            let arg = |at: usize| args.get(first + at).copied();
            return Some(GuardCall { key: arg(0), body: arg(2), kind: GuardKind::Once });
        }
        let declared = self.declared_guard(scope, call)?;
        // `self` is not counted; a method that is called by its path has it as the first argument.
        let shift = usize::from(!by_method && self.takes_self(scope, call));
        let arg = |at: usize| args.get(at + shift).copied();
        Some(GuardCall { key: arg(declared.key), body: arg(declared.body), kind: GuardKind::Custom })
    }

    /// Whether the call is this method of the generated ledger: the position of its first argument.
    #[must_use]
    pub fn ledger_call(&self, scope: Scope, call: ExprId, method: &str) -> Option<usize> {
        let body = self.types.body(scope)?;
        match body.expr(call) {
            Expr::Method { receiver, name, args, .. } if name == method => {
                let of = self.eval.ty(scope, *receiver);
                let known = self.client.of_type(&of);
                let by_key = || of.is_unknown() && args.first().is_some_and(|key| self.is_key_literal(scope, *key));
                (known == Some(Named::Ledger) || by_key()).then_some(0)
            }
            Expr::Call { callee, .. } => {
                let Expr::Path(path) = body.expr(*callee) else { return None };
                let (last, head) = path.segments.split_last()?;
                let head = Path { qself: None, global: path.global, segments: head.to_vec() };
                let of_ledger = || self.client.of_path(self.module(scope), &head) == Some(Named::Ledger);
                (last.name == method && !head.segments.is_empty() && of_ledger()).then_some(1)
            }
            _ => None,
        }
    }

    fn is_key_literal(&self, scope: Scope, key: ExprId) -> bool {
        let Some(body) = self.types.body(scope) else { return false };
        match body.expr(key) {
            Expr::Ref(inner) => self.is_key_literal(scope, *inner),
            Expr::Struct { path, .. } => {
                matches!(self.client.of_path(self.module(scope), path), Some(Named::KeyType(_)))
            }
            _ => false,
        }
    }

    fn declared_guard(&self, scope: Scope, call: ExprId) -> Option<&GuardDeclaration> {
        let declared = &self.manifest?.scan.guards;
        let name = called_name(self.types.body(scope)?, call)?;
        if !declared.iter().any(|guard| guard.path.rsplit("::").next() == Some(name)) {
            return None;
        }
        let paths: Vec<String> = match self.eval.target(scope, call) {
            Target::Fns(found) => {
                let of = |id: crate::scan::index::FnId| plain(&self.types.index.functions[id.0 as usize].path);
                found.into_iter().map(of).collect()
            }
            Target::Outside { path, name, .. } => vec![format!("{path}::{name}")],
            Target::Closure(..) | Target::Construct(_) | Target::Unknown => return None,
        };
        declared.iter().find(|guard| paths.contains(&guard.path))
    }

    fn takes_self(&self, scope: Scope, call: ExprId) -> bool {
        let has_self = |id: &crate::scan::index::FnId| self.types.index.functions[id.0 as usize].function.has_self;
        self.eval.targets(scope, call).iter().any(has_self)
    }
}

/// The last name of what is called.
fn called_name(body: &Body, call: ExprId) -> Option<&str> {
    match body.expr(call) {
        Expr::Method { name, .. } => Some(name),
        Expr::Call { callee, .. } => match body.expr(*callee) {
            Expr::Path(path) => path.segments.last().map(|last| last.name.as_str()),
            _ => None,
        },
        _ => None,
    }
}

/// `<acme::Bot as acme::Notify>::notify` as `acme::Notify::notify`, as a manifest names it.
fn plain(path: &str) -> String {
    let of_trait = path.strip_prefix('<').and_then(|rest| rest.split_once(" as ")).map(|(_, rest)| rest);
    of_trait.map_or_else(|| path.to_owned(), |rest| rest.replacen('>', "", 1))
}

/// The variable that a `let` of the block binds to just this expression.
fn bound_by_let(body: &Body, block: ExprId, value: ExprId) -> Option<&str> {
    let Expr::Block { stmts, .. } = body.expr(block) else { return None };
    stmts.iter().find_map(|stmt| match stmt {
        Stmt::Let { pat: crate::scan::ir::Pat::Bind { name, .. }, value: Some(id), .. } if *id == value => {
            Some(name.as_str())
        }
        _ => None,
    })
}

/// Whether the call starts what it is given as a task of its own.
fn is_spawn(body: &Body, call: ExprId, child: ExprId) -> bool {
    let name = match body.expr(call) {
        Expr::Method { args, .. } | Expr::Call { args, .. } if args.contains(&child) => called_name(body, call),
        Expr::Macro(call) => call.path.segments.last().map(|last| last.name.as_str()),
        _ => None,
    };
    name.is_some_and(|name| name.contains("spawn"))
}

/// Whether the task is waited for: awaited at once, or by its handle, or by the set that it was put into.
fn is_joined(body: &Body, spawn: ExprId) -> bool {
    let handle = body.ancestors(spawn).find_map(|holder| match body.expr(holder) {
        Expr::Await(_) => Some(Handle::Awaited),
        Expr::Try(_) => None,
        Expr::Block { .. } => Some(Handle::Of(bound_by_let(body, holder, spawn).map(str::to_owned))),
        _ => Some(Handle::Of(None)),
    });
    let set = match body.expr(spawn) {
        Expr::Method { receiver, .. } => name_of(body, *receiver),
        _ => None,
    };
    match handle {
        Some(Handle::Awaited) => true,
        Some(Handle::Of(Some(name))) => is_awaited(body, &name) || set.is_some_and(|set| is_drained(body, set)),
        Some(Handle::Of(None)) | None => set.is_some_and(|set| is_drained(body, set)),
    }
}

enum Handle {
    Awaited,
    Of(Option<String>),
}

fn name_of(body: &Body, id: ExprId) -> Option<&str> {
    match body.expr(id) {
        Expr::Path(path) => path.ident(),
        Expr::Ref(inner) => name_of(body, *inner),
        _ => None,
    }
}

fn is_awaited(body: &Body, name: &str) -> bool {
    body.ids().any(|id| match body.expr(id) {
        Expr::Await(inner) => name_of(body, *inner) == Some(name),
        Expr::Macro(call) => match &call.shape {
            MacroShape::Exprs(args) => args.iter().any(|arg| name_of(body, *arg) == Some(name)),
            MacroShape::Select(arms) => arms.iter().any(|(future, _)| name_of(body, *future) == Some(name)),
            MacroShape::Block(_) | MacroShape::Map(_) | MacroShape::Tokens(_) | MacroShape::Inert => false,
        },
        Expr::Call { args, .. } => args.iter().any(|arg| name_of(body, *arg) == Some(name)),
        _ => false,
    })
}

fn is_drained(body: &Body, set: &str) -> bool {
    body.ids().any(|id| match body.expr(id) {
        Expr::Method { receiver, name, .. } => {
            matches!(name.as_str(), "join_all" | "join_next" | "next") && name_of(body, *receiver) == Some(set)
        }
        _ => false,
    })
}
