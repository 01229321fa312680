//! `lints/urls.toml`: what a request does, told from its URL and the words around it.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::catalog::call::Effect;

/// The file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipes {
    /// Not the outside world.
    pub local: List,
    /// Model calls.
    pub model: List,
    /// Token exchanges.
    pub auth: List,
    /// Reads by POST.
    pub search: List,
    /// Measurements and errors.
    pub telemetry: List,
    /// GETs that change something.
    pub get: List,
    /// Money and orders.
    pub charge: List,
    /// Messages.
    pub send: List,
    /// Other changes.
    pub mutate: List,
    /// Points of a time series.
    pub points: List,
}

/// What tells one class.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct List {
    /// Hosts, subdomains included.
    pub hosts: Vec<String>,
    /// Runs of path segments.
    pub paths: Vec<String>,
    /// Last segments.
    pub last: Vec<String>,
    /// Words of names and segments.
    pub words: Vec<String>,
    /// Names of functions, or words of them.
    pub verbs: Vec<String>,
    /// Words of types and modules.
    pub subjects: Vec<String>,
    /// The same that say enough where the function is only called `send` or `post`.
    pub names: Vec<String>,
}

/// Embedded; a test reads the file too, so that a fault in it is seen.
static RECIPES: LazyLock<Recipes> = LazyLock::new(|| parsed().unwrap_or_default());

/// The recipes.
#[must_use]
pub fn recipes() -> &'static Recipes {
    &RECIPES
}

/// Reads the embedded file.
///
/// # Errors
/// The fault of the file.
pub fn parsed() -> Result<Recipes, toml::de::Error> {
    toml::from_str(include_str!("../../../lints/urls.toml"))
}

/// A URL as far as it is written out; what is not known is `{}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// Host without port; empty when it is not known.
    pub host: String,
    /// Path segments.
    pub segments: Vec<String>,
    /// What follows `?`.
    pub query: String,
    /// Whether it is a unix socket.
    pub unix: bool,
}

impl Address {
    /// Takes a shown URL apart.
    #[must_use]
    pub fn of(url: &str) -> Address {
        let (before, query) = url.split_once('?').unwrap_or((url, ""));
        let (scheme, rest) = before.split_once("://").unwrap_or(("", before));
        let unknown_base = scheme.is_empty();
        let (authority, path) = match rest.find('/') {
            Some(at) => rest.split_at(at),
            // A lone word is a path; nothing but blanks is neither host nor path.
            None if unknown_base && !rest.contains('.') && !rest.trim_start_matches("{}").is_empty() => ("", rest),
            None => (rest, ""),
        };
        let authority = authority.rsplit('@').next().unwrap_or(authority);
        let named = !authority.contains("{}") || authority.trim_start_matches("{}").starts_with(['.', '-']);
        let known = named
            && !authority.is_empty()
            && (!unknown_base || authority.contains('.') || authority.starts_with("localhost"));
        let host = if !known {
            String::new()
        } else if authority.starts_with('[') {
            authority.split_inclusive(']').next().unwrap_or(authority).to_owned()
        } else {
            authority.split(':').next().unwrap_or(authority).to_ascii_lowercase()
        };
        // `http://localhost:{}`: the port alone is unknown.
        let host = match authority.split_once(":{}") {
            Some((before, _)) if !before.contains("{}") && !before.is_empty() => before.to_ascii_lowercase(),
            _ => host,
        };
        let kept = if known || authority.contains("{}") { path } else { rest };
        let segments = kept.split('/').filter(|segment| !segment.is_empty()).map(str::to_owned).collect();
        Address { host, segments, query: query.to_owned(), unix: scheme.contains("unix") }
    }

    /// Whether the host, or one above it, is in the list.
    #[must_use]
    pub fn is_at(&self, hosts: &[String]) -> bool {
        !self.host.is_empty()
            && hosts.iter().any(|host| {
                self.host
                    .strip_suffix(host.as_str())
                    .is_some_and(|before| before.is_empty() || before.ends_with(['.', '-']))
            })
    }

    /// Whether one of these runs of segments is in the path.
    #[must_use]
    pub fn goes_through(&self, paths: &[String]) -> bool {
        paths.iter().any(|path| {
            let wanted: Vec<&str> = path.split('/').collect();
            self.segments
                .windows(wanted.len())
                .any(|run| run.iter().zip(&wanted).all(|(segment, wanted)| segment_is(segment, wanted)))
        })
    }

