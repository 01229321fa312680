//! What one field of a value holds, where the value can be followed to the literal that made it: that another field
//! differs from attempt to attempt says nothing of this one.

use crate::scan::guards::Guards;
use crate::scan::guards::attempt::{Fresh, Reach};
use crate::scan::index::{Def, FnId};
use crate::scan::ir::{Body, Expr, ExprId, Path, Stmt};
use crate::scan::types::binding::{Binding, binding_of};
use crate::scan::types::call::Target;
use crate::scan::types::value::Scope;

/// What is known of a field.
pub(super) enum Held {
    /// A literal gives it, and this differs.
    Fresh(Fresh),
    /// A literal gives it, and nothing of it differs.
    Steady,
}

impl<'a> Guards<'_, 'a> {
    /// What the field of a value holds; `None` where no literal of it was found.
    pub(super) fn field_of(&self, scope: Scope, of: ExprId, field: &str, reach: Reach) -> Option<Held> {
        self.deeper(|| self.field_at(scope, of, field, reach)).flatten()
    }

    fn field_at(&self, scope: Scope, of: ExprId, field: &str, reach: Reach) -> Option<Held> {
        let body = self.types.body(scope)?;
        match body.expr(of) {
            Expr::Struct { path, fields, rest } => match fields.iter().find(|(name, _)| name == field) {
                Some((_, value)) => Some(self.fresh(scope, *value, reach).map_or(Held::Steady, Held::Fresh)),
                None => {
                    let rest = (*rest)?;
                    self.field_of(scope, rest, field, reach)
                        .or_else(|| self.field_of_default(scope, path, field, reach))
                }
            },
            Expr::Await(inner) | Expr::Try(inner) | Expr::Ref(inner) | Expr::Unary(_, inner) => {
                self.field_of(scope, *inner, field, reach)
            }
            Expr::Block { stmts, .. } => match stmts.last()? {
                Stmt::Expr { expr, value: true } => self.field_of(scope, *expr, field, reach),
                _ => None,
            },
            Expr::Path(path) => self.field_of_variable(scope, body, of, path, field, reach),
            Expr::Call { callee, args } => {
                let wraps =
                    matches!(body.expr(*callee), Expr::Path(path) if matches!(path.ident(), Some("Ok" | "Some")));
                match args.as_slice() {
                    [only] if wraps => self.field_of(scope, *only, field, reach),
                    _ => self.field_of_call(scope, of, field, reach),
                }
            }
            Expr::Method { receiver, name, .. } => match name.as_str() {
                "as_ref" | "clone" | "expect" | "to_owned" | "unwrap" => self.field_of(scope, *receiver, field, reach),
                _ => self.field_of_call(scope, of, field, reach),
            },
            _ => None,
        }
    }

    fn field_of_variable(
        &self,
        scope: Scope,
        body: &'a Body,
        at: ExprId,
        path: &Path,
        field: &str,
        reach: Reach,
    ) -> Option<Held> {
        match binding_of(&self.eval, scope, body, at, path.ident()?)? {
            Binding::Let(_, _, Some(value)) => self.field_of(scope, value, field, reach),
            Binding::Param(position, _) => {
                let left = reach.calling()?;
                let given = self.given(scope, position, reach);
                one_of(given.into_iter().filter_map(|(caller, given)| self.field_of(caller, given, field, left)))
            }
            _ => None,
        }
    }

    fn field_of_call(&self, scope: Scope, call: ExprId, field: &str, reach: Reach) -> Option<Held> {
        let left = reach.called((scope, call))?;
        let Target::Fns(found) = self.eval.target(scope, call) else { return None };
        one_of(found.into_iter().filter_map(|id| self.field_of_result(id, field, left)))
    }

    fn field_of_result(&self, id: FnId, field: &str, reach: Reach) -> Option<Held> {
        let scope = Scope::Fn(id);
        self.field_of(scope, self.types.body(scope)?.root?, field, reach)
    }

    /// `..Default::default()`: what the type's own default gives.
    fn field_of_default(&self, scope: Scope, path: &Path, field: &str, reach: Reach) -> Option<Held> {
        let left = reach.elsewhere()?;
        let index = self.types.index;
        let Some(Def::Type(of)) = index.resolve(self.module(scope), path) else { return None };
        let impls = index.impls_of_type(of).iter().map(|id| index.impl_entry(*id));
        let defaults = impls.filter(|entry| match &entry.trait_def {
            Some(Def::External(path)) => crate::scan::types::known::last_of(path) == "Default",
            _ => false,
        });
        let method = defaults.filter_map(|entry| entry.methods.get("default").copied()).next()?;
        self.field_of_result(method, field, left)
    }
}

/// The worst of several.
fn one_of(held: impl Iterator<Item = Held>) -> Option<Held> {
    held.fold(None, |worst, one| match (&worst, &one) {
        (Some(Held::Fresh(_)), _) => worst,
        _ => Some(one),
    })
}
