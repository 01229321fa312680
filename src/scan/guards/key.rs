//! What a key is made of: a generated key type, something whose doc comment says how it is derived, or neither.

use crate::scan::guards::Guards;
use crate::scan::guards::client::Named;
use crate::scan::guards::derivation::{self, Derivation};
use crate::scan::index::{Def, FnId, TypeId};
use crate::scan::ir::{Expr, ExprId, Lit, MacroShape, Path};
use crate::scan::types::binding::{Binding, binding_of};
use crate::scan::types::call::Target;
use crate::scan::types::ty::Type;
use crate::scan::types::value::Scope;

/// What a key is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// A generated key type, with its action type.
    Generated {
        /// `SendReply`.
        type_name: String,
        /// `send_reply`.
        action: String,
    },
    /// A function or struct whose doc comment says how it is derived, and is right.
    Documented(Derivation),
    /// Neither; why.
    Undocumented(String),
}

impl Key {
    /// The action type, where it is known.
    #[must_use]
    pub fn action(&self) -> Option<&str> {
        match self {
            Key::Generated { action, .. } => Some(action),
            Key::Documented(derivation) => derivation.action.as_deref(),
            Key::Undocumented(_) => None,
        }
    }

    /// Whether it is documented.
    #[must_use]
    pub fn is_documented(&self) -> bool {
        !matches!(self, Key::Undocumented(_))
    }
}

/// Methods that give the same key in another form.
const FORMS: [&str; 22] = [
    "as_bytes",
    "as_deref",
    "as_ref",
    "as_str",
    "borrow",
    "clone",
    "deref",
    "expect",
    "into",
    "into_bytes",
    "into_string",
    "key",
    "ok",
    "provider_key",
    "to_owned",
    "to_string",
    "try_into",
    "unwrap",
    "unwrap_or_default",
    "map_err",
    "parse",
    "into_boxed_str",
];

/// Functions that wrap a key into what a provider's client takes.
const WRAPPERS: [&str; 9] = ["Box", "Idempotent", "IdempotencyKey", "Ok", "Some", "String", "from", "from_str", "new"];

