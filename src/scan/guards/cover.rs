//! Whether a place in a body stands under a guard: in the closure given to one, or with a permit in scope.

use crate::manifest::GuardDeclaration;
use crate::scan::guards::Guards;
use crate::scan::guards::client::Named;
use crate::scan::guards::key::Key;
use crate::scan::guards::tasks::{self, Way};
use crate::scan::ir::{BlockKind, Body, Expr, ExprId, Path};
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

/// What was found around a place in its own body.
#[derive(Clone, Debug)]
pub(super) enum Cover {
    /// A guard.
    By(Guard),
    /// None, and it runs as a task of its own or is kept for later, so that no guard of a caller is around it.
    Astray,
    /// None.
    Open,
}

/// How a walk from a place outwards stands.
#[derive(Clone, Copy, Debug)]
struct Start {
    /// So many layers of closures and futures are still to run.
    pending: u32,
    /// So many variables may yet be followed.
    holders: usize,
}

/// A guard runs the closure that it is given and awaits its future, and nothing deeper.
const RUN_BY_GUARD: u32 = 2;

impl Guards<'_, '_> {
    /// What guards the place, in its own body.
    #[must_use]
    pub fn cover(&self, scope: Scope, at: ExprId) -> Option<Guard> {
        match self.around(scope, at) {
            Cover::By(guard) => Some(guard),
            Cover::Astray | Cover::Open => None,
        }
    }

    /// What stands around the place, in its own body.
    pub(super) fn around(&self, scope: Scope, at: ExprId) -> Cover {
        if !self.can_guard() {
            return Cover::Open;
        }
        self.around_from(scope, at, Start { pending: self.unrun(scope, at), holders: HOLDERS })
    }

    /// A call of an async function only makes a future.
    fn unrun(&self, scope: Scope, at: ExprId) -> u32 {
        let Some(body) = self.types.body(scope) else { return 0 };
        if !matches!(body.expr(at), Expr::Call { .. } | Expr::Method { .. }) {
            return 0;
        }
        let is_async = |id: &crate::scan::index::FnId| self.types.index.functions[id.0 as usize].function.is_async;
        u32::from(self.eval.targets(scope, at).iter().any(is_async))
    }

    /// Whether the workspace has any guard at all: the generated client or a declared one.
    #[must_use]
    pub fn can_guard(&self) -> bool {
        self.client.is_used() || self.manifest.is_some_and(|manifest| !manifest.scan.guards.is_empty())
    }

    fn around_from(&self, scope: Scope, at: ExprId, start: Start) -> Cover {
        let Some(body) = self.types.body(scope) else { return Cover::Open };
        let (mut pending, mut child) = (start.pending, at);
        let mut detached: Option<ExprId> = None;
        let mut returned = false;
        // Of each task that was started, the places that wait for it.
        let mut waited: Vec<Vec<ExprId>> = Vec::new();
        for holder in body.ancestors(at) {
            if detached.is_none()
                && matches!(body.expr(holder), Expr::Call { .. } | Expr::Method { .. } | Expr::Macro(_))
            {
                if let Some(guard) = self.given_to_guard(scope, holder, child) {
                    let inside = |id: &ExprId| body.node(child).span.contains(body.node(*id).span);
                    if pending <= RUN_BY_GUARD && waited.iter().all(|places| places.iter().any(inside)) {
                        return Cover::By(guard);
                    }
                    detached = Some(child);
                } else if tasks::is_spawn(body, holder, child, pending) {
                    let places = tasks::waits(body, holder);
                    detached = places.is_empty().then_some(child);
                    waited.push(places);
                }
            }
            let runs_it = matches!(body.expr(holder), Expr::Closure { .. })
                || matches!(body.expr(holder), Expr::Block { kind: BlockKind::Async, .. });
            if detached.is_none() && (!returned || runs_it) {
                match tasks::way(body, holder, child, pending) {
                    // What was returned is what the closure or async block around it answers.
                    Way::Pending(_) if returned => pending += 1,
                    Way::Pending(now) => pending = now,
                    Way::Bound(name) => match self.around_uses(scope, child, name, Start { pending, ..start }) {
                        Cover::Astray => detached = Some(child),
                        found @ Cover::By(_) => return found,
                        Cover::Open => return self.proven(scope, at, None),
                    },
                    Way::Stored => detached = Some(child),
                    Way::Returned => {}
                }
                returned = matches!(body.expr(holder), Expr::Return(_)) && pending > 0;
            }
            child = holder;
        }
        self.proven(scope, at, detached)
    }

    /// What a permit or slot shows at the place, when nothing else does.
    fn proven(&self, scope: Scope, at: ExprId, detached: Option<ExprId>) -> Cover {
        match (self.permit(scope, at, detached), detached) {
            (Some(guard), _) => Cover::By(guard),
            (None, Some(_)) => Cover::Astray,
            (None, None) => Cover::Open,
        }
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
    fn around_uses(&self, scope: Scope, value: ExprId, name: &str, from: Start) -> Cover {
        let Some(body) = self.types.body(scope) else { return Cover::Open };
        let Some(holders) = from.holders.checked_sub(1) else { return Cover::Astray };
        let after = body.node(value).span.end;
        let uses = body.ids().filter(|id| {
            body.node(*id).span.start >= after
                && matches!(body.expr(*id), Expr::Path(path) if path.ident() == Some(name))
        });
        let mut all = None;
        for id in uses {
            match self.around_from(scope, id, Start { holders, ..from }) {
                Cover::Astray => return Cover::Astray,
                Cover::Open => all = Some(Cover::Open),
                found @ Cover::By(_) => all = all.or(Some(found)),
            }
        }
        all.unwrap_or(Cover::Open)
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
                let by_key = || of.is_unknown() && args.first().is_some_and(|key| self.is_generated_key(scope, *key));
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

    /// Whether it is of a generated key type: where the module is not in sight, the key shows whose method it is.
    fn is_generated_key(&self, scope: Scope, key: ExprId) -> bool {
        matches!(self.key(scope, key), Key::Generated { .. })
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
pub(super) fn called_name(body: &Body, call: ExprId) -> Option<&str> {
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
