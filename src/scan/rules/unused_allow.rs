//! `unused-allow`

use crate::diagnostic::{Finding, Level};
use crate::rule::{Domain, Rule};
use crate::scan::rules::ALL;
use crate::scan::rules::allows::Allows;

/// An exception that allows nothing.
pub(super) static RULE: Rule = Rule {
    name: "unused-allow",
    level: Level::Warning,
    domain: Domain::Code,
    page: include_str!("../../../lints/rules/unused-allow.md"),
};

pub(super) fn run(allows: &Allows<'_>) -> Vec<Finding> {
    let told = allows.unused().map(|written| {
        let rules = written.rules();
        let unknown = rules.iter().find(|name| !ALL.iter().any(|entry| entry.rule.name == **name));
        let message = match unknown {
            Some(name) => format!("there is no rule `{name}` to make an exception to"),
            None => format!("nothing here needs an exception to {}", rules.join(", ")),
        };
        Finding::new(RULE.name, RULE.level, message, written.label("allows nothing"))
            .with_help("take it out, so that it cannot hide something later")
            .with_subject(format!("allow {}", rules.join(", ")))
    });
    told.collect()
}
