//! What an expression is worth, backwards from where it is asked.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::scan::index::{ConstId, Def, FnId, TypeId, TypeKind};
use crate::scan::ir::{Body, Expr, ExprId, MacroShape, Path, Stmt};
use crate::scan::types::Types;
use crate::scan::types::binding::{Bound, Lets};
use crate::scan::types::changes::Changes;
use crate::scan::types::plain::{external_constant, literal};
use crate::scan::types::ty::Type;
use crate::scan::types::value::{Callable, Methods, Place, Scope, Value};

/// How deep one question may lead; deeper is unknown.
const DEPTH: u32 = 120;
/// How many expressions one question may look at; more is unknown.
const STEPS: u32 = 20_000;

/// Evaluates expressions; keeps what it found. One for each thread and body.
pub struct Eval<'t, 'a> {
    /// The tables.
    pub types: &'t Types<'a>,
    /// What was found; nothing of what is being looked at.
    memo: RefCell<HashMap<Place, Option<Arc<Value>>>>,
    /// What was cut short somewhere: good enough for this question, not for the next one.
    cut: RefCell<HashMap<Place, Arc<Value>>>,
    busy_functions: RefCell<HashSet<FnId>>,
    /// Summaries that were cut short somewhere: the same.
    cut_summaries: RefCell<HashMap<FnId, Arc<Value>>>,
    /// What variables hold, by what binds them.
    pub(super) variables: RefCell<HashMap<(Scope, Bound), Arc<Value>>>,
    /// The types that are written for variables, where these decide.
    pub(super) said: RefCell<HashMap<(Scope, Bound), Option<Type>>>,
    /// The types that functions say they answer, by the call, where these decide.
    pub(super) said_of_calls: RefCell<HashMap<Place, Option<Type>>>,
    /// The `let`s of long blocks, by the names that they bind.
    pub(super) lets: RefCell<HashMap<(Scope, ExprId), Rc<Lets<'a>>>>,
    /// By body.
    pub(super) changes: RefCell<HashMap<Scope, Arc<Changes<'a>>>>,
    depth: Cell<u32>,
    steps: Cell<u32>,
    /// Counts answers that were cut short: what is built on them is not kept for others.
    pub(super) cuts: Cell<u32>,
    /// What nothing is known of.
    pub(super) nothing: Arc<Value>,
}

impl<'t, 'a> Eval<'t, 'a> {
    /// A fresh one.
    #[must_use]
    pub fn new(types: &'t Types<'a>) -> Eval<'t, 'a> {
        Eval {
            types,
            memo: RefCell::default(),
            cut: RefCell::default(),
            busy_functions: RefCell::default(),
            cut_summaries: RefCell::default(),
            variables: RefCell::default(),
            said: RefCell::default(),
            said_of_calls: RefCell::default(),
            lets: RefCell::default(),
            changes: RefCell::default(),
            depth: Cell::new(0),
            steps: Cell::new(0),
            cuts: Cell::new(0),
            nothing: Arc::default(),
        }
    }

    /// Gives the next question its own budget.
    pub fn refill(&self) {
        self.steps.set(0);
        self.cut.borrow_mut().clear();
        self.cut_summaries.borrow_mut().clear();
    }

    /// What the expression is worth.
    #[must_use]
    pub fn value(&self, scope: Scope, id: ExprId) -> Arc<Value> {
        let place = (scope, id);
        match self.memo.borrow().get(&place) {
            Some(Some(found)) => return Arc::clone(found),
            // It is made of itself.
            Some(None) => return self.cut_short(),
            None => {}
        }
        if let Some(found) = self.cut.borrow().get(&place) {
            self.cuts.set(self.cuts.get() + 1);
            return Arc::clone(found);
        }
        if self.depth.get() > DEPTH || self.steps.get() > STEPS {
            return self.cut_short();
        }
        self.memo.borrow_mut().insert(place, None);
        self.steps.set(self.steps.get() + 1);
        self.depth.set(self.depth.get() + 1);
        let cuts = self.cuts.get();
        let value = self.types.body(scope).map_or_else(|| self.unknown(), |body| self.fresh(scope, body, id));
        let value = if value.is_bounded() { value } else { Arc::new(Arc::unwrap_or_clone(value).bounded()) };
        self.depth.set(self.depth.get() - 1);
        if self.cuts.get() == cuts {
            self.memo.borrow_mut().insert(place, Some(Arc::clone(&value)));
        } else {
            self.memo.borrow_mut().remove(&place);
            self.cut.borrow_mut().insert(place, Arc::clone(&value));
        }
        value
    }

