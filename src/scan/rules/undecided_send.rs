//! `undecided-send`

use crate::diagnostic::{Finding, Level};
use crate::rule::{Domain, Rule};
use crate::scan::rules::{Context, Found};
use crate::scan::site::{Site, Verdict};

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
            .with_help(mend(site))
            .with_subject(site.sink.api.as_str());
        Found { finding, function: site.function.clone() }
    });
    told.collect()
}

/// What a program does outside no type can say.
fn mend(site: &Site) -> &'static str {
    match site.sink.api.contains("process::Command") {
        true => "name the program and what it is given in the code, guard it as a send, or allow it with the reason",
        false => "write the type of what it is called on, or guard it as a send",
    }
}
