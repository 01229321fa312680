//! Where deliveries come in: webhook handlers of every framework, and loops that ask for what is new.

use crate::scan::graph::CallKind;
use crate::scan::graph::entry::Entry;
use crate::scan::index::{FnEntry, FnId};
use crate::scan::ir::{Body, Expr, ExprId, Lit, Ty};
use crate::scan::rules::Context;
use crate::scan::types::known::first_of;
use crate::scan::types::value::Scope;

/// Where a delivery is first seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// At the beginning of the function.
    Begin,
    /// At the beginning of a closure.
    Closure(ExprId),
    /// Where it is received.
    Receive(ExprId),
}

/// A place where deliveries come in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inbound {
    /// The function that holds it.
    pub(super) function: FnId,
    /// Where.
    pub(super) start: Start,
}

/// Words of names and routes that say that a platform delivers there.
const WORDS: [&str; 30] = [
    "dingtalk",
    "discord",
    "event",
    "events",
    "feishu",
    "github",
    "gitlab",
    "hook",
    "hooks",
    "inbound",
    "incoming",
    "lark",
    "mailgun",
    "messenger",
    "msteams",
    "sendgrid",
    "shopify",
    "slack",
    "sms",
    "stripe",
    "teams",
    "telegram",
    "twilio",
    "viber",
    "webhook",
    "webhooks",
    "wechat",
    "wecom",
    "whatsapp",
    "zendesk",
];

/// Types of a delivery, by their last name.
const DELIVERIES: [&str; 10] = [
    "Delivery",
    "IncomingMessage",
    "InboundEmail",
    "InboundMessage",
    "SlackEvent",
    "SnsEvent",
    "SqsEvent",
    "Update",
    "WebhookEvent",
    "WebhookPayload",
];

/// What frameworks give a handler, by last name.
const EXTRACTORS: [&str; 12] = [
    "ApiGatewayProxyRequest",
    "ApiGatewayV2httpRequest",
    "Bytes",
    "Depot",
    "Form",
    "HeaderMap",
    "HttpRequest",
    "Json",
    "LambdaEvent",
    "Request",
    "State",
    "TypedHeader",
];

/// Attributes that register a handler, by their last name.
const ROUTES: [&str; 5] = ["handler", "post", "put", "route", "on_event"];

/// Calls that receive, by name, with the crate where the name alone says little.
const RECEIVES: [(&str, &str); 20] = [
    ("fetch", "imap"),
    ("get_updates", ""),
    ("iter", "kafka"),
    ("next", "async_nats"),
    ("next", "lapin"),
    ("next", "pulsar"),
    ("next", "rdkafka"),
    ("next", "redis"),
    ("poll", "kafka"),
    ("poll", "rumqttc"),
    ("poll_messages", ""),
    ("receive_message", ""),
    ("receive_messages", ""),
    ("recv", "paho_mqtt"),
    ("recv", "rdkafka"),
    ("try_next", "async_nats"),
    ("try_next", "lapin"),
    ("try_next", "pulsar"),
    ("uid_fetch", "imap"),
    ("uid_search", "imap"),
];

/// Every place where deliveries come in, in functions that are worth a look.
pub(super) fn all(context: &Context<'_, '_, '_>, is_worth: impl Fn(FnId) -> bool) -> Vec<Inbound> {
    let mut found = Vec::new();
    for function in context.guards.functions().filter(|id| is_worth(*id)) {
        let Some(body) = context.flow.body(function) else { continue };
        if is_handler(context, function) {
            found.push(Inbound { function, start: Start::Begin });
            continue;
        }
        for id in body.ids() {
            match body.expr(id) {
                Expr::Method { receiver, name, args, .. } => {
                    if receives(context, function, *receiver, name) {
                        found.push(Inbound { function, start: Start::Receive(chain_top(body, id)) });
                    } else {
                        found.extend(
                            registered(body, id, name, args).map(|id| Inbound { function, start: Start::Closure(id) }),
                        );
                    }
                }
                Expr::Call { callee, args } => {
                    let Expr::Path(path) = body.expr(*callee) else { continue };
                    let name = path.segments.last().map_or("", |last| last.name.as_str());
                    found.extend(
                        registered(body, id, name, args).map(|id| Inbound { function, start: Start::Closure(id) }),
                    );
                }
                _ => {}
            }
        }
    }
    found
}

