//! What an expression is worth, backwards from where it is asked.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::scan::index::{ConstId, Def, FnId, TypeId, TypeKind};
use crate::scan::ir::{Body, Expr, ExprId, Lit, MacroShape, Path, Stmt};
use crate::scan::types::Types;
use crate::scan::types::binding::{Bound, Lets};
use crate::scan::types::changes::Changes;
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
    memo: RefCell<HashMap<Place, Value>>,
    /// What was cut short somewhere: good enough for this question, not for the next one.
    cut: RefCell<HashMap<Place, Value>>,
    busy: RefCell<HashSet<Place>>,
    busy_functions: RefCell<HashSet<FnId>>,
    /// Summaries that were cut short somewhere: the same.
    cut_summaries: RefCell<HashMap<FnId, Value>>,
    /// What variables hold, by what binds them.
    pub(super) variables: RefCell<HashMap<(Scope, Bound), Value>>,
    /// The `let`s of long blocks, by the names that they bind.
    pub(super) lets: RefCell<HashMap<(Scope, ExprId), Rc<Lets<'a>>>>,
    /// By body.
    pub(super) changes: RefCell<HashMap<Scope, Rc<Changes<'a>>>>,
    depth: Cell<u32>,
    steps: Cell<u32>,
    /// Counts answers that were cut short: what is built on them is not kept for others.
    pub(super) cuts: Cell<u32>,
}