    /// Whether one of these runs ends the path.
    #[must_use]
    pub fn ends_with(&self, paths: &[String]) -> bool {
        paths.iter().any(|path| {
            let wanted: Vec<&str> = path.split('/').collect();
            self.segments.len() >= wanted.len()
                && self.segments[self.segments.len() - wanted.len()..]
                    .iter()
                    .zip(&wanted)
                    .all(|(segment, wanted)| segment_is(segment, wanted))
        })
    }

    /// The last segment that is written out.
    #[must_use]
    pub fn last(&self) -> &str {
        self.segments.iter().rev().find(|segment| segment.as_str() != "{}").map_or("", String::as_str)
    }

    /// The words of its segments.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        self.segments.iter().flat_map(|segment| words(segment)).collect()
    }
}

fn segment_is(segment: &str, wanted: &str) -> bool {
    match wanted.split_once('*') {
        Some((before, after)) => {
            segment.len() > before.len() + after.len() && segment.starts_with(before) && segment.ends_with(after)
        }
        None => segment == wanted,
    }
}

/// The words of a name, lower case: `sendMessage`, `send_message` and `send-message` alike; plurals singular.
#[must_use]
pub fn words(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut fresh = true;
    let mut last_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            fresh = true;
            continue;
        }
        if fresh || (letter.is_uppercase() && last_lower) {
            out.push(String::new());
        }
        fresh = false;
        last_lower = letter.is_lowercase();
        if let Some(word) = out.last_mut() {
            word.extend(letter.to_lowercase());
        }
    }
    for word in &mut out {
        if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") {
            word.pop();
        }
    }
    out
}

/// Whether any of these words is in the list.
#[must_use]
pub fn says(words: &[String], list: &[String]) -> bool {
    words.iter().any(|word| list.contains(word))
}

/// The class that words tell, when they tell one: money first, then messages.
#[must_use]
pub fn told_by(words: &[String]) -> Option<Effect> {
    if moves_money(words) {
        return Some(Effect::Charge);
    }
    names_a_message(words).then_some(Effect::Send)
}

/// What something is kept in or made by.
const KEEPS: [&str; 11] =
    ["config", "filter", "folder", "group", "label", "mirror", "preference", "rule", "schema", "setting", "template"];

/// Whether words tell of what people get, and not of what it is kept in or made by: `mail_folder`, `email/templates`.
fn names_a_message(said: &[String]) -> bool {
    let sends = said.iter().any(|word| word == "send");
    let of_something = |at: usize| said.get(at + 1).is_some_and(|next| KEEPS.contains(&next.as_str()));
    // `users/{}/email`: what somebody is reached by.
    let of_somebody = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| said.get(before)).map_or("", String::as_str);
        said[at] == "email" && matches!(before, "account" | "contact" | "customer" | "member" | "profile" | "user")
    };
    let listed = |(at, word): (usize, &String)| {
        recipes().send.words.contains(word) && (sends || !of_something(at) && !of_somebody(at))
    };
    said.iter().enumerate().any(listed)
}

/// The class that the name of a function tells: a change named anywhere stands before what is changed.
#[must_use]
pub fn told_by_name(said: &[String]) -> Option<Effect> {
    if says(said, &recipes().mutate.words) || asks_for_webhooks(said) {
        return Some(Effect::Mutate);
    }
    if sends_a_transaction(said) {
        return Some(Effect::Charge);
    }
    told_by(said)
}

/// `send_raw_transaction`, `broadcast_tx`: what a chain is given moves what is on it; a mail about one does not.
pub(super) fn sends_a_transaction(said: &[String]) -> bool {
    let has = |wanted: &[&str]| said.iter().any(|word| wanted.contains(&word.as_str()));
    has(&["broadcast", "post", "relay", "send", "submit"])
        && has(&["coin", "transaction", "tx", "txn", "txs"])
        && !has(&["alert", "email", "event", "mail", "message", "notification", "receipt", "sms", "webhook"])
}

