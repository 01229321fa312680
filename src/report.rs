//! Findings, faults and what a live ledger says as text for people and tools. Nothing here prints.

pub mod cargo;
pub mod chaos;
pub mod github;
pub mod human;
pub mod import;
pub mod json;
pub mod junit;
pub mod metrics;
pub mod queue;
pub mod sarif;

use crate::rule::Rule;
use crate::{lint, scan};

/// Every rule, sorted by name.
#[must_use]
pub fn rules() -> Vec<&'static Rule> {
    let code = scan::rules::ALL.iter().map(|entry| entry.rule);
    let mut rules: Vec<&Rule> = code.chain(lint::rules::ALL.iter().map(|entry| entry.rule)).collect();
    rules.sort_by_key(|rule| rule.name);
    rules
}

/// Every rule with its level and summary, a line each.
#[must_use]
pub fn rule_list() -> String {
    let rules = rules();
    let width = rules.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    let line = |rule: &&Rule| format!("{:width$}  {:7}  {}\n", rule.name, rule.level.name(), rule.summary());
    rules.iter().map(line).collect()
}
