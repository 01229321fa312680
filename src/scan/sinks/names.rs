//! Method names that may stand for an outbound call: of the others no receiver is looked at.

use rayon::prelude::*;
use rustc_hash::FxHashSet as HashSet;

use crate::catalog::Catalog;
use crate::catalog::call::CrateCalls;
use crate::scan::index::Index;
use crate::scan::ir::{Called, Import};
use crate::scan::sinks::clients::{adds, is_rpc_client};
use crate::scan::sinks::gestures::asks_a_model;
use crate::scan::sinks::matching::shape_ends;
use crate::scan::sinks::recipes::words;
use crate::scan::sinks::shape::{is_counted, may_name_a_verb};
use crate::scan::sinks::verbs::{reads, writes, writes_behind};
use crate::scan::types::known::{first_of, leads};

/// Which names of methods and functions matter in a workspace.
pub struct Names<'a> {
    /// Those that matter, of all methods that are called.
    methods: HashSet<&'a str>,
    /// Those that matter only where the result may be awaited: names of reads, on clients that build scripts make, and
    /// names that crates of the catalog have which no code here comes by.
    awaited: HashSet<&'a str>,
    /// The same of functions, by the last names of their paths.
    functions: HashSet<&'a str>,
    /// Whether clients of tonic may be at hand, every method of which is a call.
    pub rpc: bool,
    /// Whether requests may be at hand that are sent by awaiting them.
    pub awaits: bool,
}

impl<'a> Names<'a> {
    /// Looks at every name once.
    #[must_use]
    pub fn new(index: &'a Index, catalog: &Catalog) -> Names<'a> {
        let filter = Filter::new(index, catalog);
        let all = |names: fn(&Called) -> &HashSet<String>, matters: &(dyn Fn(&str) -> bool + Sync)| {
            let called: HashSet<&'a str> =
                index.files.iter().flat_map(|file| names(&file.called)).map(String::as_str).collect();
            called.into_par_iter().filter(|name| matters(name)).collect()
        };
        let methods: HashSet<&'a str> = all(|called| &called.methods, &|name| filter.matters(name));
        let only_awaited = |name: &str| !methods.contains(name) && filter.matters_if_awaited(name);
        Names {
            awaited: all(|called| &called.methods, &only_awaited),
            methods,
            functions: all(|called| &called.functions, &|name| filter.matters_of_function(name)),
            // What names a client of tonic names one that a build script made.
            rpc: filter.generated && rpc(index),
            awaits: filter.awaits,
        }
    }

    /// Whether a method with this name may be an outbound call, whatever it is called on.
    #[must_use]
    pub fn matter(&self, name: &str) -> bool {
        self.methods.contains(name)
    }

    /// Whether a method with this name may be an outbound call where what it answers may be awaited.
    #[must_use]
    pub fn matter_if_awaited(&self, name: &str) -> bool {
        self.awaited.contains(name)
    }

    /// Whether a function whose path ends with this name may be one.
    #[must_use]
    pub fn matter_of_function(&self, name: &str) -> bool {
        self.functions.contains(name)
    }
}

struct Filter<'c> {
    /// Of crates that code can come by.
    exact: HashSet<&'c str>,
    /// Of every crate: one that nobody listed may pass another one on, or have methods like it.
    known: HashSet<&'c str>,
    patterns: Vec<&'c str>,
    /// Whether clients may be at hand that build scripts make, so that names of reads count.
    generated: bool,
    /// Whether requests may be that are sent by awaiting them.
    awaits: bool,
}

