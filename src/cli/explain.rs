//! `explain RULE`: the rule's page. `explain manifest`: every field of the manifest. `explain chaos-plan`: a whole plan.

use crate::chaos;
use crate::cli::{Exit, Page};
use crate::diagnostic::{Fault, Faults};
use crate::manifest::{REFERENCE, nearest};
use crate::report;

/// What `explain` takes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The rule's name, or `manifest` for every field of onlyonce.toml, or `chaos-plan` for a whole plan of `chaos run`;
    /// without it every rule is listed
    rule: Option<String>,
}

pub(super) fn run(args: &Args, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let Some(name) = &args.rule else {
        page.print(&report::rule_list());
        return Ok(Exit::Clean);
    };
    if name == "manifest" {
        page.print(REFERENCE);
        return Ok(Exit::Clean);
    }
    if name == "chaos-plan" {
        page.print(chaos::plan::SAMPLE);
        return Ok(Exit::Clean);
    }
    let Some(rule) = report::rules().into_iter().find(|rule| rule.name == name) else {
        let meant = nearest(name, report::rules().into_iter().map(|rule| rule.name).chain(["manifest", "chaos-plan"]));
        let meant = meant.map(|name| format!("did you mean `{name}`? ")).unwrap_or_default();
        let fault = Fault::new(format!("there is no rule `{name}`"));
        return Err(fault.with_help(format!("{meant}run `onlyonce explain` for the list")).into());
    };
    page.print(rule.page);
    Ok(Exit::Clean)
}
