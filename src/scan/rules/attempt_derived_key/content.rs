//! Keys that are a hash of all that is sent: another wording is another act, and the same words meant twice are one.

use std::collections::HashSet;

use crate::diagnostic::Finding;
use crate::scan::flow::origin::Arguments;
use crate::scan::guards::uses::KeyUse;
use crate::scan::index::{Def, FnId};
use crate::scan::ir::{Body, Expr, ExprId};
use crate::scan::rules::attempt_derived_key::RULE;
use crate::scan::rules::{Context, Found};
use crate::scan::sinks::uses::{BODIES, chain};
use crate::scan::site::GuardKind;
use crate::scan::types::binding::{Binding, Bound, binding_of};
use crate::scan::types::value::{Place, Scope};

/// Parts of paths of what makes hashes.
const HASHES: [&str; 16] = [
    "blake2", "blake3", "cityhash", "crc32", "fxhash", "highway", "md5", "murmur", "seahash", "sha1", "sha2", "sha3",
    "sha512", "siphash", "twox", "xxh",
];
/// Methods that end a hash, and those that feed it.
const ENDS: [&str; 4] = ["digest", "finalize", "finalize_reset", "finish"];
const FEEDS: [&str; 5] = ["chain", "chain_update", "input", "update", "write"];

/// A variable, or a field of one.
type Item = (Scope, Bound, Vec<String>);

/// How many expressions one question looks at.
const STEPS: usize = 200;

pub(super) fn findings(context: &Context<'_, '_, '_>) -> Vec<Found> {
    let keyed = context.keys().iter().filter(|keyed| keyed.fresh.is_none());
    keyed.filter_map(|keyed| finding(context, &keyed.used)).collect()
}

fn finding(context: &Context<'_, '_, '_>, used: &KeyUse) -> Option<Found> {
    let sent: HashSet<Item> =
        sent_under(context, used).into_iter().flat_map(|at| items(context, (Scope::Fn(used.function), at))).collect();
    if sent.is_empty() {
        return None;
    }
    let from = context.flow.origins(Scope::Fn(used.function), used.value, Arguments::All);
    let place = from.places.into_iter().find(|place| {
        let hashed: HashSet<Item> =
            hashed_at(context, *place).into_iter().flat_map(|at| items(context, (place.0, at))).collect();
        sent.iter().all(|item| hashed.iter().any(|other| holds(other, item)))
    })?;
    let Scope::Fn(function) = place.0 else { return None };
    let label = context.at_expr(function, place.1, "all that is sent goes into the key, and nothing else does")?;
    let path = context.path_of(function);
    let message = "this key is a hash of what is sent: a second attempt that words it anew is a new act, and the same words meant twice are one".to_owned();
    let mut finding = Finding::new(RULE.name, RULE.level, message, label)
        .with_help("derive the key from what the act answers (the message, the order, the step of the conversation), not from what it says")
        .with_subject(&path);
    if (function, place.1) != (used.function, used.value) {
        finding.related.extend(context.at_expr(used.function, used.value, "the key"));
    }
    Some(Found { finding, function: path })
}

/// What goes out, or is kept to go out, under a key.
fn sent_under(context: &Context<'_, '_, '_>, used: &KeyUse) -> Vec<ExprId> {
    let Some(body) = context.flow.body(used.function) else { return Vec::new() };
    if used.by == GuardKind::ProviderKey {
        let carries = |act: &crate::scan::guards::Act| {
            act.function == used.function && act.provider_key.as_ref().is_some_and(|key| key.value == used.value)
        };
        return context
            .acts
            .iter()
            .filter(|(_, act)| carries(act))
            .flat_map(|(_, act)| carried(body, act.expr))
            .collect();
    }
    let Some(call) = body.given_to(used.value) else { return Vec::new() };
    let (Expr::Method { args, .. } | Expr::Call { args, .. }) = body.expr(call) else { return Vec::new() };
    let behind = args.iter().position(|arg| *arg == used.value).and_then(|at| args.get(at + 1)).copied();
    let is_kept = |id: &ExprId| !matches!(body.expr(*id), Expr::Closure { .. } | Expr::Block { .. } | Expr::Tuple(_));
    match behind.filter(is_kept) {
        Some(payload) => vec![payload],
        None => {
            let inside = body.node(call).span;
            let acts = context.acts.iter().filter(|(_, act)| act.function == used.function);
            acts.filter(|(_, act)| inside.contains(body.node(act.expr).span))
                .flat_map(|(_, act)| carried(body, act.expr))
                .collect()
        }
    }
}

/// What methods of the chain give the request to carry.
fn carried(body: &Body, expr: ExprId) -> Vec<ExprId> {
    let given = chain(body, expr).into_iter().filter(|(_, name, _)| BODIES.contains(name));
    given.flat_map(|(_, _, args)| args.iter().copied()).collect()
}

/// What a hash that is made there is fed with.
fn hashed_at(context: &Context<'_, '_, '_>, (scope, id): Place) -> Vec<ExprId> {
    let Some(body) = context.guards.types.body(scope) else { return Vec::new() };
    match body.expr(id) {
        Expr::Call { callee, args } if is_hash(context, scope, body, *callee) => args.clone(),
        Expr::Method { name, .. } if ENDS.contains(&name.as_str()) => {
            let mut fed = fed_in(body, id);
            let base = body.base(id);
            if let Expr::Path(path) = body.expr(base)
                && let Some(name) = path.ident()
            {
                fed.extend(body.ids().filter(|at| is_about(body, *at, name)).flat_map(|at| fed_by(body, at)));
            }
            fed
        }
        _ => Vec::new(),
    }
}

