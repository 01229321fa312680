//! The guarded form of the user's own lines, with the user's own names. It takes the place of the call that a finding
//! points at, and compiles where the ledger is at hand and the function's error takes a `LedgerError`.

mod declaration;
mod hand;

use crate::catalog::call::Effect;
use crate::manifest::name::type_name;
use crate::manifest::{Action, ErrorCrate, Kind};
use crate::scan::guards::Act;
use crate::scan::guards::client::Named;
use crate::scan::index::{FnEntry, Index, TypeKind};
use crate::scan::ir::{Body, Expr, ExprId, Pat, Path, Ty};
use crate::scan::rules::Context;
use crate::scan::rules::form::declaration::Declaration;
use crate::scan::sinks::uses::BODIES;
use crate::scan::site::Site;
use crate::source::Span;

/// What goes wrong is unknown, where nothing more is known of the error.
const UNKNOWN: &str = "\n        .map_err(|error| SendError::Unknown(error.to_string()))?";

/// What comes before a send that nothing guards.
pub(super) const RESERVE: &str = "reserve it first";

/// What is to be done, and the call in the closure of `once` on lines of its own; before it the lines of the manifest
/// where no action there is known to be this one. `slot` is what the closure calls its second parameter.
pub(super) fn guarded(context: &Context<'_, '_, '_>, site: &Site, act: &Act, how: &str, slot: &str) -> String {
    let place = context.at_act(site, act, "");
    let Payload { given, taken, first, call } = payload(context, act, place.source.slice(place.span), place.span);
    let index = context.guards.types.index;
    let entry = &index.functions[act.function.0 as usize];
    let ledger = ledger(context, act);
    let (before, key) = match action(context, act, entry) {
        Some(action) => (String::new(), key(index, act, entry, action)),
        None => {
            let declared = Declaration::of(index, act, entry, &taken);
            let what = "declare the act in onlyonce.toml, unless an action there is it, and run `onlyonce generate`";
            (format!("{what}:{}\nthen ", declared.lines()), declared.key())
        }
    };
    // Where nothing is kept, nothing comes back.
    let back = if given == "()" || how != RESERVE { "" } else { ", and send the payload that comes back" };
    let mut text =
        format!("{before}{how}{back}:\n{ledger}.once(&{key}, {given}, |{taken}, {slot}| async move {{\n{first}");
    for line in answering(context, &indented(&call), site, act) {
        text.push_str(&format!("    {line}\n"));
    }
    text + "}).await"
}

/// What the ledger keeps and hands back, and the call that sends it.
struct Payload {
    given: String,
    taken: String,
    /// A line before the call.
    first: String,
    call: String,
}

/// What the request carries is what is kept, under its own name where it has one.
fn payload(context: &Context<'_, '_, '_>, act: &Act, call: &str, span: Span) -> Payload {
    let entry = &context.guards.types.index.functions[act.function.0 as usize];
    found(entry, act.expr, call, span).unwrap_or_else(|| Payload {
        given: "()".to_owned(),
        taken: "()".to_owned(),
        first: String::new(),
        call: call.to_owned(),
    })
}

fn found(entry: &FnEntry, expr: ExprId, call: &str, span: Span) -> Option<Payload> {
    let body = entry.function.body.as_ref()?;
    let argument = carried(body, expr)?;
    let argument = if let Expr::Ref(inner) = body.expr(argument) { *inner } else { argument };
    let at = body.node(argument).span;
    let within = |at: usize| at.checked_sub(span.start);
    match body.expr(argument) {
        Expr::Path(path) => {
            let name = variable(path)?;
            let owned = match param(entry, name) {
                Some(Ty::Ref(inner)) => Some(to_owned(inner)),
                _ => None,
            };
            Some(Payload {
                given: format!("{name}{}", owned.unwrap_or_default()),
                taken: name.to_owned(),
                first: owned.map(|_| format!("    let {name} = &{name};\n")).unwrap_or_default(),
                call: call.to_owned(),
            })
        }
        Expr::Macro(made) if matches!(made.path.segments.last()?.name.as_str(), "format" | "json") => {
            let (start, end) = (within(at.start)?, within(at.end)?);
            Some(Payload {
                given: call.get(start..end)?.to_owned(),
                taken: "payload".to_owned(),
                first: String::new(),
                call: format!("{}payload{}", call.get(..start)?, call.get(end..)?),
            })
        }
        _ => None,
    }
}

/// The argument of the last method in the chain that gives the request what it carries.
fn carried(body: &Body, mut expr: ExprId) -> Option<ExprId> {
    loop {
        expr = match body.expr(expr) {
            Expr::Await(inner) | Expr::Try(inner) => *inner,
            Expr::Method { name, args, .. } if BODIES.contains(&name.as_str()) && args.len() == 1 => {
                return args.first().copied();
            }
            Expr::Method { receiver, .. } => *receiver,
            _ => return None,
        }
    }
}

/// The name of a variable.
fn variable(path: &Path) -> Option<&str> {
    let [only] = path.segments.as_slice() else { return None };
    let is_variable = path.qself.is_none() && only.name != "self" && only.name.starts_with(char::is_lowercase);
    is_variable.then_some(only.name.as_str())
}

