//! What an expression is worth to the later steps: its type, and of HTTP methods, texts, requests and
//! commands what is known of them. Parameters stand for what callers give: a function's value is its summary.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::scan::index::{ConstId, FnId, MacroId};
use crate::scan::ir::ExprId;
use crate::scan::types::known::verb_of;
use crate::scan::types::ty::Type;

/// A body that expressions stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// A function's.
    Fn(FnId),
    /// A constant's.
    Const(ConstId),
    /// One arm of a `macro_rules!`; its metavariables are its parameters.
    Macro(MacroId, usize),
}

/// An expression with the body that holds it.
pub type Place = (Scope, ExprId);

/// The HTTP methods that a request may have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Methods {
    /// Known ones, upper case.
    pub known: BTreeSet<Arc<str>>,
    /// Given by the caller in these parameters.
    pub params: BTreeSet<usize>,
    /// Told at run time only.
    pub runtime: bool,
}

impl Methods {
    /// The one method.
    #[must_use]
    pub fn one(verb: &str) -> Methods {
        Methods { known: BTreeSet::from([Arc::from(verb.to_ascii_uppercase())]), ..Methods::default() }
    }

    /// Any method, told at run time.
    #[must_use]
    pub fn runtime() -> Methods {
        Methods { runtime: true, ..Methods::default() }
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty() && self.params.is_empty() && !self.runtime
    }

    fn join(&mut self, other: &Methods) {
        self.known.extend(other.known.iter().cloned());
        self.params.extend(&other.params);
        self.runtime |= other.runtime;
    }
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Written out.
    Lit(Arc<str>),
    /// Not known.
    Hole,
    /// Given by the caller in this parameter.
    Param(usize),
}

/// A text as far as it is known.
pub type Text = Vec<Part>;

/// The text for people and recipes: unknown parts are `{}`.
#[must_use]
pub fn shown(text: &[Part]) -> String {
    text.iter().map(|part| if let Part::Lit(lit) = part { lit } else { "{}" }).collect()
}

/// A header that a request carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Its name, lower case.
    pub name: String,
    /// The expression of its value.
    pub value: Place,
}

/// An HTTP request being built.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Its methods.
    pub methods: Methods,
    /// What its URL may be.
    pub urls: Vec<Text>,
    /// Headers that it may carry.
    pub headers: Vec<Header>,
    /// Texts in its body that tell what it does: GraphQL documents.
    pub bodies: Vec<Text>,
    /// The parameter that it was built upon.
    pub base: Option<usize>,
}

/// A process being started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The program.
    pub program: Text,
    /// Arguments in order.
    pub args: Vec<Text>,
}

/// What can be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callable {
    /// A function of the workspace.
    Fn(FnId),
    /// A closure.
    Closure(Scope, ExprId),
}

/// What an expression is worth.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Value {
    /// Its type.
    pub ty: Type,
    /// The parameter that it is, as it was given.
    pub param: Option<usize>,
    /// What it may be as a text, at most [`ALTERNATIVES`].
    pub texts: Vec<Text>,
    /// What it is as an HTTP method.
    pub methods: Option<Methods>,
    /// What it is as a request.
    pub request: Option<Arc<Request>>,
    /// What it is as a command.
    pub command: Option<Arc<Command>>,
    /// What it is as a function.
    pub callable: Option<Callable>,
    /// Known fields of a struct or tuple.
    pub fields: Option<Arc<Vec<(String, Value)>>>,
}

/// Levels of fields kept of a field's value.
const LEVELS: usize = 2;
/// Octets kept of one text.
const TEXT: usize = 4096;
/// Pieces kept of one text.
const PARTS: usize = 256;
/// Texts kept for one value.
pub const ALTERNATIVES: usize = 12;

impl Value {
    /// A value of which the type alone is known.
    #[must_use]
    pub fn of(ty: Type) -> Value {
        Value { ty, ..Value::default() }
    }

    /// A written text.
    #[must_use]
    pub fn text(lit: &str) -> Value {
        Value { texts: vec![vec![Part::Lit(Arc::from(lit))]], ..Value::of(Type::external("str")) }
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.ty.is_unknown()
            && self.param.is_none()
            && self.texts.is_empty()
            && self.methods.is_none()
            && self.request.is_none()
            && self.command.is_none()
            && self.callable.is_none()
            && self.fields.is_none()
    }

    /// The text that it most likely is; a hole when nothing is known, the parameter when it is one.
    #[must_use]
    pub fn texts_or_hole(&self) -> Vec<Text> {
        if !self.texts.is_empty() {
            return self.texts.clone();
        }
        vec![vec![self.param.map_or(Part::Hole, Part::Param)]]
    }

    /// The methods that it stands for: known ones, the parameter that it is, or any.
    #[must_use]
    pub fn as_methods(&self) -> Methods {
        match (&self.methods, self.param) {
            (Some(methods), _) => methods.clone(),
            (None, Some(param)) => Methods { params: BTreeSet::from([param]), ..Methods::default() },
            (None, None) => self.named_methods(),
        }
    }

