//! A crate's entries against its published interface.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use onlyonce::catalog::call::{Call, CrateCalls, Effect, Returns, Trigger};
use onlyonce::catalog::lookup::fits;

use crate::api::{Api, Item, Method, path_of, paths_within};
use crate::published;

/// What was read of a crate, and how its entries compare.
#[derive(Default)]
pub(crate) struct Outcome {
    /// Packages and the digests of their archives.
    pub(crate) packages: BTreeMap<String, String>,
    pub(crate) problems: Vec<String>,
}

/// One set of packages that were published together.
pub(crate) struct Interface {
    pub(crate) api: Api,
    pub(crate) public: BTreeMap<String, BTreeSet<String>>,
}

/// The packages that hold the entries' source, those of one time together: by version where they are older than
/// others of their name, the newest under none.
pub(crate) fn packages(krate: &CrateCalls) -> BTreeMap<Option<String>, BTreeSet<String>> {
    let itself = (!krate.package.contains('*')).then(|| format!("{}@{}", krate.package, krate.version));
    let older = krate.call.iter().filter_map(|call| Some(format!("{}@{}", krate.package, call.version.as_ref()?)));
    let mut seen = BTreeSet::new();
    let mut grouped: BTreeMap<Option<String>, BTreeSet<String>> = BTreeMap::from([(None, BTreeSet::new())]);
    // The crate itself, then its parts, the newest of each name first.
    let mut parts = krate.parts.clone();
    parts.sort_by_key(|part| std::cmp::Reverse(numbers(part)));
    for package in itself.into_iter().chain(parts).chain(older) {
        let Some((name, version)) = package.split_once('@') else { continue };
        let time = (!seen.insert(name.to_owned())).then(|| version.to_owned());
        if time.as_deref() != Some(krate.version.as_str()) {
            grouped.entry(time).or_default().insert(package);
        }
    }
    grouped
}

/// The numbers of a version, to compare by.
fn numbers(package: &str) -> Vec<u64> {
    let version = package.split_once('@').map_or("", |(_, version)| version);
    version.split(|letter: char| !letter.is_ascii_digit()).map(|number| number.parse().unwrap_or(0)).collect()
}

pub(crate) fn interface(packages: &BTreeSet<String>, outcome: &mut Outcome) -> Interface {
    let (mut api, mut libraries) = (Api::default(), Vec::new());
    for package in packages {
        match published::source(package) {
            Ok(found) => {
                libraries.extend(api.add(&found.folder));
                outcome.packages.insert(package.clone(), found.digest);
            }
            Err(error) => outcome.problems.push(format!("{package}: {error}")),
        }
    }
    api.link();
    let public = api.public(&libraries);
    Interface { api, public }
}

pub(crate) fn check(krate: &CrateCalls) -> Outcome {
    let mut outcome = Outcome::default();
    let mut interfaces: HashMap<Option<String>, Interface> = HashMap::new();
    for (version, packages) in packages(krate) {
        let found = interface(&packages, &mut outcome);
        interfaces.insert(version, found);
    }
    let newest = &interfaces[&None];
    let older = interfaces.iter().filter(|(version, _)| version.is_some()).map(|(_, one)| one);
    let all: Vec<&Interface> = std::iter::once(newest).chain(older).collect();
    for call in &krate.call {
        let version = call.version.clone().filter(|version| *version != krate.version);
        check_call(krate, call, &interfaces[&version], &mut outcome);
    }
    the_rest(krate, &all, &mut outcome);
    outcome
}

/// What is wrong with the entries of a crate of which there is one version.
pub(crate) fn compare(krate: &CrateCalls, interface: &Interface) -> Vec<String> {
    let mut outcome = Outcome::default();
    for call in &krate.call {
        check_call(krate, call, interface, &mut outcome);
    }
    the_rest(krate, &[interface], &mut outcome);
    outcome.problems
}

