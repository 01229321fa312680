//! Manifest or changes into migrations.
//!
//! [`Ground`] is what stands on disk; [`plan`] is a pure function from manifest and ground to files: the whole
//! ledger the first time; later an [`upgrade`] for each of the [`versions`] since the one that stands there, then one
//! small migration of what [`diff`](crate::manifest::diff) finds, or nothing.
//! [`template`] fills the SQL of `sql/`, [`citus`] gives it the form that Citus takes, [`transitions`] says which
//! changes of state the ledger's guard lets through, [`changes`] which template a change of the manifest needs, [`vet`]
//! judges the result before a byte is written, and [`lock`] remembers it.
//! [`adopt`] plans the other way: what a team's own tables lack.

pub mod adopt;
pub mod changes;
pub mod citus;
pub mod lock;
pub mod kept;
mod objects;
pub mod statements;
pub mod template;
pub mod transitions;
pub mod upgrade;
pub mod versions;
pub mod vet;

use jiff::Timestamp;

use crate::diagnostic::{Fault, Faults, Label};
use crate::files::OutputFile;
use crate::manifest::diff::{Emitted, diff};
use crate::manifest::{Distribution, Manifest, Roles};
use crate::migration::folder::{Entry, Folder, entries};
use crate::migration::{Kind, Migration, tell, version, write};
use crate::schema::{Schema, replay};
use crate::source::Source;
use crate::sql::SourceStatements;
use changes::Statements;
use lock::Lock;
use upgrade::Step;
use versions::Version;

/// Transactional files give up rather than queue behind a long lock, with everybody else behind them.
const LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = '5s'";

/// Name of the first migration.
const FIRST: &str = "onlyonce_ledger";

/// What stands on disk before an emission.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ground {
    /// What was emitted before.
    pub lock: Option<Lock>,
    /// The files of the migrations folder.
    pub entries: Vec<Entry>,
}

/// What an emission writes. Nothing in it when nothing differs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The files, the lock last.
    pub files: Vec<OutputFile>,
    /// The new migrations, in the order in which they are to run.
    pub migrations: Vec<Migration>,
    /// What a person has to know or do besides, a line each.
    pub notes: Vec<String>,
}

impl Ground {
    /// Reads lock and migrations folder, and demands that what was emitted is untouched.
    ///
    /// # Errors
    /// When something cannot be read, an emitted file is gone or was edited, or the folder is another than theirs.
    pub fn read(manifest: &Manifest) -> Result<Ground, Faults> {
        let lock = lock::load(manifest)?;
        let entries = entries(&manifest.root.join(&manifest.schema.migrations))?;
        if let Some(lock) = &lock {
            lock.demand_folder(manifest)?;
            lock.demand_untouched(&manifest.root)?;
        }
        Ok(Ground { lock, entries })
    }
}

/// The files that take the ledger from what was emitted to what the manifest wants. `now` gives new migrations
/// their versions.
///
/// # Errors
/// When the manifest asks for what cannot be emitted, the folder is another tool's, a file of ours stands there
/// without a lock, or the result does not pass [`vet`].
pub fn plan(manifest: &Manifest, ground: &Ground, now: Timestamp) -> Result<Plan, Faults> {
    plan_until(manifest, ground, now, versions::LATEST)
}

/// The same as the onlyonce of an earlier version of the ledger wrote it: what upgrades start from.
///
/// # Errors
/// As [`plan`], and when there is no ledger of that number.
pub fn plan_until(manifest: &Manifest, ground: &Ground, now: Timestamp, ledger: u32) -> Result<Plan, Faults> {
    refuse_unsupported(manifest)?;
    let shown = &manifest.schema.migrations;
    tell::demand(manifest.schema.layout, &manifest.root.join(shown), shown, &ground.entries)?;
    refuse_unrecorded(manifest, ground)?;
    let (steps, lock) = next_steps(manifest, ground, ledger)?;
    if steps.is_empty() {
        return Ok(Plan::default());
    }
    let folder = Folder::read(manifest.schema.layout, shown, &ground.entries);
    let migrations = numbered(manifest, &folder, steps, now)?;
    finish(manifest, ground, &folder, migrations, lock)
}