    /// The methods that its texts name (`"POST"`), where every one of them is such a name; any otherwise.
    fn named_methods(&self) -> Methods {
        let mut named = Methods::default();
        for text in &self.texts {
            match verb_of(&shown(text)) {
                Some(verb) => named.join(&Methods::one(verb)),
                None => return Methods::runtime(),
            }
        }
        if named.is_empty() { Methods::runtime() } else { named }
    }

    /// The request that it stands for; of a parameter what is built upon it.
    #[must_use]
    pub fn as_request(&self) -> Request {
        match &self.request {
            Some(request) => (**request).clone(),
            None => Request { base: self.param, ..Request::default() },
        }
    }

    /// The same with another request.
    #[must_use]
    pub fn with_request(mut self, request: Request) -> Value {
        self.request = Some(Arc::new(request));
        self.param = None;
        self
    }

    /// The same with these fields, of which a few levels are kept: values of recursive types never end.
    #[must_use]
    pub fn with_fields(mut self, fields: Vec<(String, Value)>) -> Value {
        let kept = fields.into_iter().filter(|(_, value)| !value.is_unknown());
        let kept: Vec<(String, Value)> = kept.map(|(name, value)| (name, value.cut(LEVELS))).collect();
        self.fields = (!kept.is_empty()).then(|| Arc::new(kept));
        self
    }

    /// The same without what grew too large: of text that is put into text, or tuples into tuples, each step
    /// may double what is known.
    #[must_use]
    pub fn bounded(mut self) -> Value {
        self.texts.iter_mut().for_each(bound_text);
        if self.ty.is_huge() {
            self.ty = Type::Unknown;
        }
        self
    }

    /// Whether nothing of it grew too large.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        self.texts.iter().all(|text| is_short(text)) && !self.ty.is_huge()
    }

    fn cut(mut self, levels: usize) -> Value {
        let Some(fields) = self.fields.take() else { return self };
        if levels > 0 {
            let kept = fields.iter().map(|(name, value)| (name.clone(), value.clone().cut(levels - 1))).collect();
            self.fields = Some(Arc::new(kept));
        }
        self
    }

    /// A known field.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.fields.as_ref()?.iter().find(|(field, _)| field == name).map(|(_, value)| value)
    }

    /// What is known when it may be either.
    #[must_use]
    pub fn join(mut self, other: Value) -> Value {
        if self.is_unknown() {
            return other;
        }
        if other.is_unknown() {
            return self;
        }
        if matches!(self.ty, Type::Unknown) || matches!(&self.ty, Type::Bound(bounds) if bounds.is_empty()) {
            self.ty = other.ty;
        }
        for text in other.texts {
            if self.texts.len() < ALTERNATIVES && !self.texts.contains(&text) {
                self.texts.push(text);
            }
        }
        self.methods = join_with(self.methods, other.methods, |mut one, two| {
            one.join(&two);
            one
        });
        if self.request.is_some() && other.request.is_none() && other.param.is_some() {
            self.request = self
                .request
                .map(|one| Arc::new(join_requests(&one, &Request { base: other.param, ..Request::default() })));
        } else {
            self.request = join_with(self.request, other.request, |one, two| Arc::new(join_requests(&one, &two)));
        }
        self.param = self.param.or(other.param);
        self.command = self.command.or(other.command);
        self.callable = self.callable.or(other.callable);
        self.fields = self.fields.or(other.fields);
        self
    }

    /// The value at a call: parameters replaced by what is given for them.
    #[must_use]
    pub fn applied(&self, given: &dyn Fn(usize) -> Arc<Value>) -> Value {
        let mut ty = None;
        if let Some(param) = self.param {
            let arg = given(param);
            let told = if arg.ty.is_unknown() { self.ty.clone() } else { arg.ty.clone() };
            if self.request.is_none() {
                // What is given is already in the caller's terms.
                return Value { ty: told, ..Arc::unwrap_or_clone(arg) };
            }
            ty = Some(told);
        }
        let request = |request: &Arc<Request>| match request.has_params() {
            true => Arc::new(applied_request(request, given)),
            false => Arc::clone(request),
        };
        let command = |command: &Arc<Command>| {
            let first = |text: &Text| applied_text(text, given).into_iter().next().unwrap_or_default();
            Arc::new(Command { program: first(&command.program), args: command.args.iter().map(first).collect() })
        };
        let fields = |fields: &Arc<Vec<(String, Value)>>| match fields.iter().any(|(_, value)| value.has_params()) {
            true => Arc::new(fields.iter().map(|(name, value)| (name.clone(), value.applied(given))).collect()),
            false => Arc::clone(fields),
        };
        Value {
            ty: ty.unwrap_or_else(|| self.ty.clone()),
            param: None,
            texts: self.texts.iter().flat_map(|text| applied_text(text, given)).take(ALTERNATIVES).collect(),
            methods: self.methods.as_ref().map(|methods| applied_methods(methods, given)),
            request: self.request.as_ref().map(request),
            command: self.command.as_ref().map(command),
            callable: self.callable,
            fields: self.fields.as_ref().map(fields),
        }
    }

    /// Whether parameters stand anywhere in it.
    #[must_use]
    pub fn has_params(&self) -> bool {
        let in_text = |text: &Text| text.iter().any(|part| matches!(part, Part::Param(_)));
        self.param.is_some()
            || self.texts.iter().any(in_text)
            || self.methods.as_ref().is_some_and(|methods| !methods.params.is_empty())
            || self.request.as_ref().is_some_and(|request| request.has_params())
            || self
                .command
                .as_ref()
                .is_some_and(|command| in_text(&command.program) || command.args.iter().any(in_text))
            || self.fields.as_ref().is_some_and(|fields| fields.iter().any(|(_, value)| value.has_params()))
    }
}

