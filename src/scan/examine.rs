//! A folder scanned and judged; of one that an earlier run looked at, and nothing has changed since, what it said.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::catalog::Catalog;
use crate::diagnostic::{Fault, Finding, Label, Level, Silencer, Subject};
use crate::manifest::Manifest;
use crate::scan::cache::{Cache, Key, Keying};
use crate::scan::discover::{self, Discovery, File, Options};
use crate::scan::index::Package;
use crate::scan::rules::allows::Exception;
use crate::scan::rules::{self, Outcome};
use crate::scan::site::Site;
use crate::scan::{Coverage, Judged, Looked, STACK, Settings, Stage, indexed, judged, look, sinks, threads};
use crate::source::{Source, Span};

/// What is asked of a folder.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// What is known of the outside world.
    pub catalog: &'a Catalog,
    /// What to scan and how.
    pub settings: &'a Settings,
    /// The manifest.
    pub manifest: Option<&'a Manifest>,
    /// Decides which exceptions still hold.
    pub today: jiff::civil::Date,
}

/// What is said of a folder.
#[derive(Clone, Debug, Default)]
pub struct Examined {
    /// The files that were looked at, sorted by name; a site names its own by its index.
    pub files: Vec<Source>,
    /// The packages, sorted by folder.
    pub packages: Vec<Package>,
    /// What was read and what was not.
    pub coverage: Coverage,
    /// Outbound calls and findings.
    pub judged: Judged,
}

/// Scans a folder and judges what is found.
///
/// # Errors
/// When the folder cannot be looked through, or threads cannot be started.
pub fn examine(root: &Path, asked: &Asked<'_>, progress: &(dyn Fn(Stage) + Sync)) -> Result<Examined, Fault> {
    threads()?.install(|| {
        progress(Stage::Discover);
        let found = discover::discover(root, &asked.settings.files)?;
        let files: Vec<Source> = found.files.iter().map(|file| file.source.clone()).collect();
        let cache = asked.settings.cache.as_ref();
        let key = cache.map(|cache| key(cache, &found, asked));
        if let (Some(cache), Some(key)) = (cache, &key)
            && let Some(known) = recall(cache, key, &files, asked.manifest)
        {
            return Ok(Examined { packages: found.packages, ..known });
        }
        let (mut index, left_out) = indexed(found, asked.settings, progress);
        let (looked, mut judged) =
            look(&index, asked.catalog, &asked.settings.network, progress, |types, looked: &Looked| {
                judged(types, (&looked.graph, &looked.sinks), asked.manifest, asked.today)
            });
        let Looked { graph, sinks, mut coverage } = looked;
        coverage.left_out = left_out;
        coverage.functions_unfollowed = std::mem::take(&mut judged.outcome.unfollowed);
        let packages = std::mem::take(&mut index.packages);
        // Nobody needs the rest; to take it apart is as long as a stage, and may as well be done beside.
        let _ = std::thread::Builder::new().stack_size(STACK).spawn(move || drop((index, graph, sinks)));
        let examined = Examined { files, packages, coverage, judged };
        if let (Some(cache), Some(key)) = (cache, &key) {
            if let Some(kept) = Kept::of(&examined, asked.manifest) {
                cache.put(key, &kept);
            }
            cache.tidy();
        }
        Ok(examined)
    })
}

fn recall(cache: &Cache, key: &Key, files: &[Source], manifest: Option<&Manifest>) -> Option<Examined> {
    let kept = cache.get::<Kept>(key)?;
    cache.tidy();
    kept.examined(files, manifest)
}

/// Everything that decides what is said. No field may be forgotten, so each is named.
fn key(cache: &Cache, found: &Discovery, asked: &Asked<'_>) -> Key {
    let Asked { catalog, settings, manifest, today } = asked;
    // The catalog holds the calls already.
    let Settings { files, network, cache: _, calls: _ } = settings;
    let Options { exclude, include_tests } = files;
    let sinks::Settings { internal_hosts } = network;
    let mut key = cache.keying("examined");
    key.add(catalog.digest()).add(today.to_string());
    key.add(format!("{exclude:?} {include_tests} {internal_hosts:?}"));
    if let Some(manifest) = manifest {
        key.add(manifest.source.name()).add(manifest.source.text());
    }
    let Discovery { packages, files, documents, left_out } = found;
    key.add(format!("{left_out:?} {} {}", packages.len(), files.len()));
    packages.iter().for_each(|package| add_package(&mut key, package));
    files.par_iter().for_each(|file| _ = file.source.digest());
    for File { source, unread, kind } in files {
        key.add(source.name()).add(format!("{kind:?} {unread:?}")).add(source.digest());
    }
    for document in documents {
        key.add(document.name()).add(document.text());
    }
    key.key()
}

