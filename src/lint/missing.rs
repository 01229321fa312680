//! What an adopted ledger lacks and a migration can add, by the rules' own predicates: where nothing is missing, those
//! rules find nothing.

use std::collections::BTreeSet;

use super::guard::{Guard, guard, guarded};
use super::rules::{
    Context, key_not_unique, key_nullable, ledger_weakened::guards, ledger_weakened::parts, status_unchecked,
};
use super::{Keyed, Subject};
use crate::schema::{Name, Replayed};

/// A guarantee that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// A column that must refuse NULL.
    NotNull {
        /// The table.
        keyed: Keyed,
        /// The column.
        column: String,
    },
    /// The whole key is not unique.
    Unique(Keyed),
    /// Nothing lists the statuses.
    Statuses,
    /// A list of the statuses was never held against the rows that were there before it.
    Validation {
        /// The constraint's name.
        constraint: String,
        /// What it lists.
        statuses: BTreeSet<String>,
    },
    /// Nothing keeps this event from the table of actions: `update`, `delete` or `truncate`.
    Guard(&'static str),
    /// A partition lacks a guard that the whole has.
    Part {
        /// The partition.
        partition: Name,
        /// `update`, `delete` or `truncate`.
        event: &'static str,
        /// The name of the whole's trigger.
        trigger: String,
        /// The function that it runs.
        function: Name,
    },
    /// A guard by which a replica's session passes.
    Always {
        /// The trigger's name.
        trigger: String,
    },
}

/// Everything that is missing of a ledger whose tables and columns are there.
#[must_use]
pub fn missing(replayed: &Replayed, subject: &Subject) -> Vec<Missing> {
    let ledger = &subject.ledger;
    let context = Context { replayed, schema: &replayed.schema, subject, ledger };
    let mut found = Vec::new();
    for keyed in ledger.tables() {
        let columns = key_nullable::missing(&context, keyed).into_iter();
        found.extend(columns.map(|column| Missing::NotNull { keyed: keyed.clone(), column: column.clone() }));
        found.extend(key_not_unique::lacks(&context, keyed).then(|| Missing::Unique(keyed.clone())));
    }
    let Some(table) = context.actions() else { return found };
    if let Some(column) = table.columns.get(&ledger.status) {
        found.extend(status_unchecked::missing(&context, table, column));
    }
    for (event, column) in guarded(&ledger.status) {
        if !matches!(guard(replayed, table, event, column), Guard::Stands { .. }) {
            found.push(Missing::Guard(event));
        }
    }
    found.extend(parts::bare(&context).into_iter().map(|one| Missing::Part {
        partition: one.partition.clone(),
        event: one.event,
        trigger: one.trigger.to_owned(),
        function: one.of_whole.function.clone(),
    }));
    let always = guards::not_always(&context, table).into_keys();
    found.extend(always.map(|trigger| Missing::Always { trigger: trigger.to_owned() }));
    found
}

/// The statuses that the table of actions may hold, where its definition lists them.
#[must_use]
pub fn statuses(replayed: &Replayed, subject: &Subject) -> Option<BTreeSet<String>> {
    let context = Context { replayed, schema: &replayed.schema, subject, ledger: &subject.ledger };
    status_unchecked::known(&context)
}
