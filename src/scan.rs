//! The code scan: stages that never call each other, each a pure function of the one before.
//!
//! ```text
//! discover: folder -> packages and files       summary: one file -> FileSummary (in parallel)
//! index: summaries -> names that resolve       types: index + catalog -> types of expressions, call targets
//! graph: call edges and entry points           sinks: types + catalog + graph -> outbound calls
//! guards: sinks + graph -> Sites with verdicts rules: Sites -> findings
//! examine: all of these; what an earlier run found in the same files comes from the cache
//! ```

pub mod ir;
pub mod cache;
pub mod discover;
pub mod summary;
pub mod index;
pub mod types;
pub mod site;
pub mod graph;
pub mod flow;
pub mod sinks;
pub mod guards;
pub mod rules;
pub mod examine;

use std::borrow::Cow;
use std::path::Path;

use rayon::prelude::*;

use crate::catalog::Catalog;
use crate::catalog::call::Call;
use crate::diagnostic::Fault;
use crate::manifest::Manifest;
use crate::scan::cache::Cache;
use crate::scan::discover::{Discovery, LeftOut, Options};
use crate::scan::graph::mentions::{self, Arms};
use crate::scan::graph::{Counts, Graph};
use crate::scan::guards::Guards;
use crate::scan::index::{FnId, Index};
use crate::scan::sinks::Suspect;
use crate::scan::sinks::names::Names;
use crate::scan::site::{Sink, Site};
use crate::scan::types::Types;
use crate::scan::types::eval::Eval;

/// What to scan and how.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Which files.
    pub files: Options,
    /// What the team says of its own network.
    pub network: sinks::Settings,
    /// Outbound calls that the team knows.
    pub calls: Vec<Call>,
    /// Where what earlier scans found is kept.
    pub cache: Option<Cache>,
}

impl Settings {
    /// What a manifest says.
    #[must_use]
    pub fn of(manifest: &Manifest) -> Settings {
        let mut settings = Settings::default();
        settings.files.exclude.clone_from(&manifest.scan.exclude);
        settings.network.internal_hosts.clone_from(&manifest.scan.internal_hosts);
        settings.calls = manifest.scan.calls.iter().map(|own| own.call.clone()).collect();
        settings
    }

    /// What is known of the outside world: the catalog that is built in, and what the team says.
    #[must_use]
    pub fn catalog(&self) -> Cow<'static, Catalog> {
        match self.calls.is_empty() {
            true => Cow::Borrowed(Catalog::embedded()),
            false => Cow::Owned(Catalog::embedded().with(&self.calls)),
        }
    }
}

/// A stage of the scan, for progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Looking for files.
    Discover,
    /// Parsing so many of them.
    Parse(usize),
    /// Resolving names.
    Link,
    /// Following calls.
    Calls,
    /// Looking for outbound calls.
    Sinks,
}

/// Everything that a scan found.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// Every name of the workspace.
    pub index: Index,
    /// Outbound calls, sorted by file and place.
    pub sinks: Vec<Sink>,
    /// Who calls whom.
    pub graph: Graph,
    /// What was read and what was not.
    pub coverage: Coverage,
}

/// What was read and what was not, in numbers and names: never silent.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Coverage {
    /// Files that were parsed.
    pub files_parsed: usize,
    /// Files that could not be read, by name.
    pub files_unread: Vec<String>,
    /// Files that were left out on purpose.
    pub left_out: LeftOut,
    /// Macro calls that were searched as tokens.
    pub macros_as_tokens: usize,
    /// `include!` and its kin of files that a build script makes: nothing is known of what they hold.
    pub made_includes: usize,
    /// Calls that could lead to an outbound call, by the name of a function on the way to one.
    pub calls_looked_at: usize,
    /// The share of those whose target is known, 0 to 1, to three digits; 1 where there are none.
    pub calls_known: f64,
    /// Calls of a trait's function of which no implementation is known.
    pub unimplemented_calls: usize,
    /// Functions with more ways through them than were followed, by their paths: rules about an order of steps may
    /// have missed something in them.
    pub functions_unfollowed: Vec<String>,
    /// Calls that could not be followed.
    #[serde(flatten)]
    pub calls: sinks::Coverage,
}

/// How large the stacks of the threads are, in bytes: evaluation goes deep on long chains.
const STACK: usize = 32 << 20;

/// Scans a folder.
///
/// # Errors
/// When the folder cannot be looked through, or threads cannot be started.
pub fn scan(
    root: &Path,
    catalog: &Catalog,
    settings: &Settings,
    progress: &(dyn Fn(Stage) + Sync),
) -> Result<Scan, Fault> {
    threads()?.install(|| {
        progress(Stage::Discover);
        let found = discover::discover(root, &settings.files)?;
        Ok(Scan::of_files(found, catalog, settings, progress))
    })
}

/// Threads with the stacks that evaluation may need.
fn threads() -> Result<rayon::ThreadPool, Fault> {
    let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK).build();
    pool.map_err(|error| Fault::new(format!("cannot start threads: {error}")))
}

/// What a scan says, once guards, rules and exceptions were looked at.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// Every outbound call with its verdict, sorted by file and place.
    pub sites: Vec<Site>,
    /// What the rules say.
    pub outcome: rules::Outcome,
}

