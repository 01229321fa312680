//! `chaos`: the acceptance run against a worker of one's own.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

use crate::chaos::{self, Asked, Outcome, Progress, plan};
use crate::cli::{Exit, Page};
use crate::diagnostic::Faults;
use crate::files::{OutputFile, write_all};
use crate::report::chaos as report;

/// What `chaos` takes.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: ChaosCommand,
}

/// What can be done.
#[derive(Debug, Subcommand)]
enum ChaosCommand {
    /// List the faults that a plan can name
    Faults,
    /// Start the worker that a plan describes, hurt it, and judge what reached the provider
    Run(RunArgs),
}

/// What `chaos run` takes.
#[derive(Debug, clap::Args)]
struct RunArgs {
    /// The plan, a TOML file; paths in it start from its folder
    plan: PathBuf,
    /// A server on which the run makes a database of its own, and drops it; without it one is started.
    /// DATABASE_URL is not read
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
    /// Another seed than the plan's: the same gives the same faults
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Repeat the plan's faults this often
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    times: u32,
    /// How to print the report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Write the report in every format, and the worker's output, to this folder too
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// How the report is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people, with the timeline of each finding
    Text,
    /// For tools
    Json,
    /// One page
    Html,
    /// JUnit XML, for CI: a test a fault
    Junit,
}

pub(super) fn run(args: &Args, page: &mut Page<'_>) -> Result<Exit, Faults> {
    match &args.command {
        ChaosCommand::Faults => {
            page.print(&report::faults());
            Ok(Exit::Clean)
        }
        ChaosCommand::Run(args) => run_plan(args, page),
    }
}

fn run_plan(args: &RunArgs, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let path = page.path(&args.plan);
    let folder = path.parent().unwrap_or(&page.folder).to_owned();
    let manifest = page.manifest_if_any(&folder)?;
    let plan = plan::load(&path, &page.shown(&path), manifest.as_ref())?;
    let asked = Asked {
        plan: &plan,
        seed: args.seed.unwrap_or(plan.seed),
        times: args.times,
        database_url: args.database_url.as_deref(),
        environment: &page.environment,
        now: page.now,
    };
    let outcome = shown(page, |told| chaos::run(&asked, told))?;
    if let Some(folder) = &args.out {
        write(&outcome, &page.path(folder))?;
        page.tell(&format!("wrote the report to {}", folder.display()));
    }
    page.print(&match args.format {
        Format::Text => report::text(&outcome),
        Format::Json => report::document(&outcome),
        Format::Html => report::html(&outcome),
        Format::Junit => report::junit(&outcome),
    });
    Ok(if outcome.findings.is_empty() { Exit::Clean } else { Exit::Findings })
}

fn write(outcome: &Outcome, folder: &std::path::Path) -> Result<(), Faults> {
    let files = [
        OutputFile::new(folder.join("chaos.txt"), report::text(outcome)),
        OutputFile::new(folder.join("chaos.json"), report::document(outcome)),
        OutputFile::new(folder.join("chaos.html"), report::html(outcome)),
        OutputFile::new(folder.join("chaos.xml"), report::junit(outcome)),
        OutputFile::new(folder.join("worker.log"), outcome.worker_log.as_str()),
    ];
    Ok(write_all(&files)?)
}

/// Runs with a bar on a terminal.
fn shown(
    page: &Page<'_>,
    work: impl FnOnce(&(dyn Fn(Progress) + Sync)) -> Result<Outcome, Faults>,
) -> Result<Outcome, Faults> {
    if !page.shows_progress() {
        return work(&|_| {});
    }
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}") {
        bar.set_style(style);
    }
    let outcome = work(&|progress| match progress {
        Progress::Starting => bar.set_message("starting the database and the worker"),
        Progress::Round(done, of, fault) => {
            bar.set_length(u64::try_from(of).unwrap_or(u64::MAX));
            bar.set_position(u64::try_from(done).unwrap_or(u64::MAX));
            bar.set_message(fault);
        }
        Progress::Settling => bar.set_message("waiting for deadlines"),
    });
    bar.finish_and_clear();
    outcome
}