impl<'t, 'a> Eval<'t, 'a> {
    /// A fresh one.
    #[must_use]
    pub fn new(types: &'t Types<'a>) -> Eval<'t, 'a> {
        Eval {
            types,
            memo: RefCell::default(),
            cut: RefCell::default(),
            busy: RefCell::default(),
            busy_functions: RefCell::default(),
            cut_summaries: RefCell::default(),
            variables: RefCell::default(),
            lets: RefCell::default(),
            changes: RefCell::default(),
            depth: Cell::new(0),
            steps: Cell::new(0),
            cuts: Cell::new(0),
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
    pub fn value(&self, scope: Scope, id: ExprId) -> Value {
        let place = (scope, id);
        if let Some(found) = self.memo.borrow().get(&place) {
            return found.clone();
        }
        if let Some(found) = self.cut.borrow().get(&place) {
            self.cuts.set(self.cuts.get() + 1);
            return found.clone();
        }
        if self.depth.get() > DEPTH || self.steps.get() > STEPS || !self.busy.borrow_mut().insert(place) {
            self.cuts.set(self.cuts.get() + 1);
            return Value::default();
        }
        self.steps.set(self.steps.get() + 1);
        self.depth.set(self.depth.get() + 1);
        let cuts = self.cuts.get();
        let value = self.types.body(scope).map_or_else(Value::default, |body| self.fresh(scope, body, id)).bounded();
        self.depth.set(self.depth.get() - 1);
        self.busy.borrow_mut().remove(&place);
        let kept = if self.cuts.get() == cuts { &self.memo } else { &self.cut };
        kept.borrow_mut().insert(place, value.clone());
        value
    }

    /// The type alone.
    #[must_use]
    pub fn ty(&self, scope: Scope, id: ExprId) -> Type {
        self.value(scope, id).ty
    }

    fn fresh(&self, scope: Scope, body: &'a Body, id: ExprId) -> Value {
        match body.expr(id) {
            Expr::Path(path) => self.path(scope, body, id, path),
            Expr::Lit(lit) => literal(lit),
            Expr::Call { callee, args } => self.call(scope, id, *callee, args),
            Expr::Method { receiver, name, generics, args, .. } => self.method(scope, *receiver, name, generics, args),
            Expr::Field(base, name) => self.field(&self.value(scope, *base), name, scope),
            Expr::Index(base, _) => Value::of(self.ty(scope, *base).element()),
            Expr::Await(inner) | Expr::Try(inner) | Expr::Ref(inner) | Expr::Unary('*', inner) => {
                self.value(scope, *inner)
            }
            Expr::Cast(inner, _) => self.value(scope, *inner),
            Expr::Block { stmts, .. } => self.block(scope, body, stmts),
            Expr::If { then, otherwise, .. } => {
                let value = self.value(scope, *then);
                otherwise.map_or(value.clone(), |other| value.join(self.value(scope, other)))
            }
            Expr::Match { arms, .. } => {
                arms.iter().fold(Value::default(), |value, arm| value.join(self.value(scope, arm.body)))
            }
            Expr::Closure { .. } => Value { callable: Some(Callable::Closure(scope, id)), ..Value::default() },
            Expr::Struct { path, fields, rest } => self.literal(scope, path, fields, *rest),
            Expr::Tuple(items) => {
                let items: Vec<Value> = items.iter().map(|item| self.value(scope, *item)).collect();
                let ty = Type::Tuple(items.iter().map(|item| item.ty.clone()).collect());
                let fields = items.into_iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect();
                Value::of(ty).with_fields(fields)
            }
            Expr::Array(items) => {
                let joined = items.iter().fold(Value::default(), |value, item| value.join(self.value(scope, *item)));
                Value { ty: Type::Many(Box::new(joined.ty.clone())), ..joined }
            }
            Expr::Macro(call) => self.macro_call(scope, body, id, call),
            Expr::Loop { body: inner, .. } => self.breaks(scope, body, *inner),
            Expr::Binary(operator, left, right) if operator == "+" => self.concatenated(scope, &[*left, *right]),
            Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Assign(..)
            | Expr::Let(..)
            | Expr::Range(..)
            | Expr::Return(_)
            | Expr::Break(_)
            | Expr::Continue
            | Expr::Other => Value::default(),
        }
    }

    fn block(&self, scope: Scope, body: &Body, stmts: &[Stmt]) -> Value {
        match stmts.last() {
            Some(Stmt::Expr { expr, value }) => match body.expr(*expr) {
                // Of a block with a label.
                Expr::Break(Some(given)) => self.value(scope, *given),
                _ if *value => self.value(scope, *expr),
                _ => Value::default(),
            },
            _ => Value::default(),
        }
    }

    fn breaks(&self, scope: Scope, body: &'a Body, inner: ExprId) -> Value {
        let span = body.node(inner).span;
        let given = body.ids().filter_map(|id| match body.expr(id) {
            Expr::Break(Some(value)) if span.contains(body.node(id).span) => Some(*value),
            _ => None,
        });
        given.fold(Value::default(), |value, id| value.join(self.value(scope, id)))
    }

    fn path(&self, scope: Scope, body: &'a Body, id: ExprId, path: &'a Path) -> Value {
        if let Some(name) = path.ident()
            && let Some(value) = self.variable(scope, body, id, name)
        {
            return value;
        }
        self.named(scope, path)
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
            Some(head) => external_constant(&head.split("::").chain([last]).map(str::to_owned).collect::<Vec<_>>()),
            None => Value::default(),
        }
    }

    fn constant(&self, id: ConstId) -> Value {
        let scope = Scope::Const(id);
        let entry = &self.types.index.consts[id.0 as usize];
        let ty = self.types.names(scope).ty(&entry.ty);
        let value = entry.value.root.map_or_else(Value::default, |root| self.value(scope, root));
        if ty.is_unknown() { value } else { Value { ty, ..value } }
    }

    fn literal(&self, scope: Scope, path: &Path, fields: &[(String, ExprId)], rest: Option<ExprId>) -> Value {
        let ty = self.types.names(scope).ty(&crate::scan::ir::Ty::Path(path.clone()));
        let mut known: Vec<(String, Value)> =
            fields.iter().map(|(name, value)| (name.clone(), self.value(scope, *value))).collect();
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
            Type::External(path, _) => {
                self.types.known.field(path, name).map_or_else(Value::default, |path| Value::of(Type::external(&path)))
            }
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
        if !text && !ty.is_unknown() && !matches!(ty.path(), Some(path) if path.ends_with("Method")) {
            return Value::of(ty);
        }
        let mut value = Value::of(ty);
        for (function, literal) in self.types.members.literals(id).into_iter().take(8) {
            let scope = Scope::Fn(function);
            let Some(body) = self.types.body(scope) else { continue };
            if let Expr::Struct { fields, .. } = body.expr(literal)
                && let Some((_, given)) = fields.iter().find(|(field, _)| field == name)
            {
                let given = self.value(scope, *given).applied(&|_| Value::default());
                let texts = given.texts.iter().map(|text| super::text::settable(text)).collect();
                value = value.join(Value { param: None, texts, ..given });
            }
        }
        value
    }

    /// A function's value in its parameters.
    #[must_use]
    pub fn summary(&self, id: FnId) -> Value {
        let Some(slot) = self.types.summary_slot(id) else { return Value::default() };
        if let Some(found) = slot.get() {
            return found.clone();
        }
        if let Some(found) = self.cut_summaries.borrow().get(&id) {
            self.cuts.set(self.cuts.get() + 1);
            return found.clone();
        }
        let written = self.types.written_return(id);
        if !self.busy_functions.borrow_mut().insert(id) {
            self.cuts.set(self.cuts.get() + 1);
            return Value::of(written);
        }
        let cuts = self.cuts.get();
        let value = if may_carry(&written) { self.returned(id) } else { Value::default() };
        self.busy_functions.borrow_mut().remove(&id);
        let keep_own =
            written.is_unknown() || matches!(&written, Type::Bound(_) | Type::Tuple(_)) && !value.ty.is_unknown();
        let value = if keep_own { value } else { Value { ty: written, ..value } };
        if self.cuts.get() == cuts {
            let _ = slot.set(value.clone());
        } else {
            self.cut_summaries.borrow_mut().insert(id, value.clone());
        }
        value
    }

    fn returned(&self, id: FnId) -> Value {
        let scope = Scope::Fn(id);
        let Some(body) = self.types.body(scope) else { return Value::default() };
        let tail = body.root.map_or_else(Value::default, |root| self.value(scope, root));
        let early = body.ids().filter_map(|at| match body.expr(at) {
            Expr::Return(Some(value)) if !in_closure(body, at) => Some(*value),
            _ => None,
        });
        early.fold(tail, |value, id| value.join(self.value(scope, id)))
    }

    /// What a closure answers.
    #[must_use]
    pub fn closure(&self, scope: Scope, id: ExprId) -> Value {
        match self.types.body(scope).map(|body| body.expr(id)) {
            Some(Expr::Closure { body, .. }) => self.value(scope, *body),
            _ => Value::default(),
        }
    }
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
fn unresolved(ty: &Type) -> Option<&str> {
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

fn literal(lit: &Lit) -> Value {
    match lit {
        Lit::Str(text) | Lit::Bytes(text) => Value::text(text),
        Lit::Int(digits) => Value { ty: Type::Unknown, ..Value::text(digits) },
        Lit::Bool(_) | Lit::Other => Value::default(),
    }
}

/// `http::Method::POST` and its kin.
fn external_constant(path: &[String]) -> Value {
    let [.., head, last] = path else { return Value::default() };
    if head.ends_with("Method") {
        const VERBS: [&str; 9] = ["GET", "HEAD", "OPTIONS", "TRACE", "CONNECT", "POST", "PUT", "PATCH", "DELETE"];
        let upper = last.to_ascii_uppercase();
        if VERBS.contains(&upper.as_str()) {
            let ty = Type::external(&path[..path.len() - 1].join("::"));
            return Value { methods: Some(Methods::one(&upper)), ..Value::of(ty) };
        }
    }
    if head == "header" {
        return Value::text(&last.to_ascii_lowercase().replace('_', "-"));
    }
    Value::default()
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
