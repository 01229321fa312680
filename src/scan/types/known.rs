//! What is known of crates outside, by name: the catalog, and what names alone say where it is silent.

use std::borrow::Cow;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::catalog::Catalog;
use crate::catalog::call::CrateCalls;
use crate::catalog::lookup::{self, Returned};

/// What is known of crates outside.
pub struct Known<'a> {
    /// The catalog.
    pub catalog: &'a Catalog,
    /// Types that carry a request.
    builders: HashSet<&'a str>,
    /// `library::Name` -> the one type of that crate with this last name.
    last_names: HashMap<String, &'a str>,
    /// Libraries of HTTP clients: what their methods return is known or of no interest.
    http: HashSet<&'a str>,
    /// Where a library leads.
    leads: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Known<'a> {
    /// Sorts the catalog by name.
    #[must_use]
    pub fn new(catalog: &'a Catalog) -> Known<'a> {
        let (builders, last_names, http) = (HashSet::default(), HashMap::default(), HashSet::default());
        let mut known = Known { catalog, builders, last_names, http, leads: leads(catalog) };
        for entry in &catalog.crates {
            for returns in entry.returns.iter().filter(|returns| returns.http_method.is_some()) {
                let path = if returns.returns == "Self" { &returns.path } else { &returns.returns };
                known.builders.insert(path);
                known.http.extend(path.split("::").next());
            }
            let paths =
                entry.call.iter().map(|call| &call.path).chain(entry.returns.iter().map(|returns| &returns.path));
            for path in paths.filter(|path| !path.contains('*')) {
                let last = last_of(path);
                if last.starts_with(char::is_uppercase) {
                    for library in entry.library_names() {
                        known.last_names.entry(format!("{library}::{last}")).or_insert(path);
                    }
                }
            }
        }
        known
    }

    /// The path under which the catalog has a type: aliases undone, then by its last name within the crate.
    #[must_use]
    pub fn canonical<'p>(&self, path: &'p str) -> Cow<'p, str>
    where
        'a: 'p,
    {
        if !self.catalog.speaks_of(path) {
            return Cow::Borrowed(path);
        }
        let found = self.catalog.canonical(path);
        if self.catalog.is_type(&found) {
            return found;
        }
        match self.last_names.get(&format!("{}::{}", first_of(&found), last_of(&found))) {
            Some(known) => Cow::Borrowed(*known),
            None => found,
        }
    }

    /// Whether two paths name one type.
    #[must_use]
    pub fn same(&self, one: &str, two: &str) -> bool {
        one == two || self.canonical(one) == self.canonical(two)
    }

    /// The call that the catalog has under a type or module and a name.
    #[must_use]
    pub fn call(&self, path: &str, method: &str) -> Option<lookup::Known<'a>> {
        let catalog = self.catalog;
        catalog.call(path, method).or_else(|| catalog.call(&self.canonical(path), method))
    }

    /// What a method or function outside returns.
    #[must_use]
    pub fn returns(&self, path: &str, method: &str) -> Option<Returned> {
        let found = self.catalog.returns(path, method).or_else(|| self.catalog.returns(&self.canonical(path), method));
        found.filter(|returned| {
            method != "new"
                || returned.path != path
                || returned.http_method.is_some()
                || last_of(path).starts_with(char::is_uppercase)
        })
    }

    /// The libraries that code comes by through this one.
    #[must_use]
    pub fn led_to(&self, library: &str) -> &[&'a str] {
        self.leads.get(library).map_or(&[], Vec::as_slice)
    }

    /// What the catalog says of the crate with this library name.
    #[must_use]
    pub fn library(&self, library: &str) -> Option<&'a CrateCalls> {
        self.catalog.library(library)
    }

    /// Whether a path, or the name of a library, is of a crate that the catalog says nothing of.
    #[must_use]
    pub fn is_unlisted(&self, path: &str) -> bool {
        self.library(first_of(path)).is_none()
    }

    /// Whether a trait or type outside is known to have a method.
    #[must_use]
    pub fn has_method(&self, path: &str, method: &str) -> bool {
        self.call(path, method).is_some()
    }

    /// Whether the type implements a sending trait without leaving the machine.
    #[must_use]
    pub fn is_local_only(&self, path: &str) -> bool {
        self.catalog.is_local_only(path)
            || self
                .library(first_of(path))
                .is_some_and(|entry| entry.local_only.iter().any(|local| last_of(local) == last_of(path)))
    }

    /// Whether a type carries a request.
    #[must_use]
    pub fn is_builder(&self, path: &str) -> bool {
        self.builders.contains(path) || self.builders.contains(self.canonical(path).as_ref())
    }

    /// Whether what methods of this type return is worth following: a crate that the catalog has, HTTP left out.
    #[must_use]
    pub fn chains(&self, path: &str) -> bool {
        let library = first_of(path);
        !self.http.contains(library)
            && !matches!(library, "std" | "tokio" | "core" | "alloc")
            && self.library(library).is_some()
    }

    /// Calls whose pattern for a method name fits this one, whatever the type: the pattern with more letters first. A
    /// pattern that begins with `*` says nothing by itself.
    pub fn patterned(&self, method: &str) -> impl Iterator<Item = lookup::Known<'a>> + use<'a> {
        let calls = |krate: &'a CrateCalls| krate.call.iter().map(move |call| lookup::Known { call, krate });
        let fits = |found: &lookup::Known<'_>| {
            let begins = found.call.method.split_once('*').map_or("", |(begins, _)| begins);
            begins.len() > 2 && !found.call.own_store && lookup::fits(&found.call.method, method)
        };
        let mut found: Vec<_> = self.catalog.crates.iter().flat_map(calls).filter(fits).collect();
        found.sort_by_key(|found| std::cmp::Reverse(found.call.method.len()));
        found.into_iter()
    }

    /// What a constructor of a type outside makes: the type itself, or its builder.
    #[must_use]
    pub fn constructed(&self, path: &str, method: &str) -> Option<String> {
        const MAKES: [&str; 24] = [
            "anonymous",
            "build",
            "builder",
            "connect",
            "create",
            "default",
            "env",
            "from",
            "global",
            "init",
            "instance",
            "load",
            "local",
            "login",
            "new",
            "open",
            "relay",
            "singleton",
            "starttls",
            "try_",
            "unencrypted",
            "with",
            "parse",
            "setup",
        ];
        if !last_of(path).starts_with(char::is_uppercase) {
            return None;
        }
        if method == "builder" || method.ends_with("_builder") {
            return Some(format!("{path}Builder"));
        }
        // `pay_sdk::Client::neo(..)`: what nobody listed is made by names that nobody foresaw.
        let client = || names_a_client(last_of(path)) && self.is_unlisted(path);
        (MAKES.iter().any(|prefix| method.starts_with(prefix)) || client()).then(|| path.to_owned())
    }

    /// What a client that nobody listed gives by a method that is named as no call is: a part of it, whose path ends
    /// with the method, `lnd::Client::lightning`.
    #[must_use]
    pub fn part(&self, path: &str, method: &str) -> Option<String> {
        const CALLS: [&str; 43] = [
            "add",
            "as",
            "begin",
            "broadcast",
            "cancel",
            "close",
            "connect",
            "count",
            "create",
            "delete",
            "do",
            "download",
            "execute",
            "fetch",
            "find",
            "get",
            "insert",
            "into",
            "is",
            "join",
            "list",
            "load",
            "next",
            "on",
            "open",
            "poll",
            "post",
            "publish",
            "put",
            "query",
            "read",
            "recv",
            "remove",
            "request",
            "run",
            "search",
            "send",
            "start",
            "subscribe",
            "to",
            "update",
            "upload",
            "write",
        ];
        let verb = method.split('_').next().unwrap_or(method);
        let inner = path.rsplit("::").take_while(|part| part.starts_with(char::is_lowercase)).count();
        let whole = path.rsplit("::").nth(inner).filter(|_| inner < 3)?;
        let part = names_a_client(whole) && !CALLS.contains(&verb) && verb_of(method).is_none();
        (part && self.is_unlisted(path)).then(|| format!("{path}::{method}"))
    }

    /// What a builder or client becomes by a method of which the name alone is known.
    #[must_use]
    pub fn finished(&self, path: &str, method: &str) -> Option<String> {
        if let Some(base) = path.strip_suffix("Builder") {
            let finishes = method.starts_with("build") || matches!(method, "finish" | "connect" | "create");
            return Some(match (finishes, base.ends_with("::")) {
                (true, true) => format!("{base}?"),
                (true, false) => base.to_owned(),
                (false, _) => path.to_owned(),
            });
        }
        let setting =
            ["with_", "and_", "apply_"].iter().any(|begins| method.starts_with(begins)) || is_rpc_setting(method);
        setting.then(|| path.to_owned())
    }

    /// The type of a public field of a type outside: fields are mostly named as what they hold (`ctx.http`).
    #[must_use]
    pub fn field(&self, path: &str, name: &str) -> Option<String> {
        if !self.chains(path) || is_kept(name) {
            return None;
        }
        let library = first_of(path);
        let found = self.last_names.get(&format!("{library}::{}", camel(name)));
        Some(found.map_or_else(|| format!("{library}::?"), |path| (*path).to_owned()))
    }
}

