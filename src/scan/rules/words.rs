//! Words about sites that several rules share.

use crate::catalog::call::Effect;
use crate::diagnostic::{Finding, Subject};
use crate::manifest::name::type_name;
use crate::manifest::{Kind, Manifest};
use crate::scan::guards::Act;
use crate::scan::guards::client::Named;
use crate::scan::index::TypeKind;
use crate::scan::rules::Context;
use crate::scan::site::Site;
use crate::scan::types::value::Scope;

/// How many callers a finding points at.
const CALLERS: usize = 3;
/// The longest piece of the user's own code that a help quotes, in characters.
const QUOTED: usize = 96;

/// "this POST to https://api.example.com/charges", "this teloxide::requests::Requester::send_message".
pub(super) fn act(site: &Site, act: &Act) -> String {
    match (&act.http_method, &act.url) {
        (Some(method), Some(url)) => format!("this {method} to {url}"),
        (Some(method), None) => format!("this {method} ({})", site.sink.api),
        (None, Some(url)) => format!("this {} to {url}", site.sink.api),
        (None, None) => format!("this {}", site.sink.api),
    }
}

/// What the effect is, and what decided it.
pub(super) fn label(act: &Act) -> String {
    let what = match act.effect {
        Effect::Charge => "moves money or places an order",
        Effect::Send => "somebody gets something",
        Effect::Mutate => "changes something remote",
        Effect::Model => "asks a model",
        Effect::Read | Effect::Auth | Effect::Telemetry => "leaves the process",
    };
    if act.reason.is_empty() { what.to_owned() } else { format!("{what}: {}", act.reason) }
}

/// What a finding about an act is about, free of line numbers.
pub(super) fn subject(context: &Context<'_, '_, '_>, site: &Site, act: &Act) -> Subject {
    let effect = Some(act.effect.name());
    Subject { function: context.path_of(act.function), effect, ..Subject::from(site.sink.api.as_str()) }
}

/// The chain of callers, and the callers that are not guarded where others are.
pub(super) fn with_callers(context: &Context<'_, '_, '_>, act: &Act, mut finding: Finding) -> Finding {
    let guards = context.guards;
    if let Some(path) = guards.paths(act.function).into_iter().next().filter(|path| path.len() > 1) {
        finding = finding.with_related(context.at_function(act.function, format!("reached by {}", path.join(" > "))));
    }
    let (guarded, open): (Vec<_>, Vec<_>) = guards
        .callers(act.function)
        .into_iter()
        .partition(|(caller, call)| guards.guard(Scope::Fn(*caller), *call).is_some());
    if guarded.is_empty() {
        return finding;
    }
    let labels = open
        .into_iter()
        .take(CALLERS)
        .filter_map(|(caller, call)| context.at_expr(caller, call, "called here without a guard, elsewhere with one"));
    labels.fold(finding, Finding::with_related)
}

/// The user's own call in the closure of `once`, with names as far as they are known, and what the closure answers.
pub(super) fn guarded_form(context: &Context<'_, '_, '_>, site: &Site, act: &Act) -> String {
    let place = context.at_act(site, act, "");
    let body = answering(&shortened(place.source.slice(place.span)), site, act);
    let (ledger, key) = (ledger(context, act), key(context.manifest, act));
    format!("`{ledger}.once(&{key}, payload, |payload, slot| async move {{ {body} }}).await?`")
}

/// The call and the receipt of it. A status of failure is none, or a refusal would be kept as sent.
fn answering(call: &str, site: &Site, act: &Act) -> String {
    let is_model = act.effect == Effect::Model;
    if site.sink.api.starts_with("reqwest::") {
        let taken = format!("{call}?.error_for_status()?");
        return if is_model {
            format!("let answer: serde_json::Value = {taken}.json().await?; Ok(Receipt::result(answer))")
        } else {
            format!("{taken}; Ok(Receipt::accepted())")
        };
    }
    let taken = format!("{call}.map_err(|error| SendError::Unknown(error.to_string()))?");
    if is_model {
        format!("let answer = {taken}; Ok(Receipt::result(answer))")
    } else {
        format!("{taken}; Ok(Receipt::accepted())")
    }
}

/// `keys::SendReply { inbound_message_id, conversation_step }` of the one action that fits.
fn key(manifest: Option<&Manifest>, act: &Act) -> String {
    let wanted = if act.effect == Effect::Model { Kind::Model } else { Kind::Send };
    let mut fitting =
        manifest.into_iter().flat_map(|manifest| manifest.actions.values()).filter(|action| action.kind == wanted);
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => {
            let parts: Vec<&str> = only.key.iter().map(|part| part.name.as_str()).collect();
            format!("keys::{} {{ {} }}", type_name(&only.name), parts.join(", "))
        }
        _ => "keys::YourAction { .. }".to_owned(),
    }
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

/// The code in one line; where that is long, without what stands in its parentheses.
fn shortened(code: &str) -> String {
    let one_line = code.split_whitespace().collect::<Vec<_>>().join(" ").replace(" .", ".");
    if one_line.chars().count() <= QUOTED { one_line } else { without_arguments(&one_line) }
}

/// `http.post(format!("{base}/v1")).send()` becomes `http.post(..).send()`.
fn without_arguments(code: &str) -> String {
    let (mut out, mut depth) = (String::new(), 0_usize);
    let (mut in_text, mut escaped, mut just_open) = (false, false, false);
    for letter in code.chars() {
        if letter == ')' && !in_text {
            depth = depth.saturating_sub(1);
        }
        if depth == 0 {
            out.push(letter);
        } else if just_open {
            out.push_str("..");
        }
        just_open = letter == '(' && !in_text && depth == 0;
        if letter == '(' && !in_text {
            depth += 1;
        }
        in_text ^= letter == '"' && !escaped;
        escaped = in_text && letter == '\\' && !escaped;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_call_is_quoted_without_its_arguments_and_stays_whole() {
        let short = "request\n    .send()\n    .await";
        assert_eq!(shortened(short), "request.send().await");
        let long = r#"self.http.post(format!("{base}/v1/messages")).json(&json!({"model": "a ) \" b", "messages": [{"role": "user"}]})).send().await"#;
        assert_eq!(shortened(long), "self.http.post(..).json(..).send().await");
    }
}
