//! `erase`: what the ledger holds about a person goes.

use crate::cli::{Exit, Page, live};
use crate::diagnostic::Faults;
use crate::escape::shown;

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
    let mut ledger = args.place.connect(live::manifest(page)?.as_ref(), page)?;
    let answer = ledger.erase(&args.action_type, &args.key, &args.actor)?;
    let (action_type, key) = (shown(&args.action_type), shown(&args.key));
    page.print(&match answer.as_str() {
        "absent" => format!("{action_type} {key} is absent: there is nothing to erase\n"),
        _ => format!("{action_type} {key} is erased: its key and state stay, so that nothing sends it again\n"),
    });
    Ok(Exit::Clean)
}
