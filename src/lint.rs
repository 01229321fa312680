//! SQL rules over the replayed history: what a ledger must guarantee, and whether the chain of migrations proves it.
//!
//! [`subject`] says which tables are the ledger, [`rules`] holds one file a rule, [`unique`] and [`guard`] are the two
//! questions that several rules ask. Three answers a guarantee: proven (no finding), broken, unproven.
//! A folder that holds no ledger, and of which none is demanded, has no findings.

pub mod guard;
pub mod rules;
pub mod subject;
pub mod unique;

use crate::diagnostic::{Finding, Level};
use crate::schema::{Replayed, replay};
use crate::source::Span;
use crate::sql::{Allow, SourceStatements};
pub use rules::Context;
pub use subject::{Keyed, Ledger, Source, Subject};

/// Everything that the rules say of a history, in order of files and places. Comments that silence a rule are heeded,
/// and found when they give no reason or silence nothing.
#[must_use]
pub fn run(history: &[SourceStatements], subject: &Subject) -> Vec<Finding> {
    let mut findings = judge(&replay(history), subject);
    let mut others = Vec::new();
    for file in history {
        for allow in &file.allows {
            silence(file, allow, &mut findings, &mut others);
        }
    }
    findings.append(&mut others);
    sort(&mut findings);
    findings
}

/// The same for a schema without a history's comments.
#[must_use]
pub fn judge(replayed: &Replayed, subject: &Subject) -> Vec<Finding> {
    let ledger = &subject.ledger;
    let context = Context { replayed, schema: &replayed.schema, subject, ledger };
    let mut findings: Vec<Finding> = rules::ALL.iter().flat_map(|lint| (lint.run)(&context)).collect();
    sort(&mut findings);
    findings.dedup();
    findings
}

fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| a.order().cmp(&b.order()));
}

fn silence(file: &SourceStatements, allow: &Allow, findings: &mut Vec<Finding>, others: &mut Vec<Finding>) {
    let place = |text: &str| crate::diagnostic::Label::new(&file.source, allow.span, text);
    if allow.reason.is_none() {
        let message = format!("the exception for `{}` gives no reason", allow.rule);
        let finding = Finding::new("reasonless-allow", Level::Error, message, place("silences nothing"));
        others.push(finding.with_help(format!("write -- onlyonce: allow({}, reason = \"...\")", allow.rule)));
        return;
    }
    let before = findings.len();
    findings.retain(|finding| {
        let covered = finding.place.source == file.source && overlap(finding.place.span, allow.covers);
        !(finding.rule == allow.rule && covered)
    });
    if findings.len() == before && rules::ALL.iter().any(|lint| lint.rule.name == allow.rule) {
        let message = format!("nothing here is silenced by the exception for `{}`", allow.rule);
        let finding = Finding::new("unused-allow", Level::Warning, message, place("no finding of this rule here"));
        others.push(finding.with_help("take the comment out"));
    }
}

fn overlap(one: Span, other: Span) -> bool {
    one.start < other.end && other.start < one.end
}
