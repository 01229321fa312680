//! The statement that refuses a table whose rows break a guarantee already, and names them.

use crate::lint::Keyed;
use crate::schema::{Table, literal};

/// How many are named.
const SHOWN: usize = 5;

/// A query that gives one text that names offending rows, or NULL.
pub(super) struct Offence(String);

impl Offence {
    /// `what` says what the rows do; `from` are the grouped or bare rows, each with what names it.
    fn new(what: &str, named: &str, from: &str, order: &str) -> Offence {
        Offence(format!(
            "(SELECT {} || max(total) || ', such as ' || string_agg(named, '; ')\n     \
             FROM (SELECT {named} AS named, count(*) OVER () AS total\n           {from}\n           \
             ORDER BY {order} LIMIT {SHOWN}) AS few)",
            literal::text(&format!("{what}: "))
        ))
    }

    /// Rows that share a key.
    pub(super) fn duplicates(keyed: &Keyed) -> Offence {
        let (table, list) = (literal::qualified(&keyed.table), literal::names(&keyed.key));
        let present = |column: &String| format!("{} IS NOT NULL", literal::name(column));
        let present = keyed.key.iter().map(present).collect::<Vec<_>>().join(" AND ");
        Offence::new(
            &format!("keys ({}) that several rows of {} share", keyed.list(), keyed.table),
            &format!("format('(%s) in %s rows', concat_ws(', ', {list}), count(*))"),
            &format!("FROM {table} WHERE {present} GROUP BY {list} HAVING count(*) > 1"),
            &format!("count(*) DESC, {list}"),
        )
    }

    /// Rows without a value in a column.
    pub(super) fn nulls(keyed: &Keyed, column: &str, table: &Table) -> Offence {
        let own = table.primary_key();
        let row = if own.is_empty() { "ctid".to_owned() } else { literal::names(own) };
        let label = if own.is_empty() { "ctid".to_owned() } else { own.join(", ") };
        Offence::new(
            &format!("rows of {} without {column}", keyed.table),
            &format!("{} || concat_ws(', ', {row})", literal::text(&format!("{label} "))),
            &format!("FROM {} WHERE {} IS NULL", literal::qualified(&keyed.table), literal::name(column)),
            &row,
        )
    }

    /// Rows whose status is none of the list.
    pub(super) fn strangers(keyed: &Keyed, status: &str, list: &str) -> Offence {
        let (table, column) = (literal::qualified(&keyed.table), literal::name(status));
        Offence::new(
            &format!("unknown values of {status} in {}", keyed.table),
            &format!("format('%L in %s rows', {column}, count(*))"),
            &format!("FROM {table} WHERE {column}::text NOT IN ({list}) GROUP BY {column}"),
            &format!("count(*) DESC, {column}"),
        )
    }
}

/// The statement; `None` where there is nothing to ask.
pub(super) fn refusal(offences: &[Offence]) -> Option<String> {
    if offences.is_empty() {
        return None;
    }
    let all = offences.iter().map(|one| one.0.as_str()).collect::<Vec<_>>().join(",\n    ");
    Some(format!(
        "-- Rows that break a guarantee already are named, and nothing is changed.\nDO $rows$\nDECLARE\n  \
         onlyonce_bad text;\nBEGIN\n  onlyonce_bad := concat_ws(E'\\n',\n    {all});\n  \
         IF onlyonce_bad <> '' THEN\n    \
         RAISE EXCEPTION 'these rows break what would be guaranteed: %', onlyonce_bad\n      \
         USING ERRCODE = 'integrity_constraint_violation',\n            \
         HINT = 'Decide what becomes of each of them, mend it, and run this migration again. Nothing was changed.';\n  \
         END IF;\nEND\n$rows$"
    ))
}
