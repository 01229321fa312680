//! What functions and methods of crates outside return, as far as chains need it.

use std::sync::Arc;

use crate::scan::ir::{Expr, ExprId, Ty};
use crate::scan::types::eval::{Eval, is_text};
use crate::scan::types::everyday::{hands_on, is_client, is_of_what_holds_it};
use crate::scan::types::known::{camel, first_of, is_kept, last_of, verb_of};
use crate::scan::types::ty::Type;
use crate::scan::types::value::{Callable, Command, Methods, Part, Scope, Value, product};

impl Eval<'_, '_> {
    /// A method of a type outside of which more is known than its name.
    pub(super) fn known_method(
        &self,
        scope: Scope,
        of: &Value,
        path: &str,
        name: &str,
        args: &[ExprId],
    ) -> Option<Value> {
        if of.command.is_some() || is_command(path) {
            return Some(self.command_setter(scope, of, name, args));
        }
        if self.is_setter(of, name) {
            return Some(self.setter(scope, of, name, args));
        }
        // `builder.try_clone().unwrap()`: of what may be a builder the builder is taken out, its request with it.
        if self.builds(of) {
            return None;
        }
        let returned = self.types.known.returns(path, name)?;
        if returned.of_any_method && (hands_on(name, args) || is_of_what_holds_it(name)) {
            return None;
        }
        if name == "get" && args.is_empty() && returned.http_method.is_some() {
            // `CELL.get()`: a request would need an address.
            return None;
        }
        Some(self.returned_outside(scope, of, returned, args))
    }

    fn command_setter(&self, scope: Scope, of: &Value, name: &str, args: &[ExprId]) -> Value {
        let mut command = of.command.as_deref().cloned().unwrap_or_default();
        match (name, args) {
            ("arg", [arg]) => command.args.extend(self.texts(scope, *arg).into_iter().next()),
            ("args", [list]) => command.args.extend(self.listed(scope, *list)),
            _ => {}
        }
        Value { command: Some(Arc::new(command)), ..Value::of(of.ty.clone()) }
    }

    /// The texts of a list that is written out.
    pub fn listed(&self, scope: Scope, list: ExprId) -> Vec<super::value::Text> {
        let Some(body) = self.types.body(scope) else { return Vec::new() };
        let first = |id: &ExprId| self.texts(scope, *id).into_iter().next().unwrap_or_default();
        match body.expr(list) {
            Expr::Array(items) => items.iter().map(first).collect(),
            Expr::Ref(inner) => self.listed(scope, *inner),
            Expr::Macro(call) => Self::macro_args(&call.shape).iter().map(first).collect(),
            _ => vec![super::call::hole()],
        }
    }

    /// A field of a type outside.
    pub(super) fn field_outside(&self, path: &str, args: &[Type], name: &str) -> Value {
        let known = &self.types.known;
        match (known.field(path, name), args) {
            (Some(path), _) => Value::of(Type::external(&path)),
            // `CommandContext<App>` of a framework that nobody listed: what it is made over is what it holds.
            (None, [of @ Type::Local(..)]) if known.is_unlisted(path) => Value::of(of.clone()),
            (None, _) => Value::default(),
        }
    }

    /// Methods that are the same on every type: clones, unwraps, locks, iterators, texts.
    pub(super) fn everyday_method(
        &self,
        scope: Scope,
        of: &Value,
        name: &str,
        generics: &[Ty],
        args: &[ExprId],
    ) -> Option<Value> {
        if hands_on(name, args) {
            return Some(of.clone());
        }
        let text = of.ty.path().is_some_and(is_text) || !of.texts.is_empty();
        let owned = |id: &ExprId| Arc::unwrap_or_clone(self.answered(scope, *id));
        let value = match (name, args) {
            ("get_or_init" | "get_or_try_init", [made]) => of.clone().join(owned(made)),
            ("spawn" | "spawn_blocking" | "spawn_local" | "spawn_on" | "install" | "in_scope", [made]) => owned(made),
            ("unwrap_or" | "or" | "expect_or", [_]) => either(of, self.first(scope, args)),
            ("unwrap_or_else", [other]) => either(of, owned(other)),
            (
                "map" | "and_then" | "then" | "then_some" | "filter_map" | "flat_map" | "map_ok" | "and_then_async",
                [made],
            ) => {
                let made = owned(made);
                match &of.ty {
                    Type::Many(_) => Value { ty: Type::Many(Box::new(made.ty.clone())), ..made },
                    _ => made,
                }
            }
            ("map_or" | "map_or_else", [other, made]) => owned(made).join(owned(other)),
            (
                "next" | "first" | "last" | "pop" | "pop_front" | "pop_back" | "find" | "nth" | "choose" | "min_by_key"
                | "max_by_key" | "get" | "remove",
                _,
            ) if matches!(of.ty, Type::Many(_)) => Value::of(of.ty.element()),
            ("enumerate", []) => {
                Value::of(Type::Many(Box::new(Type::Tuple(vec![Type::external("usize"), of.ty.element()]))))
            }
            ("collect", _) => self.collected(scope, of, generics),
            (
                "to_string" | "as_str" | "trim" | "trim_end_matches" | "trim_start_matches" | "to_lowercase"
                | "to_uppercase" | "to_ascii_uppercase" | "as_bytes" | "into_string" | "into_boxed_str" | "trim_end"
                | "strip_suffix" | "replace_all" | "trim_matches" | "as_ref_str",
                _,
            ) if text => of.clone(),
            ("join", [more]) if text => self.joined_url(scope, of, *more),
            ("parse", []) => self.parsed(scope, of, generics),
            ("split", []) => Value::of(Type::Tuple(vec![of.ty.clone(), of.ty.clone()])),
            _ => return None,
        };
        Some(value)
    }

