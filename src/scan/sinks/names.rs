//! Method names that may stand for an outbound call: of the others no receiver is looked at.

use rayon::prelude::*;
use rustc_hash::FxHashSet as HashSet;

use crate::catalog::Catalog;
use crate::catalog::call::CrateCalls;
use crate::scan::index::Index;
use crate::scan::ir::{Body, Expr};
use crate::scan::sinks::effect::{reads, writes};
use crate::scan::sinks::matching::{is_everyday, shape_ends};
use crate::scan::sinks::recipes::words;
use crate::scan::sinks::shape::is_counted;
use crate::scan::types::known::{first_of, leads};

/// Which method names matter in a workspace.
pub struct Names<'a> {
    /// Those that matter, of all that are called.
    matter: HashSet<&'a str>,
    /// Whether clients may be at hand that build scripts make.
    pub generated: bool,
}

impl<'a> Names<'a> {
    /// Looks at every name once.
    #[must_use]
    pub fn new(index: &'a Index, catalog: &Catalog) -> Names<'a> {
        let functions = index.functions.par_iter().filter_map(|entry| entry.function.body.as_ref());
        let arms = index.macros.par_iter().flat_map(|entry| &entry.arms).map(|arm| &arm.body);
        let add = |mut called: HashSet<&'a str>, body: &'a Body| {
            called.extend(methods(body));
            called
        };
        let both = |mut one: HashSet<&'a str>, other: HashSet<&'a str>| {
            one.extend(other);
            one
        };
        let called = functions.chain(arms).fold(HashSet::default, add).reduce(HashSet::default, both);
        let filter = Filter::new(index, catalog);
        let matter = called.into_par_iter().filter(|name| filter.matters(name)).collect();
        Names { matter, generated: filter.generated }
    }

    /// Whether a method with this name may be an outbound call, whatever it is called on.
    #[must_use]
    pub fn matter(&self, name: &str) -> bool {
        self.matter.contains(name)
    }
}

fn methods(body: &Body) -> impl Iterator<Item = &str> {
    body.nodes.iter().filter_map(|node| match &node.expr {
        Expr::Method { name, .. } => Some(name.as_str()),
        _ => None,
    })
}

struct Filter<'c> {
    exact: HashSet<&'c str>,
    patterns: Vec<&'c str>,
    /// Whether clients may be at hand that build scripts make, so that names of reads count.
    generated: bool,
}

impl<'c> Filter<'c> {
    fn new(index: &Index, catalog: &'c Catalog) -> Filter<'c> {
        let reached = reached(index, catalog);
        let methods = |krate: &'c CrateCalls| krate.call.iter().map(|call| call.method.as_str());
        let all = catalog.crates.iter().enumerate();
        let near = all.filter(|(at, _)| reached.as_ref().is_none_or(|reached| reached.contains(at)));
        let patterns: HashSet<&str> =
            near.flat_map(|(_, krate)| methods(krate)).filter(|method| method.contains('*')).collect();
        let exact = catalog.crates.iter().flat_map(methods).filter(|method| !method.contains('*'));
        Filter { exact: exact.collect(), patterns: patterns.into_iter().collect(), generated: generated(index) }
    }

    fn matters(&self, name: &str) -> bool {
        if is_everyday(name) {
            return false;
        }
        if self.exact.contains(name) || name.starts_with("send") || shape_ends(name) || is_counted(name) {
            return true;
        }
        let said = words(name);
        let first = said.first().cloned().unwrap_or_default();
        writes(&first)
            || super::gestures::may_be(&said)
            || self.generated && reads(&first)
            || self.patterns.iter().any(|pattern| crate::catalog::lookup::fits(pattern, name))
    }
}

/// Whether paths may name a client that tonic, progenitor or their kin made.
fn generated(index: &Index) -> bool {
    let packages = &index.packages;
    let depends = |on: &str| packages.iter().any(|package| package.dependencies.values().any(|name| name == on));
    packages.is_empty()
        || depends("progenitor")
        || index.every_import().any(|import| import.path.iter().any(|name| name.ends_with("_client")))
        || index.files.par_iter().any(|file| file.source.text().contains("_client::"))
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
