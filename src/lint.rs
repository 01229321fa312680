//! SQL rules over the replayed history: what a ledger must guarantee, and whether the chain of migrations proves it.
//!
//! [`subject`] says which tables are the ledger, [`rules`] holds one file a rule, [`unique`] and [`guard`] are the two
//! questions that several rules ask, [`mod@missing`] is what they find and a migration can add, [`rows`] what rows of a
//! live table say. Three answers a
//! guarantee: proven (no finding), broken, unproven.
//! A folder that holds no ledger, and of which none is demanded, has no findings.

mod exceptions;
pub mod guard;
pub mod missing;
pub mod rows;
pub mod rules;
pub mod subject;
pub mod unique;

use crate::diagnostic::{Finding, Silenced};
use crate::schema::{Replayed, replay};
use crate::sql::SourceStatements;
pub use rules::Context;
pub use subject::{Keyed, Ledger, Source, Subject};

/// What the rules say of a history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linted {
    /// What is to be told, in order of files and places.
    pub findings: Vec<Finding>,
    /// What a comment silences, in the same order.
    pub silenced: Vec<Silenced>,
}

/// Everything that the rules say of a history. Comments that silence a rule are heeded, and found when they give no
/// reason, are past their last day (none is where no day is given) or silence nothing.
#[must_use]
pub fn check(history: &[SourceStatements], subject: &Subject, today: Option<jiff::civil::Date>) -> Linted {
    checked(history, &replay(history), subject, today)
}

/// The same of a history that was replayed already.
#[must_use]
pub fn checked(
    history: &[SourceStatements],
    replayed: &Replayed,
    subject: &Subject,
    today: Option<jiff::civil::Date>,
) -> Linted {
    let mut linted = Linted { findings: judge(replayed, subject), silenced: Vec::new() };
    let mut of_exceptions = Vec::new();
    for file in history {
        for allow in &file.allows {
            of_exceptions.extend(exceptions::heed(file, allow, &mut linted, today));
        }
    }
    linted.findings.append(&mut of_exceptions);
    sort(&mut linted.findings);
    linted.silenced.sort_by(|a, b| a.finding.order().cmp(&b.finding.order()));
    linted
}

/// The findings alone, on a day before the last one of every exception.
#[must_use]
pub fn run(history: &[SourceStatements], subject: &Subject) -> Vec<Finding> {
    check(history, subject, None).findings
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
