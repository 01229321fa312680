//! `erase`: what the ledger holds about a person goes.

use crate::cli::{Exit, Page, live};
use crate::diagnostic::{Fault, Faults};
use crate::escape::shown;
use crate::manifest::{Manifest, nearest};

/// What `erase` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Payload, result, reasons and evidence go; key, state and message id stay, so that nothing is \
    sent again. What was not sent is never sent any more. Erasing once more is harmless.")]
pub struct Args {
    #[command(flatten)]
    place: live::Place,
    /// The action type
    #[arg(value_name = "TYPE")]
    action_type: String,
    /// The key, as the ledger has it
    #[arg(allow_hyphen_values = true)]
    key: String,
    /// Who you are: kept with the action
    #[arg(long, value_name = "NAME", value_parser = live::words)]
    actor: String,
}

pub(super) fn run(args: &Args, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let manifest = live::manifest(page)?;
    let mut ledger = args.place.connect(manifest.as_ref(), page)?;
    let answer = ledger.erase(&args.action_type, &args.key, &args.actor)?;
    if answer == "absent" {
        return Err(absent(args, manifest.as_ref()).into());
    }
    let (action_type, key) = (shown(&args.action_type), shown(&args.key));
    page.print(&format!("{action_type} {key} is erased: its key and state stay, so that nothing sends it again\n"));
    Ok(Exit::Clean)
}

/// Who mistypes a name would else believe that the person's data is gone.
fn absent(args: &Args, manifest: Option<&Manifest>) -> Fault {
    let (action_type, key) = (shown(&args.action_type), shown(&args.key));
    let fault = Fault::new(format!("nothing is erased: the ledger has no {action_type} {key}"));
    let types = manifest.map(|manifest| &manifest.actions).filter(|types| !types.contains_key(&args.action_type));
    match types.and_then(|types| nearest(&args.action_type, types.keys().map(String::as_str))) {
        Some(near) => fault.with_help(format!("did you mean {near}?")),
        None => fault.with_help("give type and key as the ledger has them; what was purged is gone already"),
    }
}