/// The steps with their versions, each after the one before it.
fn numbered(manifest: &Manifest, folder: &Folder, steps: Vec<Step>, now: Timestamp) -> Result<Vec<Migration>, Fault> {
    let spec = manifest.schema.layout.spec();
    let mut newest = folder.newest.clone();
    let mut migrations = Vec::new();
    for Step { name, statements: Statements { up, down }, kind } in steps {
        let before = newest.as_ref().map(|(version, path)| (version.as_str(), path.as_str()));
        let version = version::next(spec, before, now, &name)?;
        newest = Some((version.clone(), spec.up.write(&version, &name)));
        let timed = if kind == Kind::AdoptedAlone { |statements| statements } else { timed };
        migrations.push(Migration { version, name, up: timed(up), down: timed(down), kind });
    }
    Ok(migrations)
}

/// The schema that was emitted: what lint and `verify` compare with. From the emitted files where they are as they
/// were written, since an older onlyonce may have written them; else from what the lock says. `None` without a lock.
///
/// # Errors
/// When a template is broken.
pub fn expected(manifest: &Manifest, ground: &Ground) -> Result<Option<Schema>, Fault> {
    let Some(lock) = &ground.lock else { return Ok(None) };
    if lock.demand_untouched(&manifest.root).is_ok() {
        return Ok(Some(replay(&emitted_before(manifest, ground)).schema));
    }
    let text = write::bare(&changes::ledger_of(known(lock.ledger)?.text, &lock.emitted)?.up);
    Ok(Some(replay(&[SourceStatements::read(&Source::new("the emitted ledger", text))]).schema))
}

/// The steps until this version of the ledger and what the manifest wants, and the lock as it is to be without the
/// steps' files. Upgrades come first, so that a change meets the ledger that it was written for.
fn next_steps(manifest: &Manifest, ground: &Ground, ledger: u32) -> Result<(Vec<Step>, Lock), Faults> {
    let Some(lock) = &ground.lock else {
        let emitted = Emitted::of(manifest);
        let statements = changes::ledger_of(known(ledger)?.text, &emitted)?;
        return Ok((
            vec![Step { name: FIRST.to_owned(), statements, kind: Kind::Ledger }],
            Lock::first(emitted, ledger),
        ));
    };
    let changes = diff(&lock.emitted, manifest)?;
    let mut lock = lock.clone();
    let mut steps = Vec::new();
    while lock.ledger < ledger {
        let (from, to) = (known(lock.ledger)?, known(lock.ledger + 1)?);
        steps.extend(upgrade::upgrade(from, to, &lock.emitted)?);
        lock.ledger = to.number;
    }
    if !changes.is_empty() {
        lock.emitted.apply(&changes);
        let statements = changes::changes(&lock.emitted, &changes)?;
        steps.push(Step { name: changes::name(&changes), statements, kind: Kind::Ledger });
    }
    Ok((steps, lock))
}

/// The version of this number. A lock that names another is refused when it is read.
fn known(ledger: u32) -> Result<&'static Version, Fault> {
    versions::version(ledger).ok_or_else(|| {
        Fault::new(format!("there is no ledger {ledger}; this onlyonce knows ledgers up to {}", versions::LATEST))
            .with_help("install a newer onlyonce")
    })
}

/// A way back with nothing to do is still a statement: some tools refuse a file without one.
fn timed(statements: Vec<String>) -> Vec<String> {
    std::iter::once(LOCK_TIMEOUT.to_owned()).chain(statements).collect()
}

fn finish(
    manifest: &Manifest,
    ground: &Ground,
    folder: &Folder,
    migrations: Vec<Migration>,
    mut lock: Lock,
) -> Result<Plan, Faults> {
    let layout = manifest.schema.layout;
    let place = manifest.root.join(&manifest.schema.migrations);
    let mut files = Vec::new();
    for migration in &migrations {
        files.extend(write::write(layout, &place, migration, folder.way_back(layout)));
        vet::statements(migration)?;
    }
    vet::files(layout, &files, Kind::Ledger)?;
    vet::ledger(manifest, &emitted_before(manifest, ground), &migrations)?;
    lock.record(&manifest.root, &files);
    files.push(OutputFile::new(lock::path(manifest), lock.text()?));
    Ok(Plan { files, migrations, notes: Vec::new() })
}

