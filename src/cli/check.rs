//! `check`: the gate for CI. Code scan, migration lint and manifest checks; findings at or over a level fail it.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::cli::{Exit, Page, progress, sites};
use crate::diagnostic::{Fault, Faults, Finding, Level};
use crate::files::{OutputFile, write_all};
use crate::gate::baseline::Baseline;
use crate::gate::place::Place;
use crate::gate::revision::Revision;
use crate::gate::{self, Asked, Checked, Parts, diff};
use crate::manifest::{self, Manifest};
use crate::report::{cargo, github, human, json, junit, sarif};
use crate::scan;
use crate::scan::examine::Examined;

/// What `check` takes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder to check
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Check only these parts
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PART,..")]
    only: Vec<Part>,
    /// How to print findings; without it for people, and as annotations too where GitHub Actions runs it
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Hide the findings that this file lists
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the baseline (onlyonce-baseline.json unless --baseline names one): all findings where there is none, else
    /// only what is left of it
    #[arg(long, conflicts_with = "diff")]
    write_baseline: bool,
    /// Tell only what is new since this commit, branch or tag: since the branch left it, where the two have parted
    #[arg(long, value_name = "REV")]
    diff: Option<String>,
    /// Fail when there is a finding of this level or a worse one
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "LEVEL")]
    fail_on: FailOn,
    /// Look at every file again, and keep nothing
    #[arg(long)]
    no_cache: bool,
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
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
    /// JUnit XML, for GitLab and Jenkins
    Junit,
    /// cargo's messages, for rust-analyzer
    Cargo,
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
    /// Whether this finding fails the check.
    fn fails(self, finding: &Finding) -> bool {
        match self {
            FailOn::Error => finding.level >= Level::Error,
            FailOn::Warning => finding.level >= Level::Warning,
            FailOn::Note => finding.level >= Level::Note,
            FailOn::Never => false,
        }
    }
}

/// Where the baseline is written unless it is said.
const BASELINE: &str = "onlyonce-baseline.json";

pub(super) fn run(args: &Args, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let root = page.path(&args.path);
    let manifest = page.manifest_for(&root)?;
    let parts = parts(&args.only);
    if manifest.is_none() && !args.only.is_empty() && !parts.code {
        // What was asked for needs it: the fault says where it was looked for.
        page.manifest(&root)?;
    }
    let asked = Asked { root: &root, manifest: manifest.as_ref(), parts, today: page.today() };
    let mut checked = gate::check(asked, |folder, settings| look(args, page, folder, settings, asked.manifest))?;
    demand_something(&checked, asked, page)?;
    if let Some(name) = &args.diff {
        since(args, name, &mut checked, asked, page)?;
    }
    listed(args, &mut checked, asked, page)?;
    tell(args, &checked, &root, page)
}

/// Scans and judges, with the cache unless it is not wanted.
fn look(
    args: &Args,
    page: &mut Page<'_>,
    folder: &Path,
    settings: &scan::Settings,
    manifest: Option<&Manifest>,
) -> Result<Examined, Faults> {
    let cached = page.cached(settings, args.no_cache);
    progress::examine(page, folder, &cached, manifest)
}

/// A gate that looks at the wrong folder is no gate: without code, and without a manifest of its own, nothing of the
/// folder was checked.
fn demand_something(checked: &Checked, asked: Asked<'_>, page: &Page<'_>) -> Result<(), Fault> {
    let Some(scanned) = &checked.scanned else { return Ok(()) };
    let coverage = &scanned.coverage;
    let left = &coverage.left_out;
    let left_out = left.tests + left.benches + left.examples + left.build_scripts + left.excluded;
    let has_code = coverage.files_parsed + coverage.files_unread.len() + left_out > 0;
    let own = |manifest: &Manifest| manifest.root.starts_with(asked.root);
    if has_code || asked.manifest.is_some_and(own) {
        return Ok(());
    }
    let shown = page.shown(asked.root);
    let shown = if shown.is_empty() { "." } else { &shown };
    Err(Fault::new(format!("there is neither Rust code nor an onlyonce.toml in {shown}, so nothing of it was checked"))
        .with_help("name the folder of your code: `onlyonce check PATH`"))
}

fn parts(only: &[Part]) -> Parts {
    let wanted = |part: Part| only.is_empty() || only.contains(&part);
    Parts { code: wanted(Part::Code), sql: wanted(Part::Sql), manifest: wanted(Part::Manifest) }
}

