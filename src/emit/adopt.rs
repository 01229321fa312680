//! What a team's own tables lack of a ledger's guarantees, as migrations of the team's.
//!
//! [`missing`](mod@crate::lint::missing) says what is lacking, by the rules that `check` and `verify` run. At most three
//! kinds of files bring it: one that refuses rows that break a guarantee, by name, and adds constraints NOT VALID and
//! the guards; one for each unique index, alone and outside a transaction; one that validates and attaches. Of a
//! partitioned table the index of each partition is built so, and the last file makes that of the whole, which takes
//! them in. There is no lock: what stands in the folder says what is done.

mod partitions;
mod rows;
mod statements;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::{Ground, Plan, numbered, vet};
use crate::diagnostic::{Fault, Faults, Label};
use crate::lint::missing::{Missing, missing, statuses as known};
use crate::lint::{self, Subject};
use crate::manifest::{Adopt, Manifest};
use crate::migration::folder::Folder;
use crate::migration::layout::Alone;
use crate::migration::{Kind, tell, write};
use crate::schema::{Replayed, replay};
use crate::source::Source;
use crate::sql::SourceStatements;

/// The migrations that bring the tables of `[schema.adopt]` up to what is asked of an adopted ledger; none when they
/// lack nothing. `now` gives them their versions.
///
/// # Errors
/// When no tables are mapped, the folder is another tool's or does not hold them, or the manifest does not say what
/// the statuses are and how they follow each other where that is needed.
pub fn plan(manifest: &Manifest, ground: &Ground, now: Timestamp) -> Result<Plan, Faults> {
    let schema = &manifest.schema;
    let Some(adopt) = &schema.adopt else { return Err(nothing_mapped(manifest).into()) };
    tell::demand(schema.layout, &manifest.root.join(&schema.migrations), &schema.migrations, &ground.entries)?;
    let folder = Folder::read(schema.layout, &schema.migrations, &ground.entries);
    let history = folder.history();
    let (replayed, subject) = (replay(&history), Subject::of(manifest, false));
    let lacking = missing(&replayed, &subject);
    demand_tables(&replayed, &subject, &lacking)?;
    let asked = Asked { manifest, adopt, subject: &subject, replayed: &replayed };
    if needs_statuses(&lacking) || asked.says_transitions() {
        asked.demand_statuses(&lacking)?;
    }
    let can_build = schema.layout.spec().alone != Alone::Never;
    let steps = statements::steps(&replayed, &subject.ledger, adopt, &lacking, can_build);
    let migrations = numbered(manifest, &folder, steps.files, now)?;
    let place = manifest.root.join(&schema.migrations);
    let mut plan = Plan { notes: steps.notes, ..Plan::default() };
    if migrations.iter().any(|one| one.kind == Kind::AdoptedAlone) {
        plan.notes.extend(schema.layout.spec().alone_asks.clone());
    }
    for migration in migrations {
        let files = write::write(schema.layout, &place, &migration, folder.way_back(schema.layout));
        vet::statements(&migration)?;
        vet::files(schema.layout, &files, migration.kind)?;
        plan.files.extend(files);
        plan.migrations.push(migration);
    }
    vet::ledger(manifest, &history, &plan.migrations)?;
    let after = after(&history, &plan);
    demand_whole(&after, &subject)?;
    plan.notes.extend(left(&after, &subject));
    Ok(plan)
}

fn after(history: &[SourceStatements], plan: &Plan) -> Vec<SourceStatements> {
    let read = |up: &[String]| SourceStatements::read(&Source::new("up", write::bare(up)));
    history.iter().cloned().chain(plan.migrations.iter().map(|one| read(&one.up))).collect()
}

/// Nothing that we can write may be lacking once it is written.
fn demand_whole(after: &[SourceStatements], subject: &Subject) -> Result<(), Fault> {
    match missing(&replay(after), subject).first() {
        None => Ok(()),
        Some(lacking) => Err(Fault::new(format!("what would be emitted leaves out a guarantee: {lacking:?}"))
            .with_help("nothing was written; please report this, with your onlyonce.toml and migrations")),
    }
}

