//! A statement that was not understood names the ledger, or may touch it.

use super::{Context, found};
use crate::diagnostic::{Finding, Level, Verdict};
use crate::lint::Ledger;
use crate::rule::{Domain, Rule};
use crate::schema::{Doubt, Name, Note};
use crate::sql::{Token, tokens};

pub(super) static RULE: Rule = Rule {
    name: "unread-statement",
    level: Level::Warning,
    domain: Domain::Sql,
    page: include_str!("../../../lints/rules/unread-statement.md"),
};

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    let there = context.schema.tables.keys().any(|name| context.ledger.holds(name));
    let notes = context.replayed.notes.iter().filter(|_| there || context.subject.demanded);
    let finding = |note: &Note| {
        let message = match note.doubt {
            Doubt::Unread if note.text.starts_with('\\') => "statements are run here that are in no migration",
            Doubt::Deferred if touches(context.ledger, note) => "what runs later changes a definition of the ledger",
            Doubt::Unread | Doubt::PutTogether if touches(context.ledger, note) => {
                "a statement that names the ledger was not understood"
            }
            Doubt::PutTogether if may_touch(&note.text) => {
                "a statement that is put together when it runs may touch the ledger"
            }
            Doubt::Unread | Doubt::PutTogether | Doubt::Deferred => return None,
        };
        let help = match note.doubt {
            Doubt::Deferred => "define it in a migration, or allow this rule with a reason",
            Doubt::Unread | Doubt::PutTogether => {
                "write it so that its text is known before it runs, or allow this rule with a reason"
            }
        };
        Some(found(&RULE, Verdict::Unproven, &note.at, message.to_owned(), note.reason.clone()).with_help(help))
    };
    notes.filter_map(finding).collect()
}

/// Whether the text names a table of the ledger: its schema, or the name of a table with that schema or none before it.
pub(super) fn touches(ledger: &Ledger, note: &Note) -> bool {
    let text = &note.text;
    let words = tokens(text);
    words.iter().enumerate().any(|(index, word)| {
        let Some(name) = word.name(text) else { return false };
        match &ledger.ours {
            Some(schema) => name == *schema,
            None => {
                ledger.tables().any(|keyed| keyed.table.name == name && schema_fits(text, &words, index, &keyed.table))
            }
        }
    })
}

/// The schema before a name is the table's, or there is none.
fn schema_fits(text: &str, words: &[Token], index: usize, table: &Name) -> bool {
    match index.checked_sub(2).and_then(|before| words.get(before..index)) {
        Some([schema, dot]) if dot.is_symbol(text, ".") => schema.name(text).as_ref() == Some(&table.schema),
        Some(_) | None => true,
    }
}

/// Whether text with a hole in it can drop, change or empty a table of any name.
fn may_touch(text: &str) -> bool {
    let lower = text.to_lowercase();
    let verbs = [
        "alter table",
        "delete from",
        "disable trigger",
        "drop constraint",
        "drop function",
        "drop index",
        "drop owned",
        "drop schema",
        "drop table",
        "drop trigger",
        "drop type",
        "truncate",
    ];
    // A literal that ends with a blank goes on with what is not known.
    let open = lower.contains('%') || lower.contains("  ") || lower.ends_with(' ');
    let is_unknown = lower.trim().is_empty() || lower.trim_start().starts_with('%');
    is_unknown || (open && verbs.iter().any(|verb| lower.contains(verb)))
}
