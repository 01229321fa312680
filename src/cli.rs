//! The command line: arguments, environment, terminal and exit codes. One file a command (or a pair) under `cli/`.
//!
//! To add a command: a file with `Args` and `run`, a variant of [`Command`], a line in `dispatch`.
//! Findings and documents go to standard output, all else to standard error.

mod cache;
mod catalog;
mod chaos;
mod check;
mod docs;
mod emit;
mod erase;
mod explain;
mod generate;
mod import;
mod init;
mod live;
pub mod page;
mod pause;
mod progress;
mod purge;
mod queue;
mod sites;
mod stats;
mod sweep;
mod verify;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};

pub use page::{Exit, Page};

use crate::diagnostic::Faults;

/// Makes an agent's sends happen at most once per key, unless a person authorises another: vetted Postgres
/// migrations, a scan for unguarded sends, and key docs for auditors.
#[derive(Debug, Parser)]
#[command(name = "onlyonce", version, propagate_version = true, max_term_width = 100)]
pub struct Cli {
    /// The manifest; without it the nearest onlyonce.toml upwards
    #[arg(long, global = true, value_name = "FILE")]
    pub manifest: Option<PathBuf>,
    /// When to colour what people read
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
    /// Say only what was asked for and what went wrong
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more about what is done
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// When to colour what people read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the outbound calls and providers that are known, with their sources
    Catalog(catalog::Args),
    /// Put a worker of your own under fire, and count what reaches the provider twice or never
    Chaos(chaos::Args),
    /// Find unguarded sends, weak migrations and faults of the manifest; for CI
    Check(check::Args),
    /// Write a page per action type for auditors
    Docs(docs::Args),
    /// Write the ledger's migrations, or what changed since they were last written
    Emit(emit::Args),
    /// Take away what the live ledger holds about a person; what was sent stays sent
    Erase(erase::Args),
    /// Print a rule's page
    Explain(explain::Args),
    /// Write the typed keys and the ledger client, and print the Cargo.toml lines that it needs
    Generate(generate::Args),
    /// Note in the live ledger what was sent without it
    Import(import::Args),
    /// Draft a manifest from the outbound calls and migrations that are found
    Init(init::Args),
    /// Let nothing new go out, in the live ledger
    Pause(pause::PauseArgs),
    /// Take away what is final and past its time, in the live ledger
    Purge(purge::Args),
    /// See what waits for a person in the live ledger, and settle it
    Queue(queue::Args),
    /// End a pause of the live ledger
    Resume(pause::ResumeArgs),
    /// List every outbound call with its verdict
    Sites(sites::Args),
    /// Show the live ledger's numbers, or the alert rules over them
    Stats(stats::Args),
    /// Mark what is pending past its deadline unknown, in the live ledger
    Sweep(sweep::Args),
    /// Compare the live database with what was emitted or adopted; reads only
    Verify(verify::Args),
}

/// Runs the program on the process's own arguments.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "here the process's arguments become a value")]
pub fn main() -> ExitCode {
    let mut page = Page::of_process();
    run(std::env::args_os(), &mut page).into()
}

/// Runs the program with arguments (the first is the program's name) under a page: what tests call.
pub fn run(arguments: impl IntoIterator<Item = OsString>, page: &mut Page<'_>) -> Exit {
    let cli = match Cli::try_parse_from(without_cargo(arguments)) {
        Ok(cli) => cli,
        Err(error) => {
            let text = live::without_passwords(&error.render().to_string());
            if error.use_stderr() {
                page.complain(&text);
                return Exit::Failed;
            }
            page.print(&text);
            return Exit::Clean;
        }
    };
    page.set(&cli);
    page.murmur(&format!("onlyonce {} in {}", env!("CARGO_PKG_VERSION"), page.folder.display()));
    dispatch(&cli.command, page).unwrap_or_else(|faults| {
        page.complain_of(&faults);
        Exit::Failed
    })
}

fn dispatch(command: &Command, page: &mut Page<'_>) -> Result<Exit, Faults> {
    match command {
        Command::Catalog(args) => catalog::run(args, page),
        Command::Chaos(args) => chaos::run(args, page),
        Command::Check(args) => check::run(args, page),
        Command::Docs(args) => docs::run(args, page),
        Command::Emit(args) => emit::run(args, page),
        Command::Erase(args) => erase::run(args, page),
        Command::Explain(args) => explain::run(args, page),
        Command::Generate(args) => generate::run(args, page),
        Command::Import(args) => import::run(args, page),
        Command::Init(args) => init::run(args, page),
        Command::Pause(args) => pause::pause(args, page),
        Command::Purge(args) => purge::run(args, page),
        Command::Queue(args) => queue::run(args, page),
        Command::Resume(args) => pause::resume(args, page),
        Command::Sites(args) => sites::run(args, page),
        Command::Stats(args) => stats::run(args, page),
        Command::Sweep(args) => sweep::run(args, page),
        Command::Verify(args) => verify::run(args, page),
    }
}

/// `cargo onlyonce check` calls `cargo-onlyonce onlyonce check`: the second word is cargo's, not the user's.
fn without_cargo(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    let program = arguments.first().map(PathBuf::from);
    let called_by_cargo =
        program.as_deref().and_then(std::path::Path::file_stem).is_some_and(|stem| stem == "cargo-onlyonce");
    if called_by_cargo && arguments.get(1).is_some_and(|word| word == "onlyonce") {
        arguments.remove(1);
    }
    arguments
}

/// The command line as clap knows it, for tests that compare the README with it.
#[must_use]
pub fn definition() -> clap::Command {
    Cli::command()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn the_definition_holds_together() {
        definition().debug_assert();
    }

    #[test]
    fn verbose_says_more_and_only_then() {
        let said = |arguments: &[&str]| {
            let mut err = Vec::new();
            let now = jiff::Timestamp::UNIX_EPOCH;
            let exit = run(words(arguments), &mut Page::new("/here".into(), now, Vec::new(), &mut err));
            assert_eq!(exit, Exit::Clean);
            String::from_utf8(err).unwrap()
        };
        assert_eq!(said(&["onlyonce", "explain"]), "");
        assert!(said(&["onlyonce", "-v", "explain"]).contains("/here"));
    }

    #[test]
    fn cargo_adds_a_word_that_is_taken_off_only_there() {
        assert_eq!(without_cargo(words(&["/bin/cargo-onlyonce", "onlyonce", "check"]))[1..], words(&["check"]));
        assert_eq!(without_cargo(words(&["onlyonce", "onlyonce"])).len(), 2);
    }
}
