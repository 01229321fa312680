//! Where a name in a body comes from, and what a pattern takes out of a value.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap as HashMap;

use crate::scan::index::{Def, TypeKind};
use crate::scan::ir::{Arm, Body, Expr, ExprId, MacroShape, Param, Pat, Path, Stmt, Ty};
use crate::scan::types::call::Target;
use crate::scan::types::eval::{Eval, joined, many};
use crate::scan::types::known::{camel, first_of, last_of};
use crate::scan::types::ty::{Names, Type};
use crate::scan::types::value::{Callable, Scope, Value};

/// What binds a name.
#[derive(Clone, Copy, Debug)]
pub enum Binding<'a> {
    /// A parameter of the function, by position.
    Param(usize, &'a Param),
    /// A parameter of the closure, by position.
    Closure(ExprId, usize, &'a Param),
    /// `let`, with its written type and initialiser.
    Let(&'a Pat, Option<&'a Ty>, Option<ExprId>),
    /// `if let`, `while let`, a match arm or a `select!` arm: the pattern and what it looks at.
    Matched(&'a Pat, ExprId),
    /// `for`: the pattern and what it goes over.
    For(&'a Pat, ExprId),
    /// A metavariable of a macro arm, by position.
    Meta(usize),
}

/// What binds `name` where the expression stands.
#[must_use]
pub fn binding_of<'a>(
    eval: &Eval<'_, 'a>,
    scope: Scope,
    body: &'a Body,
    at: ExprId,
    name: &str,
) -> Option<Binding<'a>> {
    let mut child = at;
    for holder in body.ancestors(at) {
        let found = match body.expr(holder) {
            Expr::Block { stmts, .. } if stmts.len() > LONG => {
                let lets = eval.lets(scope, holder, stmts);
                let until = body.node(child).span.start;
                let with_name = lets.get(name).map_or(&[][..], Vec::as_slice);
                let before = with_name.partition_point(|(end, _)| *end <= until);
                with_name[..before].iter().rev().find_map(|(_, stmt)| in_stmt(stmt, until, child, name))
            }
            Expr::Block { stmts, .. } => {
                let until = body.node(child).span.start;
                stmts.iter().rev().find_map(|stmt| in_stmt(stmt, until, child, name))
            }
            Expr::If { condition, then, .. } if child == *then => in_condition(body, *condition, name),
            Expr::Binary(_, left, right) if child == *right => in_condition(body, *left, name),
            Expr::Match { scrutinee, arms } => in_arms(arms, child, name).map(|pat| Binding::Matched(pat, *scrutinee)),
            Expr::Loop { pat, head, body: inner, .. } if child == *inner => match (pat, head) {
                (Some(pat), Some(head)) if pat.binds(name) => Some(Binding::For(pat, *head)),
                (None, Some(head)) => in_condition(body, *head, name),
                _ => None,
            },
            Expr::Closure { params, .. } => params
                .iter()
                .position(|param| param.pat.binds(name))
                .map(|position| Binding::Closure(holder, position, &params[position])),
            Expr::Macro(call) => match &call.shape {
                MacroShape::Select(arms) => arms
                    .iter()
                    .find(|(_, arm)| (arm.body == child || arm.guard == Some(child)) && arm.pat.binds(name))
                    .map(|(future, arm)| Binding::Matched(&arm.pat, *future)),
                _ => None,
            },
            _ => None,
        };
        if found.is_some() {
            return found;
        }
        child = holder;
    }
    let index = eval.types.index;
    match scope {
        Scope::Fn(id) => {
            let params = &index.functions[id.0 as usize].function.params;
            let position = params.iter().position(|param| param.pat.binds(name))?;
            Some(Binding::Param(position, &params[position]))
        }
        Scope::Macro(id, arm) => {
            let parameters = &index.macros[id.0 as usize].arms.get(arm)?.parameters;
            parameters.iter().position(|parameter| parameter == name).map(Binding::Meta)
        }
        Scope::Const(_) => None,
    }
}

fn in_stmt<'a>(stmt: &'a Stmt, until: usize, child: ExprId, name: &str) -> Option<Binding<'a>> {
    match stmt {
        Stmt::Let { pat, ty, value, span, otherwise } => {
            let own = *value == Some(child) || *otherwise == Some(child);
            (!own && span.end <= until && pat.binds(name)).then_some(Binding::Let(pat, ty.as_ref(), *value))
        }
        Stmt::Expr { .. } | Stmt::Item(_) => None,
    }
}

