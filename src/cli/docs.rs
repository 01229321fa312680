//! `docs`: a page per action type for auditors.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::cli::{Exit, Page, progress};
use crate::diagnostic::{Fault, Faults};
use crate::docs::{self, Evidence};
use crate::files::{self, OutputFile};
use crate::manifest::Manifest;
use crate::scan::Settings;

/// What `docs` takes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder of the pages; without it docs/onlyonce beside the manifest
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write nothing; fail when a page is not up to date
    #[arg(long)]
    check: bool,
    /// The forms to write
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["md", "html"], value_name = "FORM,..")]
    format: Vec<Format>,
}

/// A form of the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Markdown, a file a page
    Md,
    /// One HTML file for screen and paper
    Html,
    /// One file for tools
    Json,
}

impl From<Format> for docs::Format {
    fn from(format: Format) -> docs::Format {
        match format {
            Format::Md => docs::Format::Markdown,
            Format::Html => docs::Format::Html,
            Format::Json => docs::Format::Json,
        }
    }
}

pub(super) fn run(args: &Args, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let folder = page.folder.clone();
    let manifest = page.manifest(&folder)?;
    let out = args.out.as_ref().map_or_else(|| manifest.root.join("docs/onlyonce"), |out| page.path(out));
    let mut formats: Vec<docs::Format> = args.format.iter().copied().map(docs::Format::from).collect();
    formats.sort();
    formats.dedup();
    let files = docs::docs(&manifest, &evidence(&manifest, page)?, &out, &formats);
    if args.check { check(&files, page) } else { write(files, page) }
}

fn evidence(manifest: &Manifest, page: &Page<'_>) -> Result<Evidence, Faults> {
    let settings = Settings::of(manifest);
    let scan = progress::scan(page, &manifest.root, &settings)?;
    let judged = scan.judge(&settings.catalog(), Some(manifest), page.today());
    Ok(Evidence::of(&scan, &judged))
}

fn check(files: &[OutputFile], page: &mut Page<'_>) -> Result<Exit, Faults> {
    let mut exit = Exit::Clean;
    for file in files {
        if file.staleness()?.is_some() {
            let shown = page.shown(&file.path);
            page.complain(&format!("{shown} is not up to date: run `onlyonce docs`"));
            exit = Exit::Findings;
        }
    }
    Ok(exit)
}

fn write(files: Vec<OutputFile>, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let mut stale = Vec::new();
    for file in files {
        if file.staleness()?.is_some() {
            stale.push(file);
        }
    }
    refuse_others(&stale, page)?;
    files::write_all(&stale)?;
    for file in &stale {
        let shown = page.shown(&file.path);
        page.tell(&format!("wrote {shown}"));
    }
    if stale.is_empty() {
        page.tell("the pages are up to date");
    }
    Ok(Exit::Clean)
}

fn refuse_others(files: &[OutputFile], page: &Page<'_>) -> Result<(), Faults> {
    let mut faults = Vec::new();
    for file in files {
        match file.is_anothers(|bytes| String::from_utf8_lossy(bytes).contains(docs::MARK)) {
            Ok(true) => {
                let fault = Fault::new(format!("{} was not written by `onlyonce docs`", page.shown(&file.path)));
                faults.push(fault.with_help("move it away, or name another folder with --out"));
            }
            Ok(false) => {}
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Faults(faults)) }
}