    fn collected(&self, scope: Scope, of: &Value, generics: &[Ty]) -> Value {
        match generics.first().map(|ty| self.types.names(scope).ty(ty)) {
            Some(Type::Many(of)) if !of.is_unknown() => Value::of(Type::Many(of)),
            _ => of.clone(),
        }
    }

    fn joined_url(&self, scope: Scope, of: &Value, more: ExprId) -> Value {
        let slash = vec![vec![Part::Lit(Arc::from("/"))]];
        let texts = product(product(of.texts_or_hole(), &slash), &self.texts(scope, more));
        Value { texts, ..Value::of(of.ty.clone()) }
    }

    fn parsed(&self, scope: Scope, of: &Value, generics: &[Ty]) -> Value {
        let ty = generics.first().map_or(Type::Unknown, |ty| self.types.names(scope).ty(ty));
        let mut value = Value { ty, param: None, ..of.clone() };
        if value.ty.path().is_some_and(|path| path.ends_with("Method")) {
            value.methods = Some(methods_in(of));
        }
        value
    }

    /// What a closure or function given as an argument answers.
    pub(super) fn answered(&self, scope: Scope, id: ExprId) -> Arc<Value> {
        match self.callable(scope, id) {
            Some(Callable::Closure(there, closure)) => self.closure(there, closure),
            Some(Callable::Fn(id)) => Arc::new(self.summary(id).applied(&|_| Arc::clone(&self.nothing))),
            None => match self.types.body(scope).map(|body| body.expr(id)) {
                Some(Expr::Path(path)) => Arc::new(self.function_value(scope, path)),
                _ => self.value(scope, id),
            },
        }
    }

    /// A function from outside given by its path: `reqwest::Client::new`.
    fn function_value(&self, scope: Scope, path: &crate::scan::ir::Path) -> Value {
        match self.path_target(scope, path, &[]) {
            super::call::Target::Outside { path, name, .. } => self.outside_function(scope, &path, &name, &[]),
            super::call::Target::Construct(ty) => Value::of(ty),
            super::call::Target::Fns(_) | super::call::Target::Closure(..) | super::call::Target::Unknown => {
                Value::default()
            }
        }
    }

    /// A method of a type outside of which the name alone is known.
    pub(super) fn outside_method(&self, scope: Scope, of: &Value, path: &str, name: &str, args: &[ExprId]) -> Value {
        if let Some(value) = self.known_method(scope, of, path, name, args) {
            return value;
        }
        if name == "clone" {
            return of.clone();
        }
        if let Some(built) = self.types.known.finished(path, name) {
            return Value { texts: of.texts.clone(), ..Value::of(Type::external(&built)) };
        }
        match self.types.known.chains(path) && !is_kept(name) {
            true => Value::of(Type::of_crate(first_of(path))),
            false if args.is_empty() && is_client(name) => {
                Value::of(Type::external(&format!("{}::{}", first_of(path), camel(name))))
            }
            false if let Some(part) = self.types.known.part(path, name) => Value::of(Type::external(&part)),
            false => self.begun_somewhere(scope, name, args),
        }
    }

