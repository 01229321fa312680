//! The gate: what a check of a folder says, and what of it counts.
//!
//! ```text
//! folder -> Checked (every finding, exceptions taken off) -> baseline, diff -> Checked -> report -> text
//! ```
//!
//! [`baseline`] takes off what was there when the gate was switched on, [`diff`] what an older revision has too, whose
//! files [`revision`] reads out of git. [`identity`] says when two findings are the same one.

pub mod identity;
pub mod baseline;
pub mod place;
pub mod revision;
pub mod diff;

use std::path::Path;

use jiff::civil::Date;
use serde_json::{Map, Value};

use crate::diagnostic::{Fault, Faults, Finding, Label, Level, Silenced};
use crate::emit::{self, Ground, lock};
use crate::lint::rows::{Answer, Question};
use crate::lint::{self, Subject};
use crate::live::definitions::Wanted;
use crate::manifest::{Manifest, diff as changes};
use crate::migration::folder::{Folder, entries};
use crate::migration::tell;
use crate::rule::Domain;
use crate::scan::examine::Examined;
use crate::scan::index::Package;
use crate::scan::site::Verdict;
use crate::scan::{Coverage, Judged, Settings};
use crate::schema::{Replayed, replay};
use crate::source::Source;
use crate::sql::SourceStatements;

/// The parts of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The scan for unguarded sends.
    pub code: bool,
    /// The lint of the migrations.
    pub sql: bool,
    /// The manifest, and what has changed in it since the ledger was emitted.
    pub manifest: bool,
}

impl Parts {
    /// Whether rules of this kind are run.
    #[must_use]
    pub fn cover(self, domain: Domain) -> bool {
        match domain {
            Domain::Code => self.code,
            Domain::Sql => self.sql,
        }
    }
}

/// What to check.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The folder; names of files are relative to it.
    pub root: &'a Path,
    /// Its manifest.
    pub manifest: Option<&'a Manifest>,
    /// Which parts.
    pub parts: Parts,
    /// Decides which exceptions still hold.
    pub today: Date,
}

/// What was found, and how much was looked at.
#[derive(Debug, Default)]
pub struct Checked {
    /// What counts, sorted by file and place, each with its ordinal.
    pub findings: Vec<Finding>,
    /// What does not, and why; sorted likewise.
    pub silenced: Vec<Silenced>,
    /// How much was looked at, where code was.
    pub scanned: Option<Scanned>,
    /// What a baseline or an older revision took off.
    pub taken: Taken,
}

/// What a baseline or an older revision took off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// How many findings the baseline hides, where there is one.
    pub by_baseline: Option<usize>,
    /// Entries of the baseline that fit nothing any more.
    pub stale: Vec<baseline::Entry>,
    /// How many findings an older revision has too, where one was compared.
    pub by_revision: Option<usize>,
}