    fn cut_short(&self) -> Arc<Value> {
        self.cuts.set(self.cuts.get() + 1);
        self.unknown()
    }

    fn unknown(&self) -> Arc<Value> {
        Arc::clone(&self.nothing)
    }

    /// What is known when it may be any of these.
    pub(super) fn any(&self, scope: Scope, ids: impl IntoIterator<Item = ExprId>) -> Arc<Value> {
        ids.into_iter().fold(self.unknown(), |value, id| joined(value, self.value(scope, id)))
    }

    /// The type alone.
    #[must_use]
    pub fn ty(&self, scope: Scope, id: ExprId) -> Type {
        let written = self.types.body(scope).and_then(|body| self.written(scope, body, id));
        written.unwrap_or_else(|| self.value(scope, id).ty.clone())
    }

    fn fresh(&self, scope: Scope, body: &'a Body, id: ExprId) -> Arc<Value> {
        let value = match body.expr(id) {
            Expr::Path(path) => return self.path(scope, body, id, path),
            Expr::Lit(lit) => literal(lit),
            Expr::Call { callee, args } => return self.call(scope, id, *callee, args),
            Expr::Method { receiver, name, generics, args, .. } => {
                return self.method(scope, *receiver, name, generics, args);
            }
            Expr::Field(base, name) => self.field(&self.value(scope, *base), name, scope),
            Expr::Index(base, _) => Value::of(self.ty(scope, *base).element()),
            Expr::Await(inner)
            | Expr::Try(inner)
            | Expr::Ref(inner)
            | Expr::Unary('*', inner)
            | Expr::Cast(inner, _) => return self.value(scope, *inner),
            Expr::Block { stmts, .. } => return self.block(scope, body, stmts),
            Expr::If { then, otherwise, .. } => {
                return self.any(scope, std::iter::once(*then).chain(*otherwise));
            }
            Expr::Match { arms, .. } => return self.any(scope, arms.iter().map(|arm| arm.body)),
            Expr::Closure { .. } => Value { callable: Some(Callable::Closure(scope, id)), ..Value::default() },
            Expr::Struct { path, fields, rest } => self.literal(scope, path, fields, *rest),
            Expr::Tuple(items) => {
                let items: Vec<Arc<Value>> = items.iter().map(|item| self.value(scope, *item)).collect();
                let ty = Type::Tuple(items.iter().map(|item| item.ty.clone()).collect());
                let fields = items.into_iter().enumerate();
                let fields = fields.map(|(at, value)| (at.to_string(), Arc::unwrap_or_clone(value))).collect();
                Value::of(ty).with_fields(fields)
            }
            Expr::Array(items) => many(self.any(scope, items.iter().copied())),
            Expr::Macro(call) => self.macro_call(scope, body, id, call),
            Expr::Loop { body: inner, .. } => return self.breaks(scope, body, *inner),
            Expr::Binary(operator, left, right) if operator == "+" => self.concatenated(scope, &[*left, *right]),
            Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Assign(..)
            | Expr::Let(..)
            | Expr::Range(..)
            | Expr::Return(_)
            | Expr::Break(_)
            | Expr::Continue
            | Expr::Other => return self.unknown(),
        };
        Arc::new(value)
    }

    fn block(&self, scope: Scope, body: &Body, stmts: &[Stmt]) -> Arc<Value> {
        match stmts.last() {
            Some(Stmt::Expr { expr, value }) => match body.expr(*expr) {
                // Of a block with a label.
                Expr::Break(Some(given)) => self.value(scope, *given),
                _ if *value => self.value(scope, *expr),
                _ => self.unknown(),
            },
            _ => self.unknown(),
        }
    }

