//! Finds what is known of a path: aliases undone, patterns matched, trait methods found by the receiver's type.

use std::borrow::Cow;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use sha2::{Digest as _, Sha256};

use super::call::{Call, Catalog, CrateCalls};
use crate::diagnostic::{Fault, Faults};

/// A call of the catalog and the crate that it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The entry.
    pub call: &'a Call,
    /// The crate.
    pub krate: &'a CrateCalls,
}

/// What a method returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    /// Canonical path of the type.
    pub path: String,
    /// The HTTP method that the call fixes: `POST`, or `arg 0`.
    pub http_method: Option<String>,
    /// Whether the entry speaks of every method: those of a `Result` or a lock around the value are none of its own.
    pub of_any_method: bool,
}

/// Index of a crate in the catalog, and of an entry in the crate.
type Entry = (usize, usize);

/// Entries by path, those whose path is a pattern apart.
#[derive(Clone, Debug, Default)]
struct Table {
    exact: HashMap<String, Vec<Entry>>,
    /// With the letters before the first `*`.
    patterns: Vec<(String, String, Entry)>,
    /// Patterns by the first name of what they fit, and those that have a `*` in it.
    by_root: HashMap<String, Vec<usize>>,
    rootless: Vec<usize>,
}

/// Where each name leads.
#[derive(Clone, Debug, Default)]
pub struct Names {
    calls: Table,
    returns: Table,
    by_method: HashMap<String, Vec<Entry>>,
    libraries: HashMap<String, usize>,
    families: Vec<(String, usize)>,
    aliases: HashMap<String, String>,
    traits_of: HashMap<String, Vec<String>>,
    types: HashSet<String>,
    local_only: HashSet<String>,
    /// The first names of all paths that anything is known of; of patterns the letters before a `*` in it.
    roots: HashSet<String>,
    open_roots: Vec<String>,
}

impl Catalog {
    /// Reads files of the form of `lints/crates/*.toml`, each with the name that faults show.
    ///
    /// # Errors
    /// Every file that does not parse.
    pub fn load(files: &[(&str, &str)]) -> Result<Catalog, Faults> {
        let (mut crates, mut faults) = (Vec::new(), Vec::new());
        for (name, text) in files {
            match toml::from_str::<CrateCalls>(text) {
                Ok(krate) => crates.push(krate),
                Err(error) => faults.push(Fault::new(format!("{name}: {}", error.message()))),
            }
        }
        if !faults.is_empty() {
            return Err(Faults(faults));
        }
        let names = Names::of(&crates);
        let mut digest = Sha256::new();
        for (name, text) in files {
            digest.update(format!("{name} {} ", text.len()));
            digest.update(text);
        }
        Ok(Catalog { crates, names, digest: digest.finalize().into() })
    }

    /// A digest of all that it says: what was found with another one is not what this one finds.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// This catalog and entries of a team, which go before those of the same path and method.
    #[must_use]
    pub fn with(&self, calls: &[Call]) -> Catalog {
        let mut crates = self.crates.clone();
        for call in calls {
            let library = call.path.split("::").next().unwrap_or_default();
            let of = |krate: &CrateCalls| krate.library_names().any(|name| fits(&name, library));
            // The crate's own file before that of its family.
            let at = crates.iter().rposition(|krate| of(krate) && !krate.package.contains('*'));
            let at = at.or_else(|| crates.iter().rposition(of)).unwrap_or_else(|| {
                crates.push(CrateCalls::of_team(library));
                crates.len() - 1
            });
            crates[at].call.retain(|known| (&known.path, &known.method) != (&call.path, &call.method));
            crates[at].call.push(call.clone());
        }
        let names = Names::of(&crates);
        let mut digest = Sha256::new_with_prefix(self.digest);
        digest.update(format!("{calls:?}"));
        Catalog { crates, names, digest: digest.finalize().into() }
    }