impl Request {
    /// Whether a caller decides anything of it.
    #[must_use]
    pub fn has_params(&self) -> bool {
        let in_text = |text: &Text| text.iter().any(|part| matches!(part, Part::Param(_)));
        self.base.is_some()
            || !self.methods.params.is_empty()
            || self.urls.iter().any(in_text)
            || self.bodies.iter().any(in_text)
    }
}

/// Whether a text is none that anybody would cut.
fn is_short(text: &[Part]) -> bool {
    let size = |part: &Part| if let Part::Lit(lit) = part { lit.len() } else { 0 };
    text.len() <= PARTS && text.iter().map(size).sum::<usize>() <= TEXT
}

/// Keeps the beginning of a text that is longer than anybody wants to read.
fn bound_text(text: &mut Text) {
    let mut room = TEXT;
    let fits = |part: &&Part| {
        let size = if let Part::Lit(lit) = part { lit.len() } else { 0 };
        let left = room.checked_sub(size);
        room = left.unwrap_or(0);
        left.is_some()
    };
    let kept = text.iter().take(PARTS).take_while(fits).count();
    if kept < text.len() {
        text.truncate(kept);
        text.push(Part::Hole);
    }
}

fn join_with<T>(one: Option<T>, two: Option<T>, join: impl Fn(T, T) -> T) -> Option<T> {
    match (one, two) {
        (Some(one), Some(two)) => Some(join(one, two)),
        (one, two) => one.or(two),
    }
}

fn push_new<T: PartialEq + Clone>(into: &mut Vec<T>, from: &[T], most: usize) {
    for item in from {
        if into.len() < most && !into.contains(item) {
            into.push(item.clone());
        }
    }
}

/// Either of two requests.
#[must_use]
pub fn join_requests(one: &Request, two: &Request) -> Request {
    let mut out = one.clone();
    out.methods.join(&two.methods);
    push_new(&mut out.urls, &two.urls, ALTERNATIVES);
    push_new(&mut out.headers, &two.headers, 16);
    push_new(&mut out.bodies, &two.bodies, ALTERNATIVES);
    out.base = out.base.or(two.base);
    out
}

fn applied_text(text: &[Part], given: &dyn Fn(usize) -> Arc<Value>) -> Vec<Text> {
    let mut out: Vec<Text> = vec![Vec::with_capacity(text.len())];
    for part in text {
        match part {
            Part::Param(param) => out = product(out, &given(*param).texts_or_hole()),
            Part::Lit(_) | Part::Hole => out.iter_mut().for_each(|head| head.push(part.clone())),
        }
    }
    out
}

/// Every head with every tail, at most [`ALTERNATIVES`].
#[must_use]
pub fn product(mut heads: Vec<Text>, tails: &[Text]) -> Vec<Text> {
    if let [tail] = tails {
        heads.truncate(ALTERNATIVES);
        heads.iter_mut().for_each(|head| head.extend_from_slice(tail));
        return heads;
    }
    heads
        .iter()
        .flat_map(|head| tails.iter().map(move |tail| [head.as_slice(), tail].concat()))
        .take(ALTERNATIVES)
        .collect()
}

fn applied_methods(methods: &Methods, given: &dyn Fn(usize) -> Arc<Value>) -> Methods {
    let mut out = Methods { known: methods.known.clone(), params: BTreeSet::new(), runtime: methods.runtime };
    for param in &methods.params {
        out.join(&given(*param).as_methods());
    }
    out
}

/// The request at a call.
#[must_use]
pub fn applied_request(request: &Request, given: &dyn Fn(usize) -> Arc<Value>) -> Request {
    let texts = |all: &[Text]| -> Vec<Text> {
        all.iter().flat_map(|text| applied_text(text, given)).take(ALTERNATIVES).collect()
    };
    let own = Request {
        methods: applied_methods(&request.methods, given),
        urls: texts(&request.urls),
        headers: request.headers.clone(),
        bodies: texts(&request.bodies),
        base: None,
    };
    match request.base {
        Some(base) => join_requests(&given(base).as_request(), &own),
        None => own,
    }
}
