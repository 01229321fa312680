//! What a verb, a URL, a GraphQL document and words say by themselves.

use crate::catalog::call::Effect;
use crate::scan::sinks::effect::Told;
use crate::scan::sinks::purpose::exchanges_credentials;
use crate::scan::sinks::recipes::{Address, recipes, told_by, told_by_name, words};
use crate::scan::sinks::verbs::writes;
use crate::scan::summary::documents::operations;
use crate::scan::types::value::{Part, Request, Text};

/// Whether a name says no more than that something is requested.
pub(super) fn is_plain_name(said: &[String]) -> bool {
    const PLAIN: [&str; 45] = [
        "api",
        "async",
        "auth",
        "authenticated",
        "backoff",
        "base",
        "body",
        "call",
        "checked",
        "common",
        "core",
        "do",
        "error",
        "execute",
        "form",
        "generic",
        "helper",
        "http",
        "impl",
        "inner",
        "internal",
        "invoke",
        "it",
        "json",
        "low",
        "make",
        "method",
        "once",
        "perform",
        "post",
        "raw",
        "request",
        "response",
        "result",
        "retry",
        "rpc",
        "run",
        "send",
        "signed",
        "timeout",
        "to",
        "try",
        "typed",
        "url",
        "with",
    ];
    said.iter().all(|word| PLAIN.contains(&word.as_str()))
}

/// The verb that changes most.
pub(super) fn worst_verb<'v>(verbs: &[&'v str], open: bool) -> &'v str {
    const ORDER: [&str; 4] = ["POST", "PATCH", "PUT", "DELETE"];
    let known = ORDER.into_iter().find(|wanted| verbs.contains(wanted));
    match known {
        Some(verb) => verb,
        None if open => "POST",
        None => "GET",
    }
}

/// What a GET does: it reads, but for a few hosts.
pub(super) fn get_effect(address: &Address, functions: &[&str]) -> Told {
    let recipes = recipes();
    let last = words(address.last());
    // `{}/bot{token}/sendSticker`, at a host that is not known.
    let of_a_bot = || {
        let before = address.segments.len().checked_sub(2).map(|at| address.segments[at].as_str());
        address.host.is_empty() && before.is_some_and(|before| before.ends_with("bot{}"))
    };
    if (address.is_at(&recipes.get.hosts) || of_a_bot())
        && last.first().is_some_and(|word| recipes.get.words.contains(word))
    {
        let sends = last.first().is_some_and(|first| matches!(first.as_str(), "copy" | "forward" | "send"));
        let effect = told_by(&last).unwrap_or(if sends { Effect::Send } else { Effect::Mutate });
        return Told::of(effect, &format!("a GET of {} that changes something", address.last()));
    }
    // `sms/send` in `send_sms`, `milestones/1/delete` in `delete_milestone`.
    const ACTS: [&str; 6] = ["cancel", "create", "delete", "publish", "remove", "send"];
    let acts = |function: &&str| {
        let said = words(function);
        let act = said.first().filter(|first| ACTS.contains(&first.as_str()) && last.first() == Some(*first))?;
        let sends = matches!(act.as_str(), "publish" | "send");
        let effect = told_by_name(&said).unwrap_or(if sends { Effect::Send } else { Effect::Mutate });
        Some(Told::of(effect, &format!("a GET of `{function}`")))
    };
    if let Some(told) = functions.iter().take(2).find_map(acts) {
        return told;
    }
    Told::of(Effect::Read, "a GET")
}

