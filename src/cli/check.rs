//! `check`: the gate for CI. Code scan, migration lint and manifest checks; findings at or over a level fail it.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Map, Value};

use crate::catalog::Catalog;
use crate::cli::{Exit, Page, progress, sites};
use crate::diagnostic::{Fault, Faults, Finding, Level};
use crate::emit::{self, Ground, lock};
use crate::lint::{self, Subject};
use crate::manifest::{Manifest, diff};
use crate::migration::folder::{Folder, entries};
use crate::migration::tell;
use crate::report::{human, json};
use crate::scan::site::Verdict;
use crate::scan::{Judged, Scan, Settings};

/// What `check` takes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder to check
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Check only these parts
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PART,..")]
    only: Vec<Part>,
    /// How to print findings
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Fail when there is a finding of this level or a worse one
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "LEVEL")]
    fail_on: FailOn,
}

/// A part of the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The scan for unguarded sends
    Code,
    /// The lint of the migrations
    Sql,
    /// The manifest, and what has changed in it since the ledger was emitted
    Manifest,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Code frames for people
    Human,
    /// For tools
    Json,
}

/// From which level on findings fail the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Guarantees that do not hold
    Error,
    /// What should be mended, too
    Warning,
    /// Anything
    Note,
    /// Nothing: findings are told, and the exit code says whether the work was done
    Never,
}

impl FailOn {
    /// Whether a finding of this level fails the check.
    fn fails(self, level: Level) -> bool {
        match self {
            FailOn::Error => level >= Level::Error,
            FailOn::Warning => level >= Level::Warning,
            FailOn::Note => level >= Level::Note,
            FailOn::Never => false,
        }
    }
}

pub(super) fn run(args: &Args, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let root = page.path(&args.path);
    let manifest = page.manifest_for(&root)?;
    let asked = |part: Part| args.only.contains(&part);
    let wanted = |part: Part| args.only.is_empty() || asked(part);
    if manifest.is_none() && !args.only.is_empty() && !asked(Part::Code) {
        // What was asked for needs it: the fault says where it was looked for.
        page.manifest(&root)?;
    }
    let mut checked = Checked::default();
    if let Some(manifest) = &manifest {
        if wanted(Part::Manifest) {
            since_emitted(manifest)?;
        }
        if wanted(Part::Sql) {
            checked.findings.extend(migrations(manifest, &root)?);
        }
    }
    if wanted(Part::Code) {
        checked.code(&root, manifest.as_ref(), page)?;
    }
    checked.findings.sort_by(|a, b| a.order().cmp(&b.order()));
    let failed = checked.findings.iter().any(|finding| args.fail_on.fails(finding.level));
    match args.format {
        Format::Json => page.print(&json::findings(&checked.findings, checked.summary)),
        Format::Human => {
            page.print(&human::findings(&checked.findings, page.style()));
            if !checked.told.is_empty() {
                page.tell(&checked.told);
            }
        }
    }
    Ok(if failed { Exit::Findings } else { Exit::Clean })
}

/// What was found, and how much was looked at.
#[derive(Default)]
struct Checked {
    findings: Vec<Finding>,
    summary: Map<String, Value>,
    told: String,
}

impl Checked {
    fn code(&mut self, root: &Path, manifest: Option<&Manifest>, page: &Page<'_>) -> Result<(), Faults> {
        let settings = manifest.map(Settings::of).unwrap_or_default();
        let scan = progress::scan(page, root, &settings)?;
        let judged = scan.judge(Catalog::embedded(), manifest, page.today());
        self.summary = summary(&scan, &judged)?;
        self.told = told(&scan, &judged);
        self.findings.extend(judged.outcome.findings);
        Ok(())
    }
}

/// Changes that an emitted ledger cannot take are faults of the manifest.
fn since_emitted(manifest: &Manifest) -> Result<(), Faults> {
    if let Some(lock) = lock::load(manifest)? {
        diff::diff(&lock.emitted, manifest)?;
    }
    Ok(())
}

fn migrations(manifest: &Manifest, root: &Path) -> Result<Vec<Finding>, Faults> {
    let folder = manifest.root.join(&manifest.schema.migrations);
    let shown = folder.strip_prefix(root).unwrap_or(&manifest.schema.migrations);
    let ground = Ground { lock: lock::load(manifest)?, entries: entries(&folder)? };
    tell::demand(manifest.schema.layout, &folder, shown, &ground.entries)?;
    let history = Folder::read(manifest.schema.layout, shown, &ground.entries).history();
    let expected = emit::expected(manifest, &ground)?;
    Ok(lint::run(&history, &Subject { expected, ..Subject::of(manifest, ground.lock.is_some()) }))
}

fn summary(scan: &Scan, judged: &Judged) -> Result<Map<String, Value>, Faults> {
    let coverage = serde_json::to_value(&scan.coverage)
        .map_err(|error| Fault::new(format!("cannot write the coverage as JSON: {error}")))?;
    let verdicts = verdicts(judged).into_iter().map(|(name, count)| (name.to_owned(), count.into()));
    Ok(Map::from_iter([
        ("coverage".to_owned(), coverage),
        ("exceptions".to_owned(), judged.outcome.exceptions.len().into()),
        ("sites".to_owned(), judged.sites.len().into()),
        ("verdicts".to_owned(), Value::Object(verdicts.collect())),
    ]))
}

fn verdicts(judged: &Judged) -> [(&'static str, usize); 5] {
    let named = [
        ("guarded", Verdict::Guarded),
        ("unguarded", Verdict::Unguarded),
        ("undecided", Verdict::Undecided),
        ("exempt", Verdict::Exempt),
        ("read", Verdict::Read),
    ];
    named.map(|(name, verdict)| (name, judged.sites.iter().filter(|site| site.verdict == verdict).count()))
}

/// How much was looked at, and what was not read.
fn told(scan: &Scan, judged: &Judged) -> String {
    let counts = verdicts(judged).map(|(name, count)| format!("{count} {name}")).join(", ");
    let coverage = &scan.coverage;
    let sites = human::plural(judged.sites.len(), "outbound call");
    let files = human::plural(coverage.files_parsed, "file");
    let mut text = format!("{sites} in {files}: {counts}");
    for gap in sites::gaps(coverage) {
        text.push_str(&format!("\n{gap}"));
    }
    text
}