/// A function of a crate of hashes, or a name-based id.
fn is_hash(context: &Context<'_, '_, '_>, scope: Scope, body: &Body, callee: ExprId) -> bool {
    let Expr::Path(path) = body.expr(callee) else { return false };
    let names: Vec<String> = match context.guards.types.index.resolve(context.guards.module(scope), path) {
        Some(Def::External(path)) => path.split("::").map(str::to_owned).collect(),
        Some(_) => return false,
        None => path.names().into_iter().map(str::to_owned).collect(),
    };
    let Some((last, head)) = names.split_last() else { return false };
    let by_name = matches!(last.as_str(), "new_v3" | "new_v5") && head.iter().any(|name| name == "Uuid");
    let full = head.join("::").to_lowercase();
    by_name || !last.starts_with("new") && HASHES.iter().any(|part| full.contains(part))
}

fn fed_in(body: &Body, id: ExprId) -> Vec<ExprId> {
    let feeding = chain(body, id).into_iter().filter(|(_, name, _)| FEEDS.contains(name));
    feeding.flat_map(|(_, _, args)| args.iter().copied()).collect()
}

/// `hasher.update(text)`, `text.hash(&mut hasher)`.
fn fed_by(body: &Body, id: ExprId) -> Vec<ExprId> {
    match body.expr(id) {
        Expr::Method { receiver, name, .. } if name == "hash" => vec![*receiver],
        _ => fed_in(body, id),
    }
}

fn is_about(body: &Body, id: ExprId, hasher: &str) -> bool {
    let is_it = |at: ExprId| matches!(body.expr(body.base(at)), Expr::Path(path) if path.ident() == Some(hasher));
    match body.expr(id) {
        Expr::Method { name, args, .. } if name == "hash" => args.first().is_some_and(|arg| is_it(*arg)),
        Expr::Method { receiver, name, .. } => FEEDS.contains(&name.as_str()) && is_it(*receiver),
        _ => false,
    }
}

/// The variables, or fields of them, that all of a value is made of, as far back as nothing is added and nothing is
/// looked up.
fn items(context: &Context<'_, '_, '_>, from: Place) -> Vec<Item> {
    made_of(context, from, &mut HashSet::new())
}

fn made_of(context: &Context<'_, '_, '_>, (scope, id): Place, seen: &mut HashSet<Place>) -> Vec<Item> {
    if seen.len() > STEPS || !seen.insert((scope, id)) {
        return Vec::new();
    }
    let Some(body) = context.guards.types.body(scope) else { return Vec::new() };
    let parts: Vec<Place> = match body.expr(id) {
        Expr::Path(_) | Expr::Field(..) => given_for(context, scope, id),
        Expr::Call { callee, args } if keeps(body, *callee) => args.iter().map(|arg| (scope, *arg)).collect(),
        Expr::Method { receiver, name, .. } if is_form(name) => vec![(scope, *receiver)],
        Expr::Call { .. } | Expr::Method { .. } => Vec::new(),
        other => other.handed_on().into_iter().map(|id| (scope, id)).collect(),
    };
    let found: Vec<Item> = parts.into_iter().flat_map(|part| made_of(context, part, seen)).collect();
    if found.is_empty() { item(context, scope, body, id).into_iter().collect() } else { found }
}

/// Methods that give the same in another form.
fn is_form(name: &str) -> bool {
    const FORMS: [&str; 8] = ["borrow", "clone", "cloned", "copied", "expect", "trim", "unwrap", "unwrap_or_default"];
    FORMS.contains(&name) || ["as_", "into", "to_"].iter().any(|start| name.starts_with(start))
}

/// Functions that give what they are given in another form: `serde_json::to_vec(&body)`, `String::from(text)`.
fn keeps(body: &Body, callee: ExprId) -> bool {
    let Expr::Path(path) = body.expr(callee) else { return false };
    let Some(last) = path.segments.last() else { return false };
    matches!(last.name.as_str(), "from" | "new" | "Some" | "Ok")
        || path.segments.len() > 1 && last.name.starts_with("to_")
}

fn item(context: &Context<'_, '_, '_>, scope: Scope, body: &Body, id: ExprId) -> Option<Item> {
    let (mut at, mut fields) = (id, Vec::new());
    while let Expr::Field(of, name) = body.expr(at) {
        fields.insert(0, name.clone());
        at = *of;
    }
    let Expr::Path(path) = body.expr(at) else { return None };
    let own = context.guards.types.body(scope)?;
    let bound = binding_of(&context.flow.eval, scope, own, at, path.ident()?)?.bound(path.ident()?)?;
    Some((scope, bound, fields))
}

/// What a variable was made of: its `let`, or what callers give for the parameter.
fn given_for(context: &Context<'_, '_, '_>, scope: Scope, id: ExprId) -> Vec<Place> {
    let Some(body) = context.guards.types.body(scope) else { return Vec::new() };
    let Expr::Path(path) = body.expr(id) else { return Vec::new() };
    let Some(name) = path.ident() else { return Vec::new() };
    match (binding_of(&context.flow.eval, scope, body, id, name), scope) {
        (Some(Binding::Let(_, _, Some(value))), _) => vec![(scope, value)],
        (Some(Binding::Param(position, _)), Scope::Fn(function)) => {
            let calls = context.flow.graph.callers(context.guards.types, function).take(STEPS);
            let given = |caller: FnId, call| Some((Scope::Fn(caller), context.flow.argument(caller, call, position)?));
            calls.filter_map(|call| given(call.caller, call.expr)).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether the one is the other, or holds it as a field.
fn holds(whole: &Item, part: &Item) -> bool {
    (whole.0, whole.1) == (part.0, part.1) && part.2.starts_with(&whole.2)
}