/// A block with more statements than this is sorted by name once, not looked through for every variable in it.
const LONG: usize = 16;

/// The `let`s of a block by the names that they bind, each with its end, in the order of the text.
pub(super) type Lets<'a> = HashMap<&'a str, Vec<(usize, &'a Stmt)>>;

impl<'a> Eval<'_, 'a> {
    fn lets(&self, scope: Scope, block: ExprId, stmts: &'a [Stmt]) -> Rc<Lets<'a>> {
        if let Some(found) = self.lets.borrow().get(&(scope, block)) {
            return Rc::clone(found);
        }
        let mut lets = Lets::default();
        for stmt in stmts {
            if let Stmt::Let { pat, span, .. } = stmt {
                pat.bindings(&mut |name, _| lets.entry(name).or_default().push((span.end, stmt)));
            }
        }
        let lets = Rc::new(lets);
        self.lets.borrow_mut().insert((scope, block), Rc::clone(&lets));
        lets
    }
}

fn in_condition<'a>(body: &'a Body, condition: ExprId, name: &str) -> Option<Binding<'a>> {
    match body.expr(condition) {
        Expr::Let(pat, value) if pat.binds(name) => Some(Binding::Matched(pat, *value)),
        Expr::Binary(_, left, right) => in_condition(body, *right, name).or_else(|| in_condition(body, *left, name)),
        _ => None,
    }
}

fn in_arms<'a>(arms: &'a [Arm], child: ExprId, name: &str) -> Option<&'a Pat> {
    let arm = arms.iter().find(|arm| arm.body == child || arm.guard == Some(child))?;
    arm.pat.binds(name).then_some(&arm.pat)
}

/// Whether a type is that of a list of which nothing is known yet: `Vec::new()`, `FuturesUnordered::new()`.
pub(super) fn is_empty_list(ty: &Type) -> bool {
    match ty {
        Type::Unknown => true,
        Type::Many(of) => of.is_unknown(),
        Type::External(path, _) => matches!(last_of(path), "FuturesOrdered" | "FuturesUnordered"),
        Type::Local(..) | Type::Tuple(_) | Type::Bound(_) | Type::Fn(..) => false,
    }
}

/// Where a pattern binds a name, the first time.
fn bound_at(pat: &Pat, name: &str) -> Option<usize> {
    let mut found = None;
    pat.bindings(&mut |bound, span| found = found.or((bound == name).then_some(span.start)));
    found
}

impl<'a> Binding<'a> {
    fn pat(self) -> Option<&'a Pat> {
        match self {
            Binding::Param(_, param) | Binding::Closure(_, _, param) => Some(&param.pat),
            Binding::Let(pat, ..) | Binding::Matched(pat, _) | Binding::For(pat, _) => Some(pat),
            Binding::Meta(_) => None,
        }
    }

    /// Tells the variable from others of its name; `None` for what no pattern binds.
    #[must_use]
    pub fn bound(self, name: &str) -> Option<Bound> {
        let pat = self.pat()?;
        Some(Bound { pat: std::ptr::from_ref(pat).addr(), place: bound_at(pat, name)? })
    }
}

/// What tells the variable `name` where the expression stands from others of its name.
#[must_use]
pub fn bound_of<'a>(eval: &Eval<'_, 'a>, scope: Scope, body: &'a Body, at: ExprId, name: &str) -> Option<Bound> {
    binding_of(eval, scope, body, at, name)?.bound(name)
}

/// Where a variable is bound: a pattern, by where it lies in memory as long as the index stands, and the place of the
/// name in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bound {
    pat: usize,
    place: usize,
}

