//! What patterns, statuses and names say of an outcome.

use crate::scan::flow::outcome::Outcome;
use crate::scan::ir::{Arm, Lit, Pat};

/// Words of errors and statuses that say that nothing was done: the other side turned it down, or nobody was reached.
/// In lower case, without what parts words.
const REFUSED: [&str; 41] = [
    "400",
    "401",
    "402",
    "403",
    "404",
    "405",
    "409",
    "410",
    "413",
    "415",
    "422",
    "429",
    "badrequest",
    "cantparseentities",
    "conflict",
    "connectionrefused",
    "errorresp",
    "forbidden",
    "isconnect",
    "isratelimited",
    "isunauthorized",
    "jsonrpcerror",
    "messageistoolong",
    "messagetoolong",
    "migratetochatid",
    "notfound",
    "payloadtoolarge",
    "queuefull",
    "ratelimit",
    "ratelimited",
    "ratelimitexceeded",
    "retryafter",
    "slowdown",
    "throttled",
    "throttling",
    "tokenexpired",
    "toomanyrequests",
    "unauthenticated",
    "unauthorized",
    "unprocessableentity",
    "unsupportedmediatype",
];

/// Ends of such words, with what is not there, too large or over in front: `DatabaseNotFound`, `TokenExpired`.
const REFUSED_ENDS: [&str; 9] = [
    "alreadyexists",
    "expired",
    "forbidden",
    "notfound",
    "ratelimited",
    "toolarge",
    "toolong",
    "toolow",
    "unauthorized",
];

/// Statuses and words of success.
const DONE: [&str; 9] = ["200", "201", "202", "204", "accepted", "created", "issuccess", "nocontent", "ok"];

/// Statuses and words after which nobody knows.
const FAILED: [&str; 12] = [
    "408",
    "500",
    "502",
    "503",
    "504",
    "badgateway",
    "gatewaytimeout",
    "internalservererror",
    "isservererror",
    "istimeout",
    "requesttimeout",
    "serviceunavailable",
];

pub(super) fn is_option(pat: &Pat) -> bool {
    match pat {
        Pat::TupleStruct(path, _) => path.segments.last().is_some_and(|last| last.name == "Some"),
        Pat::Path(path) => path.ident() == Some("None"),
        Pat::Bind { name, inner: None, .. } => name == "None",
        Pat::Ref(inner) => is_option(inner),
        _ => false,
    }
}

/// Whether a pattern takes an answer that is there: `Some(_)`, `Ok(_)`, `true`.
pub(super) fn takes_something(pat: &Pat) -> bool {
    match pat {
        Pat::TupleStruct(path, _) => {
            path.segments.last().is_some_and(|last| matches!(last.name.as_str(), "Some" | "Ok"))
        }
        Pat::Lit(Lit::Bool(held)) => *held,
        _ => false,
    }
}

/// What one word says.
pub(super) fn word_says(word: &str) -> Option<Outcome> {
    let plain: String =
        word.chars().filter(|letter| !matches!(letter, '_' | '-')).flat_map(char::to_lowercase).collect();
    let is_of = |words: &[&str]| words.contains(&plain.as_str());
    if is_of(&REFUSED) || REFUSED_ENDS.iter().any(|end| plain.ends_with(end)) {
        return Some(Outcome::Refused);
    }
    if is_of(&FAILED) {
        return Some(Outcome::Failed);
    }
    is_of(&DONE).then_some(Outcome::Done)
}

/// What an error's text says that holds these words: whoever asks for one text asks for an answer that the other side
/// gave, if it is none of a line that broke or of a side that was too busy to know.
pub(super) fn text_says(text: &str) -> Outcome {
    const OPEN: [&str; 20] = [
        "broken",
        "clos",
        "connect",
        "deadline",
        "eof",
        "error",
        "fail",
        "gateway",
        "hang",
        "internal",
        "network",
        "overload",
        "reset",
        "retry",
        "send",
        "server",
        "temporar",
        "time",
        "transport",
        "unavailable",
    ];
    let text = text.to_lowercase();
    let open = text.replace("{}", "").trim().is_empty() || OPEN.iter().any(|word| text.contains(word));
    let status = text.split(|letter: char| !letter.is_alphanumeric()).find_map(status);
    match status {
        Some(told) => told,
        None if open && !text.contains("refused") => Outcome::Failed,
        None => Outcome::Refused,
    }
}

/// What a predicate's name says when it holds.
pub(super) fn by_name(name: &str) -> Option<Outcome> {
    let speaks = |words: &[&str]| words.iter().any(|word| name.contains(word));
    // `is_retryable_auth_error`: what may be repeated is what was turned down for that.
    const TURNED_DOWN: [&str; 9] =
        ["auth", "expired", "limit", "markdown", "markup", "nonce", "parse_mode", "throttl", "token"];
    let repeats = speaks(&["retry", "retri"]) && speaks(&TURNED_DOWN);
    word_says(name)
        .or_else(|| word_says(name.strip_prefix("is_")?))
        .or_else(|| repeats.then_some(Outcome::Refused))
        .or_else(|| speaks(&["retry", "retri", "transient", "timeout", "timed_out"]).then_some(Outcome::Failed))
}

