//! `undecided-send`

use crate::diagnostic::{Finding, Level};
use crate::rule::{Domain, Rule};
use crate::scan::rules::{Context, Found};
use crate::scan::site::Verdict;

/// A call of which it cannot be told whether it sends.
pub(super) static RULE: Rule = Rule {
    name: "undecided-send",
    level: Level::Warning,
    domain: Domain::Code,
    page: include_str!("../../../lints/rules/undecided-send.md"),
};

pub(super) fn run(context: &Context<'_, '_, '_>) -> Vec<Found> {
    let undecided = context.sites.iter().filter(|site| site.verdict == Verdict::Undecided);
    let told = undecided.map(|site| {
        let why = site.why.as_deref().unwrap_or("its target is not known");
        let question = if site.sink.undecided.is_some() { "sends" } else { "is always guarded" };
        let message = format!("it cannot be told whether this {question}: {why}");
        let finding = Finding::new(RULE.name, RULE.level, message, context.at_site(site, "may leave the process here"))
            .with_help("write the type of what it is called on, or guard it as a send")
            .with_subject(site.sink.api.as_str());
        Found { finding, function: site.function.clone() }
    });
    told.collect()
}