/// What a URL alone says of a write.
pub(super) fn by_recipe(verb: &str, address: &Address, request: &Request) -> Option<Told> {
    let recipes = recipes();
    if let Some(effect) = graphql_text(&request.bodies) {
        return Some(Told::of(effect, "its GraphQL document"));
    }
    if address.ends_with(&recipes.auth.paths) && verb == "POST" {
        return Some(Told::of(Effect::Auth, "a token endpoint"));
    }
    let whole = address.segments.join("/");
    let any_host = address.host.is_empty() && recipes.model.last.contains(&whole);
    if verb == "POST" && (any_host || address.goes_through(&recipes.model.paths)) {
        return Some(Told::of(Effect::Model, "a path of model APIs"));
    }
    if address.is_at(&recipes.telemetry.hosts) || address.ends_with(&recipes.telemetry.paths) {
        return Some(Told::of(Effect::Telemetry, "a measurement endpoint"));
    }
    if address.ends_with(&recipes.points.paths) {
        return Some(Told::of(Effect::Mutate, "points of a time series"));
    }
    let reads = |segment: &String| searches(segment) || is_named_as_read(segment);
    if verb == "POST" && address.segments.last().is_some_and(reads) {
        return Some(Told::of(Effect::Read, &format!("`{}` by POST reads", address.last())));
    }
    if verb == "POST" && address.segments.iter().any(|segment| matches!(segment.as_str(), "oauth" | "oauth2")) {
        return Some(Told::of(Effect::Auth, "a path of OAuth"));
    }
    if verb == "POST" && address.is_at(&recipes.model.hosts) {
        return Some(Told::of(Effect::Model, &format!("{} runs models", address.host)));
    }
    None
}

/// What a GraphQL document says: a mutation anywhere writes.
pub(super) fn graphql_text(texts: &[Text]) -> Option<Effect> {
    let mut reads = false;
    for text in texts {
        let Some(Part::Lit(first)) = text.first() else { continue };
        let text = first.trim_start();
        if text.starts_with("mutation") {
            return Some(Effect::Mutate);
        }
        if text.strip_prefix('{').is_some_and(is_selection) || text.starts_with("query") && text.contains('{') {
            if operations(text).iter().any(|one| one.changes) {
                return Some(Effect::Mutate);
            }
            reads = true;
        }
    }
    reads.then_some(Effect::Read)
}

/// Whether what follows a `{` is a selection of fields, as in `{ __typename }`, and no JSON.
fn is_selection(rest: &str) -> bool {
    let inner = rest.trim_start();
    let named = inner.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let plain = rest.starts_with(char::is_whitespace) && !rest.contains([':', '"']) && rest.trim_end().ends_with('}');
    named && (rest.contains('{') || plain)
}

/// Whether a segment is named like a method that reads: `getUpdates`, `list_members`, and with dots `users.list`; not
/// where it names a change or a message too: `find_or_create`, `list-unsubscribe`, `get_send`.
fn is_named_as_read(segment: &str) -> bool {
    const VERBS: [&str; 9] = ["count", "describe", "fetch", "find", "get", "list", "lookup", "query", "search"];
    // `documents:runQuery`, `threatMatches:find`.
    if let Some((_, method)) = segment.rsplit_once(':') {
        let said = words(method);
        let reads = |word: &String| VERBS.contains(&word.as_str());
        return said.first().is_some_and(reads)
            || matches!(said.as_slice(), [first, second, ..] if matches!(first.as_str(), "batch" | "run") && reads(second));
    }
    if let Some((_, method)) = segment.rsplit_once('.') {
        // `files.getUploadURLExternal`.
        let gets = words(method).first().is_some_and(|first| matches!(first.as_str(), "get" | "list" | "lookup"));
        return gets && method != "get" || matches!(method, "history" | "info" | "list" | "members");
    }
    let mut said = words(segment);
    // `batch_get_id`, `restSearch`.
    let many = said.first().is_some_and(|first| matches!(first.as_str(), "batch" | "bulk" | "rest"));
    if many {
        said.remove(0);
    }
    // `getupdates`, `getuploadurl`.
    if let ([one], false) = (said.as_slice(), many) {
        return one
            .strip_prefix("get")
            .is_some_and(|rest| rest.len() > 2 && !rest.contains("create") && !rest.contains("token"));
    }
    let Some((first, more)) = said.split_first() else { return false };
    // A noun of a change may stand behind: the updates that are got.
    let changes = |word: &String| matches!(word.as_str(), "and" | "or") || *word != "update" && writes(word);
    VERBS.contains(&first.as_str())
        && (many || !more.is_empty())
        && !more.iter().any(changes)
        && !exchanges_credentials(&said.join("_"))
}

