//! The ledger, or a part of it that is named, is not in the migrations.

use super::{Context, found, verdict};
use crate::diagnostic::{Finding, Label, Level, Verdict};
use crate::lint::Keyed;
use crate::rule::{Domain, Rule};
use crate::schema::{Doubt, Loss, Lost, Name, Table};

pub(in crate::lint) static RULE: Rule = Rule {
    name: "ledger-missing",
    level: Level::Error,
    domain: Domain::Sql,
    page: include_str!("../../../lints/rules/ledger-missing.md"),
};

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    let holds_any = context.schema.tables.keys().any(|name| context.ledger.holds(name));
    if !context.subject.demanded && !holds_any {
        return Vec::new();
    }
    if let Some(schema) = context.ledger.ours.as_ref().filter(|_| !holds_any) {
        return vec![nothing(context, schema)];
    }
    let mut findings: Vec<Finding> = context.ledger.tables().flat_map(|keyed| missing(context, keyed)).collect();
    findings.extend(expected(context));
    findings
}

/// One cause is told once: no migration has run, or all of it was taken away.
fn nothing(context: &Context<'_>, schema: &str) -> Finding {
    let message = format!("nothing of the ledger {schema} is in {}", context.subject.home());
    let finding = no_table(context, &context.ledger.actions);
    let is_lost = !finding.related.is_empty();
    let finding = Finding { message: message.clone(), ..finding }.with_subject(message);
    if is_lost { finding } else { finding.with_help(next_step(context)) }
}

fn next_step(context: &Context<'_>) -> &'static str {
    if context.subject.live {
        "run the migrations that `onlyonce emit` wrote, with your migration tool"
    } else if context.subject.expected.is_some() {
        "restore the file that `onlyonce emit` wrote from version control: databases may have applied it"
    } else {
        "run onlyonce emit"
    }
}

fn missing(context: &Context<'_>, keyed: &Keyed) -> Vec<Finding> {
    let Some(table) = context.table(keyed) else { return vec![no_table(context, keyed)] };
    let is_actions = keyed.table == context.ledger.actions.table;
    let status = is_actions.then_some(&context.ledger.status);
    let named = keyed.key.iter().chain(status);
    // Of a table that a query made are known what later statements name.
    let is_known = |name: &String| table.columns.get(name).is_some_and(|column| !column.type_name.is_empty());
    if table.from_query && !named.clone().all(is_known) {
        let message = format!("the columns of {} cannot be told: a query makes them", keyed.table);
        let label = "made with CREATE TABLE AS, which copies no constraint".to_owned();
        return vec![found(&RULE, Verdict::Unproven, &table.made, message, label)];
    }
    named.filter(|name| !table.columns.contains_key(*name)).map(|name| no_column(context, keyed, table, name)).collect()
}

fn no_table(context: &Context<'_>, keyed: &Keyed) -> Finding {
    let message = format!("the table {} is not in {}", keyed.table, context.subject.home());
    let temporary = Name::new("pg_temp", &keyed.table.name);
    if let Some(loss) = context.replayed.losses.iter().rev().find(|loss| loss.table == temporary) {
        return found(
            &RULE,
            Verdict::Broken,
            &loss.made,
            message,
            "made TEMPORARY: it ends with the session".to_owned(),
        )
        .with_help("take TEMPORARY out");
    }
    let dropped =
        context.replayed.losses.iter().rev().find(|loss| loss.table == keyed.table && loss.lost == Lost::Table);
    match dropped {
        Some(loss) => lost_here(loss, message, "it is dropped here"),
        None => at_manifest(context, message)
            .with_help("correct the name in the manifest, or run the migration that makes the table"),
    }
}

fn no_column(context: &Context<'_>, keyed: &Keyed, table: &Table, name: &str) -> Finding {
    let message = format!("{} has no column {name}", keyed.table);
    let is_it =
        |loss: &&Loss| loss.table == keyed.table && matches!(&loss.lost, Lost::Column(column) if column == name);
    match context.replayed.losses.iter().rev().find(is_it) {
        Some(loss) => lost_here(loss, message, "it is dropped here"),
        None => found(&RULE, Verdict::Broken, &table.made, message, "made here without it".to_owned())
            .with_help("correct the name in the manifest, or add the column"),
    }
}

fn lost_here(loss: &Loss, message: String, label: &str) -> Finding {
    found(&RULE, verdict(loss.at.certain), &loss.at, message, label.to_owned())
        .with_related(loss.made.label("it was made here"))
}

fn at_manifest(context: &Context<'_>, message: String) -> Finding {
    let doubt = context
        .replayed
        .notes
        .iter()
        .any(|note| note.doubt == Doubt::Unread && super::unread_statement::touches(context.ledger, note));
    let verdict = if doubt { Verdict::Unproven } else { Verdict::Broken };
    let place: Label = context.subject.place.clone();
    let subject = message.clone();
    Finding::new(RULE.name, RULE.level, message, place).with_verdict(verdict).with_subject(subject)
}

/// For our own ledger: every table, view and routine that emission makes.
fn expected(context: &Context<'_>) -> Vec<Finding> {
    let Some(expected) = &context.subject.expected else { return Vec::new() };
    let known = |name: &crate::schema::Name| context.ledger.tables().any(|keyed| keyed.table == *name);
    let tables = expected.tables.keys().filter(|name| !known(name) && !context.schema.tables.contains_key(*name));
    let routines = expected.routines.keys().filter(|one| !context.schema.routines.contains_key(*one));
    let views = expected.views.keys().filter(|name| !context.schema.views.contains_key(*name));
    let names = tables.map(|name| format!("the table {name}")).chain(views.map(|name| format!("the view {name}")));
    let routines = routines.map(|one| format!("the routine {one}"));
    let finding = |what: String| {
        at_manifest(context, format!("{what} is not in {}", context.subject.home())).with_help(next_step(context))
    };
    names.chain(routines).map(finding).collect()
}
