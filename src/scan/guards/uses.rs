//! Every place where code says which key an act goes under.

use crate::scan::guards::client::Named;
use crate::scan::guards::derivation;
use crate::scan::guards::{Act, Guards};
use crate::scan::index::FnId;
use crate::scan::ir::{Expr, ExprId};
use crate::scan::site::GuardKind;
use crate::scan::types::value::Scope;

/// A key where it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyUse {
    /// The function whose body holds it.
    pub function: FnId,
    /// The expression of the key.
    pub value: ExprId,
    /// What takes it.
    pub by: GuardKind,
}

impl Guards<'_, '_> {
    /// Functions of the workspace that run: no tests, nothing of the generated module.
    pub fn functions(&self) -> impl Iterator<Item = FnId> + '_ {
        let entries = self.types.index.functions.iter().enumerate();
        entries
            .filter(|(_, entry)| !entry.test && !self.client.holds(entry.module))
            .filter_map(|(at, _)| Some(FnId(u32::try_from(at).ok()?)))
    }

    /// Keys that are given to `once`, `reserve`, a declared guard or a provider. A key of a reservation that
    /// the request carries on is the reservation's.
    #[must_use]
    pub fn key_uses<'k>(&self, acts: impl Iterator<Item = &'k Act>) -> Vec<KeyUse> {
        let mut uses = Vec::new();
        if self.can_guard() {
            self.functions().for_each(|function| self.uses_in(function, &mut uses));
        }
        let open = acts.filter(|act| act.guard.as_ref().is_none_or(|guard| guard.kind == GuardKind::ProviderKey));
        let carried = open.filter_map(|act| act.provider_key.as_ref());
        for carried in carried {
            let by = GuardKind::ProviderKey;
            let used = KeyUse { function: carried.function, value: carried.value, by };
            // One request that several callers ask for carries one key.
            if !uses.contains(&used) {
                uses.push(used);
            }
        }
        uses
    }

    fn uses_in(&self, function: FnId, uses: &mut Vec<KeyUse>) {
        let scope = Scope::Fn(function);
        let Some(body) = self.types.body(scope) else { return };
        for id in body.ids() {
            let (Expr::Call { args, .. } | Expr::Method { args, .. }) = body.expr(id) else { continue };
            if let Some(first) = self.ledger_call(scope, id, "reserve")
                && let Some(value) = args.get(first)
            {
                uses.push(KeyUse { function, value: *value, by: GuardKind::Permit });
            } else if let Some(found) = self.guard_call(scope, id)
                && let Some(value) = found.key
            {
                uses.push(KeyUse { function, value, by: found.kind });
            }
        }
    }

    /// Functions whose doc comment says that they derive a key.
    #[must_use]
    pub fn deriving_functions(&self) -> Vec<FnId> {
        let derives = |id: &FnId| derivation::read(&self.types.index.functions[id.0 as usize].docs).is_some();
        self.functions().filter(derives).collect()
    }

    /// Action types whose generated key type is written somewhere, made or not.
    #[must_use]
    pub fn actions_written(&self) -> Vec<String> {
        let mut found = Vec::new();
        if !self.client.is_used() {
            return found;
        }
        for function in self.functions() {
            let scope = Scope::Fn(function);
            let entry = &self.types.index.functions[function.0 as usize];
            found
                .extend(entry.function.params.iter().filter_map(|param| self.client.of_ty(entry.module, &param.ty)?.1));
            let Some(body) = self.types.body(scope) else { continue };
            found.extend(body.ids().filter_map(|id| match body.expr(id) {
                Expr::Struct { path, .. } => {
                    let named = self.client.of_path(entry.module, path)?;
                    self.client.action_of(&named).filter(|_| matches!(named, Named::KeyType(_)))
                }
                _ => None,
            }));
        }
        found
    }
}
