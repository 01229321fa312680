//! `import`: what was sent without the ledger, one by one or from a file.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use jiff::Timestamp;

use crate::cli::{Exit, Page, live};
use crate::diagnostic::{Fault, Faults};
use crate::live::import::{self, Import, Refused};
use crate::manifest::Manifest;
use crate::report::import::{Count, Left, single};

/// What `import` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "A file has a JSON object a line: {\"action_type\": \"..\", \"idempotency_key\": \"..\", \
    \"sent_at\": \"2026-01-06T11:46:40Z\"}, and may have \"evidence\" in each; \"parts\": [\"..\"] may stand for the \
    key.\n\nEach line is kept by itself, in a transaction of its own: what is kept cannot be sent twice, so a bad \
    line must not hold the others back. It is told with its number, and the exit code is 1. Importing the same file \
    once more is harmless.")]
pub struct Args {
    #[command(flatten)]
    place: live::Place,
    /// The action type
    #[arg(value_name = "TYPE", required_unless_present = "file", requires = "sent_at")]
    action_type: Option<String>,
    /// The key, as the ledger has it
    #[arg(allow_hyphen_values = true, required_unless_present_any = ["file", "part"])]
    key: Option<String>,
    /// A part of the key, in the order of the manifest, which says how they become one; repeat it for each
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, conflicts_with = "key", requires = "action_type")]
    part: Vec<String>,
    /// When it was sent, like 2026-01-06T11:46:40Z
    #[arg(long, value_name = "TIME", requires = "action_type", value_parser = time)]
    sent_at: Option<Timestamp>,
    /// Import what stands in this file, or in standard input for -
    #[arg(long, value_name = "FILE", conflicts_with = "action_type")]
    file: Option<PathBuf>,
    /// What shows that it was sent: kept
    #[arg(long, value_name = "TEXT", required_unless_present = "file", value_parser = live::words)]
    evidence: Option<String>,
    /// Who you are: kept with the evidence
    #[arg(long, value_name = "NAME", value_parser = live::words)]
    actor: String,
    /// How to print what became of a file
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// How the outcome of a file is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For tools
    Json,
}

fn time(text: &str) -> Result<Timestamp, String> {
    import::time(text).map_err(|fault| fault.message)
}

pub(super) fn run(args: &Args, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let manifest = live::manifest(page)?;
    match &args.file {
        Some(file) => whole(file, args, manifest.as_ref(), page),
        None => one(args, manifest.as_ref(), page),
    }
}

fn one(args: &Args, manifest: Option<&Manifest>, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let (Some(action_type), Some(sent_at), Some(evidence)) = (&args.action_type, args.sent_at, &args.evidence) else {
        return Err(Fault::new("an import needs a type, a key, --sent-at and --evidence, or a --file").into());
    };
    let key = match &args.key {
        Some(key) => key.clone(),
        None => import::key_of(manifest, action_type, &args.part)?,
    };
    let import = Import { action_type: action_type.clone(), key, sent_at, evidence: evidence.clone() };
    let mut ledger = args.place.connect(manifest, page)?;
    let answer = ledger.import(&import, &args.actor).map_err(Refused::into_fault)?;
    page.print(&single(&import, &answer));
    Ok(Exit::Clean)
}

fn whole(file: &Path, args: &Args, manifest: Option<&Manifest>, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let is_stdin = file == Path::new("-");
    let name = if is_stdin { "standard input".to_owned() } else { page.shown(&page.path(file)) };
    let unreadable = |error: io::Error| {
        Fault::new(format!("cannot read {name}: {error}")).with_help("--file names a file, or - for standard input")
    };
    let lines: Box<dyn BufRead> = if is_stdin {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(page.path(file)).map_err(unreadable)?))
    };
    let mut ledger = args.place.connect(manifest, page)?;
    let mut count = Count::default();
    let done = lines.split(b'\n').zip(1..).try_for_each(|(text, number)| {
        let text = text.map_err(unreadable)?;
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text).trim_ascii();
        if text.is_empty() {
            return Ok(());
        }
        let import = import::line(text, args.evidence.as_deref(), manifest).map_err(Refused::One);
        match import.and_then(|import| ledger.import(&import, &args.actor)) {
            Ok(answer) => count.add(&answer),
            Err(Refused::All(fault)) => return Err(fault),
            Err(Refused::One(fault)) => {
                let told = Fault { message: format!("{name}:{number}: {}", fault.message), ..fault.clone() };
                page.complain_of(&told.into());
                count.leave(Left { line: number, message: fault.message, help: fault.help });
            }
        }
        Ok(())
    });
    // What was kept before a failure is told too.
    if done.is_ok() || count != Count::default() {
        page.print(&match args.format {
            Format::Text => count.text(),
            Format::Json => count.document(),
        });
    }
    done?;
    Ok(if count.is_whole() { Exit::Clean } else { Exit::Findings })
}
