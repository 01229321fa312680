//! Migrations and routines that write the ledger's rows past its rules.

use super::{RULE, advice};
use crate::diagnostic::{Finding, Verdict};
use crate::lint::Keyed;
use crate::lint::rules::{Context, found};
use crate::lint::unique::names;
use crate::schema::{Origin, Write};
use crate::sql::ddl::Verb;
use crate::sql::tokens;

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> =
        context.replayed.writes.iter().filter_map(|write| written(context, write)).collect();
    let of_team = context.ledger.ours.is_none();
    findings.extend(
        context.schema.routines.iter().filter(|_| of_team).filter_map(|(signature, one)| {
            deletes(context, &signature.name.to_string(), &one.definition.body, &one.made)
        }),
    );
    // Of its own tables every rule is told.
    let others = context.schema.tables.iter().filter(|(name, _)| !context.ledger.holds(name));
    findings.extend(others.flat_map(|(name, table)| table.rules.iter().map(move |rule| (name, rule))).filter_map(
        |(name, (rule, one))| deletes(context, &format!("rule {rule} of {name}"), &one.definition.action, &one.made),
    ));
    findings.extend(context.replayed.writes.iter().filter_map(|write| catalog(context, write)));
    findings
}

/// Catalogs in which a guarantee stands.
const CATALOGS: [&str; 8] =
    ["pg_attribute", "pg_class", "pg_constraint", "pg_depend", "pg_index", "pg_inherits", "pg_proc", "pg_trigger"];

/// A migration that writes PostgreSQL's own tables, where nobody can tell what it changes.
fn catalog(context: &Context<'_>, write: &Write) -> Option<Finding> {
    context.actions()?;
    let name = &write.table.name;
    let is_catalog = CATALOGS.contains(&name.as_str()) && !context.schema.tables.contains_key(&write.table);
    let message = format!("a migration writes {name}, PostgreSQL's own");
    let label = "what it takes away from the ledger cannot be told".to_owned();
    let help = "use the statement that PostgreSQL has for it, or allow this rule with a reason";
    is_catalog.then(|| found(&RULE, Verdict::Unproven, &write.at, message, label).with_help(help))
}

/// A statement of a migration on the table as it stands at the end.
fn written(context: &Context<'_>, write: &Write) -> Option<Finding> {
    let table = context.schema.tables.get(&write.table)?;
    if write.verb == Verb::Truncate && context.ledger.ours.as_ref() == Some(&write.table.schema) {
        let message = format!("a migration empties {}", write.table);
        let label = "what the ledger remembers there is forgotten".to_owned();
        return Some(found(&RULE, super::verdict(write.at.certain), &write.at, message, label));
    }
    let whole = table.partition_of.as_ref().unwrap_or(&write.table);
    let keyed = context.ledger.tables().find(|keyed| keyed.table == *whole)?;
    let text = write.at.text();
    let name = &write.table;
    let (message, label) = match write.verb {
        Verb::Truncate => (format!("a migration empties {name}"), "every key is forgotten, and may be sent again"),
        Verb::Merge if merges(text, "delete") => (
            format!("a migration deletes rows of {name} whatever their status"),
            "an unfinished action may be sent again",
        ),
        Verb::Delete if !names_status(context, keyed, text) => (
            format!("a migration deletes rows of {name} whatever their status"),
            "an unfinished action may be sent again",
        ),
        Verb::Update | Verb::Merge if let Some(column) = sets(context, keyed, write) => {
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

/// Whether a MERGE does this to rows that match.
fn merges(text: &str, verb: &str) -> bool {
    tokens(text).windows(2).any(|pair| match pair {
        [then, does] => then.is_word(text, "then") && does.is_word(text, verb),
        _ => false,
    })
}

/// The key or status column that an UPDATE sets, if any: `column =`, or one of `(column, ..) =`.
fn sets<'c>(context: &'c Context<'_>, keyed: &'c Keyed, write: &Write) -> Option<&'c String> {
    let status = (keyed.table == context.ledger.actions.table).then_some(&context.ledger.status);
    let mut meant = keyed.key.iter().chain(status);
    if let Some(column) = &write.column {
        return meant.find(|one| *one == column);
    }
    let text = write.at.text();
    let words = tokens(text);
    let set = words.iter().position(|word| word.is_word(text, "set"))?;
    let end = words.iter().skip(set).position(|word| word.is_word(text, "where")).map_or(words.len(), |end| set + end);
    let words = words.get(set..end).unwrap_or_default();
    let is_set = |at: usize| {
        let rest = words.get(at + 1..).unwrap_or_default();
        // In a list of columns nothing but names and commas comes before its end.
        let next = rest.iter().position(|one| one.name(text).is_none() && !one.is_symbol(text, ","));
        let mut marks = next.map(|next| &rest[next..]).unwrap_or_default().iter();
        match marks.next() {
            Some(sign) if sign.is_symbol(text, "=") => next == Some(0),
            Some(close) if close.is_symbol(text, ")") => marks.next().is_some_and(|sign| sign.is_symbol(text, "=")),
            Some(_) | None => false,
        }
    };
    meant.find(|column| {
        let named = |(_, word): &(usize, &crate::sql::Token)| word.name(text).as_ref() == Some(*column);
        words.iter().enumerate().filter(named).any(|(at, _)| is_set(at))
    })
}

/// A routine or rule that deletes actions without a look at their status, or all of them.
fn deletes(context: &Context<'_>, what: &str, body: &str, made: &Origin) -> Option<Finding> {
    let keyed = &context.ledger.actions;
    context.table(keyed)?;
    let words = tokens(body);
    let start = words.iter().enumerate().find_map(|(index, word)| {
        let from = word.is_word(body, "truncate")
            || (word.is_word(body, "delete") && words.get(index + 1)?.is_word(body, "from"));
        let named =
            words.get(index + 1..)?.iter().take(5).any(|one| one.name(body).as_ref() == Some(&keyed.table.name));
        (from && named).then_some(word.span.start)
    })?;
    let statement = body.get(start..)?.split(';').next()?;
    if names(statement, &context.ledger.status) {
        return None;
    }
    let message = format!("{what} deletes rows of {} whatever their status", keyed.table);
    let label = "an unfinished action may be sent again".to_owned();
    let help = format!("add a condition on {} to its DELETE", context.ledger.status);
    Some(found(&RULE, super::verdict(made.certain), made, message, label).with_help(help))
}
