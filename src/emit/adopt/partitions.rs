//! A team's partitioned tables: which of them can be brought up, and what each partition needs of its own.

use crate::diagnostic::Fault;
use crate::lint::missing::Missing;
use crate::lint::{Keyed, Ledger};
use crate::schema::{Schema, literal};

/// Types of which no index can tell whether two values are equal.
const UNORDERED: [&str; 8] = ["box", "circle", "json", "line", "lseg", "point", "polygon", "xml"];

/// A name that a migration cannot hold: a comment ends with its line, and Flyway replaces `${..}`.
fn named(schema: &Schema, keyed: &Keyed) -> Option<Fault> {
    let table = schema.tables.get(&keyed.table)?;
    let below = schema.below(&keyed.table);
    let tables = std::iter::once((&keyed.table, table)).chain(below);
    let names = tables.flat_map(|(name, one)| [(&name.schema, one), (&name.name, one)]);
    let names = names.chain(table.columns.keys().map(|column| (column, table)));
    let cannot = |name: &str| name.contains("${") || name.contains(char::is_control);
    let (name, one) = names.into_iter().find(|(name, _)| cannot(name))?;
    Some(
        Fault::new(format!("the name {} cannot stand in a migration for every tool", literal::text(name)))
            .at(one.made.label("made here"))
            .with_help("give it a name without line breaks and `${`"),
    )
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
    if let Some(fault) = named(schema, keyed) {
        return Some(fault);
    }
    let below = schema.below(name);
    let all = || std::iter::once((name, table)).chain(below.iter().copied());
    if let Some((far, at)) = all().find(|(_, one)| one.foreign).filter(|_| !lacking.is_empty()) {
        let message = format!("{far} is a foreign table, whose rows no key and no trigger here can hold");
        let help = "keep the keys in a table of this database";
        return Some(Fault::new(message).at(at.made.label("made here")).with_help(help));
    }
    let unique = lacking.contains(&Missing::Unique(keyed.clone()));
    let unequal = keyed.key.iter().find_map(|part| {
        let column = table.columns.get(part)?;
        UNORDERED.contains(&column.type_name.as_str()).then_some((part, column))
    });
    if let Some((part, column)) = unequal.filter(|_| unique) {
        let message = format!("the key column {part} of {name} is {}, which cannot be unique", column.type_name);
        let help = "keep the key in a column of text, and name that one in [schema.adopt]";
        return Some(Fault::new(message).at(column.made.label("made here")).with_help(help));
    }
    let parted = below.iter().map(|(_, part)| *part);
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