/// The way up of what was emitted before, in order.
fn emitted_before(manifest: &Manifest, ground: &Ground) -> Vec<SourceStatements> {
    let Some(lock) = &ground.lock else { return Vec::new() };
    let folder = &manifest.schema.migrations;
    let ours = |entry: &&Entry| lock.files.contains_key(&lock::key(&folder.join(&entry.path)));
    let entries: Vec<Entry> = ground.entries.iter().filter(ours).cloned().collect();
    Folder::read(manifest.schema.layout, folder, &entries).history()
}

fn refuse_unsupported(manifest: &Manifest) -> Result<(), Fault> {
    let at = |field: &str, text: &str| Label::new(&manifest.source, manifest.places.of(field), text);
    if manifest.schema.adopt.is_some() {
        return Err(Fault::new("the ledger is the team's own, so there is nothing to emit")
            .at(at("schema.adopt", "mapped here"))
            .with_help("`onlyonce emit --adopt` writes what your tables lack; to have onlyonce write a ledger, remove [schema.adopt]"));
    }
    demand_roles(manifest)
}

/// Demands that roles can be had as the manifest says.
///
/// # Errors
/// When a migration is to make those of a ledger that Citus distributes.
pub fn demand_roles(manifest: &Manifest) -> Result<(), Fault> {
    let at = |field: &str, text: &str| Label::new(&manifest.source, manifest.places.of(field), text);
    if manifest.schema.distribution == Distribution::Citus && manifest.schema.roles == Roles::Create {
        return Err(Fault::new("the roles of a ledger that Citus distributes cannot be made in its migration")
            .at(at("schema.distribution", "nodes ask each other as the owner, and see no role that is not committed"))
            .with_help(
                "make the five roles on every node beforehand, the owner with LOGIN, and write roles = \"existing\"",
            ));
    }
    Ok(())
}

/// Files of ours that the lock does not know, as after a lost lock or a merge: emitting again would write their
/// statements a second time.
fn refuse_unrecorded(manifest: &Manifest, ground: &Ground) -> Result<(), Faults> {
    let folder = &manifest.schema.migrations;
    let recorded = |entry: &Entry| {
        let path = lock::key(&folder.join(&entry.path));
        ground.lock.as_ref().is_some_and(|lock| lock.files.contains_key(&path))
    };
    let ours = |entry: &&Entry| entry.text.starts_with(write::HEADER) && names(&entry.text, &manifest.schema.name);
    let strangers = ground.entries.iter().filter(ours).filter(|entry| !recorded(entry));
    let faults: Vec<Fault> = strangers.map(|entry| unrecorded(manifest, entry, ground.lock.is_some())).collect();
    if faults.is_empty() { Ok(()) } else { Err(Faults(faults)) }
}

fn unrecorded(manifest: &Manifest, entry: &Entry, has_lock: bool) -> Fault {
    let path = manifest.schema.migrations.join(&entry.path);
    let source = Source::new(path.display().to_string(), entry.text.as_str());
    let lock = lock::path(manifest);
    let lock = lock.strip_prefix(&manifest.root).unwrap_or(&lock).display().to_string();
    let what = if has_lock { format!("{lock} does not name it") } else { format!("{lock} is gone") };
    let line = source.line(1);
    Fault::new(format!("{} was emitted, and {what}", source.name()))
        .at(Label::new(&source, line, "a file of this ledger"))
        .with_help(format!(
            "restore {lock} from version control; or, if no database has applied this file yet, delete it and run \
             `onlyonce emit` again"
        ))
}

/// Whether the text qualifies a name with this schema.
fn names(text: &str, schema: &str) -> bool {
    let qualifier = format!("{schema}.");
    text.match_indices(&qualifier).any(|(at, _)| {
        !text[..at].ends_with(|before: char| before.is_ascii_alphanumeric() || before == '_' || before == '.')
    })
}

#[cfg(test)]
mod tests;
