//! `reasonless-allow`

use crate::diagnostic::{Finding, Level};
use crate::rule::{Domain, Rule};
use crate::scan::rules::allows::{Allows, Void};

/// An exception without a reason.
pub(super) static RULE: Rule = Rule {
    name: "reasonless-allow",
    level: Level::Error,
    domain: Domain::Code,
    page: include_str!("../../../lints/rules/reasonless-allow.md"),
};

const AUDITED: &str = "auditors are shown the reason";
const SHORT: &str = "write `// onlyonce: allow(unguarded-send, reason = \"a doubled page is harmless\")`";

const MISREAD: &str = "a misspelt word, a text without quotes, or no rule";
const WHOLE: &str = "write `// onlyonce: allow(unguarded-send, reason = \"a doubled page is harmless\", until = \"2027-06-30\")`: \
                     `until` may be left out, and a day stands in quotes";

pub(super) fn run(allows: &Allows<'_>) -> Vec<Finding> {
    let lacking = allows.void().filter_map(|(written, void)| match void {
        Void::Unreadable => Some((written, "this exception cannot be read, so it silences nothing")),
        Void::Reasonless => Some((written, "this exception gives no reason, so it silences nothing")),
        Void::Expired(_) => None,
    });
    let told = lacking.map(|(written, message)| {
        let (label, help) = if written.rules().is_empty() { (MISREAD, WHOLE) } else { (AUDITED, SHORT) };
        Finding::new(RULE.name, RULE.level, message, written.label(label))
            .with_help(help)
            .with_subject(format!("allow {}", written.rules().join(", ")))
    });
    told.collect()
}
