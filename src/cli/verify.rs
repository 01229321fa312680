//! `verify`: the live database against what was emitted or adopted.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::cli::{Exit, Page, live};
use crate::diagnostic::{Faults, Level};
use crate::files::{OutputFile, write_all};
use crate::gate;
use crate::gate::place::Place;
use crate::report::{human, json, sarif};
use crate::source::Source;

/// What findings point into, where no file is asked for: what the server has, as SQL.
const DEFINITIONS: &str = "server/definitions.sql";

/// What `verify` takes.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    place: live::Place,
    /// How to print findings
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Write what the server has, as SQL, to this file: findings point into it
    #[arg(long, value_name = "FILE")]
    definitions: Option<PathBuf>,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Definitions of the server with what is wrong about them
    Human,
    /// For tools
    Json,
    /// SARIF 2.1.0
    Sarif,
}

pub(super) fn run(args: &Args, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let folder = page.folder.clone();
    let manifest = page.manifest(&folder)?;
    let checked = gate::verify(&manifest, |wanted, ask| {
        let mut ledger = args.place.connect(Some(&manifest), page)?;
        let (text, answers) = ledger.definitions(wanted, ask)?;
        let Some(path) = args.definitions.as_ref().map(|path| page.path(path)) else {
            return Ok((Source::new(DEFINITIONS, text), answers));
        };
        let source = Source::new(page.shown(&path), text.clone());
        write_all(&[OutputFile::new(&path, text)])?;
        Ok((source, answers))
    })?;
    let exit = if checked.reaches(Level::Error) { Exit::Findings } else { Exit::Clean };
    match args.format {
        Format::Human => {
            page.print(&human::findings(&checked.findings, page.style()));
            if checked.findings.is_empty() {
                page.tell("the database has what was asked for");
            }
        }
        Format::Json => page.print(&json::findings(&checked.findings, checked.summary()?)),
        Format::Sarif => page.print(&sarif::document(&checked, &Place::of(&folder, &page.folder), exit as u8)),
    }
    Ok(exit)
}
