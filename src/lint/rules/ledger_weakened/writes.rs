//! Migrations and routines that write the ledger's rows past its rules.

use super::{RULE, advice};
use crate::diagnostic::{Finding, Verdict};
use crate::lint::Keyed;
use crate::lint::rules::{Context, found};
use crate::lint::unique::names;
use crate::schema::{Origin, Signature, Write};
use crate::sql::ddl::Verb;
use crate::sql::tokens;

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> =
        context.replayed.writes.iter().filter_map(|write| written(context, write)).collect();
    findings.extend(context.schema.routines.iter().filter_map(|(signature, one)| {
        context.ledger.ours.is_none().then(|| deletes(context, signature, &one.definition.body, &one.made)).flatten()
    }));
    findings
}

/// A statement of a migration on the table as it stands at the end.
fn written(context: &Context<'_>, write: &Write) -> Option<Finding> {
    let table = context.schema.tables.get(&write.table)?;
    let whole = table.partition_of.as_ref().unwrap_or(&write.table);
    let keyed = context.ledger.tables().find(|keyed| keyed.table == *whole)?;
    let text = write.at.text();
    let name = &write.table;
    let (message, label) = match write.verb {
        Verb::Truncate => (format!("a migration empties {name}"), "every key is forgotten, and may be sent again"),
        Verb::Delete if !names_status(context, keyed, text) => (
            format!("a migration deletes rows of {name} whatever their status"),
            "an unfinished action may be sent again",
        ),
        Verb::Update if let Some(column) = sets(context, keyed, text) => {
            return Some(advised(context, write, format!("a migration changes {column} of {name}")));
        }
        Verb::Delete | Verb::Update | Verb::Insert | Verb::Merge | Verb::Copy => return None,
    };
    let verdict = super::verdict(write.at.certain);
    let help = format!("delete only rows of {name} whose status is final and whose time is over");
    Some(found(&RULE, verdict, &write.at, message, label.to_owned()).with_help(help))
}

fn advised(context: &Context<'_>, write: &Write, message: String) -> Finding {
    let label = "whether the rows end where the rules allow cannot be told".to_owned();
    let help = "settle rows by the ledger's own routines, or allow this rule with a reason";
    advice(context, found(&RULE, Verdict::Unproven, &write.at, message, label).with_help(help))
}

fn names_status(context: &Context<'_>, keyed: &Keyed, text: &str) -> bool {
    let is_actions = keyed.table == context.ledger.actions.table;
    // Of an inbound table only the whole is told: which of its rows are done is not named in the manifest.
    if is_actions { names(text, &context.ledger.status) } else { names(text, "where") }
}

/// The key or status column that an UPDATE sets, if any.
fn sets<'c>(context: &'c Context<'_>, keyed: &'c Keyed, text: &str) -> Option<&'c String> {
    let status = (keyed.table == context.ledger.actions.table).then_some(&context.ledger.status);
    let words = tokens(text);
    let set = words.iter().position(|word| word.is_word(text, "set"))?;
    let end = words.iter().position(|word| word.is_word(text, "where")).unwrap_or(words.len());
    keyed.key.iter().chain(status).find(|column| {
        words.get(set..end.max(set)).unwrap_or_default().windows(2).any(|pair| match pair {
            [name, sign] => name.name(text).as_ref() == Some(column) && sign.is_symbol(text, "="),
            _ => false,
        })
    })
}

/// A routine that deletes actions without a look at their status.
fn deletes(context: &Context<'_>, signature: &Signature, body: &str, made: &Origin) -> Option<Finding> {
    let keyed = &context.ledger.actions;
    context.table(keyed)?;
    let words = tokens(body);
    let start = words.iter().enumerate().find_map(|(index, word)| {
        let from = word.is_word(body, "delete") && words.get(index + 1)?.is_word(body, "from");
        let named =
            words.get(index + 2..index + 6)?.iter().any(|one| one.name(body).as_ref() == Some(&keyed.table.name));
        (from && named).then_some(word.span.start)
    })?;
    let statement = body.get(start..)?.split(';').next()?;
    if names(statement, &context.ledger.status) {
        return None;
    }
    let message = format!("{} deletes rows of {} whatever their status", signature.name, keyed.table);
    let label = "an unfinished action may be sent again".to_owned();
    let help = format!("add a condition on {} to its DELETE", context.ledger.status);
    Some(found(&RULE, super::verdict(made.certain), made, message, label).with_help(help))
}