/// Takes off what the revision had too.
fn since(args: &Args, name: &str, checked: &mut Checked, asked: Asked<'_>, page: &mut Page<'_>) -> Result<(), Faults> {
    let revision = Revision::read(asked.root, name)?;
    for gap in &revision.gaps {
        page.tell(gap);
    }
    page.murmur(&format!("compared with {}", revision.commit));
    let root = revision.root();
    let mut old = Checked::default();
    if root.is_dir() {
        let written = old_manifest(&revision, asked, page);
        // Where the old manifest cannot be used, the present one says what is internal and what is left out.
        let manifest = written.as_ref().or(asked.manifest);
        let parts = Parts { sql: asked.parts.sql && written.is_some(), manifest: false, ..asked.parts };
        let before = Asked { root: &root, manifest, parts, ..asked };
        old = gate::check(before, |folder, settings| look(args, page, folder, settings, manifest)).or_else(|_| {
            // Migrations that could not be checked then had no findings then.
            let code = Parts { sql: false, ..parts };
            let before = Asked { parts: code, ..before };
            gate::check(before, |folder, settings| look(args, page, folder, settings, manifest))
        })?;
    }
    diff::since(checked, &old, |name| root.join(name).exists(), |name| asked.root.join(name).exists());
    Ok(())
}

/// The manifest as it was, where it was and could be used.
fn old_manifest(revision: &Revision, asked: Asked<'_>, page: &Page<'_>) -> Option<Manifest> {
    let path = revision.of_now(&page.manifest_path(asked.root)?)?;
    let name = gate::place::seen_from(&revision.root(), &path);
    manifest::load(&path, &name, &scan::rules::names()).ok()
}

/// Takes off what the baseline lists, once it is written where that was asked for.
fn listed(args: &Args, checked: &mut Checked, asked: Asked<'_>, page: &mut Page<'_>) -> Result<(), Faults> {
    let usual = args.write_baseline.then(|| asked.root.join(BASELINE));
    let Some(path) = args.baseline.as_ref().map(|path| page.folder.join(path)).or(usual) else { return Ok(()) };
    let shown = page.shown(&path);
    let mut baseline = match (Baseline::load(&path, &shown)?, args.write_baseline) {
        (Some(baseline), _) => baseline,
        (None, true) => Baseline::of(checked),
        (None, false) => {
            let fault = Fault::new(format!("there is no baseline {shown}"));
            return Err(fault.with_help("write it with --write-baseline, or name another").into());
        }
    };
    if args.write_baseline {
        let before = baseline.len();
        baseline = baseline.shrunk(checked, asked.parts);
        write_all(&[OutputFile::new(&path, baseline.text())])?;
        let mended = before - baseline.len();
        let shrunk = if mended > 0 { format!(", {mended} taken out") } else { String::new() };
        let listed = human::plural(baseline.len(), "finding");
        page.tell(&format!("wrote {shown}: {listed}{shrunk}; commit it and run `onlyonce check --baseline {shown}`"));
    }
    baseline.apply(checked, asked.parts, &shown);
    Ok(())
}

fn tell(args: &Args, checked: &Checked, root: &Path, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let fails = |finding: &Finding| args.fail_on.fails(finding);
    let exit = if checked.findings.iter().any(fails) { Exit::Findings } else { Exit::Clean };
    let place = Place::of(root, &page.folder);
    let findings = &checked.findings;
    match args.format {
        Some(Format::Json) => page.print(&json::findings(findings, checked.summary()?)),
        Some(Format::Sarif) => page.print(&sarif::document(checked, &place, exit as u8)),
        Some(Format::Github) => page.print(&github::annotations(findings, &place)),
        Some(Format::Junit) => page.print(&junit::document(findings, fails, page.now)),
        Some(Format::Cargo) => {
            page.print(&cargo::messages(checked, &place, &page.folder, exit == Exit::Findings));
        }
        Some(Format::Human) | None => {
            page.print(&human::findings(findings, page.style()));
            if args.format.is_none() && page.in_actions {
                page.print(&github::annotations(findings, &place));
            }
        }
    }
    if args.format.is_none_or(|format| matches!(format, Format::Human | Format::Github)) {
        for line in told(checked) {
            page.tell(&line);
        }
    }
    Ok(exit)
}

/// How much was looked at, what was not read, and what does not count.
fn told(checked: &Checked) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(scanned) = &checked.scanned {
        let counts = scanned.verdicts.map(|(name, count)| format!("{count} {name}")).join(", ");
        let sites = human::plural(scanned.sites, "outbound call");
        lines.push(format!("{sites} in {}: {counts}", human::plural(scanned.coverage.files_parsed, "file")));
        lines.extend(sites::gaps(&scanned.coverage));
    }
    let taken = &checked.taken;
    if let Some(old) = taken.by_revision.filter(|old| *old > 0) {
        lines.push(format!("{} not told: the older revision has them too", human::plural(old, "finding")));
    }
    if let Some(hidden) = taken.by_baseline.filter(|hidden| *hidden > 0) {
        lines.push(format!("{} hidden by the baseline", human::plural(hidden, "finding")));
    }
    for entry in &taken.stale {
        let words = [&entry.rule, &entry.function, &entry.sink].map(String::as_str).join(" ");
        lines.push(format!("stale in the baseline, --write-baseline takes it out: {words}"));
    }
    lines
}
