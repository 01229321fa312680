//! Whether an act that is done twice leaves the same behind as one that was done once: it sets, replaces or takes away
//! what it names. Only of changes: a message, a charge and a new thing are there twice.

mod signed;

use crate::catalog::call::Effect;
use crate::scan::guards::Act;
use crate::scan::ir::{Expr, ExprId, Lit, Pat};
use crate::scan::rules::Context;
use crate::scan::rules::settling::signed::{Procedure, accrues_by_name, is_signed, procedure};
use crate::scan::sinks::recipes::words;
use crate::scan::sinks::uses::{calls_before, names_before};
use crate::scan::site::Site;
use crate::scan::types::value::Scope;

/// Verbs of changes after which the same holds, however often they are made.
const VERBS: [&str; 69] = [
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
    "refresh",
    "reject",
    "release",
    "reload",
    "remove",
    "rename",
    "replace",
    "resume",
    "revoke",
    "set",
    "stop",
    "subscribe",
    "suspend",
    "sync",
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
const ACCRUES: [&str; 48] = [
    "add",
    "append",
    "batch",
    "book",
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

/// Of these the ones that say how it is told, not what.
const SENDS: [&str; 7] = ["dispatch", "execute", "make", "perform", "post", "request", "send"];

/// What somebody says of itself, and what is set by being told: posted twice it is the same.
const STATES: [&str; 12] = [
    "config",
    "configuration",
    "health",
    "heartbeat",
    "heartbeats",
    "keep-alive",
    "keepalive",
    "ping",
    "presence",
    "settings",
    "state",
    "status",
];

/// Ends of longer names that say the same: `uploadBasicInfo`, `node-status`.
const OF_ONESELF: [&str; 6] = ["config", "heartbeat", "info", "keepalive", "ping", "status"];

/// What is there once under a name, or once for a branch.
const NAMED_ONCE: [&str; 15] = [
    "branch",
    "bucket",
    "database",
    "dataset",
    "index",
    "label",
    "milestone",
    "pull",
    "queue",
    "ref",
    "route",
    "schema",
    "subnet",
    "table",
    "topic",
];

/// Whether doing it twice leaves the same behind.
pub(super) fn settles(context: &Context<'_, '_, '_>, site: &Site, act: &Act) -> bool {
    if is_signed(context, site, act) || carries_a_key(context, act) || is_read_on(site) || is_got(context, act) {
        return true;
    }
    match procedure(context, site, act) {
        Some(Procedure::AtRunTime) => return true,
        Some(Procedure::Named(name)) => return !accrues_by_name(name),
        None => {}
    }
    if act.effect != Effect::Mutate {
        return false;
    }
    if is_within_an_upsert(context, act) || is_rehearsed(context, act) {
        return true;
    }
    match act.http_method.as_deref() {
        Some("DELETE" | "PATCH") => true,
        Some("POST") => act.url.as_deref().is_some_and(asks_for_a_state) || is_named_after_a_state(context, act),
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
    // A pull request, a branch: the forge turns the second one down.
    let once = path.ends_with("/git/refs") || path.contains("/repos/") && last == "pulls";
    let is_state = STATES.contains(&last)
        || words(last).len() > 1 && words(last).last().is_some_and(|last| OF_ONESELF.contains(&last.as_str()));
    once || is_state || VERBS.iter().any(|verb| last.strip_prefix(verb).is_some_and(ends))
}

/// A function that is given a key by which the other side knows a second one: `dedup_key`, `idempotency_key`.
fn carries_a_key(context: &Context<'_, '_, '_>, act: &Act) -> bool {
    let is_key = |name: &str| {
        let said = words(name);
        let of = |list: &[&str]| said.iter().any(|word| list.contains(&word.as_str()));
        of(&["dedup", "dedupe", "deduplication", "idempotence", "idempotency"])
            && !of(&["cache", "config", "ttl", "window"])
    };
    let params = &context.guards.types.index.function(act.function).function.params;
    params.iter().any(|param| matches!(&param.pat, Pat::Bind { name, .. } if is_key(name)))
}

/// `get_block_number`: what is posted there asks for something.
fn is_got(context: &Context<'_, '_, '_>, act: &Act) -> bool {
    let said = words(&context.guards.types.index.function(act.function).name);
    let reads = said.first().is_some_and(|first| matches!(first.as_str(), "fetch" | "get" | "list" | "query" | "read"));
    act.http_method.as_deref() == Some("POST")
        && reads
        && !said.iter().any(|word| ACCRUES.contains(&word.as_str()) || matches!(word.as_str(), "or" | "and"))
}

/// A stream that the other side answers with: what opens it anew reads on.
fn is_read_on(site: &Site) -> bool {
    site.sink.api.ends_with("::server_streaming")
}

/// `ping`, `send_heartbeat`, `update_session`, `try_connect`: what is called there, or else the function around a POST,
/// says that it sets what it names, or asks whether somebody is there.
fn is_named_after_a_state(context: &Context<'_, '_, '_>, act: &Act) -> bool {
    const PROBES: [&str; 6] = ["check", "connect", "probe", "test", "validate", "verify"];
    for name in names_of(context, act) {
        let said = words(name);
        let said: Vec<&str> = said.iter().map(String::as_str).filter(|word| !matches!(*word, "do" | "try")).collect();
        let first = said.first().copied().unwrap_or_default();
        let asks = said.iter().any(|word| matches!(*word, "health" | "heartbeat" | "keepalive" | "ping"));
        if asks || VERBS.contains(&first) || PROBES.contains(&first) {
            return true;
        }
        // `create_records` makes them, in `sync_calendar` too.
        if ACCRUES.contains(&first) && !SENDS.contains(&first) {
            return false;
        }
    }
    false
}

/// The name of the helper of ours that an act is, and of the function around it.
fn names_of<'a>(context: &Context<'_, '_, 'a>, act: &Act) -> Vec<&'a str> {
    let index = context.guards.types.index;
    let helpers = context.flow.eval.targets(Scope::Fn(act.function), act.expr);
    helpers.into_iter().chain([act.function]).map(|id| index.function(id).name.as_str()).collect()
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
    let mut said: Vec<&str> = said.iter().map(String::as_str).collect();
    // `post_reload_config` of a generated client: its HTTP method stands in front.
    if let ["post" | "put", _, _, ..] = said.as_slice() {
        said.remove(0);
    }
    match said.as_slice() {
        // A tool may do anything.
        ["call", "tool", ..] => false,
        ["create" | "get" | "find", "or", ..] => true,
        // What was thrown out of a cache is out of it, and a conversation with somebody is there once.
        ["create", "invalidation"] | ["conversation", "open"] => true,
        ["create", noun] if NAMED_ONCE.contains(noun) => true,
        // `pulls().create(..)`, `dataset().create(..)`: the part of the client says what is made.
        ["create"] if site.sink.api.rsplit("::").nth(1).is_some_and(is_named_once) => true,
        // It is signed, and stays here.
        [.., "sign" | "signed"] if !said.contains(&"send") && !said.contains(&"submit") => true,
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

fn is_named_once(part: &str) -> bool {
    matches!(words(part).as_slice(), [only] if NAMED_ONCE.contains(&only.as_str()))
}

/// `create_role().role_name(..)`, `create_secret().name(..)`, `create_key_pair().key_name(..)`: what is made bears a name
/// that is taken the second time.
fn bears_its_own_name(context: &Context<'_, '_, '_>, act: &Act, noun: &[&str]) -> bool {
    let Some(body) = context.guards.types.body(Scope::Fn(act.function)) else { return false };
    names_before(body, act.expr).into_iter().any(|method| {
        let given = words(method);
        let given = given.strip_prefix(&["set".to_owned()]).unwrap_or(&given);
        given.split_last().is_some_and(|(last, before)| {
            let before: Vec<&str> = before.iter().map(String::as_str).collect();
            let own = noun.starts_with(&before) || noun.ends_with(&before);
            matches!(last.as_str(), "name" | "identifier") && own
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
        for url in ["{}/agents/{}/heartbeat", "{}/settings", "https://api.github.com/repos/{}/{}/pulls"] {
            assert!(asks_for_a_state(url), "{url}");
        }
        for url in ["{}/updates", "{}/putty", "https://x/messages", "{}", "{}/pulls"] {
            assert!(!asks_for_a_state(url), "{url}");
        }
    }
}
