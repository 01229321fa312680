//! Event ids are forgotten after a time that nothing states.

use super::retention_too_short::{Purge, purges};
use super::{Context, found};
use crate::diagnostic::{Finding, Level, Verdict};
use crate::rule::{Domain, Rule};

pub(super) static RULE: Rule = Rule {
    name: "retention-unstated",
    level: Level::Warning,
    domain: Domain::Sql,
    page: include_str!("../../../lints/rules/retention-unstated.md"),
};

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    let Some(inbound) = &context.ledger.inbound else { return Vec::new() };
    if context.ledger.ours.is_some() {
        return Vec::new();
    }
    let name = &inbound.table;
    let unstated = context.subject.sources.is_empty();
    let finding = |purge: Purge<'_>| {
        let (message, label, help) = match purge.age {
            None => (
                format!("rows of {name} are deleted after a time that cannot be told"),
                "no interval is written here".to_owned(),
                "write the age as a literal, such as interval '14 days'".to_owned(),
            ),
            Some(_) if unstated => (
                format!("rows of {name} are deleted, and how long its senders repeat an event is stated nowhere"),
                "whether this is long enough cannot be told".to_owned(),
                "add an [inbound.<name>] section with its provider and retention to onlyonce.toml".to_owned(),
            ),
            Some(_) => return None,
        };
        Some(found(&RULE, Verdict::Unproven, purge.at, message, label).with_help(help))
    };
    purges(context, inbound).into_iter().filter_map(finding).collect()
}