/// A function that a platform's deliveries are given to.
fn is_handler(context: &Context<'_, '_, '_>, id: FnId) -> bool {
    let entry = context.guards.types.index.function(id);
    if entry.function.params.is_empty() {
        return false;
    }
    let registered = || context.flow.graph.entry(context.guards.types, id) == Some(Entry::Handler);
    let extracts =
        entry.function.params.iter().any(|param| names_of(&param.ty).iter().any(|name| EXTRACTORS.contains(name)));
    let delivered =
        entry.function.params.iter().any(|param| names_of(&param.ty).iter().any(|name| DELIVERIES.contains(name)));
    let by_attribute = || {
        entry.attributes.iter().any(|attribute| {
            let last = attribute.path.rsplit("::").next().unwrap_or_default().trim();
            ROUTES.contains(&last) && (speaks(&attribute.tokens) || speaks(&entry.name))
        })
    };
    let method = entry.impl_id.is_some();
    by_attribute()
        || (delivered || speaks(&entry.name) || is_routed(context, id)) && registered()
        || !method && extracts && speaks(&entry.name) && is_asked_from_outside(context, entry, id)
        || !method && delivered && extracts && is_asked_from_outside(context, entry, id)
}

/// Whether nobody here calls it, so that a framework does.
fn is_asked_from_outside(context: &Context<'_, '_, '_>, entry: &FnEntry, id: FnId) -> bool {
    let mut callers = context.flow.graph.callers(context.guards.types, id);
    entry.function.is_async && !callers.any(|call| call.kind == CallKind::Call)
}

/// Whether its route says that a platform delivers there: `.route("/webhooks/x", post(handler))`.
fn is_routed(context: &Context<'_, '_, '_>, id: FnId) -> bool {
    let mut places = context.flow.graph.given(context.guards.types.index, id);
    places.any(|call| context.flow.body(call.caller).is_some_and(|body| has_route(body, call.expr)))
}

fn has_route(body: &Body, at: ExprId) -> bool {
    let mut child = at;
    for holder in body.ancestors(at).take(6) {
        if let Expr::Method { name, receiver, args, .. } = body.expr(holder)
            && args.contains(&child)
            && REGISTERS.contains(&name.as_str())
        {
            let mut texts = args.iter().filter_map(|arg| match body.expr(*arg) {
                Expr::Lit(Lit::Str(text)) => Some(text),
                _ => None,
            });
            match texts.next() {
                Some(text) => return speaks(text) || texts.any(|text| speaks(text)),
                // The route stands before: `warp::path("hook").and(..).and_then(handler)`.
                None if takes_handlers(body, name, *receiver) && leads_there(body, *receiver) => return true,
                None => {}
            }
        }
        child = holder;
    }
    false
}

/// Methods that give a route its handler.
const REGISTERS: [&str; 13] =
    ["and_then", "any", "at", "goal", "handle", "map", "post", "push", "put", "resource", "route", "service", "then"];

/// Whether it is a route that is given a handler there, and no value that is looked into: `and_then` is asked of warp's
/// filters, of options and of results.
fn takes_handlers(body: &Body, name: &str, receiver: ExprId) -> bool {
    if !matches!(name, "and_then" | "map" | "then") {
        return true;
    }
    match body.expr(body.base(receiver)) {
        Expr::Macro(of) => of.path.segments.last().is_some_and(|last| last.name == "path"),
        Expr::Call { callee, .. } => matches!(body.expr(*callee), Expr::Path(path)
            if path.segments.first().is_some_and(|first| first.name == "warp" || first.name == "path")),
        _ => false,
    }
}