    fn breaks(&self, scope: Scope, body: &'a Body, inner: ExprId) -> Arc<Value> {
        let span = body.node(inner).span;
        let given = body.ids().filter_map(|id| match body.expr(id) {
            Expr::Break(Some(value)) if span.contains(body.node(id).span) => Some(*value),
            _ => None,
        });
        self.any(scope, given)
    }

    fn path(&self, scope: Scope, body: &'a Body, id: ExprId, path: &'a Path) -> Arc<Value> {
        if let Some(name) = path.ident()
            && let Some(value) = self.variable(scope, body, id, name)
        {
            return value;
        }
        Arc::new(self.named(scope, path))
    }

    /// A constant, static, function or unit struct by its path.
    pub(super) fn named(&self, scope: Scope, path: &Path) -> Value {
        let names = self.types.names(scope);
        if path.qself.is_none() {
            match self.types.index.resolve(names.module, path).or_else(|| names.by_glob(path)) {
                Some(Def::Const(id)) => return self.constant(id),
                Some(Def::Fn(id)) => return Value { callable: Some(Callable::Fn(id)), ..Value::default() },
                Some(Def::Type(id)) => return Value::of(Type::Local(id, Vec::new())),
                Some(Def::Variant(id, _)) => return Value::of(Type::Local(id, Vec::new())),
                Some(Def::External(external)) => return external_constant(&external),
                Some(Def::Module(_) | Def::Trait(_) | Def::Macro(_)) | None => {}
            }
        }
        let Some((head, last)) = super::members::split_member(path) else { return Value::default() };
        let ty = names.ty(&head);
        if let Some(id) = self.types.members.constant(&ty, last) {
            return self.constant(id);
        }
        if let Some(function) = self.types.members.functions(&ty, last).first() {
            return Value { callable: Some(Callable::Fn(*function)), ..Value::default() };
        }
        match ty.path() {
            Some(head) => external_constant(&format!("{head}::{last}")),
            None => Value::default(),
        }
    }

    fn constant(&self, id: ConstId) -> Value {
        let scope = Scope::Const(id);
        let entry = &self.types.index.consts[id.0 as usize];
        let ty = self.types.names(scope).ty(&entry.ty);
        let value = entry.value.root.map_or_else(|| self.unknown(), |root| self.value(scope, root));
        let value = Arc::unwrap_or_clone(value);
        if ty.is_unknown() { value } else { Value { ty, ..value } }
    }

    fn literal(&self, scope: Scope, path: &Path, fields: &[(String, ExprId)], rest: Option<ExprId>) -> Value {
        let ty = self.types.names(scope).ty(&crate::scan::ir::Ty::Path(path.clone()));
        let mut known: Vec<(String, Value)> =
            fields.iter().map(|(name, value)| (name.clone(), (*self.value(scope, *value)).clone())).collect();
        if let Some(rest) = rest {
            let rest = self.value(scope, rest);
            let others = rest.fields.iter().flat_map(|fields| fields.iter());
            let more: Vec<_> = others.filter(|(name, _)| !known.iter().any(|(own, _)| own == name)).cloned().collect();
            known.extend(more);
        }
        Value::of(ty).with_fields(known)
    }

    /// A field of a value: what is known of this one, else its type and what constructors put there.
    pub(super) fn field(&self, base: &Value, name: &str, seen_from: Scope) -> Value {
        if let Some(known) = base.field(name)
            && !known.is_unknown()
        {
            return known.clone();
        }
        match &base.ty {
            Type::Tuple(items) => {
                name.parse().ok().and_then(|at: usize| items.get(at)).cloned().map_or_else(Value::default, Value::of)
            }
            Type::Local(id, args) => match self.local_field(*id, args, name, seen_from) {
                Some(value) => value,
                None => self.field_behind(&base.ty, name, seen_from),
            },
            Type::External(path, args) => self.field_outside(path, args, name),
            Type::Bound(_) | Type::Many(_) | Type::Fn(..) | Type::Unknown => Value::default(),
        }
    }

