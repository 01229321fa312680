//! Finds calls that the catalog knows, and says what they do.

use crate::catalog::call::{Call, CrateCalls, Effect, MethodSource, Trigger};
use crate::scan::index::FnId;
use crate::scan::ir::{Body, Expr, ExprId, Path};
use crate::scan::sinks::effect::Told;
use crate::scan::sinks::fate::{End, Fate, hands_on};
use crate::scan::sinks::names::is_everyday;
use crate::scan::sinks::uses::{chain, chain_span, is_iterator, opens_a_cell};
use crate::scan::sinks::{Context, Coverage, clients};
use crate::scan::site::{ProviderKey, Resolution, Sink};
use crate::scan::types::call::Target;
use crate::scan::types::known::{first_of, last_of};
use crate::scan::types::ty::Type;
use crate::scan::types::value::{Methods, Request, Scope};
use crate::source::Span;

/// A sink, and what is needed to drop it in favour of another one of its chain.
pub struct Found {
    /// The sink.
    pub sink: Sink,
    /// When it happens.
    pub trigger: Trigger,
}

/// A call that leaves the workspace.
#[derive(Clone, Debug)]
pub struct Leaving<'a, 'b> {
    /// The function that holds it.
    pub function: FnId,
    /// The body: the function's, or a macro arm's.
    pub scope: Scope,
    /// The call.
    pub expr: ExprId,
    /// The receiver of a method, the first argument of a function.
    pub receiver: Option<ExprId>,
    /// The arguments, the receiver left out.
    pub args: &'b [ExprId],
    /// The path of its type, trait or module.
    pub path: String,
    /// Its name.
    pub name: String,
    /// What the catalog says.
    pub known: Option<(&'a Call, &'a CrateCalls)>,
    /// How the target was found.
    pub resolution: Resolution,
}

