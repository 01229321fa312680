//! `explain RULE`: the rule's page.

use crate::cli::{Exit, Page};
use crate::diagnostic::{Fault, Faults};

/// What `explain` takes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The rule's name; without it every rule is listed
    rule: Option<String>,
}

pub(super) fn run(args: &Args, _page: &mut Page<'_>) -> Result<Exit, Faults> {
    Err(Fault::new(format!("there is no rule `{}`", args.rule.as_deref().unwrap_or_default())).into())
}