/// What `check` finds when all of it is written: such things a person has to decide.
fn left(after: &[SourceStatements], subject: &Subject) -> Vec<String> {
    let line =
        |one: crate::diagnostic::Finding| format!("left to you, see `onlyonce check`: {}: {}", one.rule, one.message);
    lint::check(after, subject, None).findings.into_iter().map(line).collect()
}

/// Tables and columns must be there, and be such that what they lack can be made.
fn demand_tables(replayed: &Replayed, subject: &Subject, lacking: &[Missing]) -> Result<(), Faults> {
    let demanded = Subject { demanded: true, ..subject.clone() };
    let absent = lint::judge(replayed, &demanded).into_iter().filter(|finding| finding.rule == "ledger-missing");
    let mut faults: Vec<Fault> = absent
        .map(|finding| {
            let help = finding.help.clone().unwrap_or_else(|| "run `onlyonce check` to see more".to_owned());
            Fault::new(finding.message).at(finding.place).with_help(help)
        })
        .collect();
    let (schema, ledger) = (&replayed.schema, &subject.ledger);
    faults.extend(ledger.tables().filter_map(|keyed| partitions::refused(schema, ledger, keyed, lacking)));
    if faults.is_empty() { Ok(()) } else { Err(Faults(faults)) }
}

fn nothing_mapped(manifest: &Manifest) -> Fault {
    Fault::new("no tables are mapped, so there is nothing to adopt")
        .at(Label::new(&manifest.source, manifest.places.of("schema"), "no [schema.adopt]"))
        .with_help("name your own ledger in [schema.adopt]: actions, key and status")
}

fn needs_statuses(lacking: &[Missing]) -> bool {
    lacking.iter().any(|one| matches!(one, Missing::Statuses | Missing::Guard("update")))
}

/// What is asked, of what.
struct Asked<'a> {
    manifest: &'a Manifest,
    adopt: &'a Adopt,
    subject: &'a Subject,
    replayed: &'a Replayed,
}

/// Demands that the transitions of `[schema.adopt]`, where there are any, speak of the statuses that the migrations
/// let the table hold.
///
/// # Errors
/// When they name others: a database would refuse what the manifest allows, or hold what it knows nothing of.
pub fn demand_statuses(manifest: &Manifest, history: &[SourceStatements]) -> Result<(), Fault> {
    let Some(adopt) = &manifest.schema.adopt else { return Ok(()) };
    let (replayed, subject) = (replay(history), Subject::of(manifest, false));
    let asked = Asked { manifest, adopt, subject: &subject, replayed: &replayed };
    if asked.says_transitions() { asked.demand_statuses(&missing(&replayed, &subject)) } else { Ok(()) }
}

impl Asked<'_> {
    fn says_transitions(&self) -> bool {
        self.adopt.transitions.values().any(|next| !next.is_empty())
    }

    /// The manifest must say how statuses follow each other, and speak of the same ones as the table does.
    fn demand_statuses(&self, lacking: &[Missing]) -> Result<(), Fault> {
        let known = known(self.replayed, self.subject);
        let (table, status) = (&self.adopt.actions, &self.adopt.status);
        if !self.says_transitions() {
            let seen = known.map(|known| format!(", for its statuses {}", list(&known))).unwrap_or_default();
            return Err(Fault::new(format!("which {status} of {table} may follow which is said nowhere"))
                .at(self.label("schema.adopt", "no transitions here"))
                .with_help(format!("write transitions = [\"pending -> sent\", \"pending -> failed\"]{seen}")));
        }
        let Some(known) = known.filter(|_| !lacking.contains(&Missing::Statuses)) else { return Ok(()) };
        let said = names(&self.adopt.transitions);
        let differ: BTreeSet<String> = known.symmetric_difference(&said).cloned().collect();
        if differ.is_empty() {
            return Ok(());
        }
        let message = format!("transitions and {table} do not speak of the same statuses: {}", list(&differ));
        Err(Fault::new(message).at(self.label("schema.adopt.transitions", "named here")).with_help(format!(
            "name each of {}, of which one that nothing leads to stands alone; or change the CHECK and the guard of \
                 {table} in a migration of yours first",
            list(&known)
        )))
    }

    fn label(&self, path: &str, text: &str) -> Label {
        Label::new(&self.manifest.source, self.manifest.places.of(path), text)
    }
}

fn names(transitions: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    transitions.keys().cloned().collect()
}

fn list(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}