    /// The public path that entries use for `path`: re-exports undone, of modules too.
    #[must_use]
    pub fn canonical<'a>(&self, path: &'a str) -> Cow<'a, str> {
        let mut found = Cow::Borrowed(path);
        if !self.speaks_of(path) {
            return found;
        }
        // An alias can lead to a path inside an aliased module; two rounds are enough for every file we have.
        for _ in 0..3 {
            let Some((prefix, target)) = prefixes(&found).find_map(|p| Some((p, self.names.aliases.get(p)?))) else {
                return found;
            };
            let next = format!("{target}{}", &found[prefix.len()..]);
            found = Cow::Owned(next);
        }
        found
    }

    /// The call `method` on a value (or free function) of `path`, through the traits that its type implements
    /// too. The team's own databases and daemons are not the outside world: no entry of them is given.
    #[must_use]
    pub fn call(&self, path: &str, method: &str) -> Option<Known<'_>> {
        if !self.speaks_of(path) {
            return None;
        }
        let path = self.canonical(path);
        let entry = self.find(&self.names.calls, &path, |krate, at| &krate.call[at].method, method);
        let entry = entry.or_else(|| {
            let traits = self.names.traits_of.get(path.as_ref())?;
            traits
                .iter()
                .find_map(|name| self.find(&self.names.calls, name, |krate, at| &krate.call[at].method, method))
        })?;
        let known = self.known(entry);
        (!known.call.own_store).then_some(known)
    }

    /// What `method` on a value (or free function) of `path` returns.
    #[must_use]
    pub fn returns(&self, path: &str, method: &str) -> Option<Returned> {
        if !self.speaks_of(path) {
            return None;
        }
        let path = self.canonical(path);
        let of_type = self.find(&self.names.returns, &path, |krate, at| &krate.returns[at].method, method);
        let (krate, at) = of_type.or_else(|| {
            let traits = self.names.traits_of.get(path.as_ref())?;
            traits
                .iter()
                .find_map(|name| self.find(&self.names.returns, name, |krate, at| &krate.returns[at].method, method))
        })?;
        let entry = &self.crates[krate].returns[at];
        let returned = match entry.returns.as_str() {
            "Self" => path.into_owned(),
            template => {
                let captured = match_path(&entry.path, &path).unwrap_or_default();
                let filled = template.replace("{1}", captured).replace("{method}", method);
                filled.replace("{Method}", &camel(method))
            }
        };
        let of_any_method = entry.method == "*";
        Some(Returned { path: returned, http_method: entry.http_method.clone(), of_any_method })
    }

    /// Whether anything is known of a path that begins like this one. Most do not, and are asked for all the time.
    #[must_use]
    pub fn speaks_of(&self, path: &str) -> bool {
        let root = root(path);
        self.names.roots.contains(root) || self.names.open_roots.iter().any(|open| root.starts_with(open.as_str()))
    }

    /// The canonical path of `name`, when a glob import of `module` brings it in as far as the catalog knows.
    #[must_use]
    pub fn exported(&self, module: &str, name: &str) -> Option<String> {
        let full = format!("{module}::{name}");
        let canonical = self.canonical(&full);
        let function = || self.call(module, name).is_some() || self.returns(module, name).is_some();
        (self.names.types.contains(canonical.as_ref()) || function()).then(|| canonical.into_owned())
    }

    /// Whether entries speak of the type or trait `path`.
    #[must_use]
    pub fn is_type(&self, path: &str) -> bool {
        self.names.types.contains(self.canonical(path).as_ref())
    }

    /// Whether the type implements a sending trait without leaving the machine.
    #[must_use]
    pub fn is_local_only(&self, path: &str) -> bool {
        self.names.local_only.contains(self.canonical(path).as_ref())
    }

    /// The crate that code names `library`.
    #[must_use]
    pub fn library(&self, library: &str) -> Option<&CrateCalls> {
        let family = || self.names.families.iter().find(|(pattern, _)| glob(pattern, library).is_some());
        let at = self.names.libraries.get(library).copied().or_else(|| Some(family()?.1))?;
        self.crates.get(at)
    }

    /// Calls of that method name, for receivers whose type is not known. Entries with a pattern for a method
    /// name and the team's own stores are left out.
    pub fn named(&self, method: &str) -> impl Iterator<Item = Known<'_>> {
        let entries = self.names.by_method.get(method).map_or(&[][..], Vec::as_slice);
        entries.iter().map(|entry| self.known(*entry)).filter(|known| !known.call.own_store)
    }

    fn known(&self, (krate, at): Entry) -> Known<'_> {
        let krate = &self.crates[krate];
        Known { call: &krate.call[at], krate }
    }

    /// The best entry: a path without pattern first, then the one with more letters; then the same of methods.
    fn find<'a>(
        &'a self,
        table: &Table,
        path: &str,
        method_of: impl Fn(&'a CrateCalls, usize) -> &'a String,
        method: &str,
    ) -> Option<Entry> {
        let weigh = |entry: Entry| {
            let pattern = method_of(&self.crates[entry.0], entry.1);
            glob(pattern, method).map(|_| letters(pattern))
        };
        let exact = table.exact.get(path).into_iter().flatten();
        let best = exact.filter_map(|entry| Some((weigh(*entry)?, *entry))).max_by_key(|(weight, _)| *weight);
        if let Some((_, entry)) = best {
            return Some(entry);
        }
        let of_family = table.by_root.get(root(path)).into_iter().flatten().chain(&table.rootless);
        of_family
            .filter_map(|at| {
                let (prefix, pattern, entry) = &table.patterns[*at];
                let fits = path.starts_with(prefix.as_str()) && match_path(pattern, path).is_some();
                // Of equals the last one counts.
                fits.then(|| Some(((letters(pattern), weigh(*entry)?, *at), *entry))).flatten()
            })
            .max_by_key(|(weight, _)| *weight)
            .map(|(_, entry)| entry)
    }
}