fn add_package(key: &mut Keying, package: &Package) {
    let Package { name, library, folder, dependencies, local, roots, has_library } = package;
    let dependencies: BTreeMap<_, _> = dependencies.iter().collect();
    let local: BTreeMap<_, _> = local.iter().collect();
    key.add(format!("{name:?} {library:?} {folder:?} {dependencies:?} {local:?} {roots:?} {has_library}"));
}

/// What is said, with places by the index of their file.
#[derive(Serialize, Deserialize)]
struct Kept {
    sites: Vec<Site>,
    findings: Vec<KeptFinding>,
    exceptions: Vec<KeptException>,
    /// As JSON: some of its fields stand in the place of the whole.
    coverage: String,
}

#[derive(Serialize, Deserialize)]
struct KeptFinding {
    rule: String,
    level: Level,
    message: String,
    place: KeptLabel,
    related: Vec<KeptLabel>,
    help: Option<String>,
    subject: Subject,
}

#[derive(Serialize, Deserialize)]
struct KeptException {
    finding: KeptFinding,
    function: String,
    reason: String,
    until: Option<String>,
    allowed_at: KeptLabel,
    by: Silencer,
}

#[derive(Serialize, Deserialize)]
struct KeptLabel {
    /// `None` is the manifest.
    file: Option<usize>,
    span: Span,
    text: String,
}

impl Kept {
    /// Nothing when a place is in none of these files.
    fn of(examined: &Examined, manifest: Option<&Manifest>) -> Option<Kept> {
        let from = Files { files: &examined.files, manifest };
        let outcome = &examined.judged.outcome;
        Some(Kept {
            sites: examined.judged.sites.clone(),
            findings: outcome.findings.iter().map(|finding| from.finding(finding)).collect::<Option<_>>()?,
            exceptions: outcome.exceptions.iter().map(|exception| from.exception(exception)).collect::<Option<_>>()?,
            coverage: serde_json::to_string(&examined.coverage).ok()?,
        })
    }

    fn examined(self, files: &[Source], manifest: Option<&Manifest>) -> Option<Examined> {
        let to = Files { files, manifest };
        let findings = self.findings.into_iter().map(|kept| to.found(kept)).collect::<Option<_>>()?;
        let exceptions = self.exceptions.into_iter().map(|kept| to.excepted(kept)).collect::<Option<_>>()?;
        Some(Examined {
            files: files.to_vec(),
            packages: Vec::new(),
            coverage: serde_json::from_str(&self.coverage).ok()?,
            judged: Judged { sites: self.sites, outcome: Outcome { findings, exceptions, unfollowed: Vec::new() } },
        })
    }
}

/// Where places are.
struct Files<'a> {
    files: &'a [Source],
    manifest: Option<&'a Manifest>,
}

impl Files<'_> {
    fn label(&self, label: &Label) -> Option<KeptLabel> {
        let name = label.source.name();
        let file = self.files.binary_search_by(|file| file.name().cmp(name)).ok();
        let of_manifest = || self.manifest.is_some_and(|manifest| manifest.source == label.source);
        (file.is_some() || of_manifest()).then(|| KeptLabel { file, span: label.span, text: label.text.clone() })
    }

    fn place(&self, kept: KeptLabel) -> Option<Label> {
        let source = match kept.file {
            Some(file) => self.files.get(file)?,
            None => &self.manifest?.source,
        };
        Some(Label { source: source.clone(), span: kept.span, text: kept.text })
    }

    fn finding(&self, finding: &Finding) -> Option<KeptFinding> {
        let Finding { rule, level, message, place, related, help, verdict: _, subject } = finding;
        Some(KeptFinding {
            rule: (*rule).to_owned(),
            level: *level,
            message: message.clone(),
            place: self.label(place)?,
            related: related.iter().map(|label| self.label(label)).collect::<Option<_>>()?,
            help: help.clone(),
            subject: subject.clone(),
        })
    }

    fn found(&self, kept: KeptFinding) -> Option<Finding> {
        Some(Finding {
            rule: rules::names().into_iter().find(|name| *name == kept.rule)?,
            level: kept.level,
            message: kept.message,
            place: self.place(kept.place)?,
            related: kept.related.into_iter().map(|label| self.place(label)).collect::<Option<_>>()?,
            help: kept.help,
            // SQL alone has one.
            verdict: None,
            subject: kept.subject,
        })
    }

    fn exception(&self, exception: &Exception) -> Option<KeptException> {
        let Exception { finding, function, reason, until, allowed_at, by } = exception;
        Some(KeptException {
            finding: self.finding(finding)?,
            function: function.clone(),
            reason: reason.clone(),
            until: until.clone(),
            allowed_at: self.label(allowed_at)?,
            by: *by,
        })
    }

    fn excepted(&self, kept: KeptException) -> Option<Exception> {
        Some(Exception {
            finding: self.found(kept.finding)?,
            function: kept.function,
            reason: kept.reason,
            until: kept.until,
            allowed_at: self.place(kept.allowed_at)?,
            by: kept.by,
        })
    }
}