impl<'a> Guards<'_, 'a> {
    /// What the expression's key is made of.
    #[must_use]
    pub fn key(&self, scope: Scope, id: ExprId) -> Key {
        self.deeper(|| self.key_of(scope, id))
            .unwrap_or_else(|| Key::Undocumented("it is too entangled to follow".into()))
    }

    fn key_of(&self, scope: Scope, id: ExprId) -> Key {
        let Some(body) = self.types.body(scope) else { return undocumented("it could not be read") };
        match body.expr(id) {
            Expr::Ref(inner)
            | Expr::Await(inner)
            | Expr::Try(inner)
            | Expr::Unary('*', inner)
            | Expr::Cast(inner, _) => self.key(scope, *inner),
            Expr::Struct { path, .. } => self.key_of_path(scope, path),
            Expr::Path(path) => self.key_of_variable(scope, id, path),
            Expr::Method { receiver, name, .. } if FORMS.contains(&name.as_str()) => {
                let of_receiver = self.key(scope, *receiver);
                match of_receiver {
                    Key::Undocumented(_) => self.key_of_call(scope, id),
                    documented => documented,
                }
            }
            Expr::Method { .. } | Expr::Call { .. } => self.key_of_call(scope, id),
            Expr::Macro(call) => match &call.shape {
                MacroShape::Exprs(args) => self.key_of_format(scope, args),
                _ => undocumented("a macro makes it"),
            },
            Expr::Field(..) => {
                self.key_of_type(&self.eval.ty(scope, id)).unwrap_or_else(|| undocumented("it is a field as it stands"))
            }
            Expr::Lit(_) => undocumented("it is a literal"),
            Expr::Block { stmts, .. } => match stmts.last() {
                Some(crate::scan::ir::Stmt::Expr { expr, value: true }) => self.key(scope, *expr),
                _ => undocumented("it could not be followed"),
            },
            _ => undocumented("it could not be followed"),
        }
    }

    fn key_of_path(&self, scope: Scope, path: &Path) -> Key {
        if let Some(named) = self.client.of_path(self.module(scope), path)
            && let Some(key) = self.generated(named)
        {
            return key;
        }
        match self.types.index.resolve(self.module(scope), path) {
            Some(Def::Type(id)) => self.key_of_struct(id),
            _ => undocumented("its type's derivation is not written down"),
        }
    }

    fn generated(&self, named: Named) -> Option<Key> {
        let action = self.client.action_of(&named)?;
        match named {
            Named::KeyType(type_name) => Some(Key::Generated { type_name, action }),
            Named::Ledger | Named::Permit | Named::Slot | Named::Go | Named::Key | Named::Other => None,
        }
    }

    fn key_of_struct(&self, id: TypeId) -> Key {
        let Some(entry) = self.types.index.types.get(id.0 as usize) else { return undocumented("it is not known") };
        match derivation::read(&entry.docs) {
            Some(found) => match derivation::disagrees_with_type(&found, entry) {
                Some(why) => Key::Undocumented(format!("the documentation of `{}` disagrees: {why}", entry.name)),
                None => Key::Documented(found),
            },
            None => Key::Undocumented(format!("`{}` does not say how it is derived", entry.name)),
        }
    }

    fn key_of_type(&self, ty: &Type) -> Option<Key> {
        if let Some(named) = self.client.of_type(ty) {
            return self.generated(named);
        }
        match ty {
            Type::Local(id, _) => Some(self.key_of_struct(*id)).filter(Key::is_documented),
            _ => None,
        }
    }

    fn key_of_variable(&self, scope: Scope, id: ExprId, path: &'a Path) -> Key {
        let Some(body) = self.types.body(scope) else { return undocumented("it could not be read") };
        let Some(binding) = path.ident().and_then(|name| binding_of(&self.eval, scope, body, id, name)) else {
            return self.key_of_path(scope, path);
        };
        let module = self.module(scope);
        let by_type = |ty: &crate::scan::ir::Ty| {
            let (named, action) = self.client.of_ty(module, ty)?;
            match (named, action) {
                (Named::Permit | Named::Slot, Some(action)) => {
                    Some(Key::Generated { type_name: action.clone(), action })
                }
                (named, _) => self.generated(named),
            }
        };
        match binding {
            Binding::Param(position, param) => by_type(&param.ty)
                .or_else(|| self.key_of_type(&self.eval.ty(scope, id)))
                .unwrap_or_else(|| self.key_of_parameter(scope, position)),
            Binding::Closure(_, _, param) => by_type(&param.ty)
                .or_else(|| self.key_of_proof(scope, id, path))
                .unwrap_or_else(|| undocumented("a closure is given it")),
            Binding::Let(_, Some(ty), value) => by_type(ty)
                .or_else(|| value.map(|value| self.key(scope, value)))
                .unwrap_or_else(|| undocumented("it is set later")),
            Binding::Let(crate::scan::ir::Pat::Bind { .. }, None, Some(value)) => match self.key(scope, value) {
                Key::Undocumented(why) => self.key_of_proof(scope, id, path).unwrap_or(Key::Undocumented(why)),
                found => found,
            },
            Binding::Matched(_, value) => self.key_of_proof(scope, id, path).unwrap_or_else(|| self.key(scope, value)),
            Binding::Let(..) | Binding::For(..) | Binding::Meta(_) => {
                self.key_of_proof(scope, id, path).unwrap_or_else(|| undocumented("it could not be followed"))
            }
        }
    }

    /// The key of a permit or slot: that of its reservation.
    fn key_of_proof(&self, scope: Scope, id: ExprId, path: &'a Path) -> Option<Key> {
        let action = self.proof(scope, id, path.ident()?)?;
        Some(Key::Generated { type_name: action.clone(), action })
    }

    /// A parameter is what every caller gives for it.
    fn key_of_parameter(&self, scope: Scope, position: usize) -> Key {
        let Scope::Fn(function) = scope else { return undocumented("it is given by the caller") };
        let mut found = None;
        for (caller, argument) in self.arguments(function, position) {
            match self.key(caller, argument) {
                Key::Undocumented(why) => return Key::Undocumented(why),
                documented => found = Some(documented),
            }
        }
        found.unwrap_or_else(|| undocumented("it is a parameter that nobody visible gives"))
    }

    fn key_of_call(&self, scope: Scope, id: ExprId) -> Key {
        let Some(body) = self.types.body(scope) else { return undocumented("it could not be read") };
        match self.eval.target(scope, id) {
            Target::Fns(found) => {
                let mut result = undocumented("the function that makes it is not known");
                for function in found {
                    result = self.key_of_function(function);
                    if !result.is_documented() {
                        break;
                    }
                }
                result
            }
            Target::Construct(_) | Target::Outside { .. } | Target::Unknown | Target::Closure(..) => {
                match body.expr(id) {
                    Expr::Call { callee, args } => match (body.expr(*callee), args.as_slice()) {
                        (Expr::Path(path), [only]) if wraps(path) => self.key(scope, *only),
                        _ => undocumented("a function outside makes it"),
                    },
                    _ => undocumented("a method that says nothing of it makes it"),
                }
            }
        }
    }

    /// A function whose doc comment says how the key is derived; else what it returns.
    fn key_of_function(&self, id: FnId) -> Key {
        let entry = &self.types.index.functions[id.0 as usize];
        if let Some(found) = derivation::read(&entry.docs) {
            return match derivation::disagrees_with_function(&found, entry) {
                Some(why) => Key::Undocumented(format!("the documentation of `{}` disagrees: {why}", entry.name)),
                None => Key::Documented(found),
            };
        }
        let written = self.types.written_return(id);
        if let Some(key) = self.key_of_type(&written) {
            return key;
        }
        let root = entry.function.body.as_ref().and_then(|body| body.root);
        let followed = root.map(|root| self.key(Scope::Fn(id), root)).filter(Key::is_documented);
        followed.unwrap_or_else(|| Key::Undocumented(format!("`{}` does not say how it is derived", entry.name)))
    }

    /// `format!("{key}")`: the key itself, when nothing else goes in.
    fn key_of_format(&self, scope: Scope, args: &[ExprId]) -> Key {
        let Some(body) = self.types.body(scope) else { return undocumented("it could not be read") };
        match args {
            [text, only] if matches!(body.expr(*text), Expr::Lit(Lit::Str(text)) if is_one_hole(text)) => {
                self.key(scope, *only)
            }
            _ => undocumented("it is put together on the spot"),
        }
    }
}

fn is_one_hole(text: &str) -> bool {
    text.starts_with('{') && text.ends_with('}') && text.matches('{').count() == 1
}

fn wraps(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| WRAPPERS.contains(&last.name.as_str()))
}

fn undocumented(why: &str) -> Key {
    Key::Undocumented(why.to_owned())
}