impl Names {
    fn of(crates: &[CrateCalls]) -> Names {
        let mut names = Names::default();
        for (at, krate) in crates.iter().enumerate() {
            for library in krate.library_names() {
                match library.contains('*') {
                    true => names.families.push((library, at)),
                    false => drop(names.libraries.insert(library, at)),
                }
            }
            for (entry, call) in krate.call.iter().enumerate() {
                names.calls.add(&call.path, (at, entry));
                names.types.insert(call.path.clone());
                if !call.method.contains('*') {
                    names.by_method.entry(call.method.clone()).or_default().push((at, entry));
                }
            }
            for (entry, returns) in krate.returns.iter().enumerate() {
                names.returns.add(&returns.path, (at, entry));
                names.types.insert(returns.path.clone());
                names.types.insert(returns.returns.clone());
            }
            for (canonical, others) in &krate.aliases {
                names.types.insert(canonical.clone());
                names.aliases.extend(others.iter().map(|other| (other.clone(), canonical.clone())));
            }
            for (name, types) in &krate.implementors {
                names.types.extend(types.iter().cloned());
                for ty in types {
                    names.traits_of.entry(ty.clone()).or_default().push(name.clone());
                }
            }
            names.types.extend(krate.local_only.iter().cloned());
            names.local_only.extend(krate.local_only.iter().cloned());
        }
        names.add_roots();
        names
    }

    fn add_roots(&mut self) {
        let of_table = |table: &Table| -> Vec<String> {
            table.exact.keys().chain(table.patterns.iter().map(|(_, path, _)| path)).cloned().collect()
        };
        let mut paths = [of_table(&self.calls), of_table(&self.returns)].concat();
        paths.extend(self.libraries.keys().chain(self.traits_of.keys()).cloned());
        paths.extend(self.families.iter().map(|(family, _)| family.clone()));
        paths.extend(self.aliases.iter().flat_map(|(other, canonical)| [other, canonical]).cloned());
        paths.extend(self.types.iter().chain(&self.local_only).cloned());
        for path in &paths {
            self.add_root(path);
        }
    }

    fn add_root(&mut self, path: &str) {
        match root(path).split_once('*') {
            Some((before, _)) if !self.open_roots.iter().any(|known| known == before) => {
                self.open_roots.push(before.to_owned());
            }
            Some(_) => {}
            None => drop(self.roots.insert(root(path).to_owned())),
        }
    }
}