/// What the words of a URL's path say, and those of its last segment: a change that this names stands before a message
/// named first.
pub(super) fn last_words(url: &[String], method: &[String]) -> Option<Effect> {
    let recipes = recipes();
    let last = url.last()?;
    if recipes.mutate.words.contains(last) || recipes.mutate.last.contains(last) {
        return Some(Effect::Mutate);
    }
    // `deleteMessage`, `_delete_by_query`.
    if method.len() > 1 && method.first().is_some_and(|first| recipes.mutate.words.contains(first)) {
        return Some(Effect::Mutate);
    }
    if last == "send" {
        return Some(told_by(url).unwrap_or(Effect::Send));
    }
    told_by(url)
}

/// Words that a name begins with when what it names is not yet done by it: `handle_payment`, `verify_email`.
pub(super) fn comes_before(said: &[String]) -> bool {
    const BEFORE: [&str; 16] = [
        "check", "confirm", "ensure", "fetch", "find", "get", "handle", "list", "on", "open", "process", "receive",
        "register", "resolve", "validate", "verify",
    ];
    said.first().is_some_and(|word| BEFORE.contains(&word.as_str())) && !said.iter().any(|word| gives_people(word))
}

/// Whether a path leads to a list of webhooks or to one of them; two ids behind it are a place to post to.
pub(super) fn asks_for_sends(segments: &[String]) -> bool {
    let lists = &recipes().mutate.paths;
    match segments {
        [.., list] if lists.contains(list) => true,
        [.., list, one] => lists.contains(list) && one == "{}",
        _ => false,
    }
}

/// Words that a name begins with when people get something, whatever the verb of the request.
pub(super) fn gives_people(word: &str) -> bool {
    matches!(word, "broadcast" | "deliver" | "notify" | "publish" | "push" | "send")
}

/// Whether a function is named after what it gives to people or queues: `send_batch`, and not `send_request`.
pub(super) fn is_named_as_send(said: &[String]) -> bool {
    const NOTHING_NEW: [&str; 6] = ["chunk", "heartbeat", "metric", "part", "ping", "telemetry"];
    said.first()
        .is_some_and(|first| gives_people(first) && first != "push" || first == "push" && told_by(&said[1..]).is_some())
        && !is_plain_name(said)
        && !said.iter().any(|word| NOTHING_NEW.contains(&word.as_str()))
}

/// Whether a name says that the team's own measurements are sent.
pub(super) fn measures(said: &[String]) -> bool {
    let has = |wanted: &[&str]| said.iter().any(|word| wanted.contains(&word.as_str()));
    let reports = said.first().is_some_and(|word| matches!(word.as_str(), "record" | "report" | "track" | "upload"));
    has(&["analytic", "telemetry"])
        || has(&["track"]) && has(&["event", "goal", "visit"])
        || reports && said.last().is_some_and(|word| word == "conversion")
}

/// Whether the last part of an address says that a POST reads: `search`, `search-and-scrape`.
fn searches(last: &str) -> bool {
    let known = |part: &str| recipes().search.last.iter().any(|word| word == part);
    known(last) || last.split('-').filter(|part| *part != "and").all(known)
}

/// Whether a name says that a POST reads, and nothing of a change.
pub(super) fn reads_by_post(said: &[String]) -> bool {
    // `batch_validate`.
    let first = said.iter().find(|word| !matches!(word.as_str(), "batch" | "bulk"));
    let reads = first.is_some_and(|word| recipes().search.verbs.contains(word));
    let changes = |word: &String| {
        matches!(word.as_str(), "airdrop" | "and" | "create" | "faucet" | "mark" | "or" | "update" | "upsert")
    };
    reads && !said.iter().any(changes)
}

/// Whether a path of Discord leads to something else than messages: guilds, bans, roles.
pub(super) fn is_kept_there(address: &Address) -> bool {
    let discord = address.host.ends_with("discord.com") || address.host.ends_with("discordapp.com");
    let version =
        |segment: &str| segment.strip_prefix('v').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
    let mut written = address.segments.iter().filter(|part| !part.contains("{}") && *part != "api" && !version(part));
    let of_messages = |part: &String| matches!(part.as_str(), "callback" | "messages" | "webhooks");
    discord && written.next().is_some() && !address.segments.iter().any(of_messages)
}

/// Whether words say that a file is handed in, which moves no money: `upload_document`.
pub(super) fn hands_in_a_file(said: &[String]) -> bool {
    said.iter().any(|word| matches!(word.as_str(), "attachment" | "document" | "file" | "multipart" | "upload"))
}