/// Return types and other paths, each of which one version at least must show.
fn the_rest(krate: &CrateCalls, interfaces: &[&Interface], outcome: &mut Outcome) {
    let told = |problem: &dyn Fn(&Interface) -> Option<String>| {
        let problems: Option<Vec<String>> = interfaces.iter().map(|interface| problem(interface)).collect();
        problems?.into_iter().next()
    };
    for entry in &krate.returns {
        outcome.problems.extend(told(&|interface| returns(entry, interface)));
    }
    for (canonical, others) in &krate.aliases {
        for other in others {
            // A name that the item had in a version where its name of today is not known.
            let with = |path: &str| interfaces.iter().find(|one| !one.named(path).is_empty());
            let (now, then) = (with(canonical), with(other));
            let renamed = now.is_some_and(|now| now.named(other).is_empty())
                && then.is_some_and(|then| then.named(canonical).is_empty());
            if !renamed {
                outcome.problems.extend(told(&|interface| alias(canonical, other, interface)));
            }
        }
    }
}

impl Interface {
    /// Definitions that a path of the catalog, with or without a pattern, names.
    pub(crate) fn named(&self, path: &str) -> BTreeSet<String> {
        let pattern: Vec<&str> = path.split("::").collect();
        let fit = |path: &str| segments_fit(&pattern, &path.split("::").collect::<Vec<_>>());
        let mut named: BTreeSet<String> = match path.contains('*') {
            false => self.public.get(path).cloned().unwrap_or_default(),
            true => self.public.iter().filter(|(path, _)| fit(path)).flat_map(|(_, to)| to.iter().cloned()).collect(),
        };
        // Types that no path leads to are what functions return: builders in a private module.
        if let (true, Some((library, last))) =
            (named.is_empty(), path.split_once("::").map(|(library, _)| (library, last(path))))
        {
            let made = format!("{library}::?::{last}");
            named.extend(self.api.methods.contains_key(&made).then_some(made));
        }
        if named.is_empty() || path.contains('*') {
            let defined = self.api.items.iter().filter(|(path, item)| !matches!(item, Item::Function(_)) && fit(path));
            let public: BTreeSet<&String> = self.public.values().flatten().collect();
            let unnamed = defined.filter(|(definition, _)| path.contains('*') || !public.contains(definition));
            named.extend(unnamed.map(|(path, _)| path.clone()));
        }
        named
    }

    pub(crate) fn methods(&self, definition: &str, method: &str) -> Vec<&Method> {
        let of_type = self.api.methods_of(definition).into_iter().filter(|one| fits(method, &one.name));
        let within = self.api.scopes.get(definition).into_iter().flatten().filter(|(name, _)| fits(method, name));
        let public = within.flat_map(|(_, found)| found.to.iter().filter(|(_, public)| **public));
        let free = public.filter_map(|(to, _)| match self.api.items.get(to) {
            Some(Item::Function(method)) => Some(&**method),
            _ => None,
        });
        of_type.chain(free).collect()
    }
}

/// The last name of a path.
fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

fn segments_fit(pattern: &[&str], path: &[&str]) -> bool {
    match pattern.split_first() {
        None => path.is_empty(),
        Some((&"**", rest)) => (0..=path.len()).any(|skip| segments_fit(rest, &path[skip..])),
        Some((first, rest)) => {
            path.split_first().is_some_and(|(name, below)| fits(first, name) && segments_fit(rest, below))
        }
    }
}

fn check_call(krate: &CrateCalls, call: &Call, interface: &Interface, outcome: &mut Outcome) {
    let shown = format!("{}::{}", call.path, call.method);
    let definitions = interface.named(&call.path);
    if definitions.is_empty() {
        if call.made_by.is_none() {
            outcome.problems.push(format!("{shown}: no public {}{}", call.path, elsewhere(interface, &call.path)));
        }
        return;
    }
    let methods: Vec<&Method> =
        definitions.iter().flat_map(|definition| interface.methods(definition, &call.method)).collect();
    if methods.is_empty() {
        if let Some(made_by) = &call.made_by {
            let unnamed = made_by.contains('!') && !in_macro(&call.method, interface);
            outcome.problems.extend(unnamed.then(|| format!("{shown}: made_by a macro, and no macro names it")));
        } else if !exempts(krate, call, interface) {
            let plain = call.method.trim_matches('*');
            let note = if in_macro(&call.method, interface) { " (the name stands in a macro)" } else { "" };
            let exist: BTreeSet<_> = definitions
                .iter()
                .flat_map(|definition| interface.api.methods_of(definition))
                .filter(|method| !plain.is_empty() && method.name.contains(plain))
                .map(|method| method.name.as_str())
                .collect();
            outcome.problems.push(format!("{shown}: no such public method{note} {exist:?}"));
        }
        return;
    }
    if call.made_by.is_some() {
        outcome.problems.push(format!("{shown}: made_by, and yet it is written out in the source"));
    }
    arity(call, &methods, outcome);
    trigger(call, &methods, interface, outcome);
}