impl Table {
    fn add(&mut self, path: &str, entry: Entry) {
        match path.split_once('*') {
            Some((prefix, _)) => {
                let at = self.patterns.len();
                match root(path).contains('*') {
                    true => self.rootless.push(at),
                    false => self.by_root.entry(root(path).to_owned()).or_default().push(at),
                }
                self.patterns.push((prefix.to_owned(), path.to_owned(), entry));
            }
            None => self.exact.entry(path.to_owned()).or_default().push(entry),
        }
    }
}

/// The first name of a path.
fn root(path: &str) -> &str {
    path.split_once("::").map_or(path, |(root, _)| root)
}

/// `a::b::c`, `a::b`, `a`.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |at| at.rsplit_once("::").map(|(before, _)| before))
}

fn letters(pattern: &str) -> usize {
    pattern.chars().filter(|letter| *letter != '*').count()
}

/// Whether a name fits a pattern in which `*` stands for anything.
#[must_use]
pub fn fits(pattern: &str, name: &str) -> bool {
    glob(pattern, name).is_some()
}

/// What the first `*` of `pattern` stands for in `text`; the empty string when there is none.
pub(super) fn glob<'t>(pattern: &str, text: &'t str) -> Option<&'t str> {
    let Some((first, rest)) = pattern.split_once('*') else {
        return (pattern == text).then_some("");
    };
    let after = text.strip_prefix(first)?;
    let Some((next, _)) = rest.split_once('*') else {
        return after.strip_suffix(rest);
    };
    after.match_indices(next).find_map(|(at, _)| glob(rest, &after[at..]).map(|_| &after[..at]))
}

/// What the first `*` within a segment of `pattern` stands for in `path`.
fn match_path<'t>(pattern: &str, path: &'t str) -> Option<&'t str> {
    let pattern: Vec<&str> = pattern.split("::").collect();
    let path: Vec<&str> = path.split("::").collect();
    match_segments(&pattern, &path)
}

fn match_segments<'t>(pattern: &[&str], path: &[&'t str]) -> Option<&'t str> {
    match pattern.split_first() {
        None => path.is_empty().then_some(""),
        Some((&"**", rest)) => (0..=path.len()).find_map(|skip| match_segments(rest, &path[skip..])),
        Some((first, rest)) => {
            let (name, below) = path.split_first()?;
            let captured = glob(first, name)?;
            let later = match_segments(rest, below)?;
            Some(if first.contains('*') { captured } else { later })
        }
    }
}

