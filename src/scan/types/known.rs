//! What the catalog and `lints/http.toml` know of crates outside, by name.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::catalog::Catalog;
use crate::catalog::call::{Call, CrateCalls, Returns};

/// `lints/http.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Http {
    client: Vec<Client>,
    requests: Requests,
    finish: Vec<Finish>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Client {
    path: String,
    builder: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Requests {
    paths: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Finish {
    path: String,
    method: String,
    gives: String,
}

/// Embedded; `tests/scanner.rs` reads it too, so that a fault in it is seen there.
static HTTP: LazyLock<Http> = LazyLock::new(|| toml::from_str(include_str!("../../../lints/http.toml")).unwrap_or_default());

/// What is known of crates outside.
pub struct Known<'a> {
    calls: HashMap<&'a str, HashMap<&'a str, Vec<&'a Call>>>,
    by_library: HashMap<String, &'a CrateCalls>,
    returns: HashMap<&'a str, HashMap<&'a str, &'a Returns>>,
    /// Other public paths of types, and `(library, last name)` where that is unique.
    canonical: HashMap<String, &'a str>,
    methods: HashSet<&'a str>,
    builders: HashSet<&'static str>,
}

impl<'a> Known<'a> {
    /// Sorts the catalog by name.
    #[must_use]
    pub fn new(catalog: &'a Catalog) -> Known<'a> {
        let mut known = Known {
            calls: HashMap::new(),
            by_library: HashMap::new(),
            returns: HashMap::new(),
            canonical: HashMap::new(),
            methods: HashSet::new(),
            builders: HTTP.client.iter().map(|client| client.builder.as_str()).collect(),
        };
        for entry in &catalog.crates {
            known.add(entry);
        }
        known
    }

    fn add(&mut self, entry: &'a CrateCalls) {
        for library in entry.library_names() {
            self.by_library.insert(library, entry);
        }
        for call in &entry.call {
            self.calls.entry(&call.path).or_default().entry(&call.method).or_default().push(call);
            self.methods.insert(&call.method);
        }
        for returns in &entry.returns {
            self.returns.entry(&returns.path).or_default().insert(&returns.method, returns);
        }
        let paths: Vec<&'a str> = entry.call.iter().map(|call| call.path.as_str()).chain(entry.returns.iter().map(|returns| returns.path.as_str())).collect();
        for library in entry.library_names() {
            for path in &paths {
                let last = path.rsplit("::").next().unwrap_or(path);
                if last.starts_with(char::is_uppercase) {
                    self.canonical.entry(format!("{library}::*::{last}")).or_insert(path);
                }
            }
        }
        for (path, others) in &entry.aliases {
            for other in others {
                self.canonical.insert(other.clone(), path);
            }
        }
        for (path, others) in &entry.implementors {
            for other in others {
                self.canonical.entry(other.clone()).or_insert(path);
            }
        }
    }

    /// The path under which the catalog has a type.
    #[must_use]
    pub fn canonical<'p>(&self, path: &'p str) -> &'p str
    where
        'a: 'p,
    {
        if self.calls.contains_key(path) || self.returns.contains_key(path) {
            return path;
        }
        if let Some(found) = self.canonical.get(path) {
            return found;
        }
        let (first, last) = (path.split("::").next().unwrap_or(path), path.rsplit("::").next().unwrap_or(path));
        self.canonical.get(&format!("{first}::*::{last}")).map_or(path, |found| found)
    }

    /// Whether two paths name one type.
    #[must_use]
    pub fn same(&self, one: &str, two: &str) -> bool {
        one == two || self.canonical(one) == self.canonical(two)
    }

    /// The calls that the catalog has under a type and name.
    #[must_use]
    pub fn calls(&self, path: &str, method: &str) -> &[&'a Call] {
        let found = self.calls.get(path).and_then(|calls| calls.get(method));
        found.or_else(|| self.calls.get(self.canonical(path)).and_then(|calls| calls.get(method))).map_or(&[], Vec::as_slice)
    }

    /// Every call of a crate with this method name.
    pub fn calls_in(&self, library: &str, method: &str) -> impl Iterator<Item = &'a Call> {
        let calls = self.by_library.get(library).map_or(&[][..], |entry| &entry.call);
        calls.iter().filter(move |call| call.method == method)
    }

    /// What the catalog says of the crate with this library name.
    #[must_use]
    pub fn library(&self, library: &str) -> Option<&'a CrateCalls> {
        self.by_library.get(library).copied()
    }

    /// Whether any call of the catalog has this name.
    #[must_use]
    pub fn names_method(&self, method: &str) -> bool {
        self.methods.contains(method)
    }

    /// Whether a trait or type outside is known to have a method.
    #[must_use]
    pub fn has_method(&self, path: &str, method: &str) -> bool {
        !self.calls(path, method).is_empty()
    }

    /// Whether the type implements a sending trait without leaving the machine.
    #[must_use]
    pub fn is_local_only(&self, path: &str) -> bool {
        let (first, last) = (path.split("::").next().unwrap_or(path), path.rsplit("::").next().unwrap_or(path));
        self.library(first).is_some_and(|entry| {
            entry.local_only.iter().any(|local| local == path || local.rsplit("::").next() == Some(last))
        })
    }

    /// The builder that a client type or module begins requests with.
    #[must_use]
    pub fn builder(&self, path: &str) -> Option<&'static str> {
        let path = self.canonical(path);
        HTTP.client.iter().find(|client| client.path == path).map(|client| client.builder.as_str())
    }

    /// Whether a type carries a request.
    #[must_use]
    pub fn is_builder(&self, path: &str) -> bool {
        self.builders.contains(path) || self.builders.contains(self.canonical(path)) || path == "ureq::RequestBuilder" || self.is_request(path)
    }

    /// Whether a type is a whole request.
    #[must_use]
    pub fn is_request(&self, path: &str) -> bool {
        HTTP.requests.paths.iter().any(|request| request == path)
    }

    /// What a builder becomes by a method that finishes it.
    #[must_use]
    pub fn built(&self, path: &str, method: &str) -> Option<&'static str> {
        HTTP.finish.iter().find(|finish| finish.path == path && finish.method == method).map(|finish| finish.gives.as_str())
    }

    /// What a method of a type outside returns.
    #[must_use]
    pub fn returns(&self, path: &str, method: &str) -> Option<String> {
        let by_path = |path: &str| self.returns.get(path).and_then(|methods| methods.get(method).or_else(|| methods.get("*")));
        let found = by_path(path).or_else(|| by_path(self.canonical(path)))?;
        Some(found.returns.replace("{method}", method).replace("{Method}", &camel(method)))
    }

    /// The fluent builder of an AWS operation: `client.send_message()`.
    #[must_use]
    pub fn aws_operation(&self, path: &str, method: &str) -> Option<String> {
        let library = path.split("::").next()?;
        let client = library.starts_with("aws_sdk_") && path == format!("{library}::Client");
        client.then(|| format!("{library}::operation::{method}::builders::{}FluentBuilder", camel(method)))
    }

    /// What a constructor of a type outside makes: the type itself, or its builder.
    #[must_use]
    pub fn constructed(&self, path: &str, method: &str) -> Option<String> {
        let last = path.rsplit("::").next()?;
        if !last.starts_with(char::is_uppercase) {
            return None;
        }
        let makes = ["new", "from", "with", "connect", "default", "try_", "create", "open", "init", "builder", "build", "unencrypted", "relay", "starttls", "anonymous", "global", "instance", "parse", "load"];
        if method == "builder" || method.ends_with("_builder") {
            return Some(format!("{path}Builder"));
        }
        makes.iter().any(|prefix| method.starts_with(prefix)).then(|| path.to_owned())
    }

    /// What a builder or client becomes by a method of which the name alone is known.
    #[must_use]
    pub fn finished(&self, path: &str, method: &str) -> Option<String> {
        if let Some(built) = self.built(path, method) {
            return Some(built.to_owned());
        }
        if let Some(base) = path.strip_suffix("Builder") {
            return Some(if method.starts_with("build") || matches!(method, "finish" | "connect" | "create") { self.target_of_builder(base) } else { path.to_owned() });
        }
        (method.starts_with("with_") || method.starts_with("and_")).then(|| path.to_owned())
    }

    fn target_of_builder(&self, base: &str) -> String {
        if base.ends_with("::") { format!("{base}?") } else { base.to_owned() }
    }

    /// Whether what methods of this type return is worth following: a crate that the catalog has, HTTP left out.
    #[must_use]
    pub fn chains(&self, path: &str) -> bool {
        let library = path.split("::").next().unwrap_or(path);
        let http = HTTP.client.iter().any(|client| client.path.split("::").next() == Some(library));
        !http && library != "std" && library != "tokio" && self.by_library.contains_key(library)
    }

    /// The type of a public field of a type outside.
    #[must_use]
    pub fn field(&self, path: &str, name: &str) -> Option<crate::scan::types::ty::Type> {
        let library = path.split("::").next().unwrap_or(path);
        if !self.chains(path) {
            return None;
        }
        // Fields named as what they hold: `ctx.http`, `msg.channel_id`.
        let last = camel(name);
        let found = self.canonical.get(&format!("{library}::*::{last}"));
        Some(found.map_or_else(|| crate::scan::types::ty::Type::of_crate(library), |path| crate::scan::types::ty::Type::external(path)))
    }
}

/// `send_message` as `SendMessage`.
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

/// The HTTP method that a function's name stands for.
#[must_use]
pub fn verb_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "get" => "GET",
        "head" => "HEAD",
        "options" => "OPTIONS",
        "trace" => "TRACE",
        "connect" => "CONNECT",
        "post" => "POST",
        "put" => "PUT",
        "patch" => "PATCH",
        "delete" => "DELETE",
        _ => return None,
    })
}
