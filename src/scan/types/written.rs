//! Types as they are written: of a variable or a field that says its type no more need be looked at to know where its
//! methods lead.

use crate::scan::index::{Def, FnId, TypeId, TypeKind};
use crate::scan::ir::{Body, Expr, ExprId, Pat, Path};
use crate::scan::types::Types;
use crate::scan::types::binding::{Binding, binding_of, is_empty_list};
use crate::scan::types::call::Target;
use crate::scan::types::eval::{Eval, unresolved};
use crate::scan::types::everyday::hands_on;
use crate::scan::types::ty::Type;
use crate::scan::types::value::Scope;

impl<'a> Eval<'_, 'a> {
    /// The type of a variable, of a field, of what a function answers and so on, where each says what it is; `None` where
    /// only a look at what they hold could tell.
    pub(super) fn written(&self, scope: Scope, body: &'a Body, id: ExprId) -> Option<Type> {
        match body.expr(id) {
            Expr::Await(inner) | Expr::Try(inner) | Expr::Ref(inner) | Expr::Unary('*', inner) => {
                self.written(scope, body, *inner)
            }
            Expr::Path(path) => self.written_of_path(scope, body, id, path),
            Expr::Field(base, name) => match self.written(scope, body, *base)? {
                Type::Local(of, _) => self.types.written_field(of, name).filter(|ty| decides(ty)).cloned(),
                Type::External(..) | Type::Tuple(_) | Type::Many(_) | Type::Bound(_) | Type::Fn(..) | Type::Unknown => {
                    None
                }
            },
            Expr::Method { .. } | Expr::Call { .. } => {
                if let Some(found) = self.said_of_calls.borrow().get(&(scope, id)) {
                    return found.clone();
                }
                let found = self.written_of_call(scope, body, id);
                self.said_of_calls.borrow_mut().insert((scope, id), found.clone());
                found
            }
            _ => None,
        }
    }

    /// What the functions that a call leads to say that they answer.
    fn written_of_call(&self, scope: Scope, body: &'a Body, call: ExprId) -> Option<Type> {
        let target = match body.expr(call) {
            Expr::Method { receiver, name, args, .. } => {
                let of = self.written(scope, body, *receiver)?;
                match (self.method_target(&of, name), &of) {
                    (Target::Unknown, Type::Local(..) | Type::Many(_)) if hands_on(name, args) => return Some(of),
                    (target, _) => target,
                }
            }
            Expr::Call { callee, .. } => {
                let Expr::Path(path) = body.expr(*callee) else { return None };
                if path.ident().is_some_and(|name| binding_of(self, scope, body, *callee, name).is_some()) {
                    return None;
                }
                self.path_target(scope, path, &[])
            }
            _ => return None,
        };
        let Target::Fns(found) = target else { return None };
        let answered = self.types.written_return(*found.first()?);
        (decides(&answered) && unresolved(&answered).is_none() && !ends_open(&answered)).then_some(answered)
    }

    fn written_of_path(&self, scope: Scope, body: &'a Body, at: ExprId, path: &Path) -> Option<Type> {
        if let Some(name) = path.ident()
            && let Some(binding) = binding_of(self, scope, body, at, name)
        {
            return self.written_of_variable(scope, binding, name);
        }
        match self.types.index.resolve(self.types.names(scope).module, path)? {
            Def::Const(id) => {
                let entry = &self.types.index.consts[id.0 as usize];
                Some(self.types.names(Scope::Const(id)).ty(&entry.ty)).filter(decides)
            }
            _ => None,
        }
    }

    fn written_of_variable(&self, scope: Scope, binding: Binding<'a>, name: &str) -> Option<Type> {
        let (pat, ty) = match binding {
            Binding::Param(_, param) => (&param.pat, &param.ty),
            Binding::Let(pat, Some(ty), _) => (pat, ty),
            Binding::Let(..) | Binding::Closure(..) | Binding::Matched(..) | Binding::For(..) | Binding::Meta(_) => {
                return None;
            }
        };
        if !matches!(pat, Pat::Bind { inner: None, .. }) {
            return None;
        }
        let bound = (scope, binding.bound(name)?);
        if let Some(found) = self.said.borrow().get(&bound) {
            return found.clone();
        }
        let found = Some(self.types.names(scope).ty(ty)).filter(decides);
        self.said.borrow_mut().insert(bound, found.clone());
        found
    }
}

impl Eval<'_, '_> {
    /// Whether a function answers with values of several types: then nothing but the trait that it names is common to
    /// them.
    pub(super) fn answers_several(&self, id: FnId) -> bool {
        let scope = Scope::Fn(id);
        let Some(body) = self.types.body(scope) else { return false };
        let mut open: Vec<ExprId> = body.root.into_iter().collect();
        let mut first: Option<Type> = None;
        while let Some(at) = open.pop() {
            match body.expr(at) {
                way @ (Expr::Block { .. } | Expr::If { .. } | Expr::Match { .. }) => open.extend(way.handed_on()),
                _ => match (self.ty(scope, at), &first) {
                    (Type::Local(one, _), Some(Type::Local(other, _))) if one != *other => return true,
                    (ty @ Type::Local(..), None) => first = Some(ty),
                    _ => {}
                },
            }
        }
        false
    }
}

impl Types<'_> {
    /// The type that a struct gives its field, unless its parameters decide.
    fn written_field(&self, of: TypeId, name: &str) -> Option<&Type> {
        let TypeKind::Struct(fields) = &self.index.ty(of).kind else { return None };
        let at = fields.iter().position(|field| field.name == name)?;
        self.fields(of).get(at).map(|field| &field.ty).filter(|ty| unresolved(ty).is_none())
    }
}

/// Whether a type is what a trait leaves to those that implement it.
fn ends_open(ty: &Type) -> bool {
    ty.path().is_some_and(|path| path.ends_with("::Output"))
}

/// Whether nothing that such a variable holds says more of its type.
fn decides(ty: &Type) -> bool {
    matches!(ty, Type::Local(..) | Type::External(..) | Type::Many(_)) && !is_empty_list(ty) && !ty.is_huge()
}
