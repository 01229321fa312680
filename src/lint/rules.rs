//! One file a rule. To add one: `rules/<name>.rs` with a `RULE` and a `run`, its page `lints/rules/<name>.md`, a line in
//! each of the two sorted lists here.

pub(in crate::lint) mod inbound_not_unique;
mod key_collation;
mod key_generated;
pub(in crate::lint) mod key_not_unique;
pub(in crate::lint) mod key_nullable;
pub(in crate::lint) mod key_partly_unique;
mod ledger_bypassable;
pub(in crate::lint) mod ledger_missing;
mod ledger_unlogged;
pub(in crate::lint) mod ledger_weakened;
pub(in crate::lint) mod retention_too_short;
mod retention_unstated;
pub(in crate::lint) mod status_unchecked;
mod transition_unguarded;
mod unread_statement;

use super::{Keyed, Ledger, Subject};
use crate::diagnostic::{Finding, Level, Verdict};
use crate::rule::Rule;
use crate::schema::typed::named;
use crate::schema::{Column, Origin, Replayed, Schema, Table};
use crate::sql::ddl::NewType;

/// A rule and the function that runs it.
pub struct Lint {
    /// The rule.
    pub rule: &'static Rule,
    /// Its findings.
    pub run: fn(&Context<'_>) -> Vec<Finding>,
}

/// Every SQL rule, sorted by name.
pub static ALL: [Lint; 15] = [
    Lint { rule: &inbound_not_unique::RULE, run: inbound_not_unique::run },
    Lint { rule: &key_collation::RULE, run: key_collation::run },
    Lint { rule: &key_generated::RULE, run: key_generated::run },
    Lint { rule: &key_not_unique::RULE, run: key_not_unique::run },
    Lint { rule: &key_nullable::RULE, run: key_nullable::run },
    Lint { rule: &key_partly_unique::RULE, run: key_partly_unique::run },
    Lint { rule: &ledger_bypassable::RULE, run: ledger_bypassable::run },
    Lint { rule: &ledger_missing::RULE, run: ledger_missing::run },
    Lint { rule: &ledger_unlogged::RULE, run: ledger_unlogged::run },
    Lint { rule: &ledger_weakened::RULE, run: ledger_weakened::run },
    Lint { rule: &retention_too_short::RULE, run: retention_too_short::run },
    Lint { rule: &retention_unstated::RULE, run: retention_unstated::run },
    Lint { rule: &status_unchecked::RULE, run: status_unchecked::run },
    Lint { rule: &transition_unguarded::RULE, run: transition_unguarded::run },
    Lint { rule: &unread_statement::RULE, run: unread_statement::run },
];

/// What every rule looks at.
pub struct Context<'c> {
    /// The history.
    pub replayed: &'c Replayed,
    /// The schema at its end.
    pub schema: &'c Schema,
    /// What is demanded.
    pub subject: &'c Subject,
    /// The ledger's tables.
    pub ledger: &'c Ledger,
}

impl<'c> Context<'c> {
    /// A table of the ledger, when it is there.
    pub(in crate::lint) fn table(&self, keyed: &Keyed) -> Option<&'c Table> {
        self.schema.tables.get(&keyed.table)
    }

    /// The table of actions, when it is there.
    pub(in crate::lint) fn actions(&self) -> Option<&'c Table> {
        self.table(&self.ledger.actions)
    }

    /// A key column, when it is there.
    fn column(&self, keyed: &Keyed, name: &str) -> Option<&'c Column> {
        self.table(keyed).and_then(|table| table.columns.get(name))
    }

    /// The type of somebody's own that a column is of.
    pub(in crate::lint) fn own_type(&self, column: &Column) -> Option<&'c NewType> {
        let (name, _) = named(&column.type_name).filter(|(_, array)| array.is_empty())?;
        self.schema.types.get(&name).map(|one| &one.definition)
    }

    /// A table of ours must hold more than a team's own: `level` there, a warning here.
    fn level(&self, level: Level) -> Level {
        if self.ledger.ours.is_some() { level } else { level.min(Level::Warning) }
    }
}

/// A finding at an origin. Doubt is shown at a lower level.
pub(in crate::lint) fn found(
    rule: &'static Rule,
    verdict: Verdict,
    at: &Origin,
    message: String,
    label: String,
) -> Finding {
    let level = match verdict {
        Verdict::Broken => rule.level,
        Verdict::Unproven => rule.level.min(Level::Warning),
    };
    let subject = message.clone();
    Finding::new(rule.name, level, message, at.label(label)).with_verdict(verdict).with_subject(subject)
}

/// Broken, or unproven where what speaks for it may not run.
fn verdict(certain: bool) -> Verdict {
    if certain { Verdict::Broken } else { Verdict::Unproven }
}
