//! Whether an act that is done twice leaves the same behind as one that was done once: it sets, replaces or takes away
//! what it names. Only of changes: a message, a charge and a new thing are there twice.

use crate::catalog::call::Effect;
use crate::scan::guards::Act;
use crate::scan::ir::{Expr, ExprId, Lit};
use crate::scan::rules::Context;
use crate::scan::sinks::recipes::words;
use crate::scan::sinks::uses::{calls_before, names_before};
use crate::scan::site::Site;
use crate::scan::types::value::Scope;

/// Verbs of changes after which the same holds, however often they are made.
const VERBS: [&str; 66] = [
    "abort",
    "accept",
    "activate",
    "approve",
    "archive",
    "assign",
    "associate",
    "attach",
    "bind",
    "cancel",
    "close",
    "complete",
    "configure",
    "confirm",
    "cordon",
    "deactivate",
    "declare",
    "decline",
    "delete",
    "deregister",
    "detach",
    "disable",
    "disassociate",
    "dismiss",
    "drain",
    "edit",
    "enable",
    "ensure",
    "evict",
    "exclude",
    "grant",
    "lock",
    "mark",
    "modify",
    "move",
    "mute",
    "patch",
    "pause",
    "purge",
    "put",
    "reject",
    "release",
    "remove",
    "rename",
    "replace",
    "resume",
    "revoke",
    "set",
    "stop",
    "subscribe",
    "suspend",
    "tag",
    "terminate",
    "unassign",
    "unban",
    "unbind",
    "unblock",
    "uncordon",
    "unlock",
    "unmute",
    "unpin",
    "unset",
    "unsubscribe",
    "untag",
    "update",
    "upsert",
];

/// Verbs of changes that are there twice when they are made twice. Of others nobody can tell that they are.
const ACCRUES: [&str; 49] = [
    "add",
    "append",
    "batch",
    "book",
    "call",
    "click",
    "clone",
    "copy",
    "create",
    "dispatch",
    "emit",
    "enqueue",
    "execute",
    "export",
    "fork",
    "generate",
    "graphql",
    "import",
    "increment",
    "ingest",
    "insert",
    "invite",
    "invoke",
    "issue",
    "launch",
    "make",
    "mint",
    "new",
    "open",
    "order",
    "perform",
    "place",
    "post",
    "press",
    "produce",
    "publish",
    "push",
    "queue",
    "register",
    "reply",
    "request",
    "run",
    "schedule",
    "send",
    "spawn",
    "start",
    "submit",
    "trigger",
    "upload",
];

/// What something has or has not: to add it once more changes nothing.
const PROPERTIES: [&str; 9] =
    ["assignee", "collaborator", "label", "member", "permission", "reaction", "reviewer", "role", "tag"];

/// Words that end a builder's name and say nothing of what it does.
const ENDS: [&str; 3] = ["builder", "fluent", "input"];

/// Whether doing it twice leaves the same behind.
pub(super) fn settles(context: &Context<'_, '_, '_>, site: &Site, act: &Act) -> bool {
    if act.effect != Effect::Mutate {
        return false;
    }
    if is_within_an_upsert(context, act) || is_rehearsed(context, act) {
        return true;
    }
    match act.http_method.as_deref() {
        Some("DELETE" | "PATCH") => true,
        Some("POST") => act.url.as_deref().is_some_and(asks_for_a_state),
        Some("PUT") => act.url.as_deref().is_some_and(|url| names_something(url) || asks_for_a_state(url)),
        Some(_) => false,
        None => by_name(context, site, act),
    }
}

/// `ensure_topics`, `upsert_event_types`: the function around it makes what is not there.
fn is_within_an_upsert(context: &Context<'_, '_, '_>, act: &Act) -> bool {
    let said = words(&context.guards.types.index.function(act.function).name);
    said.first().is_some_and(|first| matches!(first.as_str(), "ensure" | "upsert"))
}