/// Whether a framework names so what it keeps for the team: a value of the team's own type.
#[must_use]
pub fn is_kept(name: &str) -> bool {
    matches!(name, "app_data" | "data" | "extensions" | "state" | "user_data")
}

/// Library -> libraries whose items it re-exports, or whose traits its types implement.
#[must_use]
pub fn leads(catalog: &Catalog) -> HashMap<&str, Vec<&str>> {
    let mut table: HashMap<&str, Vec<&str>> = HashMap::default();
    for krate in &catalog.crates {
        for (canonical, others) in krate.aliases.iter().chain(&krate.implementors) {
            for other in others {
                let led: &mut Vec<&str> = table.entry(first_of(other)).or_default();
                if first_of(other) != first_of(canonical) && !led.contains(&first_of(canonical)) {
                    led.push(first_of(canonical));
                }
            }
        }
    }
    table
}

/// Settings that every client of tonic has; each answers with the client.
fn is_rpc_setting(method: &str) -> bool {
    matches!(
        method,
        "accept_compressed" | "max_decoding_message_size" | "max_encoding_message_size" | "send_compressed"
    )
}

/// The first name of a path.
#[must_use]
pub fn first_of(path: &str) -> &str {
    path.split("::").next().unwrap_or(path)
}

/// The last name of a path.
#[must_use]
pub fn last_of(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// Whether the last word of a type's name is one for a client.
fn names_a_client(name: &str) -> bool {
    ["Api", "Bot", "Client", "Sdk"].iter().any(|end| name.ends_with(end))
}

/// `channel_id` as `ChannelId`.
#[must_use]
pub fn camel(name: &str) -> String {
    let mut out = String::new();
    for word in name.split('_') {
        let mut letters = word.chars();
        out.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        out.push_str(letters.as_str());
    }
    out
}

/// The HTTP method that a text names.
#[must_use]
pub fn verb_of(text: &str) -> Option<&'static str> {
    const VERBS: [&str; 9] = ["GET", "HEAD", "OPTIONS", "TRACE", "CONNECT", "POST", "PUT", "PATCH", "DELETE"];
    VERBS.into_iter().find(|verb| verb.eq_ignore_ascii_case(text))
}
