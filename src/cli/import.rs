//! `import`: what was sent without the ledger, one by one or from a file.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::cli::live::{self, Format};
use crate::cli::{Exit, Page};
use crate::diagnostic::{Fault, Faults};
use crate::live::Ledger;
use crate::live::import::{self, Import, Refused};
use crate::manifest::Manifest;
use crate::report::import::{Count, Left, single};

/// How many lines are kept by one commit: each waits for a disk.
const BATCH: usize = 100;

/// What `import` takes.
#[derive(Debug, clap::Args)]
#[command(override_usage = "onlyonce import TYPE KEY --sent-at TIME --evidence TEXT --actor NAME\n       \
    onlyonce import TYPE --part VALUE.. --sent-at TIME --evidence TEXT --actor NAME\n       \
    onlyonce import --file FILE [--evidence TEXT] --actor NAME")]
#[command(after_help = "A file has a JSON object a line: {\"action_type\": \"..\", \"idempotency_key\": \"..\", \
    \"sent_at\": \"2026-01-06T11:46:40Z\"}, and may have \"evidence\" in each; \"parts\": [\"..\"] may stand for the \
    key.\n\nIt is not all or nothing: what is kept cannot be sent twice, so a bad line does not hold the others back. It \
    is told with its number, and the exit code is 1. Importing the same file once more is harmless.")]
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

fn time(text: &str) -> Result<Timestamp, String> {
    import::time(text).map_err(|fault| match fault.help {
        Some(help) => format!("{}: {help}", fault.message),
        None => fault.message,
    })
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
        Some(key) => {
            import::check_key(manifest, action_type, key, &flags(manifest, action_type))?;
            key.clone()
        }
        None => import::key_of(manifest, action_type, &args.part)?,
    };
    let import = Import { action_type: action_type.clone(), key, sent_at, evidence: evidence.clone() };
    let mut ledger = args.place.connect(manifest, page)?;
    let answer = ledger.import(&import, &args.actor).map_err(Refused::into_fault)?;
    page.print(&single(&import, &answer));
    Ok(Exit::Clean)
}

/// A `--part` for each part of the key.
fn flags(manifest: Option<&Manifest>, action_type: &str) -> String {
    let action = manifest.and_then(|manifest| manifest.actions.get(action_type));
    let parts = action.map(|action| action.key.as_slice()).unwrap_or_default();
    parts.iter().map(|part| format!("--part <{}>", part.name)).collect::<Vec<_>>().join(" ")
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
    let ledger = args.place.connect(manifest, page)?;
    let mut desk = Desk { ledger, actor: &args.actor, name: &name, batch: Vec::new(), count: Count::default() };
    let done = lines.split(b'\n').zip(1..).try_for_each(|(text, number)| {
        let text = text.map_err(unreadable)?;
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text).trim_ascii();
        match import::line(text, args.evidence.as_deref(), manifest) {
            _ if text.is_empty() => Ok(()),
            Ok(import) => desk.take(number, import, page),
            Err(fault) => desk.flush(page).map(|()| desk.leave(number, fault, page)),
        }
    });
    let done = done.and_then(|()| desk.flush(page));
    // What was kept before a failure is told too.
    if done.is_ok() || desk.count != Count::default() {
        page.print(&match args.format {
            Format::Text => desk.count.text(),
            Format::Json => desk.count.document(),
        });
    }
    done?;
    Ok(if desk.count.is_whole() { Exit::Clean } else { Exit::Findings })
}

/// Imports a file's lines, many at a time.
struct Desk<'a> {
    ledger: Ledger,
    actor: &'a str,
    /// The file's name, for people.
    name: &'a str,
    /// What is read and not kept yet, with the number of its line.
    batch: Vec<(u64, Import)>,
    count: Count,
}

impl Desk<'_> {
    fn take(&mut self, number: u64, import: Import, page: &mut Page<'_>) -> Result<(), Fault> {
        self.batch.push((number, import));
        if self.batch.len() < BATCH { Ok(()) } else { self.flush(page) }
    }

    fn flush(&mut self, page: &mut Page<'_>) -> Result<(), Fault> {
        let (numbers, imports): (Vec<u64>, Vec<Import>) = self.batch.drain(..).unzip();
        if imports.is_empty() {
            return Ok(());
        }
        let mut answers = Vec::new();
        let done = self.ledger.import_all(&imports, self.actor, &mut |at, answer| answers.push((at, answer)));
        for (at, answer) in answers {
            match answer {
                Ok(answer) => self.count.add(&answer),
                Err(fault) => self.leave(numbers.get(at).copied().unwrap_or_default(), fault, page),
            }
        }
        done
    }

    fn leave(&mut self, line: u64, fault: Fault, page: &mut Page<'_>) {
        let message = format!("{}:{line}: {}", self.name, fault.message);
        page.complain_of(&Fault { message, ..fault.clone() }.into());
        self.count.leave(Left { line, message: fault.message, help: fault.help });
    }
}