/// Whether a macro of the packages names the method, in whatever case.
fn in_macro(method: &str, interface: &Interface) -> bool {
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let method = plain(method);
    interface.api.in_macros.iter().any(|name| fits(&method, &plain(name)))
}

/// Whether an entry takes a method out of what a `*` entry of its path says; any trait may bring the method.
fn exempts(krate: &CrateCalls, call: &Call, interface: &Interface) -> bool {
    const EVERYWHERE: [&str; 6] = ["as_ref", "borrow", "builder", "clone", "into", "to_owned"];
    let all = krate.call.iter().any(|other| other.path == call.path && other.method == "*");
    let anywhere =
        || interface.api.methods.values().flatten().any(|method| method.public && method.name == call.method);
    all && call.effect == Effect::Read && (EVERYWHERE.contains(&call.method.as_str()) || anywhere())
}

fn arity(call: &Call, methods: &[&Method], outcome: &mut Outcome) {
    let arities: BTreeSet<usize> = methods.iter().map(|method| method.arity).collect();
    match call.arity {
        Some(arity) if !arities.contains(&arity) => {
            outcome.problems.push(format!("{}::{}: takes {arities:?} arguments, not {arity}", call.path, call.method));
        }
        None if arities.len() == 1 && !call.method.contains('*') => {
            let missing =
                arities.first().map(|arity| format!("{}::{}: arity = {arity} is missing", call.path, call.method));
            outcome.problems.extend(missing);
        }
        _ => {}
    }
}

/// Whether a method's result is a builder that acts when it is awaited, or when its `send` is called; none where
/// that depends on who implements it.
fn waits(method: &Method, interface: &Interface) -> Option<bool> {
    let Some(output) = &method.output else { return Some(false) };
    let ends = |method: &&Method| {
        matches!(method.name.as_str(), "send" | "execute" | "call") && method.arity == 0 && method.has_self
    };
    let mut known = true;
    for path in paths_within(output) {
        let open = path.first().is_some_and(|first| first == "Self" || method.generics.contains(first));
        if path.last().is_some_and(|last| last == "IntoFuture") {
            return Some(true);
        }
        known &= !open || path.as_slice() == ["Self"];
        for definition in interface.api.resolve(&method.module, &path) {
            let traits = interface.api.traits_of.get(&definition).into_iter().flatten();
            let names: BTreeSet<&str> = traits.map(|name| last(name)).collect();
            if names.contains("Future") {
                // Like an async function: whether it begins at once or when it is awaited, it is awaited.
                return None;
            }
            if names.contains("IntoFuture") || interface.api.methods_of(&definition).iter().any(ends) {
                return Some(true);
            }
        }
    }
    known.then_some(false)
}

fn trigger(call: &Call, methods: &[&Method], interface: &Interface, outcome: &mut Outcome) {
    let shown = format!("{}::{}", call.path, call.method);
    if call.method.contains('*') || methods.iter().any(|method| method.is_async) {
        return;
    }
    let waits: BTreeSet<Option<bool>> = methods.iter().map(|method| waits(method, interface)).collect();
    let outputs = || methods.iter().map(|method| output(method)).collect::<BTreeSet<_>>();
    match call.trigger {
        Trigger::Await if waits == BTreeSet::from([Some(false)]) && call.effect != Effect::Read => {
            outcome.problems.push(format!("{shown}: await, and the result {:?} is no builder", outputs()));
        }
        Trigger::Call if waits == BTreeSet::from([Some(true)]) => {
            outcome.problems.push(format!("{shown}: call, and the result {:?} is a builder", outputs()));
        }
        _ => {}
    }
}

