//! `generate`: manifest -> typed keys and the ledger client.

use crate::cli::{Exit, Page};
use crate::codegen;
use crate::diagnostic::{Fault, Faults};
use crate::files::{self, OutputFile, Staleness};

/// What `generate` takes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write nothing; fail when the file is not up to date
    #[arg(long)]
    check: bool,
}

pub(super) fn run(args: &Args, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let folder = page.folder.clone();
    let manifest = page.manifest(&folder)?;
    page.doubt(&manifest);
    if manifest.schema.adopt.is_some() {
        page.complain(
            "warning: the client is for the ledger that `onlyonce emit` writes, and [schema.adopt] names one of your own, \
             which it cannot use\n  help: take [schema.adopt] out to have a ledger written, or keep your own client",
        );
    }
    let file = codegen::generate(&manifest);
    let shown = page.shown(&file.path);
    let staleness = file.staleness()?;
    if args.check {
        return Ok(check(staleness, &shown, page));
    }
    if staleness.is_some() {
        refuse_another_file(&file, &shown)?;
        files::write_all(&[file])?;
        page.tell(&format!("wrote {shown}"));
    } else {
        page.tell(&format!("{shown} is up to date"));
    }
    page.tell("lines for [dependencies] in Cargo.toml:");
    page.print(&codegen::dependencies(&manifest));
    Ok(Exit::Clean)
}

fn check(staleness: Option<Staleness>, shown: &str, page: &mut Page<'_>) -> Exit {
    let what = match staleness {
        None => return Exit::Clean,
        Some(Staleness::Missing) => "is missing",
        Some(Staleness::Different) => "is not what onlyonce.toml says",
    };
    page.complain(&format!("{shown} {what}: run `onlyonce generate`"));
    Exit::Findings
}

fn refuse_another_file(file: &OutputFile, shown: &str) -> Result<(), Fault> {
    if file.is_anothers(|bytes| bytes.starts_with(codegen::MARK.as_bytes()))? {
        return Err(Fault::new(format!("{shown} is not a generated file"))
            .with_help("move it away, or name another one under [generate] path"));
    }
    Ok(())
}