/// How much of the code was looked at.
#[derive(Clone, Debug, Default)]
pub struct Scanned {
    /// What was read and what was not.
    pub coverage: Coverage,
    /// How many outbound calls have which verdict, by name.
    pub verdicts: [(&'static str, usize); 5],
    /// How many outbound calls there are.
    pub sites: usize,
    /// The packages, sorted by folder.
    pub packages: Vec<Package>,
}

/// Checks a folder. `examine` scans and judges its code.
///
/// # Errors
/// When the folder, its migrations or its lock cannot be read, or a change in the manifest cannot be emitted.
pub fn check(
    asked: Asked<'_>,
    examine: impl FnOnce(&Path, &Settings) -> Result<Examined, Faults>,
) -> Result<Checked, Faults> {
    let mut checked = Checked::default();
    if let Some(manifest) = asked.manifest {
        if asked.parts.manifest {
            since_emitted(manifest)?;
        }
        if asked.parts.sql {
            let linted = migrations(manifest, asked)?;
            checked.findings = linted.findings;
            checked.silenced = linted.silenced;
        }
    }
    if asked.parts.code {
        let settings = asked.manifest.map(Settings::of).unwrap_or_default();
        let Examined { packages, coverage, judged, .. } = examine(asked.root, &settings)?;
        checked.scanned = Some(Scanned::of(coverage, packages, &judged));
        checked.findings.extend(judged.outcome.findings);
        checked.silenced.extend(judged.outcome.exceptions.into_iter().map(Silenced::from));
    }
    checked.findings.sort_by(|a, b| a.order().cmp(&b.order()));
    checked.silenced.sort_by(|a, b| a.finding.order().cmp(&b.finding.order()));
    identity::number(&mut checked.findings, &mut checked.silenced);
    Ok(checked)
}

/// Changes that an emitted ledger cannot take are faults of the manifest.
fn since_emitted(manifest: &Manifest) -> Result<(), Faults> {
    if manifest.schema.adopt.is_none() {
        emit::demand_roles(manifest)?;
    }
    if let Some(lock) = lock::load(manifest)? {
        lock.demand_folder(manifest)?;
        changes::diff(&lock.emitted, manifest)?;
    }
    Ok(())
}

fn migrations(manifest: &Manifest, asked: Asked<'_>) -> Result<lint::Linted, Faults> {
    let folder = manifest.root.join(&manifest.schema.migrations);
    let shown = place::seen_from(asked.root, &folder);
    let ground = Ground { lock: lock::load(manifest)?, entries: entries(&folder)? };
    tell::demand(manifest.schema.layout, &folder, Path::new(&shown), &ground.entries)?;
    let history = Folder::read(manifest.schema.layout, Path::new(&shown), &ground.entries).history();
    emit::adopt::demand_statuses(manifest, &history)?;
    let edited = edited(manifest, &ground, Path::new(&shown), &history);
    let subject = Subject { edited, ..subject(manifest, &ground)? };
    Ok(lint::check(&history, &subject, Some(asked.today)))
}

/// Emitted migrations whose text is not the one that the lock knows.
fn edited(manifest: &Manifest, ground: &Ground, shown: &Path, history: &[SourceStatements]) -> Vec<Label> {
    let Some(lock) = &ground.lock else { return Vec::new() };
    let is_edited = |file: &&SourceStatements| {
        let name = Path::new(file.source.name());
        lock.is_edited(&manifest.schema.migrations.join(name.strip_prefix(shown).unwrap_or(name)), file.source.text())
    };
    // At its first statement, above which an exception can stand.
    let place = |file: &SourceStatements| {
        let line = file.statements.first().map_or(1, |one| file.source.position(one.span.start).line);
        Label::new(&file.source, file.source.line(line), "its text is not the one in the lock")
    };
    history.iter().filter(is_edited).map(place).collect()
}

/// What is asked of a ledger: what the manifest names, and what was emitted of it.
fn subject(manifest: &Manifest, ground: &Ground) -> Result<Subject, Fault> {
    let expected = emit::expected(manifest, ground)?;
    Ok(Subject { expected, ..Subject::of(manifest, ground.lock.is_some()) })
}

/// What a live database tells: its definitions, as a file, and the answers to what was asked about rows.
pub type Told = (Source, Vec<Answer>);

/// Judges what a live database has by the rules for migrations, against what was emitted or adopted. `read` asks it for
/// the definitions that are wanted, and then for what its second argument asks about rows, given those definitions.
///
/// # Errors
/// When there is nothing to compare with, or something cannot be read.
pub fn verify(
    manifest: &Manifest,
    read: impl FnOnce(&Wanted, &mut dyn FnMut(&str) -> Vec<String>) -> Result<Told, Faults>,
) -> Result<Checked, Faults> {
    let folder = manifest.root.join(&manifest.schema.migrations);
    let ground = Ground { lock: lock::load(manifest)?, entries: entries(&folder)? };
    if ground.lock.is_none() && manifest.schema.adopt.is_none() {
        let fault = Fault::new("no ledger was emitted from this manifest, so there is nothing to compare with");
        return Err(fault.with_help("run `onlyonce emit`, or name your own ledger in [schema.adopt]").into());
    }
    let subject = Subject { live: true, ..subject(manifest, &ground)? };
    let mut asked = Vec::new();
    let (source, answers) = read(&Wanted::of(&subject.ledger), &mut |text| {
        let replayed = replay(&[SourceStatements::read(&Source::new("", text))]);
        asked = questions(manifest, &ground, &replayed, &subject);
        asked.iter().map(|question| question.statement.clone()).collect()
    })?;
    let history = [SourceStatements::read(&source)];
    let replayed = replay(&history);
    let mut findings = lint::checked(&history, &replayed, &subject, None).findings;
    findings.extend(asked.iter().zip(&answers).flat_map(|(one, answer)| one.judge(answer, &replayed, &subject)));
    findings.sort_by(|a, b| a.order().cmp(&b.order()));
    let mut checked = Checked { findings, ..Checked::default() };
    identity::number(&mut checked.findings, &mut checked.silenced);
    Ok(checked)
}

/// What is asked about the rows of a database with these definitions.
fn questions(manifest: &Manifest, ground: &Ground, replayed: &Replayed, subject: &Subject) -> Vec<Question> {
    let transitions = manifest.schema.adopt.iter().flat_map(|adopt| adopt.transitions.keys());
    let mut asked = lint::rows::questions(replayed, subject, &transitions.cloned().collect());
    if let Some(lock) = ground.lock.as_ref().filter(|_| manifest.schema.adopt.is_none()) {
        let is_there = |one: &Question| replayed.schema.tables.contains_key(one.table());
        asked.extend(emit::kept::questions(&lock.emitted).into_iter().filter(is_there));
    }
    asked
}

impl Checked {
    /// Whether anything that counts is of this level or a worse one.
    #[must_use]
    pub fn reaches(&self, level: Level) -> bool {
        self.findings.iter().any(|finding| finding.level >= level)
    }

    /// What tools are told of the whole: how much was looked at, and what does not count.
    ///
    /// # Errors
    /// When a name of a file that was not read is no text.
    pub fn summary(&self) -> Result<Map<String, Value>, Fault> {
        let mut summary = Map::new();
        if let Some(scanned) = &self.scanned {
            let coverage = serde_json::to_value(&scanned.coverage)
                .map_err(|error| Fault::new(format!("cannot write the coverage as JSON: {error}")))?;
            let verdicts = scanned.verdicts.iter().map(|(name, count)| ((*name).to_owned(), (*count).into()));
            summary.insert("coverage".to_owned(), coverage);
            summary.insert("sites".to_owned(), scanned.sites.into());
            summary.insert("verdicts".to_owned(), Value::Object(verdicts.collect()));
        }
        summary.insert("exceptions".to_owned(), self.exceptions().into());
        if let Some(hidden) = self.taken.by_baseline {
            let stale = serde_json::json!({ "hidden": hidden, "stale": self.taken.stale });
            summary.insert("baseline".to_owned(), stale);
        }
        if let Some(old) = self.taken.by_revision {
            summary.insert("diff".to_owned(), serde_json::json!({ "old": old }));
        }
        Ok(summary)
    }

    /// How many findings a person allowed.
    #[must_use]
    pub fn exceptions(&self) -> usize {
        let by_people = |one: &&Silenced| one.by != crate::diagnostic::Silencer::Baseline;
        self.silenced.iter().filter(by_people).count()
    }
}

impl Scanned {
    fn of(coverage: Coverage, packages: Vec<Package>, judged: &Judged) -> Scanned {
        let named = [
            ("guarded", Verdict::Guarded),
            ("unguarded", Verdict::Unguarded),
            ("undecided", Verdict::Undecided),
            ("exempt", Verdict::Exempt),
            ("read", Verdict::Read),
        ];
        let count = |verdict| judged.sites.iter().filter(|site| site.verdict == verdict).count();
        Scanned {
            verdicts: named.map(|(name, verdict)| (name, count(verdict))),
            sites: judged.sites.len(),
            packages,
            coverage,
        }
    }
}