/// `create_webhook`, `add_notifier`: others will send, nothing is sent.
fn asks_for_webhooks(said: &[String]) -> bool {
    const ASK: [&str; 7] = ["add", "create", "ensure", "install", "new", "register", "subscribe"];
    let asks = said.first().is_some_and(|first| ASK.contains(&first.as_str()));
    asks && said.iter().any(|word| matches!(word.as_str(), "webhook" | "hook" | "notifier"))
}

/// Whether words tell of money: some do only with the word behind them.
fn moves_money(said: &[String]) -> bool {
    let listed = |(at, word): (usize, &String)| {
        let next = said.get(at + 1).map_or("", String::as_str);
        recipes().charge.words.contains(word)
            && !KEEPS.contains(&next)
            && match word.as_str() {
                "deposit" => next != "address",
                "swap" => matches!(next, "" | "asset" | "coin" | "currency" | "exact" | "token"),
                "order" => next != "by" && !said.iter().any(|word| is_of_certificates(word)),
                "checkout" => {
                    !matches!(next, "branch" | "commit" | "file" | "head" | "ref" | "repo" | "revision" | "tree")
                }
                "transfer" => {
                    !is_handed_over(next) && !at.checked_sub(1).is_some_and(|before| is_handed_over(&said[before]))
                }
                _ => true,
            }
    };
    said.iter().enumerate().any(listed)
}

/// Whether words name a provider of payments: those that are listed, and what is called after them, `alipay` and
/// `coinpayments` alike.
#[must_use]
pub fn takes_payments(said: &[String]) -> bool {
    let called_after = |word: &String| word.len() > 4 && (word.ends_with("pay") || word.ends_with("payment"));
    said.iter().any(|word| recipes().charge.subjects.contains(word) || called_after(word) && word != "payment")
}

/// Words by which providers of payments call what moves money.
#[must_use]
pub fn is_of_payments(word: &str) -> bool {
    matches!(
        word,
        "authorization" | "capture" | "collection" | "disbursement" | "mandate" | "settlement" | "transaction"
    )
}

/// What is transferred and is no money: files, and what somebody else is to own or lead.
fn is_handed_over(word: &str) -> bool {
    matches!(
        word,
        "attachment"
            | "call"
            | "channel"
            | "community"
            | "data"
            | "domain"
            | "file"
            | "image"
            | "issue"
            | "leader"
            | "leadership"
            | "ownership"
            | "project"
            | "repo"
            | "repository"
            | "retrieve"
    )
}

/// Words of certificates, which are ordered and cost nothing.
#[must_use]
pub fn is_of_certificates(word: &str) -> bool {
    matches!(word, "acme" | "cert" | "certificate" | "letsencrypt")
}

/// Whether the name of a method, or of the client that has it, is about credentials.
#[must_use]
pub fn is_about_credentials(said: &[String], client: &[String]) -> bool {
    let has = |words: &[String], wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    has(said, &["auth"]) && has(said, &["challenge", "token"])
        || has(client, &["auth"]) && has(said, &["authenticate", "challenge", "login", "refresh", "token"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read() {
        assert!(parsed().is_ok_and(|recipes| recipes.send.hosts.len() > 5));
    }

    #[test]
    fn a_url_is_taken_apart() {
        let of = |url| {
            let address = Address::of(url);
            (address.host, address.segments.join("/"))
        };
        assert_eq!(of("https://api.x.com/v1/a?b=c"), ("api.x.com".into(), "v1/a".into()));
        assert_eq!(of("{}/chat/completions"), (String::new(), "chat/completions".into()));
        assert_eq!(of("http://127.0.0.1:8080/api"), ("127.0.0.1".into(), "api".into()));
        assert_eq!(of("http://localhost:{}/api"), ("localhost".into(), "api".into()));
        assert_eq!(of("https://{}.openai.azure.com/x"), ("{}.openai.azure.com".into(), "x".into()));
        assert_eq!(of("customers/{}"), (String::new(), "customers/{}".into()));
        assert_eq!(of("{}{}"), (String::new(), String::new()));
    }

    #[test]
    fn names_fall_into_words() {
        assert_eq!(words("sendMessage"), ["send", "message"]);
        assert_eq!(words("exchange/orders"), ["exchange", "order"]);
        assert_eq!(words("HTTPClient"), ["httpclient"]);
    }
}
