//! The inbound table lets an event in twice.

use super::{Context, key_not_unique, key_nullable, key_partly_unique};
use crate::diagnostic::{Finding, Level};
use crate::rule::{Domain, Rule};

pub(in crate::lint) static RULE: Rule = Rule {
    name: "inbound-not-unique",
    level: Level::Error,
    domain: Domain::Sql,
    page: include_str!("../../../lints/rules/inbound-not-unique.md"),
};

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    let Some(inbound) = &context.ledger.inbound else { return Vec::new() };
    let mut findings = key_nullable::nullable(context, inbound, &RULE);
    findings.extend(key_not_unique::missing(context, inbound, &RULE));
    findings.extend(key_partly_unique::partly(context, inbound, &RULE));
    findings
}