    /// A function outside, or one of a type that takes no receiver.
    pub(super) fn outside_function(&self, scope: Scope, path: &str, name: &str, args: &[ExprId]) -> Value {
        let known = &self.types.known;
        let last = last_of(path);
        let first = || self.first(scope, args);
        match (last, name) {
            (
                _,
                "spawn" | "spawn_local" | "spawn_blocking" | "pin" | "ready" | "block_on" | "select_ok"
                | "unconstrained",
            )
            | ("thread", "scope")
            | ("convert", "identity")
            | ("hint", "black_box") => {
                return self.answered_or_value(scope, args);
            }
            ("future", "join_all" | "try_join_all") => return first(),
            ("LazyLock" | "Lazy" | "OnceLock" | "OnceCell" | "LazyCell", "new" | "with_value" | "from") => {
                return self.answered_or_value(scope, args);
            }
            (
                "Arc" | "Box" | "Rc" | "Mutex" | "RwLock" | "RefCell" | "Cell" | "Pin" | "ArcSwap" | "Cow" | "Json"
                | "State" | "Extension" | "Data" | "Some" | "Ok" | "Wrapping",
                _,
            ) if args.len() == 1 => return first(),
            ("Arc" | "Rc", "clone" | "downgrade") => return first(),
            ("time", "timeout" | "timeout_at") | ("future", "timeout") => {
                return self.first(scope, args.get(1..).unwrap_or_default());
            }
            ("mem", "take" | "replace") => return first(),
            ("Command", "new") if is_command(path) => {
                let program =
                    args.first().and_then(|arg| self.texts(scope, *arg).into_iter().next()).unwrap_or_default();
                let command = Command { program, args: Vec::new() };
                return Value { command: Some(Arc::new(command)), ..Value::of(Type::external(path)) };
            }
            (_, "from_bytes" | "from_str" | "try_from") if last.ends_with("Method") => {
                return Value { methods: Some(methods_in(&first())), ..Value::of(Type::external(path)) };
            }
            (
                "Url" | "String" | "Uri" | "Cow" | "PathBuf" | "PathAndQuery" | "HeaderName" | "HeaderValue",
                "parse" | "from" | "from_static" | "from_str" | "try_from" | "new" | "from_maybe_shared"
                | "parse_with_params" | "from_lowercase",
            ) => {
                return Value { ty: Type::external(path), ..first() };
            }
            _ => {}
        }
        if let Some(returned) = known.returns(path, name) {
            return self.returned_outside(scope, &Value::of(Type::external(path)), returned, args);
        }
        // `FutureExt::boxed(future)`, `IntoFuture::into_future(request)`: the receiver stands first.
        if let [receiver, rest @ ..] = args
            && last.starts_with(char::is_uppercase)
            && let Some(value) = self.everyday_method(scope, &self.value(scope, *receiver), name, &[], rest)
            && !value.is_unknown()
        {
            return value;
        }
        // `Fetch::Request(request)`: a variant around a request.
        if let [given] = args
            && [last, name].iter().all(|part| part.starts_with(char::is_uppercase))
            && let given = self.value(scope, *given)
            && given.request.is_some()
        {
            return Value { ty: Type::external(path), ..Arc::unwrap_or_clone(given) };
        }
        match known.constructed(path, name) {
            Some(ty) => Value::of(Type::external(&ty)),
            None if known.chains(path) => Value::of(Type::of_crate(first_of(path))),
            None if known.is_unlisted(path) => self.begun_somewhere(scope, name, args),
            None => Value::default(),
        }
    }

    fn answered_or_value(&self, scope: Scope, args: &[ExprId]) -> Value {
        args.first().map_or_else(Value::default, |arg| Arc::unwrap_or_clone(self.answered(scope, *arg)))
    }
}

/// A value or what stands in for it: a text that is not known stays a hole beside the written one.
fn either(of: &Value, other: Value) -> Value {
    let mut known = of.clone();
    if known.texts.is_empty() && !other.texts.is_empty() {
        known.texts = known.texts_or_hole();
    }
    known.join(other)
}

/// The verb that a text holds; what callers give when it is a parameter, any when it is not known.
fn methods_in(value: &Value) -> Methods {
    if let Some(param) = value.param {
        return Methods { params: [param].into(), ..Methods::default() };
    }
    let mut out = Methods::default();
    for text in &value.texts {
        match verb_of(&super::value::shown(text)) {
            Some(verb) => out.known.extend(Methods::one(verb).known),
            None => out.runtime = true,
        }
    }
    if out.is_empty() { Methods::runtime() } else { out }
}

/// Whether a type outside starts processes.
#[must_use]
pub fn is_command(path: &str) -> bool {
    matches!(
        path,
        "std::process::Command"
            | "tokio::process::Command"
            | "async_process::Command"
            | "async_std::process::Command"
            | "smol::process::Command"
    )
}
