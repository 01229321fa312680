//! `emit`: manifest -> vetted migrations in the tool's own layout.

use crate::cli::{Exit, Page};
use crate::diagnostic::Faults;
use crate::emit::{self, Ground, Plan};
use crate::files;
use crate::migration::write::script;

/// What `emit` takes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write nothing; fail when a migration would be written
    #[arg(long, conflicts_with = "stdout")]
    check: bool,
    /// Write nothing; show what would be written as a unified difference
    #[arg(long, conflicts_with = "stdout")]
    diff: bool,
    /// Write nothing; print the SQL of the way up, in a transaction of its own
    #[arg(long)]
    stdout: bool,
    /// Write what the tables of [schema.adopt] lack of a ledger's guarantees, as migrations of your own
    #[arg(long)]
    adopt: bool,
}

pub(super) fn run(args: &Args, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let folder = page.folder.clone();
    let manifest = page.manifest(&folder)?;
    page.doubt(&manifest);
    let ground = Ground::read(&manifest)?;
    if let Some(lock) = ground.lock.as_ref().filter(|_| !args.adopt) {
        page.doubt_names(&lock.emitted, &manifest);
    }
    let plan_of = if args.adopt { emit::adopt::plan } else { emit::plan };
    let plan = plan_of(&manifest, &ground, page.now)?;
    for note in &plan.notes {
        page.tell(note);
    }
    if args.stdout {
        for migration in &plan.migrations {
            page.print(&script(migration));
        }
        return Ok(Exit::Clean);
    }
    if args.diff {
        for file in &plan.files {
            let difference = file.difference(&page.shown(&file.path))?;
            page.print(&difference);
        }
    }
    if args.check {
        return Ok(check(&plan, args.adopt, page));
    }
    if args.diff {
        return Ok(Exit::Clean);
    }
    files::write_all(&plan.files)?;
    for file in &plan.files {
        let shown = page.shown(&file.path);
        page.tell(&format!("wrote {shown}"));
    }
    if plan.files.is_empty() {
        page.tell(if args.adopt { "your tables lack nothing" } else { "the emitted migrations are up to date" });
    }
    Ok(Exit::Clean)
}

fn check(plan: &Plan, adopt: bool, page: &mut Page<'_>) -> Exit {
    for file in &plan.files {
        let shown = page.shown(&file.path);
        let why = if file.path.exists() { "is not what onlyonce.toml says" } else { "is not written yet" };
        let option = if adopt { " --adopt" } else { "" };
        page.complain(&format!("{shown} {why}: run `onlyonce emit{option}`"));
    }
    if plan.files.is_empty() { Exit::Clean } else { Exit::Findings }
}