impl Bound {
    /// Where the name stands in the text, in bytes.
    #[must_use]
    pub fn place(self) -> usize {
        self.place
    }
}

impl<'a> Eval<'_, 'a> {
    /// What a variable holds: what binds it, joined with what is assigned to it.
    pub(super) fn variable(&self, scope: Scope, body: &'a Body, at: ExprId, name: &str) -> Option<Arc<Value>> {
        let binding = binding_of(self, scope, body, at, name)?;
        let value = self.held(scope, body, binding, name);
        if !matches!(binding, Binding::Let(..) | Binding::Param(..)) {
            return Some(value);
        }
        let changes = self.changes(scope, body);
        let before = body.node(at).span.start;
        let earlier = changes.extended.of(name, binding.bound(name)).filter(|id| body.node(**id).span.end <= before);
        let extend = |value, id: &ExprId| Arc::new(self.extended(scope, body, Arc::unwrap_or_clone(value), *id));
        Some(earlier.fold(value, extend))
    }

    /// What is bound, joined with what is assigned: the same wherever the variable stands.
    fn held(&self, scope: Scope, body: &'a Body, binding: Binding<'a>, name: &str) -> Arc<Value> {
        let key = binding.bound(name).map(|bound| (scope, bound));
        if let Some(found) = key.and_then(|key| self.variables.borrow().get(&key).cloned()) {
            return found;
        }
        let cuts = self.cuts.get();
        let mut value = self.bound(scope, binding, name);
        if matches!(binding, Binding::Let(..) | Binding::Param(..)) {
            let changes = self.changes(scope, body);
            let rights = changes.assigned.of(name, binding.bound(name));
            value = rights.fold(value, |value, right| joined(value, self.value(scope, *right)));
            if is_empty_list(&value.ty) {
                let pushed = self.any(scope, changes.pushed.of(name, binding.bound(name)).copied());
                if !pushed.ty.is_unknown() {
                    value = Arc::new(many(pushed));
                }
            }
        }
        if let Some(key) = key
            && self.cuts.get() == cuts
        {
            self.variables.borrow_mut().insert(key, Arc::clone(&value));
        }
        value
    }

    fn bound(&self, scope: Scope, binding: Binding<'a>, name: &str) -> Arc<Value> {
        match binding {
            Binding::Param(position, param) => {
                let ty = self.types.names(scope).ty(&param.ty);
                let value = Arc::new(Value { param: Some(position), ..Value::of(ty) });
                self.taken(scope, &param.pat, &value, name)
            }
            Binding::Meta(position) => Arc::new(Value { param: Some(position), ..Value::default() }),
            Binding::Closure(closure, position, param) => {
                let written = self.types.names(scope).ty(&param.ty);
                let value = if written.is_unknown() {
                    self.given_to_closure(scope, closure, position, name)
                } else {
                    Value::of(written)
                };
                self.taken(scope, &param.pat, &Arc::new(value), name)
            }
            Binding::Let(pat, ty, value) => {
                let written = ty.map_or(Type::Unknown, |ty| self.types.names(scope).ty(ty));
                let value = value.map_or_else(|| Arc::clone(&self.nothing), |value| self.value(scope, value));
                let vague = matches!(&written, Type::Unknown | Type::Bound(_))
                    || matches!(&written, Type::Many(of) if of.is_unknown());
                let same = vague && !value.ty.is_unknown() || written == value.ty;
                let value = if same { value } else { with_ty(value, written) };
                self.taken(scope, pat, &value, name)
            }
            Binding::Matched(pat, value) => self.taken(scope, pat, &self.value(scope, value), name),
            Binding::For(pat, head) => {
                let value = self.value(scope, head);
                let element = value.ty.element();
                self.taken(scope, pat, &with_ty(value, element), name)
            }
        }
    }

    /// What a pattern takes out of a value for a name.
    fn taken(&self, scope: Scope, pat: &Pat, value: &Arc<Value>, name: &str) -> Arc<Value> {
        match pat {
            Pat::Bind { name: bound, .. } if bound == name => Arc::clone(value),
            Pat::Bind { inner: Some(inner), .. } | Pat::Ref(inner) => self.taken(scope, inner, value, name),
            Pat::Typed(inner, ty) => {
                let ty = self.types.names(scope).ty(ty);
                let value = if ty.is_unknown() { Arc::clone(value) } else { with_ty(Arc::clone(value), ty) };
                self.taken(scope, inner, &value, name)
            }
            Pat::Tuple(pats) => self.nth(scope, pats, name, |at| self.field(value, &at.to_string(), scope)),
            Pat::Slice(pats) => self.nth(scope, pats, name, |_| Value::of(value.ty.element())),
            Pat::Or(pats) => match pats.iter().find(|pat| pat.binds(name)) {
                Some(pat) => self.taken(scope, pat, value, name),
                None => Arc::clone(&self.nothing),
            },
            Pat::TupleStruct(path, pats) => self.in_tuple_struct(scope, path, pats, value, name),
            Pat::Struct(path, fields) => {
                let Some((field, inner)) = fields.iter().find(|(_, pat)| pat.binds(name)) else {
                    return Arc::clone(&self.nothing);
                };
                let inner_value = self.pattern_field(scope, path, value, field);
                self.taken(scope, inner, &Arc::new(inner_value), name)
            }
            Pat::Bind { .. } | Pat::Wild | Pat::Path(_) | Pat::Lit(_) | Pat::Other => Arc::clone(&self.nothing),
        }
    }

    fn nth(&self, scope: Scope, pats: &[Pat], name: &str, value: impl Fn(usize) -> Value) -> Arc<Value> {
        match pats.iter().position(|pat| pat.binds(name)) {
            Some(at) => self.taken(scope, &pats[at], &Arc::new(value(at)), name),
            None => Arc::clone(&self.nothing),
        }
    }

    fn in_tuple_struct(&self, scope: Scope, path: &Path, pats: &[Pat], value: &Arc<Value>, name: &str) -> Arc<Value> {
        let last = path.segments.last().map_or("", |segment| segment.name.as_str());
        let Some(at) = pats.iter().position(|pat| pat.binds(name)).filter(|_| last != "Err") else {
            return Arc::clone(&self.nothing);
        };
        let inner = match self.types.index.resolve(self.types.names(scope).module, path) {
            Some(Def::Type(_) | Def::Variant(..)) => Arc::new(self.pattern_field(scope, path, value, &at.to_string())),
            _ => match self.named_after_its_type(value, last) {
                Some(ty) => with_ty(Arc::clone(value), ty),
                None => Arc::clone(value),
            },
        };
        self.taken(scope, &pats[at], &inner, name)
    }

    /// The type beside an enum outside that a variant holds and is named after: `Room::Joined(room)`; but
    /// `Interaction::Command(command)` holds a `CommandInteraction`.
    fn named_after_its_type(&self, value: &Value, variant: &str) -> Option<Type> {
        let (home, of) = value.ty.path()?.rsplit_once("::")?;
        let (beside, both) = (format!("{home}::{variant}"), format!("{home}::{variant}{of}"));
        let known = &self.types.known;
        let found = of != variant
            && known.catalog.is_type(&known.catalog.canonical(&beside))
            && !known.catalog.is_type(&known.canonical(&both));
        found.then(|| Type::external(&beside))
    }

    /// A field by a pattern's own path: of a struct as of the value, of a variant by its definition.
    fn pattern_field(&self, scope: Scope, path: &Path, value: &Value, field: &str) -> Value {
        let index = self.types.index;
        match index.resolve(self.types.names(scope).module, path) {
            Some(Def::Variant(id, variant)) => {
                let entry = &index.types[id.0 as usize];
                let TypeKind::Enum(variants) = &entry.kind else { return Value::default() };
                let written =
                    variants.get(variant).and_then(|variant| variant.fields.iter().find(|def| def.name == field));
                written.map_or_else(Value::default, |def| {
                    Value::of(Names::of_module(index, self.types.catalog, entry.module).ty(&def.ty))
                })
            }
            Some(Def::Type(id)) if !matches!(value.ty, Type::Local(..)) => {
                self.field(&Value::of(Type::Local(id, Vec::new())), field, scope)
            }
            // `FrameworkError::Command { ctx, .. }`: what is matched may have no type, its variant has.
            Some(Def::External(variant)) if value.ty.is_unknown() => match variant.rsplit_once("::") {
                Some((of, _)) => self.field(&Value::of(Type::external(of)), field, scope),
                None => Value::default(),
            },
            _ => self.field(value, field, scope),
        }
    }

    /// What a closure is given: the element of what the method goes over, or what a helper says it gives.
    fn given_to_closure(&self, scope: Scope, closure: ExprId, position: usize, name: &str) -> Value {
        let Some(body) = self.types.body(scope) else { return Value::default() };
        let Some(holder) = body.node(closure).parent else { return Value::default() };
        match body.expr(holder) {
            Expr::Method { receiver, name, args, .. } => {
                let of = Arc::unwrap_or_clone(self.value(scope, *receiver));
                if let Some(given) = self.declared_argument(scope, holder, args, closure, position) {
                    return given;
                }
                const SECOND: [&str; 4] = ["fold", "try_fold", "map_or_else", "scan"];
                if SECOND.contains(&name.as_str()) && position == 0 {
                    return Value::default();
                }
                Value { ty: of.ty.element(), fields: None, ..of }
            }
            Expr::Call { args, .. } => {
                let declared = self.declared_argument(scope, holder, args, closure, position);
                declared.or_else(|| self.handed_by_a_framework(scope, holder, name)).unwrap_or_default()
            }
            _ => Value::default(),
        }
    }

    /// `plugin::on_msg(|event| ..)`: what a function of a crate that nobody listed gives a closure is most likely of
    /// that crate, and named for what it is.
    fn handed_by_a_framework(&self, scope: Scope, call: ExprId, name: &str) -> Option<Value> {
        let Target::Outside { path, .. } = self.target(scope, call) else { return None };
        let of_framework = || Value::of(Type::external(&format!("{}::{}", first_of(&path), camel(name))));
        self.types.known.is_unlisted(&path).then(of_framework)
    }

    fn declared_argument(
        &self,
        scope: Scope,
        call: ExprId,
        args: &[ExprId],
        closure: ExprId,
        position: usize,
    ) -> Option<Value> {
        let at = args.iter().position(|arg| *arg == closure)?;
        let id = *self.targets(scope, call).first()?;
        let function = &self.types.index.functions[id.0 as usize].function;
        let method_call = matches!(self.types.body(scope).map(|body| body.expr(call)), Some(Expr::Method { .. }));
        let offset = usize::from(function.has_self && method_call);
        let written = &function.params.get(at + offset)?.ty;
        match Names::of_fn(self.types.index, self.types.catalog, id).ty(written) {
            Type::Fn(args, _) => args.get(position).cloned().map(Value::of),
            _ => None,
        }
    }

    /// The closure or function behind a variable or argument.
    #[must_use]
    pub fn callable(&self, scope: Scope, id: ExprId) -> Option<Callable> {
        self.value(scope, id).callable
    }
}

/// A value of another type.
fn with_ty(value: Arc<Value>, ty: Type) -> Arc<Value> {
    Arc::new(Value { ty, ..Arc::unwrap_or_clone(value) })
}

/// Whether an expression is just this name, references taken off.
#[must_use]
pub fn is_name(body: &Body, id: ExprId, name: &str) -> bool {
    name_of(body, id) == Some(name)
}

/// The name that an expression is, references taken off.
#[must_use]
pub fn name_of(body: &Body, id: ExprId) -> Option<&str> {
    let mut at = id;
    while let Expr::Ref(inner) | Expr::Unary('*', inner) = body.expr(at) {
        at = *inner;
    }
    match body.expr(at) {
        Expr::Path(path) => path.ident(),
        _ => None,
    }
}
