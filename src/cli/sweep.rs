//! `sweep`: what is pending past its deadline becomes unknown.

use std::time::Duration;

use crate::cli::{Exit, Page, live};
use crate::diagnostic::Faults;
use crate::live::Ledger;
use crate::report::human::plural;

/// What `sweep` takes.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    place: live::Place,
    /// How many at most in one transaction, 1 to 1000000; it goes on until a batch is not full
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(i32).range(1..=1_000_000))]
    max_rows: i32,
    /// Go on for ever, with a pause like 5s in between
    #[arg(long, value_name = "PAUSE", value_parser = live::pause)]
    every: Option<Duration>,
}

pub(super) fn run(args: &Args, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let mut ledger = args.place.connect(live::manifest(page)?.as_ref(), page)?;
    live::by_the_clock(args.every, |even_none| sweep(args.max_rows, &mut ledger, page, even_none))
}

/// Sweeps once. What was done before a failure is told too.
fn sweep(max_rows: i32, ledger: &mut Ledger, page: &mut Page<'_>, even_none: bool) -> Result<Exit, Faults> {
    let mut moved = 0;
    let done = ledger.sweep(max_rows, &mut |batch| moved += batch);
    let warned = live::pass_on_warnings(ledger, page);
    if moved > 0 || even_none && done.is_ok() {
        page.print(&format!("{} became unknown\n", plural(usize::try_from(moved).unwrap_or(usize::MAX), "action")));
    }
    done?;
    Ok(if warned { Exit::Findings } else { Exit::Clean })
}
