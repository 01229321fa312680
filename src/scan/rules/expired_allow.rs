//! `expired-allow`

use crate::diagnostic::{Finding, Level};
use crate::rule::{Domain, Rule};
use crate::scan::rules::allows::{Allows, Void};

/// An exception past its last day.
pub(super) static RULE: Rule = Rule {
    name: "expired-allow",
    level: Level::Error,
    domain: Domain::Code,
    page: include_str!("../../../lints/rules/expired-allow.md"),
};

pub(super) fn run(allows: &Allows<'_>) -> Vec<Finding> {
    let expired = allows.void().filter_map(|(written, void)| match void {
        Void::Expired(until) => Some((written, until)),
        Void::Unreadable | Void::Reasonless => None,
    });
    let told = expired.map(|(written, until)| {
        let rules = written.rules().join(", ");
        let message = match until.parse::<jiff::civil::Date>() {
            Ok(_) => format!("this exception to {rules} held until {until} and silences nothing any more"),
            Err(_) => format!("this exception to {rules} holds until `{until}`, which is no day"),
        };
        Finding::new(RULE.name, RULE.level, message, written.label("review it again"))
            .with_help("mend what it covered, or review it and set a later day: `until = \"YYYY-MM-DD\"`")
            .with_subject(format!("allow {rules}"))
    });
    told.collect()
}