/// What a pattern that fits says; `None` when it tells nothing.
pub(super) fn pattern(pat: &Pat) -> Option<Outcome> {
    match pat {
        Pat::TupleStruct(path, parts) => {
            let last = path.segments.last().map_or("", |last| last.name.as_str());
            match last {
                "Err" => match parts.iter().find_map(refusal) {
                    Some(refused) => Some(refused),
                    // Of one of several errors it is not known that it is what a lost answer becomes.
                    None if parts.iter().any(is_of_something_else) => None,
                    None => Some(Outcome::Failed),
                },
                // An answer with nothing in it is an answer.
                "Ok" if matches!(parts.as_slice(), [Pat::Path(path)] if path.ident() == Some("None")) => {
                    Some(Outcome::Done)
                }
                "Ok" | "Some" => Some(parts.iter().find_map(pattern).unwrap_or(Outcome::Done)),
                _ => word_says(last),
            }
        }
        Pat::Path(path) | Pat::Struct(path, _) => {
            let last = path.segments.last().map_or("", |last| last.name.as_str());
            match last {
                "None" => Some(Outcome::Failed),
                "OK" => Some(Outcome::Done),
                _ => word_says(last),
            }
        }
        Pat::Bind { inner: Some(inner), .. } | Pat::Ref(inner) | Pat::Typed(inner, _) => pattern(inner),
        Pat::Tuple(parts) | Pat::Slice(parts) => parts.iter().find_map(pattern),
        Pat::Or(parts) => {
            let told: Vec<Option<Outcome>> = parts.iter().map(pattern).collect();
            // The worst of them is what may have happened.
            told.iter().copied().find(|one| *one == Some(Outcome::Failed)).unwrap_or(told.first().copied().flatten())
        }
        Pat::Lit(Lit::Int(number)) => status(number),
        Pat::Bind { inner: None, .. } | Pat::Wild | Pat::Lit(_) | Pat::Other => None,
    }
}

/// Whether the inside of `Err(..)` says that nothing was done.
fn refusal(pat: &Pat) -> Option<Outcome> {
    let mut words = Vec::new();
    names_in(pat, &mut words);
    let refused = !words.is_empty() && words.iter().any(|word| word_says(word) == Some(Outcome::Refused));
    refused.then_some(Outcome::Refused)
}

/// Whether the inside of `Err(..)` asks for one variant, and its name tells nothing of a request that went wrong.
fn is_of_something_else(pat: &Pat) -> bool {
    const WENT_WRONG: [&str; 30] = [
        "any",
        "api",
        "clos",
        "connect",
        "dispatch",
        "err",
        "exception",
        "fail",
        "gateway",
        "http",
        "internal",
        "io",
        "network",
        "other",
        "remote",
        "request",
        "reqwest",
        "response",
        "retri",
        "retry",
        "send",
        "server",
        "service",
        "temporary",
        "time",
        "transient",
        "transport",
        "unavailable",
        "unexpected",
        "unknown",
    ];
    match pat {
        Pat::TupleStruct(path, _) | Pat::Path(path) | Pat::Struct(path, _) => {
            let Some(last) = path.segments.last().filter(|_| path.segments.len() > 1) else { return false };
            let name = last.name.to_lowercase();
            !WENT_WRONG.iter().any(|word| name.contains(word)) && word_says(&last.name) != Some(Outcome::Failed)
        }
        Pat::Bind { inner: Some(inner), .. } | Pat::Ref(inner) | Pat::Typed(inner, _) => is_of_something_else(inner),
        Pat::Or(parts) => !parts.is_empty() && parts.iter().all(is_of_something_else),
        Pat::Tuple(parts) => parts.iter().any(is_of_something_else),
        Pat::Bind { .. } | Pat::Wild | Pat::Slice(_) | Pat::Lit(_) | Pat::Other => false,
    }
}

fn names_in<'p>(pat: &'p Pat, into: &mut Vec<&'p str>) {
    match pat {
        Pat::TupleStruct(path, parts) => {
            into.extend(path.segments.last().map(|last| last.name.as_str()));
            parts.iter().for_each(|part| names_in(part, into));
        }
        Pat::Path(path) => into.extend(path.segments.last().map(|last| last.name.as_str())),
        Pat::Struct(path, parts) => {
            into.extend(path.segments.last().map(|last| last.name.as_str()));
            for (name, part) in parts {
                // `Failed { retry_after: Some(pause), .. }`: that there is one is what the pattern asks for.
                into.extend(takes_something(part).then_some(name.as_str()));
                names_in(part, into);
            }
        }
        Pat::Bind { inner: Some(inner), .. } | Pat::Ref(inner) | Pat::Typed(inner, _) => names_in(inner, into),
        Pat::Lit(Lit::Int(number)) => into.push(number),
        // All of them are so.
        Pat::Tuple(parts) => parts.iter().for_each(|part| names_in(part, into)),
        // One of several may be another.
        Pat::Or(_) | Pat::Bind { .. } | Pat::Wild | Pat::Slice(_) | Pat::Lit(_) | Pat::Other => {}
    }
}

fn status(number: &str) -> Option<Outcome> {
    match number.parse::<u16>().ok()? {
        200..=299 => Some(Outcome::Done),
        408 | 500..=599 => Some(Outcome::Failed),
        400..=499 => Some(Outcome::Refused),
        _ => None,
    }
}

pub(super) fn flag(pat: &Pat) -> Option<Outcome> {
    match pat {
        Pat::Lit(Lit::Bool(true)) => Some(Outcome::Done),
        Pat::Lit(Lit::Bool(false)) => Some(Outcome::Failed),
        _ => None,
    }
}

/// What a pattern that takes the rest says, by what the others take.
pub(super) fn others(arms: &[Arm], position: usize) -> Option<Outcome> {
    let pat = &arms.get(position)?.pat;
    if !matches!(pat, Pat::Wild | Pat::Bind { inner: None, .. }) {
        return None;
    }
    let told = |wanted: Outcome| {
        arms.iter()
            .enumerate()
            .any(|(at, arm)| at != position && arm.guard.is_none() && pattern(&arm.pat) == Some(wanted))
    };
    match (told(Outcome::Done), told(Outcome::Failed)) {
        (true, _) => Some(Outcome::Failed),
        (false, true) => Some(Outcome::Done),
        (false, false) => None,
    }
}