/// `dry_run(true)`, `invocation_type(InvocationType::DryRun)`: nothing is done.
fn is_rehearsed(context: &Context<'_, '_, '_>, act: &Act) -> bool {
    let Some(body) = context.guards.types.body(Scope::Fn(act.function)) else { return false };
    let is_dry = |arg: &ExprId| matches!(body.expr(*arg), Expr::Path(path) if path.segments.last().is_some_and(|last| last.name == "DryRun"));
    let is_yes = |arg: &ExprId| matches!(body.expr(*arg), Expr::Lit(Lit::Bool(true)));
    calls_before(body, act.expr).into_iter().any(|(name, args)| {
        args.iter().any(is_dry) || matches!(name, "dry_run" | "validate_only") && args.iter().any(is_yes)
    })
}

/// `POST /deleteMessage`, `POST /chat.update`: the last part of the address says what is done.
fn asks_for_a_state(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let last = path.trim_end_matches('/').rsplit(['/', '.', ':']).next().unwrap_or_default();
    let ends =
        |rest: &str| rest.is_empty() || rest.starts_with(|letter: char| letter.is_uppercase() || "-_".contains(letter));
    VERBS.iter().any(|verb| last.strip_prefix(verb).is_some_and(ends))
}

/// `PUT {}/invoices/{}/paid`: the address names what it is about, below its host.
fn names_something(url: &str) -> bool {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    path.split('/').skip(1).any(|part| part.contains("{}"))
}

/// What the method of a client is called.
fn by_name(context: &Context<'_, '_, '_>, site: &Site, act: &Act) -> bool {
    let said = site.sink.api.rsplit("::").find(|name| !matches!(*name, "send" | "execute" | "await"));
    // `reqwest::Client::execute` says nothing: the name is that of the client.
    let speaks = said.is_some_and(|said| !said.starts_with(char::is_uppercase) || said.ends_with("FluentBuilder"));
    let mut said = words(said.unwrap_or_default());
    while said.last().is_some_and(|last| ENDS.contains(&last.as_str())) {
        said.pop();
    }
    let said: Vec<&str> = said.iter().map(String::as_str).collect();
    match said.as_slice() {
        ["create" | "get" | "find", "or", ..] => true,
        // What was thrown out of a cache is out of it, and a conversation with somebody is there once.
        ["create", "invalidation"] | ["conversation", "open"] => true,
        ["create", noun @ ..] if !noun.is_empty() => bears_its_own_name(context, act, noun),
        ["add", of @ ..] => of.iter().any(|word| PROPERTIES.contains(word)),
        // A part has its number.
        ["upload", "part"] => true,
        // What is typed into a page is not sent before the page is.
        ["send", "key"] => true,
        // A store of keys and values makes a key that is there no second time.
        ["create"] => site.sink.api.contains("::kv::"),
        // Flags of a mail.
        ["store"] | ["uid", "store"] => site.sink.api.contains("imap"),
        [.., last] if VERBS.contains(last) => true,
        ["do" | "try", verb, ..] | [verb, ..] => VERBS.contains(verb) || speaks && !ACCRUES.contains(verb),
        [] => false,
    }
}

/// `create_role().role_name(..)`: what is made bears a name that is taken the second time.
fn bears_its_own_name(context: &Context<'_, '_, '_>, act: &Act, noun: &[&str]) -> bool {
    let Some(body) = context.guards.types.body(Scope::Fn(act.function)) else { return false };
    names_before(body, act.expr).into_iter().any(|method| {
        let given = words(method);
        let given = given.strip_prefix(&["set".to_owned()]).unwrap_or(&given);
        given.split_last().is_some_and(|(last, before)| {
            matches!(last.as_str(), "name" | "identifier") && before.iter().map(String::as_str).eq(noun.iter().copied())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_something_below_its_host() {
        assert!(names_something("{}/api/invoices/{}/paid") && names_something("https://x/invoices/{}"));
        assert!(
            !names_something("https://a.{}.local:{}/nodes") && !names_something("{}/nodes") && !names_something("{}")
        );
    }

    #[test]
    fn an_address_asks_for_a_state_where_its_last_part_is_such_a_verb() {
        for url in ["{}/deleteObject", "https://slack.com/api/chat.update", "{}/pods/{}/cordon", "{}/set_topic?x={}"] {
            assert!(asks_for_a_state(url), "{url}");
        }
        for url in ["{}/updates", "{}/putty", "https://x/messages", "{}", "{}/settings"] {
            assert!(!asks_for_a_state(url), "{url}");
        }
    }
}
