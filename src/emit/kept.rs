//! The rows that emission writes into the ledger, as questions to a live one: does it still hold them?

use super::changes::{action_values, inbound_values};
use super::template::Values;
use crate::lint::rows::Question;
use crate::manifest::diff::Emitted;
use crate::schema::{Name, literal};

/// Columns of `action_types`, with their types.
const OF_ACTIONS: [(&str, &str); 11] = [
    ("name", "text"),
    ("kind", "text"),
    ("send_budget", "interval"),
    ("pending_timeout", "interval"),
    ("max_attempts", "integer"),
    ("when_unknown", "text"),
    ("key_window", "interval"),
    ("keep", "interval"),
    ("keep_key", "interval"),
    ("look_up", "text"),
    ("retired", "boolean"),
];

/// Columns of `inbound_sources`, with their types.
const OF_SOURCES: [(&str, &str); 6] = [
    ("name", "text"),
    ("mode", "text"),
    ("claim_timeout", "interval"),
    ("retention", "interval"),
    ("redelivery", "interval"),
    ("retired", "boolean"),
];

/// One question a table.
#[must_use]
pub fn questions(emitted: &Emitted) -> Vec<Question> {
    let actions = emitted.actions.iter().map(|(name, action)| action_values(name, action)).collect();
    let sources = emitted.inbound.iter().map(|(name, inbound)| inbound_values(name, inbound)).collect();
    vec![
        question(emitted, "action_types", "action type", &OF_ACTIONS, actions),
        question(emitted, "inbound_sources", "source", &OF_SOURCES, sources),
    ]
}

fn question(
    emitted: &Emitted,
    table: &str,
    noun: &'static str,
    columns: &[(&str, &str)],
    rows: Vec<Values>,
) -> Question {
    let table = Name::new(&emitted.schema, table);
    let cast = |values: &Values| {
        let value =
            |(column, kind): &(&str, &str)| format!("{}::{kind}", values.get(*column).map_or("NULL", String::as_str));
        format!("({})", columns.iter().map(value).collect::<Vec<_>>().join(", "))
    };
    // A row of NULLs gives the columns their types where there is no other.
    let all: Vec<String> = rows.iter().chain([&Values::new()]).map(cast).collect();
    let names = columns.iter().map(|(column, _)| *column).collect::<Vec<_>>().join(", ");
    let compared = columns.iter().skip(1).map(|(column, kind)| {
        let less = if *kind == "interval" { format!("h.{column} < w.{column}") } else { "false".to_owned() };
        format!("('{column}', w.{column}::text, h.{column}::text, w.{column} IS DISTINCT FROM h.{column}, {less})")
    });
    let compared = compared.collect::<Vec<_>>().join(",\n    ");
    let statement = format!(
        "WITH wanted ({names}) AS (VALUES {all})\nSELECT COALESCE(w.name, h.name), d.field, \
         CASE WHEN d.field IS NULL THEN w.name ELSE d.wanted END, d.has, d.less::text\nFROM wanted AS w FULL JOIN {place} \
         AS h ON h.name = w.name\n  CROSS JOIN LATERAL (VALUES (NULL, NULL, NULL, w.name IS NULL OR h.name IS NULL, \
         false),\n    {compared}) AS d (field, wanted, has, differs, less)\nWHERE COALESCE(w.name, h.name) IS NOT NULL \
         AND d.differs AND (d.field IS NULL) = (w.name IS NULL OR h.name IS NULL)\nORDER BY w.name IS NULL, 1, 2 LIMIT 100",
        all = all.join(",\n  "),
        place = literal::qualified(&table),
    );
    Question::emitted(table, noun, statement)
}