/// `send_message` as `SendMessage`.
fn camel(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::super::call::{Effect, MethodSource, Trigger};
    use super::*;

    fn effect(path: &str, method: &str) -> Option<Effect> {
        Catalog::embedded().call(path, method).map(|known| known.call.effect)
    }

    #[test]
    fn patterns_capture_what_the_first_star_stands_for() {
        assert_eq!(glob("aws_sdk_*", "aws_sdk_sqs"), Some("sqs"));
        assert_eq!(glob("a*c*e", "abcde"), Some("b"));
        assert_eq!(glob("a*c*e", "abde"), None);
        assert_eq!(glob("send", "send"), Some(""));
        assert_eq!(match_path("octocrab::**::*Handler", "octocrab::issues::IssueHandler"), Some("Issue"));
        assert_eq!(match_path("octocrab::**::*Handler", "octocrab::IssueHandler"), Some("Issue"));
        assert_eq!(match_path("a::*", "a::b::c"), None);
    }

    #[test]
    fn a_chain_of_a_builder_is_followed() {
        let catalog = Catalog::embedded();
        let post = catalog.returns("reqwest::Client", "post").unwrap();
        assert_eq!((post.path.as_str(), post.http_method.as_deref()), ("reqwest::RequestBuilder", Some("POST")));
        assert_eq!(catalog.returns(&post.path, "header").unwrap().path, "reqwest::RequestBuilder");
        let send = catalog.call(&post.path, "send").unwrap().call;
        assert_eq!((send.effect, send.method_source), (Effect::Send, MethodSource::Chain));
        let asked = catalog.returns("reqwest::Client", "request").unwrap();
        assert_eq!(asked.http_method.as_deref(), Some("arg 0"));
    }

    #[test]
    fn generated_clients_are_known_by_rule() {
        let catalog = Catalog::embedded();
        let builder = catalog.returns("aws_sdk_pinpoint::Client", "send_messages").unwrap().path;
        assert_eq!(builder, "aws_sdk_pinpoint::operation::send_messages::builders::SendMessagesFluentBuilder");
        assert_eq!(effect(&builder, "send"), Some(Effect::Send));
        let read = catalog.returns("aws_sdk_sqs::Client", "get_queue_url").unwrap().path;
        assert_eq!(effect(&read, "send"), Some(Effect::Read));
        let fifo = catalog.returns("aws_sdk_sqs::Client", "send_message").unwrap().path;
        assert_eq!(
            catalog.call(&fifo, "send").unwrap().call.key_door.as_deref(),
            Some("method message_deduplication_id")
        );
    }

    #[test]
    fn builders_that_list_read_whatever_their_name_begins_with() {
        for read in ["ListIssuesBuilder", "PrCommitsBuilder", "InstallationsBuilder", "EventsBuilder", "ViewsBuilder"] {
            assert_eq!(effect(&format!("octocrab::{read}"), "send"), Some(Effect::Read), "{read}");
        }
        for write in ["CreateBuilder", "MergeBuilder", "UpdateRefBuilder", "InstallationsRequestBuilder"] {
            assert_eq!(effect(&format!("octocrab::{write}"), "send"), Some(Effect::Mutate), "{write}");
        }
    }

    #[test]
    fn trait_methods_are_found_by_the_receivers_type() {
        let sent = Catalog::embedded().call("teloxide::prelude::Bot", "send_message").unwrap().call;
        assert_eq!((sent.effect, sent.trigger), (Effect::Send, Trigger::Await));
        assert_eq!(effect("teloxide::Bot", "get_chat_administrators"), Some(Effect::Read));
        assert_eq!(effect("teloxide::Bot", "unban_chat_member"), Some(Effect::Mutate));
        assert_eq!(effect("lettre::AsyncSmtpTransport", "send"), Some(Effect::Send));
        assert!(Catalog::embedded().is_local_only("lettre::transport::file::FileTransport"));
    }

    #[test]
    fn a_library_that_is_not_named_like_its_package_is_found() {
        let catalog = Catalog::embedded();
        assert_eq!(catalog.library("stripe_core").unwrap().package, "async-stripe");
        assert_eq!(catalog.library("s3").unwrap().package, "rust-s3");
        assert_eq!(catalog.library("aws_sdk_ivs").unwrap().package, "aws-sdk-*");
        assert_eq!(effect("stripe_core::payment_intent::CreatePaymentIntent", "send"), Some(Effect::Charge));
        assert_eq!(effect("stripe_core::payment_intent::ListPaymentIntent", "send"), Some(Effect::Read));
    }

    #[test]
    fn a_glob_import_brings_in_the_names_that_are_known() {
        let catalog = Catalog::embedded();
        assert_eq!(catalog.exported("lettre", "AsyncSmtpTransport").as_deref(), Some("lettre::AsyncSmtpTransport"));
        assert_eq!(catalog.exported("teloxide::prelude", "Bot").as_deref(), Some("teloxide::Bot"));
        assert_eq!(catalog.exported("ureq", "post").as_deref(), Some("ureq::post"));
        assert_eq!(catalog.exported("lettre", "Hub"), None);
    }

    #[test]
    fn own_stores_are_not_the_outside_world() {
        assert_eq!(effect("redis::AsyncCommands", "xadd"), None);
        assert_eq!(effect("mongodb::Collection", "insert_one"), None);
        assert!(Catalog::embedded().named("xadd").next().is_none());
        assert!(Catalog::embedded().named("send_raw_transaction").next().is_some());
    }

    #[test]
    fn a_file_that_is_wrong_is_named() {
        let faults = Catalog::load(&[("bad", "crate = 1"), ("worse", "x")]).unwrap_err();
        assert_eq!(faults.0.len(), 2);
        assert!(faults.0[0].message.starts_with("bad: "), "{}", faults.0[0].message);
    }
}
