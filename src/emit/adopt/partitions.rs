//! A team's partitioned tables: which of them can be brought up, and what each partition needs of its own.

use std::collections::BTreeSet;

use crate::diagnostic::Fault;
use crate::lint::missing::Missing;
use crate::lint::{Keyed, Ledger};
use crate::schema::{Name, Schema, Table};

/// The partitions below a table that hold rows, in order.
pub(super) fn leaves(schema: &Schema, whole: &Name) -> Vec<Name> {
    let holds_rows = |(_, table): &(&Name, &Table)| table.partition_by.is_none();
    let mut found: Vec<Name> =
        below(schema, whole).into_iter().filter(holds_rows).map(|(name, _)| name.clone()).collect();
    found.sort();
    found
}

/// Every partition below a table, each once.
fn below<'s>(schema: &'s Schema, whole: &'s Name) -> Vec<(&'s Name, &'s Table)> {
    let (mut found, mut seen) = (Vec::new(), BTreeSet::from([whole]));
    let mut open = vec![whole];
    while let Some(name) = open.pop() {
        let parts = schema.tables.iter().filter(|(_, table)| table.partition_of.as_ref() == Some(name));
        for part in parts.filter(|(part, _)| seen.insert(part)) {
            found.push(part);
            open.push(part.0);
        }
    }
    found
}

/// Why what a table lacks cannot be written; `None` where it can.
pub(super) fn refused(schema: &Schema, ledger: &Ledger, keyed: &Keyed, lacking: &[Missing]) -> Option<Fault> {
    let table = schema.tables.get(&keyed.table)?;
    let (name, list) = (&keyed.table, keyed.list());
    let fault =
        |message: String, help: &str| Some(Fault::new(message).at(table.made.label("made here")).with_help(help));
    if let Some(whole) = &table.partition_of {
        return fault(format!("{name} is a partition of {whole}"), "name the whole in [schema.adopt]");
    }
    if !table.inherits.is_empty() {
        let help = "`onlyonce check` says what it lacks, with the statements";
        return fault(format!("{name} inherits from another table, for which nothing is written"), help);
    }
    let parted = below(schema, name).into_iter().map(|(_, part)| part);
    let parted = std::iter::once(table).chain(parted).filter_map(|one| one.partition_by.as_ref());
    let columns: Vec<&String> = parted.flat_map(|by| &by.columns).collect();
    let outside = columns.iter().find(|column| !keyed.key.contains(column));
    if let Some(column) = outside.filter(|_| lacking.contains(&Missing::Unique(keyed.clone()))) {
        return fault(
            format!("the key ({list}) of {name} can be unique within a partition only, since {column} parts its rows"),
            "partition it by columns of the key alone, or keep the keys in a table of their own",
        );
    }
    let keeps = *keyed == ledger.actions && columns.contains(&&ledger.status);
    if keeps && lacking.contains(&Missing::Guard("delete")) {
        return fault(
            format!(
                "{} parts the rows of {name}, so that a new status deletes a row here to insert it there",
                ledger.status
            ),
            "partition it by columns of the key: rows that move between partitions cannot be kept from being deleted",
        );
    }
    None
}