impl Scan {
    /// Gives every outbound call its verdict and runs the rules. `today` decides which exceptions still hold.
    #[must_use]
    pub fn judge(&self, catalog: &Catalog, manifest: Option<&Manifest>, today: jiff::civil::Date) -> Judged {
        let judge = || judged(&Types::new(&self.index, catalog), (&self.graph, &self.sinks), manifest, today);
        // One thread is enough; it has the stack that evaluation may need. Where none can be had, this one is used.
        match rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(STACK).build() {
            Ok(pool) => pool.install(judge),
            Err(_) => judge(),
        }
    }

    /// Scans what was found.
    fn of_files(found: Discovery, catalog: &Catalog, settings: &Settings, progress: &(dyn Fn(Stage) + Sync)) -> Scan {
        let (index, left_out) = indexed(found, settings, progress);
        let mut scan = Scan::of(index, catalog, &settings.network, progress);
        scan.coverage.left_out = left_out;
        scan
    }

    /// Scans what was indexed.
    #[must_use]
    pub fn of(index: Index, catalog: &Catalog, network: &sinks::Settings, progress: &(dyn Fn(Stage) + Sync)) -> Scan {
        let (Looked { graph, sinks, coverage }, ()) = look(&index, catalog, network, progress, |_, _| ());
        Scan { index, sinks, graph, coverage }
    }
}

/// What the files hold, by name, and which of them were left out.
fn indexed(found: Discovery, settings: &Settings, progress: &(dyn Fn(Stage) + Sync)) -> (Index, LeftOut) {
    progress(Stage::Parse(found.files.len()));
    let cache = settings.cache.as_ref();
    let summaries = summary::summarise_all(found.files, settings.files.include_tests, cache);
    progress(Stage::Link);
    let mut index = Index::reading(found.packages, summaries, &|file| summary::summarise_waiting(file, cache));
    let documents = found.documents.iter();
    index.documents =
        documents.map(|file| (file.name().to_owned(), summary::documents::operations(file.text()))).collect();
    let mut left_out = found.left_out;
    left_out.tests += index.files.iter().filter(|file| file.waits).count();
    (index, left_out)
}

/// What is found in an index.
struct Looked {
    graph: Graph,
    sinks: Vec<Sink>,
    coverage: Coverage,
}

/// Looks for outbound calls and for what leads to them, and goes on with `then` while all that was told of types is at
/// hand.
fn look<R>(
    index: &Index,
    catalog: &Catalog,
    network: &sinks::Settings,
    progress: &(dyn Fn(Stage) + Sync),
    then: impl FnOnce(&Types<'_>, &Looked) -> R,
) -> (Looked, R) {
    progress(Stage::Calls);
    let of_functions = || (mentions::Names::new(index), Arms::new(index));
    let (types, ((called, arms), names)) =
        rayon::join(|| Types::new(index, catalog), || rayon::join(of_functions, || Names::new(index, catalog)));
    let nobody = Graph::default();
    let look_into = |id| {
        // Both ask much the same of a body.
        let eval = Eval::new(&types);
        let found = mentions::Found::of(&called, &arms, &eval, id);
        let context = sinks::Context::new(&types, &nobody, network, &names, eval);
        ((id, found), sinks::suspect(&context, id))
    };
    let ids: Vec<FnId> = index.function_ids().collect();
    let (found, suspects): (Vec<(FnId, mentions::Found)>, Vec<Suspect>) = ids.into_par_iter().map(look_into).unzip();
    let graph = Graph::new(&types, called, arms, found);
    progress(Stage::Sinks);
    let (sinks, calls) = sinks::sinks(&types, &graph, network, &names, suspects);
    let counts = graph.climb(&types, sinks.iter().map(|sink| sink.function));
    let unimplemented = graph.unimplemented(&types);
    let coverage = Coverage::of(index, calls, Counts { unimplemented, ..counts });
    let looked = Looked { graph, sinks, coverage };
    let more = then(&types, &looked);
    (looked, more)
}

/// Gives every outbound call its verdict and runs the rules.
fn judged(
    types: &Types<'_>,
    (graph, sinks): (&Graph, &[Sink]),
    manifest: Option<&Manifest>,
    today: jiff::civil::Date,
) -> Judged {
    let guards = || Guards::new(types, graph, manifest, sinks);
    let mut sites = guards::judge(&guards(), sinks.to_vec());
    let outcome = rules::run(&guards, (types.index, manifest), &mut sites, today);
    Judged { sites, outcome }
}

impl Coverage {
    /// What an index and the looks at it tell.
    fn of(index: &Index, calls: sinks::Coverage, counts: Counts) -> Coverage {
        let unread = index.files.iter().filter(|file| file.unread.is_some());
        Coverage {
            files_parsed: index.files.iter().filter(|file| file.unread.is_none() && !file.waits).count(),
            files_unread: unread.map(|file| file.source.name().to_owned()).collect(),
            left_out: LeftOut::default(),
            macros_as_tokens: index.files.iter().map(|file| file.macros_as_tokens).sum(),
            made_includes: index.files.iter().map(|file| file.made_includes).sum(),
            calls_looked_at: counts.looked_at,
            calls_known: share(counts.known, counts.looked_at),
            unimplemented_calls: counts.unimplemented,
            // The rules tell.
            functions_unfollowed: Vec::new(),
            calls,
        }
    }
}

/// How much of all these are, to three digits; all of none.
fn share(these: usize, all: usize) -> f64 {
    if all == 0 { 1.0 } else { (these as f64 / all as f64 * 1000.0).round() / 1000.0 }
}