impl<'a> Context<'_, 'a> {
    /// Whether a sink may stand at an expression, or one that is counted.
    pub fn may_leave(&self, function: FnId, body: &'a Body, expr: ExprId) -> bool {
        match body.expr(expr) {
            Expr::Macro(call) => self.eval.local_macro(Scope::Fn(function), body, expr, &call.path).is_some(),
            Expr::Path(path) => may_be_given(path),
            Expr::Call { .. } | Expr::Method { .. } => {
                self.eval.refill();
                let mut coverage = Coverage::default();
                let leaving = self.leaving(function, Scope::Fn(function), body, expr, &mut coverage);
                leaving.is_some() || coverage != Coverage::default()
            }
            _ => false,
        }
    }

    /// The sink that stands at an expression, when one does.
    pub fn sink_at(&self, function: FnId, body: &'a Body, expr: ExprId, coverage: &mut Coverage) -> Option<Found> {
        match body.expr(expr) {
            Expr::Macro(call) => self.in_macro(function, body, expr, &call.path, coverage),
            Expr::Path(path) => self.function_value(function, body, expr, path),
            _ => {
                let scope = Scope::Fn(function);
                let leaving = self.leaving(function, scope, body, expr, coverage)?;
                self.told(&leaving, body, expr, coverage)
            }
        }
    }

    /// A local `macro_rules!` that sends: the site is where it is used.
    fn in_macro(
        &self,
        function: FnId,
        body: &'a Body,
        expr: ExprId,
        path: &Path,
        coverage: &mut Coverage,
    ) -> Option<Found> {
        let id = self.eval.local_macro(Scope::Fn(function), body, expr, path)?;
        let arms = self.types.index.macros[id.0 as usize].arms.len();
        (0..arms).find_map(|arm| {
            let scope = Scope::Macro(id, arm);
            let inner = self.types.body(scope)?;
            inner.ids().find_map(|at| {
                let leaving = self.leaving(function, scope, inner, at, coverage)?;
                let mut found = self.told(&leaving, inner, at, coverage)?;
                found.sink.expr = expr;
                found.sink.span = chain_span(body, expr);
                found.sink.provider_key = None;
                Some(found)
            })
        })
    }

    /// A call that leaves the workspace to a place that is worth a look.
    fn leaving<'b>(
        &self,
        function: FnId,
        scope: Scope,
        body: &'b Body,
        expr: ExprId,
        coverage: &mut Coverage,
    ) -> Option<Leaving<'a, 'b>> {
        let (receiver, args, name) = match body.expr(expr) {
            Expr::Method { receiver, name, args, .. } => (Some(*receiver), args.as_slice(), name.as_str()),
            Expr::Call { callee, args } => {
                let Expr::Path(path) = body.expr(*callee) else { return None };
                (None, args.as_slice(), path.segments.last()?.name.as_str())
            }
            _ => return None,
        };
        if is_everyday(name) {
            return None;
        }
        if receiver.is_some() && self.hands_over_a_publication(scope, body, name, args) {
            let path = String::new();
            let (name, known, resolution) = (name.to_owned(), None, Resolution::Inferred);
            let leaving = Leaving { function, scope, expr, receiver, args, path, name, known, resolution };
            return self.like(leaving, "rumqttc::AsyncClient", "publish");
        }
        let fate = || self.fate(scope, expr);
        let awaited = || fate().end == End::Awaited;
        let matters = match receiver {
            Some(_) => {
                self.names.matter(name)
                    || self.names.matter_if_awaited(name) && fate() > Fate { end: End::Plain, as_is: true }
                    || self.names.rpc && awaited() && self.is_of_rpc_client(scope, expr)
            }
            None => self.names.matter_of_function(name),
        };
        if !matters || opens_a_cell(body, expr) || receiver.is_some_and(|receiver| is_iterator(body, receiver)) {
            return None;
        }
        // Maps are filled everywhere, and no map is awaited.
        if name == "insert" && !awaited() {
            return None;
        }
        let blank = Leaving {
            function,
            scope,
            expr,
            receiver,
            args,
            path: String::new(),
            name: name.to_owned(),
            known: None,
            resolution: Resolution::Typed,
        };
        match self.eval.target(scope, expr) {
            Target::Outside { path, name, by_bound } => {
                let leaving = Leaving { path: path.to_string(), name, ..blank };
                self.known_outside(leaving, body, by_bound)
            }
            Target::Unknown => self.by_shape(blank, body, coverage),
            Target::Fns(_) | Target::Closure(..) | Target::Construct(_) => None,
        }
    }

    /// Whether a method is called on a client of tonic: it may have any name.
    fn is_of_rpc_client(&self, scope: Scope, expr: ExprId) -> bool {
        matches!(self.eval.target(scope, expr), Target::Outside { path, .. } if clients::names_rpc_client(&path))
    }

    fn known_outside<'b>(&self, leaving: Leaving<'a, 'b>, body: &'b Body, by_bound: bool) -> Option<Leaving<'a, 'b>> {
        let known = &self.types.known;
        if known.is_local_only(&leaving.path) || clients::serves(&leaving.path) {
            return None;
        }
        // `SplitSink<WebSocketStream<..>, _>`: what goes through leaves by the stream inside.
        let inner = leaving.receiver.and_then(|receiver| inner_sink(&self.eval.ty(leaving.scope, receiver)));
        let path = inner.unwrap_or_else(|| leaving.path.clone());
        // `Client::request` begins a request; what ends it is the site.
        let begun = known.returns(&path, &leaving.name).filter(|returned| returned.http_method.is_some());
        let begins = begun.is_some();
        // `surf::post(url).body(text).await`: there is no call that sends.
        if let Some(begun) = &begun
            && let Some(sent) = known.call(&begun.path, "await")
        {
            let above = body.ancestors(leaving.expr).map_while(|id| match body.expr(id) {
                Expr::Method { name, .. } => Some(name),
                _ => None,
            });
            // `surf::post(url).recv_string()` is sent by a call after all.
            let ended = above.into_iter().any(|name| known.call(&begun.path, name).is_some());
            let awaited = !ended && self.is_awaited(&leaving);
            let (path, name, receiver) = (sent.call.path.clone(), "await".to_owned(), Some(leaving.expr));
            let known = Some((sent.call, sent.krate));
            return awaited.then_some(Leaving { path, name, receiver, args: &[], known, ..leaving });
        }
        // `Bot::with_client(token, http)`: a pattern for all methods is none for what makes the client.
        // `client.audio().speech().create(..)`: nor is one of an older form for what leads to a part of it today.
        let makes = |found: &crate::catalog::Known<'_>| {
            let made = || known.returns(&path, &leaving.name).is_some_and(|returned| !returned.of_any_method);
            let other = found.call.arity.is_some_and(|arity| arity != leaving.args.len());
            let leads = other && leaving.receiver.is_some() && leaving.args.is_empty();
            (leaving.receiver.is_none() && found.call.method.contains('*') || leads) && made()
        };
        if let Some(found) = known
            .call(&path, &leaving.name)
            .filter(|found| (!begins || found.call.trigger == Trigger::Await) && !makes(found))
        {
            let (receiver, args) = match leaving.receiver {
                Some(receiver) => (Some(receiver), leaving.args),
                // `RequestBuilder::send(b)`: the receiver stands first.
                None if last_of(&path).starts_with(char::is_uppercase) => {
                    (leaving.args.first().copied(), leaving.args.get(1..).unwrap_or(&[]))
                }
                None => (None, leaving.args),
            };
            return Some(Leaving {
                path: match found.call.path.contains('*') {
                    true => known.canonical(&path).into_owned(),
                    false => found.call.path.clone(),
                },
                receiver,
                args,
                known: Some((found.call, found.krate)),
                ..leaving
            });
        }
        if by_bound && known.library(first_of(&path)).is_some() {
            return None;
        }
        if let Some(receiver) = leaving.receiver
            && known.is_builder(&path)
            && shape_ends(&leaving.name)
        {
            return Some(Leaving { path: known.canonical(&path).into_owned(), receiver: Some(receiver), ..leaving });
        }
        self.by_crate(Leaving { path, ..leaving }, body)
    }

    /// What is said of a call that leaves; none when it stays on this machine or never runs.
    fn told(&self, leaving: &Leaving<'a, '_>, body: &Body, expr: ExprId, coverage: &mut Coverage) -> Option<Found> {
        let trigger = leaving.known.map_or(Trigger::Call, |(call, _)| call.trigger);
        let mut span = chain_span(body, expr);
        if trigger == Trigger::Await {
            let (reaches, set) = reach(body, expr);
            let carried_on = set && leaving.name != "await" && self.has_calls_of_its_own(leaving);
            if carried_on || self.fate(leaving.scope, expr).end == End::Dropped {
                return None;
            }
            span = reaches;
        }
        let told = self.what_it_does(leaving, body, coverage)?;
        let entry = &self.types.index.functions[leaving.function.0 as usize];
        let sink = Sink {
            function: leaving.function,
            expr,
            file: entry.file,
            span,
            api: api(leaving),
            effect: told.effect,
            resolution: leaving.resolution,
            undecided: told.undecided,
            reason: told.reason,
            http_method: told.http_method,
            url: told.url,
            natural: told.natural,
            provider_key: told.key.or_else(|| self.provider_key(leaving, body)),
            built_in_retry: leaving.known.is_some_and(|(_, krate)| krate.built_in_retry.is_some()),
            asked: told.asked,
        };
        Some(Found { sink, trigger })
    }

    /// Whether the result is a builder with calls of its own in the catalog.
    fn has_calls_of_its_own(&self, leaving: &Leaving<'a, '_>) -> bool {
        self.types.known.returns(&leaving.path, &leaving.name).is_some()
    }

    fn what_it_does(&self, leaving: &Leaving<'a, '_>, body: &Body, coverage: &mut Coverage) -> Option<Told> {
        let Some((call, _)) = leaving.known else {
            return self.unlisted(leaving, body, coverage);
        };
        match call.method_source {
            MethodSource::Chain => self.request_effect(leaving, leaving.receiver, coverage),
            MethodSource::Request => {
                let holds = |id: &&ExprId| {
                    let value = self.eval.value(leaving.scope, **id);
                    value.request.is_some() || value.ty.path().is_some_and(|path| self.types.known.is_builder(path))
                };
                let holder = leaving
                    .args
                    .iter()
                    .find(holds)
                    .or_else(|| leaving.receiver.as_ref().filter(|id| holds(id)))
                    .or(leaving.args.first());
                self.request_effect(leaving, holder.copied(), coverage)
            }
            MethodSource::Program => self.command_effect(leaving, coverage),
            MethodSource::Setters => Some(self.by_setters(leaving, body)),
            MethodSource::Graphql => Some(self.graphql_effect(leaving, body)),
            MethodSource::Name => Some(self.by_name(leaving, call)),
            MethodSource::Endpoint => Some(self.by_endpoint(leaving, call, body)),
            MethodSource::Fixed if crate::scan::types::outside::is_command(&leaving.path) => {
                self.command_effect(leaving, coverage)
            }
            // `reqwest::get(url)`, where the URL may say that it is no read.
            MethodSource::Fixed if call.method == "get" && call.effect == Effect::Read && !leaving.args.is_empty() => {
                let urls = self.eval.texts(leaving.scope, leaving.args[0]);
                let request = Request { methods: Methods::one("GET"), urls, ..Request::default() };
                let told = self.told_request(leaving, &request, coverage);
                told.filter(|told| told.effect.is_write()).or_else(|| self.fixed(leaving, call))
            }
            MethodSource::Fixed => self.fixed(leaving, call),
        }
    }

    fn fixed(&self, leaving: &Leaving<'a, '_>, call: &Call) -> Option<Told> {
        if leaving.path.contains("WebSocket") && leaving.args.iter().any(|arg| self.is_control_frame(leaving, *arg)) {
            return Some(Told::of(Effect::Read, "a control frame of the protocol"));
        }
        if first_of(&leaving.path) == "irc" && leaving.args.iter().any(|arg| self.keeps_a_session(leaving, *arg)) {
            return Some(Told::of(Effect::Read, "a command that keeps the session"));
        }
        Some(Told::of(call.effect, "told by the catalog"))
    }

    fn is_control_frame(&self, leaving: &Leaving<'a, '_>, arg: ExprId) -> bool {
        let Some(body) = self.types.body(leaving.scope) else { return false };
        let (made, is_call) = match body.expr(arg) {
            Expr::Call { callee, .. } => (*callee, true),
            _ => (arg, false),
        };
        let Expr::Path(path) = body.expr(made) else { return false };
        match path.segments.last().map(|last| last.name.as_str()) {
            Some("Pong" | "Ping" | "Close") => true,
            // A variable of that name holds anything.
            Some("pong" | "ping" | "close") => is_call,
            _ => false,
        }
    }

    /// `client.send(Command::PONG(token, None))`: the same of IRC, where nobody gets a message by it.
    fn keeps_a_session(&self, leaving: &Leaving<'a, '_>, arg: ExprId) -> bool {
        const KEEPS: [&str; 12] =
            ["AUTHENTICATE", "CAP", "JOIN", "NAMES", "NICK", "PART", "PASS", "PING", "PONG", "QUIT", "USER", "WHO"];
        let Some(body) = self.types.body(leaving.scope) else { return false };
        let callee = match body.expr(arg) {
            Expr::Call { callee, .. } => *callee,
            _ => arg,
        };
        matches!(body.expr(callee), Expr::Path(path) if path.segments.last().is_some_and(|last| KEEPS.contains(&last.name.as_str())))
    }

    /// The key that the catalog says the call can carry.
    fn provider_key(&self, leaving: &Leaving<'a, '_>, body: &Body) -> Option<ProviderKey> {
        let door = leaving.known?.0.key_door.as_ref()?;
        let (kind, name) = door.split_once(' ')?;
        let is_named = |method: &str| name.split('|').any(|one| one == method);
        let value = match kind {
            "method" => {
                let above = body.ancestors(leaving.expr).take(8).filter_map(|id| match body.expr(id) {
                    Expr::Method { name, args, .. } => Some((id, name.as_str(), args.as_slice())),
                    _ => None,
                });
                let mut setters = chain(body, leaving.expr).into_iter().chain(above);
                setters.find(|(_, method, _)| is_named(method)).and_then(|(_, _, args)| args.first().copied())
            }
            "argument" => name.parse::<usize>().ok().and_then(|at| leaving.args.get(at).copied()),
            _ => None,
        }?;
        let of_function = matches!(leaving.scope, Scope::Fn(_));
        of_function.then(|| ProviderKey { door: door.clone(), value, function: leaving.function })
    }

    /// `map(RequestBuilder::send)`: the site is where the function value is made.
    fn function_value(&self, function: FnId, body: &'a Body, expr: ExprId, path: &Path) -> Option<Found> {
        if !may_be_given(path) {
            return None;
        }
        let parent = body.node(expr).parent?;
        if matches!(body.expr(parent), Expr::Call { callee, .. } if *callee == expr) {
            return None;
        }
        let Target::Outside { path, name, .. } = self.eval.path_value(Scope::Fn(function), expr) else { return None };
        let known = self.types.known.call(&path, &name)?;
        if !known.call.effect.is_write() {
            return None;
        }
        let given = match body.expr(parent) {
            Expr::Method { receiver, .. } => Some(*receiver),
            _ => None,
        };
        let leaving = Leaving {
            function,
            scope: Scope::Fn(function),
            expr,
            receiver: given,
            args: &[],
            path: known.call.path.clone(),
            name,
            known: Some((known.call, known.krate)),
            resolution: Resolution::Typed,
        };
        let mut coverage = Coverage::default();
        let mut found = self.told(&leaving, body, expr, &mut coverage)?;
        let value = given.map(|given| self.eval.value(leaving.scope, given));
        if value.is_none_or(|value| value.request.as_ref().is_none_or(|request| request.methods.is_empty())) {
            found.sink.undecided = Some("given as a function value; what it sends is not seen here".to_owned());
        }
        Some(found)
    }
}

