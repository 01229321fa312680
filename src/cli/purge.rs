//! `purge`: what is final and past its time goes.

use std::time::Duration;

use crate::cli::{Exit, Page, live};
use crate::diagnostic::Faults;
use crate::live::Ledger;
use crate::live::upkeep::Purged;
use crate::report::human::plural;

/// What `purge` takes.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    place: live::Place,
    /// How many of each sort at most in one transaction, 1 to 10000; it goes on until a batch is not full
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(i32).range(1..=10_000))]
    max_rows: i32,
    /// Go on for ever, with a pause like 5m in between
    #[arg(long, value_name = "PAUSE", value_parser = live::pause)]
    every: Option<Duration>,
}

pub(super) fn run(args: &Args, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let mut ledger = args.place.connect(live::manifest(page)?.as_ref(), page)?;
    live::by_the_clock(args.every, |even_none| purge(args.max_rows, &mut ledger, page, even_none))
}

/// Purges once. What was done before a failure is told too.
fn purge(max_rows: i32, ledger: &mut Ledger, page: &mut Page<'_>, even_none: bool) -> Result<Exit, Faults> {
    let mut total = Purged::default();
    let done = ledger.purge(max_rows, &mut |batch| total.add(batch));
    let warned = live::pass_on_warnings(ledger, page);
    if total != Purged::default() || even_none && done.is_ok() {
        let counted = |number: u64, noun| plural(usize::try_from(number).unwrap_or(usize::MAX), noun);
        page.print(&format!(
            "{} stripped, {} and {} deleted\n",
            counted(total.payloads_stripped, "payload"),
            counted(total.actions_deleted, "action"),
            counted(total.events_deleted, "event")
        ));
    }
    done?;
    Ok(if warned { Exit::Findings } else { Exit::Clean })
}
