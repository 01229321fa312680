//! Outbound writes as action types.

use crate::catalog::Catalog;
use crate::catalog::call::Effect;
use crate::catalog::provider::{self, Provider};
use crate::init::{Found, Names, comment, place, quoted};
use crate::manifest::{BLANK, plain_name};
use crate::scan::index::FnEntry;
use crate::scan::site::{Site, Verdict};

/// Function names that say nothing of the act: then the type or module that holds them does.
const GENERIC: &[&str] = &[
    "call", "create", "deliver", "dispatch", "emit", "exec", "execute", "fetch", "handle", "handler", "invoke", "main",
    "notify", "perform", "post", "process", "publish", "push", "put", "request", "run", "send", "start", "submit",
    "update",
];

/// The longest name before a number is put behind it, in letters.
const MAX_NAME: usize = 58;

/// One table for each outbound call that is worth a guard, in the order of the sites.
pub(super) fn draft_all(found: &Found<'_>) -> Vec<String> {
    let mut names = Names::default();
    found.sites.iter().filter(|site| is_act(found, site)).map(|site| draft(found, site, &mut names)).collect()
}

/// Whether a repeat may do harm, and nobody has said that it does not.
fn is_act(found: &Found<'_>, site: &Site) -> bool {
    let wanted = match site.verdict {
        Verdict::Guarded | Verdict::Unguarded | Verdict::Undecided => true,
        Verdict::Exempt | Verdict::Read => false,
    };
    wanted && site.sink.effect.is_write() && !found.index.function(site.sink.function).test
}

fn draft(found: &Found<'_>, site: &Site, names: &mut Names) -> String {
    let function = found.index.function(site.sink.function);
    let provider = guess(found.catalog, site);
    let name = names.take(&wishes(function, site, provider));
    let mut text = format!("\n# {}: {}\n", place(found.index, function, site.sink.span.start), request(site));
    if let Some(why) = site.why.as_ref().or(site.sink.undecided.as_ref()) {
        text.push_str(&format!("# not certain: {}\n", comment(why)));
    }
    text.push_str(&format!("[action.{name}]\n"));
    if site.sink.effect == Effect::Model {
        text.push_str("kind = \"model\"\n");
    }
    text.push_str(&format!("summary = {}\n", quoted(&summary(function, &name))));
    text.push_str(&format!("same_when = {}\n", quoted(&format!("{BLANK}: what makes two of them the same act"))));
    text.push_str(&format!("key = [{}]\n", quoted(&key_blank(function))));
    if let Some(provider) = provider {
        text.push_str(&format!("provider = {}\n", quoted(&provider.name)));
    }
    if site.sink.effect == Effect::Model {
        text.push_str("when_unknown = \"retry\"\n");
    }
    text
}

/// `POST https://api.example reqwest::RequestBuilder::send`.
fn request(site: &Site) -> String {
    let method = site.sink.http_method.iter().map(String::as_str);
    let parts: Vec<_> = method.chain(site.sink.url.as_deref()).chain([site.sink.api.as_str()]).collect();
    comment(&parts.join(" "))
}

/// From the URL's host, or from a crate that talks to one provider only.
fn guess(catalog: &Catalog, site: &Site) -> Option<&'static Provider> {
    let host = site.sink.url.as_deref().and_then(host);
    let library = site.sink.api.split("::").next().unwrap_or_default();
    let package = catalog.library(library).map_or_else(|| library.replace('_', "-"), |calls| calls.package.clone());
    provider::all().iter().filter(|known| known.outbound.is_some()).find(|known| match &host {
        Some(host) => known.owns_host(host),
        None => known.crates.contains(&package),
    })
}

/// The host of `https://user@host:port/path`, in lower case.
fn host(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?.split(':').next()?;
    (!host.is_empty()).then(|| host.to_lowercase())
}

/// Names in the order of preference: of the guard's action, the function, with its holder where it says nothing, with
/// the provider.
fn wishes(function: &FnEntry, site: &Site, provider: Option<&Provider>) -> Vec<String> {
    let own = cut(&function.name, MAX_NAME);
    let holder = function.path.rsplit("::").nth(1).map(|holder| format!("{}_{}", cut(holder, 28), cut(&own, 29)));
    let behind = match provider {
        Some(provider) => provider.name.as_str(),
        None => site.sink.api.rsplit("::").next().unwrap_or_default(),
    };
    let behind = format!("{}_{}", cut(&own, 29), cut(behind, 28));
    let action = site.guard.as_ref().and_then(|guard| guard.action.clone());
    let generic = GENERIC.contains(&own.as_str());
    let own = if generic { None } else { Some(own) };
    let holder = holder.filter(|_| generic);
    action.into_iter().chain(own).chain(holder).chain([behind]).collect()
}

/// A plain name of at most that many letters.
fn cut(name: &str, letters: usize) -> String {
    let name = plain_name(name);
    name.get(..letters).map_or(name.clone(), |start| start.trim_end_matches('_').to_owned())
}

/// The first sentence of the docs of the function that it is named after, where that says what it does, or its name in
/// words.
fn summary(function: &FnEntry, name: &str) -> String {
    let named_after = function.docs.iter().filter(|_| function.name == name).map(|line| line.trim());
    let documented = named_after.into_iter().find(|line| !line.is_empty() && !line.starts_with('#'));
    let sentence = documented.and_then(|line| line.split(". ").next());
    match sentence.filter(|sentence| says_what_is_done(sentence, name)) {
        Some(sentence) => sentence.trim_end_matches('.').to_owned(),
        None => {
            let mut words = name.replace('_', " ");
            if let Some(first) = words.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            words
        }
    }
}

/// Whether the sentence begins with the verb that the function is named by: `charge` charges a card. Other docs are about
/// something else, such as what is wrong with it.
fn says_what_is_done(sentence: &str, name: &str) -> bool {
    let word = |text: &str| -> String { text.chars().take_while(|letter| letter.is_alphanumeric()).collect() };
    let (first, verb) = (word(sentence).to_lowercase(), word(name));
    ["", "s", "es", "ies"].iter().any(|ending| {
        let stem = if *ending == "ies" { verb.strip_suffix('y').unwrap_or(&verb) } else { &verb };
        first == format!("{stem}{ending}")
    })
}

/// The blank for the key, with the names that the function has at hand.
fn key_blank(function: &FnEntry) -> String {
    let mut names = Vec::new();
    for param in &function.function.params {
        param.pat.bindings(&mut |name, _| names.push(name));
    }
    names.retain(|name| *name != "self");
    let hand = if names.is_empty() { String::new() } else { format!("; at hand: {}", names.join(", ")) };
    format!("{BLANK}: what the act comes from, such as inbound_message_id: text{hand}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_read_from_urls() {
        for (url, expected) in [
            ("https://API.stripe.com/v1/charges", Some("api.stripe.com")),
            ("http://user:secret@hooks.slack.com:443?x", Some("hooks.slack.com")),
            ("/relative", None),
            ("https:///x", None),
        ] {
            assert_eq!(host(url).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn docs_are_a_summary_where_they_say_what_is_done() {
        for (sentence, name, expected) in [
            ("Charges a card", "charge", true),
            ("Send one mail", "send_mail", true),
            ("Notifies the desk", "notify_desk", true),
            ("Nothing stops a second one, and a lost answer makes one", "send", false),
            ("The provider drops a repeat", "charge", false),
            ("Sends", "sendmail", false),
        ] {
            assert_eq!(says_what_is_done(sentence, name), expected, "{sentence}");
        }
    }

    #[test]
    fn generic_names_are_sorted() {
        assert!(GENERIC.is_sorted());
    }
}
