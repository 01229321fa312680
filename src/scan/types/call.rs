//! Which functions a call leads to, and what it is worth.

use std::sync::Arc;

use crate::scan::index::{Def, FnId, MacroId};
use crate::scan::ir::{Body, Expr, ExprId, MacroCall, MacroShape, Path, Ty};
use crate::scan::types::Types;
use crate::scan::types::binding::binding_of;
use crate::scan::types::eval::{Eval, joined, many};
use crate::scan::types::everyday::hands_on;
use crate::scan::types::known::verb_of;
use crate::scan::types::members::split_member;
use crate::scan::types::ty::{Bound, Type, behind};
use crate::scan::types::value::{Callable, Methods, Part, Request, Scope, Value, shown};

/// How many functions behind a trait's method are asked for what they answer: an API may have an endpoint for each.
const TARGETS: usize = 64;

/// Where a call leads.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// Functions of the workspace; several where a trait is between.
    Fns(Vec<FnId>),
    /// A closure of the same workspace.
    Closure(Scope, ExprId),
    /// A function or method outside: the path of its type, trait or module, and its name.
    Outside {
        /// `reqwest::RequestBuilder`; `lib::?` is an unnamed type of that crate.
        path: Arc<str>,
        /// `send`.
        name: String,
        /// Whether `path` is a trait that the receiver is bound by.
        by_bound: bool,
    },
    /// A tuple struct or variant of the workspace, or `Some`, `Box::new` and their kin.
    Construct(Type),
    /// Not told.
    Unknown,
}