/// The type of a parameter that is a plain name.
fn param<'e>(entry: &'e FnEntry, wanted: &str) -> Option<&'e Ty> {
    let of = |pat: &Pat| matches!(pat, Pat::Bind { name, inner: None, .. } if name == wanted);
    entry.function.params.iter().find(|param| of(&param.pat)).map(|param| &param.ty)
}

/// What makes an owned value of what is borrowed.
fn to_owned(borrowed: &Ty) -> &'static str {
    match borrowed {
        Ty::Slice(_) => ".to_vec()",
        Ty::Path(path) if path.segments.last().is_some_and(|last| last.name == "str") => ".to_owned()",
        _ => ".clone()",
    }
}

/// The call as the user wrote it, its lines one step further in than its first one.
fn indented(call: &str) -> String {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let rest = || call.lines().skip(1).filter(|line| !line.trim().is_empty());
    let least = rest().map(depth).min().unwrap_or(0);
    let lines = call.lines().enumerate().filter(|(at, line)| *at == 0 || !line.trim().is_empty());
    let lines = lines.map(|(at, line)| match at {
        0 => line.to_owned(),
        _ => format!("        {}", line.get(least..).unwrap_or(line.trim_start())),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The call and the receipt of it. A status of failure is none, or a refusal would be kept as sent.
fn answering(context: &Context<'_, '_, '_>, call: &str, site: &Site, act: &Act) -> [String; 2] {
    let api = site.sink.api.as_str();
    let http = api.starts_with("reqwest::");
    let waits = http && !api.starts_with("reqwest::blocking") && !call.ends_with(".await");
    let call = if waits { format!("{call}.await") } else { call.to_owned() };
    let known = context.manifest.is_some_and(|manifest| manifest.generate.errors.contains(&ErrorCrate::Reqwest));
    let told = if http && known { "?" } else { UNKNOWN };
    let (taken, answered) = match (http, known) {
        (true, true) => (format!("{call}?.error_for_status()?"), ".json().await?".to_owned()),
        (true, false) => (
            format!("{call}\n        .and_then(|response| response.error_for_status()){told}"),
            format!("\n        .json()\n        .await{UNKNOWN}"),
        ),
        (false, _) => (format!("{call}{told}"), String::new()),
    };
    if act.effect == Effect::Model {
        let written = if http { ": serde_json::Value" } else { "" };
        return [format!("let answer{written} = {taken}{answered};"), "Ok(Receipt::result(answer))".to_owned()];
    }
    [format!("{taken};"), "Ok(Receipt::accepted())".to_owned()]
}

/// `keys::SendReply { inbound_message_id, conversation_step }`.
fn key(index: &Index, act: &Act, entry: &FnEntry, action: &Action) -> String {
    let parts = action.key.iter().map(|part| hand::given(index, act, entry, &part.name, part.part_type));
    format!("keys::{} {{ {} }}", type_name(&action.name), parts.collect::<Vec<_>>().join(", "))
}

/// The one of its kind; of several the one whose parts are all at hand, or whose name the function bears.
fn action<'c>(context: &Context<'c, '_, '_>, act: &Act, entry: &FnEntry) -> Option<&'c Action> {
    let wanted = if act.effect == Effect::Model { Kind::Model } else { Kind::Send };
    let all: Vec<&Action> = context
        .manifest
        .iter()
        .flat_map(|manifest| manifest.actions.values())
        .filter(|one| one.kind == wanted)
        .collect();
    let only = |fits: &dyn Fn(&Action) -> bool| {
        let mut fitting = all.iter().copied().filter(|action| fits(action));
        fitting.next().filter(|_| fitting.next().is_none())
    };
    only(&|_| true)
        .or_else(|| only(&|action| action.name == entry.name))
        .or_else(|| only(&|action| action.key.iter().all(|part| param(entry, &part.name).is_some())))
}

/// What the ledger is called where the site stands.
fn ledger(context: &Context<'_, '_, '_>, act: &Act) -> String {
    let guards = context.guards;
    let entry = &guards.types.index.functions[act.function.0 as usize];
    let is_ledger = |ty| guards.client.of_ty(entry.module, ty).is_some_and(|(named, _)| named == Named::Ledger);
    let mut found = None;
    for param in entry.function.params.iter().filter(|param| is_ledger(&param.ty)) {
        param.pat.bindings(&mut |name, _| found = Some(name.to_owned()));
    }
    found.or_else(|| ledger_field(context, act)).unwrap_or_else(|| "ledger".to_owned())
}

fn ledger_field(context: &Context<'_, '_, '_>, act: &Act) -> Option<String> {
    let index = context.guards.types.index;
    let entry = &index.functions[act.function.0 as usize];
    let own = index.impls.get(entry.impl_id?.0 as usize)?.self_def.as_ref()?;
    let crate::scan::index::Def::Type(id) = own else { return None };
    let holder = &index.types[id.0 as usize];
    let TypeKind::Struct(fields) = &holder.kind else { return None };
    let field = fields.iter().find(|field| {
        context.guards.client.of_ty(holder.module, &field.ty).is_some_and(|(named, _)| named == Named::Ledger)
    })?;
    entry.function.has_self.then(|| format!("self.{}", field.name))
}
