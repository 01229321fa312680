//! `pause` and `resume`: nothing new goes out, and may again.

use crate::cli::{Exit, Page, live};
use crate::diagnostic::Faults;

/// What `pause` takes.
#[derive(Debug, clap::Args)]
pub struct PauseArgs {
    #[command(flatten)]
    place: live::Place,
    /// Why: kept
    #[arg(long, value_name = "TEXT", value_parser = live::words)]
    reason: String,
    /// Who you are: kept with the reason
    #[arg(long, value_name = "NAME", value_parser = live::words)]
    actor: String,
}

/// What `resume` takes.
#[derive(Debug, clap::Args)]
pub struct ResumeArgs {
    #[command(flatten)]
    place: live::Place,
    /// Who you are: kept
    #[arg(long, value_name = "NAME", value_parser = live::words)]
    actor: String,
}

pub(super) fn pause(args: &PauseArgs, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let mut ledger = args.place.connect(live::manifest(page)?.as_ref(), page)?;
    let before = ledger.is_paused()?;
    ledger.pause(&args.reason, &args.actor)?;
    page.print(if before {
        "it was paused already, and the earlier reason stays\n"
    } else {
        "paused: nothing new is reserved; what was reserved before may still be sent until its deadline\n"
    });
    Ok(Exit::Clean)
}

pub(super) fn resume(args: &ResumeArgs, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let mut ledger = args.place.connect(live::manifest(page)?.as_ref(), page)?;
    let before = ledger.is_paused()?;
    ledger.resume(&args.actor)?;
    page.print(if before { "resumed: actions may go out\n" } else { "it was not paused\n" });
    Ok(Exit::Clean)
}