impl<'a> Eval<'_, 'a> {
    /// The functions of the workspace that a call leads to.
    #[must_use]
    pub fn targets(&self, scope: Scope, id: ExprId) -> Vec<FnId> {
        match self.target(scope, id) {
            Target::Fns(found) => found,
            Target::Closure(..) | Target::Outside { .. } | Target::Construct(_) | Target::Unknown => Vec::new(),
        }
    }

    /// Where a call leads.
    #[must_use]
    pub fn target(&self, scope: Scope, id: ExprId) -> Target {
        let Some(body) = self.types.body(scope) else { return Target::Unknown };
        match body.expr(id) {
            Expr::Call { callee, args } => self.callee(scope, body, *callee, args),
            Expr::Method { receiver, name, .. } => self.method_target(&self.ty(scope, *receiver), name),
            _ => Target::Unknown,
        }
    }

    fn callee(&self, scope: Scope, body: &'a Body, callee: ExprId, args: &[ExprId]) -> Target {
        let Expr::Path(path) = body.expr(callee) else {
            return self.called(self.value(scope, callee).callable);
        };
        if let Some(name) = path.ident()
            && let Some(value) = self.variable(scope, body, callee, name)
        {
            return self.called(value.callable);
        }
        self.path_target(scope, path, args)
    }

    fn called(&self, callable: Option<Callable>) -> Target {
        match callable {
            Some(Callable::Fn(id)) => Target::Fns(vec![id]),
            Some(Callable::Closure(scope, id)) => Target::Closure(scope, id),
            None => Target::Unknown,
        }
    }

    /// Where a path that is called, or used as a function value, leads.
    #[must_use]
    pub fn path_target(&self, scope: Scope, path: &Path, args: &[ExprId]) -> Target {
        let names = self.types.names(scope);
        let found = self.types.index.resolve(names.module, path).or_else(|| names.by_glob(path));
        let external = match found {
            Some(Def::Fn(id)) => return Target::Fns(vec![id]),
            Some(Def::Type(id)) => match names.ty(&Ty::Path(path.clone())) {
                Type::External(path, _) => return Target::Construct(Type::External(path, Vec::new())),
                _ => return Target::Construct(Type::Local(id, Vec::new())),
            },
            Some(Def::Variant(id, _)) => return Target::Construct(Type::Local(id, Vec::new())),
            Some(Def::External(external)) => Some(behind(self.types.catalog, &external)),
            Some(Def::Module(_) | Def::Trait(_) | Def::Const(_) | Def::Macro(_)) | None => None,
        };
        let Some((head, last)) = split_member(path) else {
            return match external.as_deref().and_then(|path| path.rsplit_once("::")) {
                Some((head, last)) => outside(head, last),
                _ if matches!(path.ident(), Some("Some" | "Ok" | "Err")) => Target::Construct(Type::Unknown),
                _ => Target::Unknown,
            };
        };
        let mut ty = names.ty(&head);
        if ty.is_unknown() && path.qself.is_some() {
            ty = args.first().map_or(Type::Unknown, |arg| self.ty(scope, *arg));
        }
        if let Type::Local(..) | Type::Bound(_) = &ty {
            match self.member_target(&ty, last) {
                Target::Unknown => {}
                found => return found,
            }
        }
        // `Trait::method(&value)`: the receiver is the first argument.
        if let Type::Bound(bounds) = &ty
            && let [Bound::Local(_)] = bounds.as_slice()
            && let Some(first) = args.first()
        {
            match self.member_target(&self.value(scope, *first).ty, last) {
                Target::Unknown => {}
                found => return found,
            }
        }
        if let Some((head, last)) = external.as_deref().and_then(|path| path.rsplit_once("::")) {
            return outside(head, last);
        }
        match &ty {
            Type::External(head, _) => match self.types.members.functions(&ty, last).as_slice() {
                [] => outside(head, last),
                found => Target::Fns(found.to_vec()),
            },
            // Nobody imports it, and it stands for what it holds.
            _ if matches!(&head, Ty::Path(head) if head.segments.last().is_some_and(|segment| segment.name == "Box")) => {
                outside("std::boxed::Box", last)
            }
            _ => Target::Unknown,
        }
    }

    /// Where a method of a value of this type leads.
    #[must_use]
    pub fn method_target(&self, ty: &Type, name: &str) -> Target {
        // A method of the type itself goes before one that a trait of the workspace gives it.
        // What only a pattern of the catalog fits may be the trait's.
        if let Type::External(path, _) = ty
            && self.types.members.is_named(name)
            && let Some(found) = self.types.known.call(path, name)
            && (!found.call.method.contains('*') || self.types.members.functions(ty, name).is_empty())
        {
            return outside(path, name);
        }
        match self.member_target(ty, name) {
            Target::Unknown => {}
            found => return found,
        }
        let mut at = ty;
        for _ in 0..4 {
            match at {
                Type::External(path, _) => match self.types.members.deref(at) {
                    Some(next) => at = next,
                    None => return outside(path, name),
                },
                Type::Bound(bounds) => {
                    let outside_bound = bounds.iter().find_map(|bound| match bound {
                        Bound::External(path)
                            if self.types.known.has_method(path, name)
                                || self.types.known.returns(path, name).is_some() =>
                        {
                            Some(path)
                        }
                        Bound::External(_) | Bound::Local(_) => None,
                    });
                    // `dyn llm::ChatClient` of a crate that nobody listed.
                    let unlisted = || {
                        bounds.iter().find_map(|bound| match bound {
                            Bound::External(path) if self.types.known.is_unlisted(path) => Some(path),
                            Bound::External(_) | Bound::Local(_) => None,
                        })
                    };
                    return outside_bound.or_else(unlisted).map_or(Target::Unknown, |path| Target::Outside {
                        path: path.clone(),
                        name: name.to_owned(),
                        by_bound: true,
                    });
                }
                Type::Local(..) => match self.types.members.deref(at) {
                    Some(next) => at = next,
                    None => return self.implemented(at, name),
                },
                Type::Unknown | Type::Tuple(_) | Type::Many(_) | Type::Fn(..) => return Target::Unknown,
            }
        }
        Target::Unknown
    }

    /// A type of the workspace that implements a sending trait from outside and inherits this method of it.
    fn implemented(&self, ty: &Type, name: &str) -> Target {
        let found =
            self.types.members.outside_traits(ty).into_iter().find(|path| self.types.known.has_method(path, name));
        found.map_or(Target::Unknown, |path| Target::Outside { path, name: name.to_owned(), by_bound: false })
    }

    fn member_target(&self, ty: &Type, name: &str) -> Target {
        match self.types.members.functions(ty, name) {
            found if found.is_empty() => Target::Unknown,
            found => Target::Fns(found),
        }
    }

    pub(super) fn call(&self, scope: Scope, id: ExprId, callee: ExprId, args: &[ExprId]) -> Arc<Value> {
        let value = match self.target(scope, id) {
            Target::Fns(found) => return self.inlined(scope, &found, args),
            Target::Closure(there, closure) => return self.closure(there, closure),
            Target::Construct(Type::Unknown) => return self.any(scope, args.first().copied()),
            Target::Construct(ty) => {
                let given = args.iter().map(|arg| Arc::unwrap_or_clone(self.value(scope, *arg)));
                Value::of(ty).with_fields(given.enumerate().map(|(at, value)| (at.to_string(), value)).collect())
            }
            Target::Outside { path, name, .. } => {
                // `reqwest::Client::post(client, url)`: the receiver stands first.
                let first = args.first().map(|arg| self.value(scope, *arg));
                match first.filter(|first| first.ty.path().is_some_and(|ty| self.types.known.same(ty, &path))) {
                    Some(receiver) => self.outside_method(scope, &receiver, &path, &name, &args[1..]),
                    None => self.outside_function(scope, &path, &name, args),
                }
            }
            Target::Unknown => {
                let built = self.types.body(scope).and_then(|body| self.built_query(scope, body, callee));
                built.unwrap_or_else(|| match &self.value(scope, callee).ty {
                    Type::Fn(_, returns) => Value::of((**returns).clone()),
                    _ => Value::default(),
                })
            }
        };
        Arc::new(value)
    }

    /// The summaries of the functions, applied to what is given; the receiver of a method stands first.
    fn inlined(&self, scope: Scope, found: &[FnId], given: &[ExprId]) -> Arc<Value> {
        let apply = |id: &FnId| {
            let summary = self.summary(*id);
            if !summary.has_params() {
                return summary;
            }
            Arc::new(summary.applied(&|at| self.nth_given(scope, given, at)))
        };
        let value = found.iter().take(TARGETS).fold(Arc::clone(&self.nothing), |value, id| joined(value, apply(id)));
        let value = self.with_the_verb_given(scope, value, given);
        let open = matches!(value.ty, Type::Bound(_)) || value.ty.path().is_some_and(|path| path.ends_with("::Output"));
        if !value.is_unknown() && !open {
            return value;
        }
        // `timed(|| client.post(url))`: a helper that says nothing of its own answer answers as what it runs.
        let made = given.iter().find(|arg| self.callable(scope, **arg).is_some());
        made.map_or(value, |made| self.answered(scope, *made))
    }

    /// `request("GET", url)`, where the helper matches on the verb: of the methods that it may take, the one that is
    /// written out.
    fn with_the_verb_given(&self, scope: Scope, value: Arc<Value>, given: &[ExprId]) -> Arc<Value> {
        let open = |request: &Request| request.methods.is_empty() || request.methods.known.len() > 1;
        let built = || value.ty.path().is_some_and(|path| self.types.known.is_builder(path));
        let request = match &value.request {
            Some(request) if open(request) => (**request).clone(),
            None if built() => value.as_request(),
            Some(_) | None => return value,
        };
        let written = given.iter().filter_map(|arg| match self.value(scope, *arg).texts.as_slice() {
            [text] => verb_of(&shown(text)),
            _ => None,
        });
        let may_be = |verb: &&str| request.methods.is_empty() || request.methods.known.contains(*verb);
        let verbs: Vec<&str> = written.filter(may_be).collect();
        let [verb] = verbs.as_slice() else { return value };
        let request = Request { methods: Methods::one(verb), ..request };
        Arc::new(Arc::unwrap_or_clone(value).with_request(request))
    }

    fn nth_given(&self, scope: Scope, given: &[ExprId], at: usize) -> Arc<Value> {
        self.any(scope, given.get(at).copied())
    }

    /// The first of what is given.
    pub(super) fn first(&self, scope: Scope, given: &[ExprId]) -> Value {
        Arc::unwrap_or_clone(self.nth_given(scope, given, 0))
    }

    pub(super) fn method(
        &self,
        scope: Scope,
        receiver: ExprId,
        name: &str,
        generics: &[Ty],
        args: &[ExprId],
    ) -> Arc<Value> {
        let of = self.value(scope, receiver);
        let target = self.method_target(&of.ty, name);
        match &target {
            Target::Fns(found) => {
                let given: Vec<ExprId> = std::iter::once(receiver).chain(args.iter().copied()).collect();
                let value = self.inlined(scope, found, &given);
                return if value.is_unknown() && name == "clone" { of } else { value };
            }
            Target::Outside { path, name, .. } => {
                if let Some(connection) = self.types.members.drawn(&of.ty, name) {
                    return Arc::new(Value::of(connection.clone()));
                }
                if let Some(value) = self.known_method(scope, &of, path, name, args) {
                    return Arc::new(value);
                }
            }
            Target::Closure(..) | Target::Construct(_) | Target::Unknown => {}
        }
        if hands_on(name, args) {
            return of;
        }
        if let Some(value) = self.everyday_method(scope, &of, name, generics, args) {
            return Arc::new(value);
        }
        let value = match target {
            Target::Outside { path, name, .. } => self.outside_method(scope, &of, &path, &name, args),
            _ if of.request.is_some() || of.param.is_some() && self.is_setter(&of, name) => {
                self.setter(scope, &of, name, args)
            }
            _ if of.command.is_some() => return of,
            _ => self.begun_somewhere(scope, name, args),
        };
        Arc::new(value)
    }

    /// A verb on something without a type begins a request, should a `send` follow.
    pub(super) fn begun_somewhere(&self, scope: Scope, name: &str, args: &[ExprId]) -> Value {
        let lower = name.chars().all(char::is_lowercase);
        let (methods, url) = match args {
            [url] if lower => match verb_of(name) {
                Some(verb) => (Methods::one(verb), url),
                None => return Value::default(),
            },
            [method, url] if name == "request" => (self.value(scope, *method).as_methods(), url),
            _ => return Value::default(),
        };
        Value::default().with_request(Request { methods, urls: self.texts(scope, *url), ..Request::default() })
    }

    pub(super) fn macro_call(&self, scope: Scope, body: &'a Body, id: ExprId, call: &'a MacroCall) -> Value {
        let name = call.path.segments.last().map_or("", |segment| segment.name.as_str());
        match (name, &call.shape) {
            ("format" | "format_args" | "concat" | "formatcp" | "concatcp", MacroShape::Exprs(args)) => {
                self.formatted(scope, args)
            }
            ("include_str", MacroShape::Exprs(args)) => self.included(scope, args),
            ("json" | "graphql_json", MacroShape::Map(pairs)) => self.json(scope, pairs),
            ("json", MacroShape::Exprs(args)) => self.first(scope, args),
            ("vec", MacroShape::Exprs(args)) => many(self.any(scope, args.iter().copied())),
            ("try_join" | "join", MacroShape::Exprs(args)) => {
                Value::of(Type::Tuple(args.iter().map(|arg| self.ty(scope, *arg)).collect()))
            }
            ("pin", MacroShape::Exprs(args)) if args.len() == 1 => self.first(scope, args),
            (_, MacroShape::Select(arms)) => {
                Arc::unwrap_or_clone(self.any(scope, arms.iter().map(|(_, arm)| arm.body)))
            }
            (_, shape) => match self.local_macro(scope, body, id, &call.path) {
                Some(found) => self.expanded(scope, found, Self::macro_args(shape)),
                None => match shape {
                    MacroShape::Block(block) => Arc::unwrap_or_clone(self.value(scope, *block)),
                    MacroShape::Exprs(_)
                    | MacroShape::Select(_)
                    | MacroShape::Map(_)
                    | MacroShape::Tokens(_)
                    | MacroShape::Inert => Value::default(),
                },
            },
        }
    }

    /// The `macro_rules!` of the workspace that a macro call leads to.
    #[must_use]
    pub fn local_macro(&self, scope: Scope, _body: &Body, _id: ExprId, path: &Path) -> Option<MacroId> {
        if !self.types.is_macro(&path.segments.last()?.name) {
            return None;
        }
        match self.types.index.resolve_macro(self.types.names(scope).module, path) {
            Some(Def::Macro(id)) => Some(id),
            _ => None,
        }
    }

    fn expanded(&self, scope: Scope, id: MacroId, args: &[ExprId]) -> Value {
        let arms = &self.types.index.macros[id.0 as usize].arms;
        let arm = arms.iter().position(|arm| arm.parameters.len() == args.len()).unwrap_or(0);
        let Some(root) = arms.get(arm).and_then(|arm| arm.body.root) else { return Value::default() };
        let value = self.value(Scope::Macro(id, arm), root);
        value.applied(&|at| self.nth_given(scope, args, at))
    }
}

fn outside(path: &str, name: &str) -> Target {
    Target::Outside { path: Arc::from(path), name: name.to_owned(), by_bound: false }
}

/// The path that people are shown for a function.
#[must_use]
pub fn shown_function(types: &Types<'_>, id: FnId) -> String {
    types.index.functions[id.0 as usize].path.clone()
}

/// A text with one hole.
#[must_use]
pub fn hole() -> Vec<Part> {
    vec![Part::Hole]
}

impl Eval<'_, '_> {
    /// Where a path that is used as a value leads, when it names a function.
    #[must_use]
    pub fn path_value(&self, scope: Scope, id: ExprId) -> Target {
        let Some(body) = self.types.body(scope) else { return Target::Unknown };
        let Expr::Path(path) = body.expr(id) else { return Target::Unknown };
        match path.ident() {
            Some(name) if binding_of(self, scope, body, id, name).is_some() => Target::Unknown,
            _ => self.path_target(scope, path, &[]),
        }
    }
}