    /// A field of what a newtype derefs to; two that deref to each other lead nowhere.
    fn field_behind(&self, ty: &Type, name: &str, seen_from: Scope) -> Value {
        let mut at = self.types.members.deref(ty);
        for _ in 0..super::members::DEREFS {
            match at {
                Some(ty @ Type::Local(id, args)) => match self.local_field(*id, args, name, seen_from) {
                    Some(value) => return value,
                    None => at = self.types.members.deref(ty),
                },
                Some(other) => return self.field(&Value::of(other.clone()), name, seen_from),
                None => break,
            }
        }
        Value::default()
    }

    fn local_field(&self, id: TypeId, args: &[Type], name: &str, seen_from: Scope) -> Option<Value> {
        let index = self.types.index;
        let entry = &index.types[id.0 as usize];
        let TypeKind::Struct(fields) = &entry.kind else { return None };
        let at = fields.iter().position(|field| field.name == name)?;
        let (written, known) = (&fields[at].ty, self.types.fields(id).get(at)?);
        let mut ty = known.ty.clone();
        if let Some(parameter) = unresolved(&ty) {
            // A generic parameter of the struct: the impl from which it is seen mostly names it alike.
            let seen = self.types.names(seen_from).ty(written);
            let given = args.iter().find(|arg| !arg.is_unknown() && unresolved(arg).is_none());
            ty = match (unresolved(&seen) == Some(parameter), given) {
                (false, _) => seen,
                (true, Some(given)) => given.clone(),
                (true, None) => {
                    // Or a type that a macro makes out of sight.
                    let value = self.constructed(id, name, Type::Unknown);
                    let made = args.iter().find(|arg| !arg.is_unknown()).unwrap_or(&ty);
                    return Some(if value.is_unknown() { Value::of(made.clone()) } else { value });
                }
            };
        }
        if unresolved(&known.ty).is_some() {
            return Some(self.constructed(id, name, ty));
        }
        if let Some(found) = known.value.get() {
            return Some(found.clone());
        }
        let cuts = self.cuts.get();
        let value = self.constructed(id, name, ty);
        if self.cuts.get() == cuts {
            let _ = known.value.set(value.clone());
        }
        Some(value)
    }

    /// Adds to a field's type the texts and methods that constructors put there, where a text is wanted.
    fn constructed(&self, id: TypeId, name: &str, ty: Type) -> Value {
        let text = ty.path().is_some_and(is_text);
        let method = matches!(ty.path(), Some(path) if path.ends_with("Method"));
        if !text && !ty.is_unknown() && !method {
            return Value::of(ty);
        }
        let mut value = Value::of(ty);
        for (function, literal) in self.types.members.literals(id).into_iter().take(8) {
            let scope = Scope::Fn(function);
            let Some(body) = self.types.body(scope) else { continue };
            if let Expr::Struct { fields, .. } = body.expr(literal)
                && let Some((_, given)) = fields.iter().find(|(field, _)| field == name)
            {
                let given = self.value(scope, *given).applied(&|_| self.unknown());
                let texts = given.texts.iter().map(|text| super::text::settable(text)).collect();
                // Of several constructors one may be given a method that is told elsewhere.
                let methods = given.methods.clone().or_else(|| method.then(Methods::runtime));
                value = value.join(Value { param: None, texts, methods, ..given });
            }
        }
        value
    }