/// Whether a chain that makes one route, and no router of many, speaks of deliveries.
fn leads_there(body: &Body, mut at: ExprId) -> bool {
    for _ in 0..16 {
        let (args, next) = match body.expr(at) {
            Expr::Method { name, .. } if matches!(name.as_str(), "route" | "at" | "push" | "or") => return false,
            Expr::Method { receiver, args, .. } => (args.as_slice(), Some(*receiver)),
            Expr::Call { args, .. } => (args.as_slice(), None),
            Expr::Macro(of) => {
                return of.path.segments.last().is_some_and(|last| last.name == "path") && speaks(&of.tokens);
            }
            Expr::Path(path) => {
                return path.ident().is_none() && path.segments.last().is_some_and(|last| speaks(&last.name));
            }
            _ => return false,
        };
        let says = |arg: &ExprId| match body.expr(*arg) {
            Expr::Lit(Lit::Str(text)) => speaks(text),
            Expr::Call { .. } => leads_there(body, *arg),
            _ => false,
        };
        if args.iter().any(says) {
            return true;
        }
        let Some(next) = next else { return false };
        at = next;
    }
    false
}

/// A closure that is registered as a handler of deliveries.
fn registered(body: &Body, call: ExprId, name: &str, args: &[ExprId]) -> Option<ExprId> {
    let closure = args.iter().copied().find(|arg| matches!(body.expr(*arg), Expr::Closure { .. }))?;
    let counts = match name {
        "repl" | "message_repl" | "service_fn" | "endpoint" => true,
        "and_then" | "any" | "map" | "post" | "put" | "then" => has_route(body, closure),
        _ => false,
    };
    let lambda = name != "service_fn" || body.ancestors(call).take(3).any(|holder| runs_lambda(body, holder));
    (counts && lambda).then_some(closure)
}

fn runs_lambda(body: &Body, id: ExprId) -> bool {
    match body.expr(id) {
        Expr::Call { callee, .. } => matches!(body.expr(*callee), Expr::Path(path)
            if path.segments.iter().any(|segment| segment.name.starts_with("lambda")) || path.ident() == Some("run")),
        _ => false,
    }
}

fn receives(context: &Context<'_, '_, '_>, function: FnId, receiver: ExprId, name: &str) -> bool {
    let mut libraries =
        RECEIVES.iter().filter(|(receives, _)| *receives == name).map(|(_, library)| *library).peekable();
    if libraries.peek().is_none() {
        return false;
    }
    let ty = context.flow.eval.ty(Scope::Fn(function), receiver);
    libraries.any(|library| library.is_empty() || ty.path().is_some_and(|path| first_of(path).contains(library)))
}

/// The whole chain that a receiving call begins: its setters, its await.
pub(super) fn chain_top(body: &Body, id: ExprId) -> ExprId {
    let mut at = id;
    for holder in body.ancestors(id) {
        match body.expr(holder) {
            Expr::Method { receiver, .. } if *receiver == at => {}
            Expr::Await(_) | Expr::Try(_) => {}
            _ => break,
        }
        at = holder;
    }
    at
}

/// Whether a name or route has a word of deliveries.
fn speaks(text: &str) -> bool {
    let text = text.to_lowercase();
    text.split(|letter: char| !letter.is_alphanumeric()).any(|word| WORDS.contains(&word))
}

/// The last names of a type and of what it holds.
fn names_of(ty: &Ty) -> Vec<&str> {
    let mut names = Vec::new();
    collect(ty, &mut names);
    names
}

fn collect<'t>(ty: &'t Ty, names: &mut Vec<&'t str>) {
    match ty {
        Ty::Path(path) => {
            if let Some(last) = path.segments.last() {
                names.push(&last.name);
                last.args.iter().for_each(|arg| collect(arg, names));
            }
        }
        Ty::Ref(inner) | Ty::Slice(inner) => collect(inner, names),
        Ty::Tuple(parts) => parts.iter().for_each(|part| collect(part, names)),
        Ty::Bounds(_) | Ty::Fn(..) | Ty::Other => {}
    }
}