impl<'c> Filter<'c> {
    fn new(index: &Index, catalog: &'c Catalog) -> Filter<'c> {
        let reached = reached(index, catalog);
        let methods = |krate: &'c CrateCalls| krate.call.iter().map(|call| call.method.as_str());
        let all = catalog.crates.iter().enumerate();
        let near = || all.clone().filter(|(at, _)| reached.as_ref().is_none_or(|reached| reached.contains(at)));
        let (patterns, exact): (HashSet<&str>, HashSet<&str>) =
            near().flat_map(|(_, krate)| methods(krate)).partition(|method| method.contains('*'));
        let known = catalog.crates.iter().flat_map(methods).collect();
        let awaits = near().any(|(_, krate)| methods(krate).any(|method| method == "await"));
        Filter { exact, known, patterns: patterns.into_iter().collect(), generated: generated(index), awaits }
    }

    fn matters(&self, name: &str) -> bool {
        if is_everyday(name) {
            return false;
        }
        if self.exact.contains(name) || name.starts_with("send") || shape_ends(name) || is_counted(name) {
            return true;
        }
        let said = words(name);
        let first = said.iter().find(|word| *word != "begin").cloned().unwrap_or_default();
        writes(&first)
            || writes_behind(&said)
            || super::gestures::may_be(&said)
            || super::blocking::ends(name)
            || adds(&said)
            || self.patterns.iter().any(|pattern| crate::catalog::lookup::fits(pattern, name))
    }

    fn matters_if_awaited(&self, name: &str) -> bool {
        let may_read = || self.generated && words(name).first().is_some_and(|first| reads(first));
        !is_everyday(name) && (self.known.contains(name) || may_read())
    }

    /// The same of a function: it may be given an HTTP method, or belong to the crate of a model.
    fn matters_of_function(&self, name: &str) -> bool {
        if is_everyday(name) {
            return false;
        }
        let said = words(name);
        // `surf::Request::builder(method, url)`, which is sent by awaiting it.
        self.awaits && name == "builder"
            || self.matters(name)
            || self.matters_if_awaited(name)
            || may_name_a_verb(&said)
            || said.first().is_some_and(|first| asks_a_model(first))
    }
}

/// Whether paths may name a client that tonic, progenitor or their kin made.
fn generated(index: &Index) -> bool {
    let packages = &index.packages;
    let depends = |on: &str| packages.iter().any(|package| package.dependencies.values().any(|name| name == on));
    packages.is_empty()
        || depends("progenitor")
        || index.every_import().any(|import| import.path.iter().any(|name| name.ends_with("_client")))
        || index.files.par_iter().any(|file| file.source.says("_client::"))
}

/// Whether paths may name a client that tonic made: `payments_client::PaymentsClient`.
fn rpc(index: &Index) -> bool {
    let imported = |import: &Import| {
        let whole = import.path.windows(2).any(|pair| is_rpc_client(&pair[0], &pair[1]));
        // What is in the module may be used without its name.
        let all = |last: &String| last.ends_with("_client") && (import.glob || import.name != *last);
        whole || import.path.last().is_some_and(all)
    };
    let written = |text: &str| {
        text.match_indices("_client::").any(|(at, sign)| {
            let (before, behind) = (&text[..at + sign.len() - 2], &text[at + sign.len()..]);
            let module = before.rsplit(|sign: char| !is_part(sign)).next().unwrap_or_default();
            is_rpc_client(module, behind.split(|sign: char| !is_part(sign)).next().unwrap_or_default())
        })
    };
    index.packages.is_empty()
        || index.every_import().any(imported)
        || index.files.par_iter().any(|file| file.source.says("_client::") && written(file.source.text()))
}

fn is_part(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// The crates of the catalog that code can come by: what packages depend on, what those re-export, return and
/// implement. `None` when a file belongs to no package, so that anything may be at hand.
fn reached(index: &Index, catalog: &Catalog) -> Option<HashSet<usize>> {
    if index.modules.iter().any(|module| index.packages.get(module.package).is_none()) {
        return None;
    }
    let declared = index.packages.iter().flat_map(|package| package.dependencies.iter().flat_map(|(a, b)| [a, b]));
    let mut open: Vec<String> = declared.map(|name| name.replace('-', "_")).collect();
    open.extend(index.every_import().filter_map(|import| import.path.first().cloned()));
    open.extend(["alloc", "core", "std"].map(str::to_owned));
    open.sort_unstable();
    open.dedup();
    let mut libraries: HashSet<String> = HashSet::default();
    let mut crates: HashSet<usize> = HashSet::default();
    let leads = leads(catalog);
    while let Some(library) = open.pop() {
        for (at, krate) in catalog.crates.iter().enumerate() {
            if krate.library_names().any(|name| crate::catalog::lookup::fits(&name, &library)) && crates.insert(at) {
                open.extend(krate.returns.iter().map(|returns| first_of(&returns.returns).to_owned()));
            }
        }
        open.extend(leads.get(library.as_str()).into_iter().flatten().map(|library| (*library).to_owned()));
        libraries.insert(library);
        open.retain(|library| !libraries.contains(library));
    }
    Some(crates)
}

/// Names that no outbound call has, so that their receivers need no look.
pub(super) fn is_everyday(name: &str) -> bool {
    matches!(
        name,
        "clone"
            | "unwrap"
            | "expect"
            | "to_string"
            | "into"
            | "iter"
            | "map"
            | "collect"
            | "as_str"
            | "len"
            | "is_empty"
            | "map_err"
            | "to_owned"
            | "unwrap_or_default"
            | "unwrap_or"
            | "unwrap_or_else"
            | "ok"
            | "as_ref"
            | "context"
            | "with_context"
            | "push"
            | "push_str"
            | "contains"
            | "trim"
            | "and_then"
            | "Some"
            | "Ok"
            | "Err"
            | "is_some"
            | "is_none"
            | "filter"
            | "into_iter"
            | "join"
            | "format"
            | "from"
            | "new"
            | "default"
            | "lock"
            | "try_lock"
            | "try_read"
            | "try_write"
            | "blocking_lock"
            | "blocking_read"
            | "blocking_write"
            | "get_or_init"
            | "as_deref"
            | "header"
            | "json"
            | "to_vec"
            | "starts_with"
            | "ends_with"
            | "cloned"
            | "ok_or_else"
            | "ok_or"
    )
}