    /// A function's value in its parameters.
    #[must_use]
    pub fn summary(&self, id: FnId) -> Arc<Value> {
        let Some(slot) = self.types.summary_slot(id) else { return self.unknown() };
        if let Some(found) = slot.get() {
            return Arc::clone(found);
        }
        if let Some(found) = self.cut_summaries.borrow().get(&id) {
            self.cuts.set(self.cuts.get() + 1);
            return Arc::clone(found);
        }
        let written = self.types.written_return(id);
        if !self.busy_functions.borrow_mut().insert(id) {
            self.cuts.set(self.cuts.get() + 1);
            return Arc::new(Value::of(written));
        }
        let cuts = self.cuts.get();
        let value = if may_carry(&written) { self.returned(id) } else { self.unknown() };
        self.busy_functions.borrow_mut().remove(&id);
        let keep_own = match &written {
            Type::Unknown => true,
            Type::Bound(_) => !value.ty.is_unknown() && !self.answers_several(id),
            Type::Tuple(_) => !value.ty.is_unknown(),
            Type::Local(..) | Type::External(..) | Type::Many(_) | Type::Fn(..) => false,
        };
        let value = if keep_own { value } else { Arc::new(Value { ty: written, ..Arc::unwrap_or_clone(value) }) };
        if self.cuts.get() == cuts {
            let _ = slot.set(Arc::clone(&value));
        } else {
            self.cut_summaries.borrow_mut().insert(id, Arc::clone(&value));
        }
        value
    }

    fn returned(&self, id: FnId) -> Arc<Value> {
        let scope = Scope::Fn(id);
        let Some(body) = self.types.body(scope) else { return self.unknown() };
        let early = body.ids().filter_map(|at| match body.expr(at) {
            Expr::Return(Some(value)) if !in_closure(body, at) => Some(*value),
            _ => None,
        });
        self.any(scope, body.root.into_iter().chain(early))
    }

    /// What a closure answers.
    #[must_use]
    pub fn closure(&self, scope: Scope, id: ExprId) -> Arc<Value> {
        match self.types.body(scope).map(|body| body.expr(id)) {
            Some(Expr::Closure { body, .. }) => self.value(scope, *body),
            _ => self.unknown(),
        }
    }
}

/// What is known when it may be either.
pub(super) fn joined(one: Arc<Value>, two: Arc<Value>) -> Arc<Value> {
    if one.is_unknown() {
        return two;
    }
    if two.is_unknown() {
        return one;
    }
    Arc::new(Arc::unwrap_or_clone(one).join(Arc::unwrap_or_clone(two)))
}

/// A collection of these.
pub(super) fn many(joined: Arc<Value>) -> Value {
    let joined = Arc::unwrap_or_clone(joined);
    Value { ty: Type::Many(Box::new(joined.ty.clone())), ..joined }
}

fn in_closure(body: &Body, id: ExprId) -> bool {
    body.ancestors(id).any(|at| matches!(body.expr(at), Expr::Closure { .. }))
}

/// Whether a value of this written type can be more than its type.
fn may_carry(ty: &Type) -> bool {
    match ty {
        Type::Tuple(items) => items.iter().any(may_carry),
        Type::External(path, _) => !matches!(
            &**path,
            "bool"
                | "u8"
                | "u16"
                | "u32"
                | "u64"
                | "usize"
                | "i8"
                | "i16"
                | "i32"
                | "i64"
                | "isize"
                | "f32"
                | "f64"
                | "char"
        ),
        Type::Unknown | Type::Local(..) | Type::Bound(_) | Type::Fn(..) => true,
        Type::Many(inner) => may_carry(inner),
    }
}

/// Whether a type outside is a text.
#[must_use]
pub fn is_text(path: &str) -> bool {
    matches!(
        path.rsplit("::").next().unwrap_or(path),
        "str" | "String" | "Url" | "Uri" | "SmolStr" | "CompactString" | "IntoUrl"
    )
}

/// A single capitalised name that leads nowhere: a generic parameter of the type that holds it.
pub(super) fn unresolved(ty: &Type) -> Option<&str> {
    match ty {
        Type::External(path, _)
            if !path.contains("::")
                && path.len() <= 12
                && path.starts_with(char::is_uppercase)
                && &**path != "String" =>
        {
            Some(path)
        }
        _ => None,
    }
}

impl Eval<'_, '_> {
    /// The expressions of a macro that was read as a list.
    #[must_use]
    pub fn macro_args(shape: &MacroShape) -> &[ExprId] {
        match shape {
            MacroShape::Exprs(args) => args,
            MacroShape::Block(_)
            | MacroShape::Select(_)
            | MacroShape::Map(_)
            | MacroShape::Tokens(_)
            | MacroShape::Inert => &[],
        }
    }
}