/// Whether a path may name a function that ends a request.
fn may_be_given(path: &Path) -> bool {
    path.segments.len() > 1 && path.segments.last().is_some_and(|last| shape_ends(&last.name))
}

/// Of sinks in one chain the one that the others only carry on is kept.
pub fn one_of_each_chain(body: &Body, found: &mut Vec<Found>) {
    let lazy: Vec<(ExprId, String)> = found
        .iter()
        .filter(|found| found.trigger == Trigger::Await)
        .map(|found| (found.sink.expr, first_of(&found.sink.api).to_owned()))
        .collect();
    found.retain(|outer| {
        let below = chain(body, outer.sink.expr);
        !below
            .iter()
            .skip(1)
            .any(|(id, _, _)| lazy.iter().any(|(inner, library)| inner == id && library == first_of(&outer.sink.api)))
    });
}

/// A lazy call with the methods that are called on it, up to the await, and whether one of them is a setter.
fn reach(body: &Body, expr: ExprId) -> (Span, bool) {
    let (mut at, mut last, mut set) = (expr, expr, false);
    while let Some(parent) = body.node(at).parent {
        match body.expr(parent) {
            Expr::Await(_) => {
                last = parent;
                break;
            }
            Expr::Method { receiver, name, .. } if *receiver == at => {
                set |= !hands_on(name);
                last = parent;
            }
            Expr::Ref(_) | Expr::Try(_) | Expr::Cast(..) => {}
            _ => break,
        }
        at = parent;
    }
    (body.node(expr).span.to(body.node(last).span), set)
}

fn api(leaving: &Leaving<'_, '_>) -> String {
    format!("{}::{}", leaving.path, leaving.name)
}

/// Methods that end a request's chain.
#[must_use]
pub fn shape_ends(name: &str) -> bool {
    matches!(
        name,
        "send"
            | "call"
            | "execute"
            | "send_json"
            | "send_form"
            | "send_string"
            | "send_bytes"
            | "send_empty"
            | "send_body"
            | "perform"
            | "fetch"
            | "doit"
    )
}

/// What leaves by a sink that wraps another: `SplitSink<Ws, Message>`.
fn inner_sink(ty: &Type) -> Option<String> {
    match ty {
        Type::External(path, args)
            if matches!(
                last_of(path),
                "SplitSink" | "SplitStream" | "Buffer" | "With" | "SinkMapErr" | "BufferUnordered"
            ) =>
        {
            // `SplitSink<Fuse<WebSocketStream<..>>, _>`.
            let held = args.first()?;
            match held {
                Type::External(path, inside) if last_of(path) == "Fuse" => inside.first().and_then(Type::path),
                _ => held.path(),
            }
            .map(str::to_owned)
        }
        _ => None,
    }
}
