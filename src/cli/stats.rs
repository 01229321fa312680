//! `stats`: the ledger's numbers, and alert rules over them.

use clap::ValueEnum;

use crate::cli::{Exit, Page, live};
use crate::diagnostic::Faults;
use crate::report::metrics;

/// What `stats` takes.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    place: live::Place,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Print Prometheus alerting rules over these numbers instead; needs no database
    #[arg(long, conflicts_with_all = ["format", "database_url", "schema"])]
    alerts: bool,
}

/// How the numbers are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Two lists for people
    Text,
    /// For tools
    Json,
    /// Prometheus' text exposition format
    Prometheus,
}

pub(super) fn run(args: &Args, page: &mut Page<'_>) -> Result<Exit, Faults> {
    if args.alerts {
        page.print(metrics::ALERTS);
        return Ok(Exit::Clean);
    }
    let mut ledger = args.place.connect(live::manifest(page)?.as_ref(), page)?;
    let numbers = ledger.numbers()?;
    page.print(&match args.format {
        Format::Text => metrics::text(&numbers),
        Format::Json => metrics::document(&numbers),
        Format::Prometheus => metrics::prometheus(&numbers, ledger.schema()),
    });
    Ok(Exit::Clean)
}