pub(crate) fn output(method: &Method) -> String {
    use quote::ToTokens as _;
    method.output.as_ref().map(|ty| ty.to_token_stream().to_string()).unwrap_or_default()
}

/// Where a name is public, for the reader of a problem.
fn elsewhere(interface: &Interface, path: &str) -> String {
    let last = path.rsplit("::").next().unwrap_or(path);
    let mut same: Vec<&String> = interface.public.keys().filter(|path| path.ends_with(&format!("::{last}"))).collect();
    same.sort_by_key(|path| path.len());
    same.truncate(3);
    if same.is_empty() { String::new() } else { format!(", but {same:?}") }
}

/// What is wrong with the return type of an entry.
fn returns(entry: &Returns, interface: &Interface) -> Option<String> {
    let shown = format!("{}::{} returns {}", entry.path, entry.method, entry.returns);
    let definitions = interface.named(&entry.path);
    if definitions.is_empty() {
        return Some(format!("{shown}: no public {}{}", entry.path, elsewhere(interface, &entry.path)));
    }
    if entry.method.contains('*') || entry.returns.contains('{') || entry.path.contains('*') {
        return None;
    }
    let own = definitions.iter().flat_map(|definition| interface.methods(definition, &entry.method));
    let mut methods: Vec<&Method> = own.collect();
    if methods.is_empty() {
        // An extension trait may bring it.
        let traits = interface.api.items.iter().filter(|(_, item)| matches!(item, Item::Trait { .. }));
        let brought = traits.filter_map(|(path, _)| interface.api.methods.get(path)).flatten();
        methods.extend(brought.filter(|method| method.name == entry.method));
    }
    if methods.is_empty() {
        let derived = matches!(entry.method.as_str(), "clone" | "default");
        return (!derived).then(|| format!("{shown}: no such public method"));
    }
    let wanted = if entry.returns == "Self" { definitions.clone() } else { interface.named(&entry.returns) };
    let gives = |method: &&Method| {
        let Some(output) = &method.output else { return false };
        paths_within(output).into_iter().chain(path_of(output)).any(|path| {
            let open = path.first().is_some_and(|first| method.generics.contains(first) || first == "Self");
            let found = interface.api.resolve_or_written(&method.module, &path);
            open || found.iter().any(|found| wanted.contains(found) || last(found) == last(&entry.returns))
        })
    };
    let outputs = || methods.iter().map(|method| output(method)).collect::<BTreeSet<_>>();
    (!methods.iter().any(gives)).then(|| format!("{shown}: it returns {:?}", outputs()))
}

/// What is wrong with another path of an item. Paths in what was not read are not judged.
fn alias(canonical: &str, other: &str, interface: &Interface) -> Option<String> {
    let read = |path: &str| interface.api.modules.contains_key(path.split("::").next().unwrap_or(path));
    if !read(other) || !read(canonical) || interface.api.unread > 0 {
        return None;
    }
    let (one, two) = (interface.named(canonical), interface.named(other));
    if one.iter().any(|path| path.contains("::?::")) {
        return None;
    }
    if one.is_empty() || two.is_empty() {
        let absent = if one.is_empty() { canonical } else { other };
        return Some(format!("alias {other} of {canonical}: no public {absent}{}", elsewhere(interface, absent)));
    }
    // A module that re-exports another one is not the same, and yet what it holds is.
    let inside = |path: &str| -> BTreeSet<&String> {
        let below = format!("{path}::");
        interface
            .public
            .range(below.clone()..)
            .take_while(|(path, _)| path.starts_with(&below))
            .flat_map(|(_, to)| to)
            .collect()
    };
    let same = !one.is_disjoint(&two) || !inside(canonical).is_disjoint(&inside(other));
    (!same).then(|| format!("alias {other} of {canonical}: two things, {one:?} and {two:?}"))
}
