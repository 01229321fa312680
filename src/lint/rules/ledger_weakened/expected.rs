//! For our own ledger: what stands there against what emission makes.

use super::{RULE, attached};
use crate::diagnostic::{Finding, Level, Verdict};
use crate::lint::guard::{self, Guard};
use crate::lint::rules::{Context, found, verdict};
use crate::schema::literal::{name as quoted, qualified, routine};
use crate::schema::{
    Constraint, Demand, Grant, Index, Lost, Name, Origin, Routine, Schema, Signature, Table, Trigger, View,
};
use crate::sql::ddl::{Enabled, NewRoutine, ObjectKind};

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    let Some(expected) = &context.subject.expected else { return Vec::new() };
    let mut findings = Vec::new();
    let (parts, wholes): (Vec<_>, Vec<_>) = expected.tables.iter().partition(|(_, table)| table.partition_of.is_some());
    for (name, table) in wholes.into_iter().chain(parts) {
        let Some(actual) = context.schema.tables.get(name) else { continue };
        let mut found = constraints(context, name, table, actual);
        found.extend(triggers(context, name, table, actual));
        found.extend(columns(name, table, actual));
        found.extend(indexes(name, table, actual));
        found.extend(refusals(name, table, actual));
        found.extend(parted(context, name, table, actual));
        // What is done to the whole reaches every partition, and is said once.
        found.retain(|one| table.partition_of.is_none() || !findings.iter().any(|other| same_place(one, other)));
        findings.extend(found);
    }
    findings.extend(routines(expected, context.schema));
    findings.extend(views(context, expected));
    findings.extend(rights(expected, context.schema));
    findings
}

fn same_place(one: &Finding, other: &Finding) -> bool {
    (&one.place.source, one.place.span) == (&other.place.source, other.place.span)
}

/// What was a partition and is a table of its own: where that was done it is told by another rule.
fn parted(context: &Context<'_>, name: &Name, expected: &Table, actual: &Table) -> Option<Finding> {
    let whole = expected.partition_of.as_ref().filter(|_| context.subject.live && actual.partition_of.is_none())?;
    let message = format!("{name} is no partition of {whole} any more");
    let label = "every key in it is forgotten, and may be sent again".to_owned();
    let help = format!("attach it again: {}", attached(whole, name));
    Some(found(&RULE, Verdict::Broken, &actual.made.head(), message, label).with_help(help))
}

/// Keys and statuses have rules of their own; this is about every other constraint.
fn constraints(context: &Context<'_>, name: &Name, expected: &Table, actual: &Table) -> Vec<Finding> {
    let is_key = |one: &Constraint| matches!(one.demand, Demand::Primary(_) | Demand::Unique { .. });
    let whole = expected.partition_of.as_ref().unwrap_or(name);
    let missing = expected
        .constraints
        .iter()
        .filter(|(_, one)| !is_key(one) || !context.ledger.tables().any(|keyed| keyed.table == *whole));
    let missing = missing
        .filter(|(constraint, one)| !actual.constraints.get(*constraint).is_some_and(|there| there.is_alike(one)));
    let finding = |(constraint, one): (&String, &Constraint)| {
        let lost =
            context.replayed.losses.iter().rev().find(|loss| {
                loss.table == *name && matches!(&loss.lost, Lost::Constraint(lost, _) if lost == constraint)
            });
        let message = format!("constraint {constraint} of {name} is not what was emitted");
        let at = lost
            .map(|loss| &loss.at)
            .or_else(|| actual.constraints.get(constraint).map(|one| &one.made))
            .unwrap_or(&actual.made);
        found(&RULE, verdict(at.certain), at, message, "the emitted constraint is not in force".to_owned())
            .with_help(definition(name, constraint, &one.made))
    };
    missing.map(finding).collect()
}

fn definition(name: &Name, constraint: &str, made: &Origin) -> String {
    let text = made.text().split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.strip_prefix("ADD ").map_or(text.clone(), str::to_owned);
    let (table, constraint) = (qualified(name), quoted(constraint));
    format!("ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {constraint}; ALTER TABLE {table} ADD {text};")
}

fn triggers(context: &Context<'_>, name: &Name, expected: &Table, actual: &Table) -> Vec<Finding> {
    let whole = expected.partition_of.as_ref().and_then(|whole| context.schema.tables.get(whole));
    let differs = |(trigger, one): &(&String, &Trigger)| {
        let is_other = |table: &Table| !table.triggers.get(*trigger).is_some_and(|there| there.is_alike(one));
        // What is done to the whole is said of the whole, and what is said of a guard is said there.
        let of_whole = whole.is_some_and(|whole| one.definition.each_row && is_other(whole));
        is_other(actual) && !of_whole && !is_guard(context, name, one, actual.triggers.get(*trigger))
    };
    let finding = |(trigger, wanted): (&String, &Trigger)| {
        let lost = context.replayed.losses.iter().rev().find(|loss| {
            loss.table == *name
                && match &loss.lost {
                    Lost::Trigger(lost, _) | Lost::Fires(lost, _) => lost == trigger,
                    Lost::Table
                    | Lost::Partition(_)
                    | Lost::Column(_)
                    | Lost::Constraint(..)
                    | Lost::Index(..)
                    | Lost::NotNull(_)
                    | Lost::Collation(..)
                    | Lost::Ignored => false,
                }
        });
        let message = format!("trigger {trigger} of {name} is not what was emitted");
        let there = actual.triggers.get(trigger).map(|one| one.switched.as_ref().unwrap_or(&one.made));
        let at = lost.map(|loss| &loss.at).or(there).unwrap_or(&actual.made);
        let label = "the emitted trigger does not fire as it should".to_owned();
        let is_only_switched = |there: &Trigger| Trigger { enabled: there.enabled, ..wanted.clone() }.is_alike(there);
        let make = if actual.triggers.get(trigger).is_some_and(is_only_switched) {
            ""
        } else {
            "make it again as it was emitted, and "
        };
        let switch_on = format!("ALTER TABLE {} ENABLE ALWAYS TRIGGER {};", qualified(name), quoted(trigger));
        found(&RULE, verdict(at.certain), at, message, label).with_help(format!("{make}{switch_on}"))
    };
    let mut findings: Vec<Finding> = expected.triggers.iter().filter(differs).map(finding).collect();
    findings.extend(others(name, expected, actual));
    findings
}

/// Whether the rules for guards find this trigger: one that does not guard, or that a replica's session passes by.
fn is_guard(context: &Context<'_>, name: &Name, expected: &Trigger, actual: Option<&Trigger>) -> bool {
    let Some(table) = context.schema.tables.get(name).filter(|_| *name == context.ledger.actions.table) else {
        return false;
    };
    let mut guarded = guard::guarded(&context.ledger.status).into_iter();
    let is_told = |event: &str, column| match guard::guard(context.replayed, table, event, column) {
        Guard::Stands { trigger, .. } => {
            let switched = Trigger { enabled: Enabled::Always, ..trigger.clone() };
            trigger.enabled != Enabled::Always && Some(trigger) == actual && switched.is_alike(expected)
        }
        Guard::Hollow { .. } | Guard::Missing => true,
    };
    guarded.any(|(event, column)| expected.definition.events.contains(event) && is_told(event, column))
}

/// A trigger of somebody else that fires before a row is written can change it or drop it.
fn others(name: &Name, expected: &Table, actual: &Table) -> Vec<Finding> {
    let other = |(trigger, one): &(&String, &Trigger)| {
        one.definition.timing == "before" && !expected.triggers.contains_key(*trigger)
    };
    let finding = |(trigger, one): (&String, &Trigger)| {
        let message = format!("trigger {trigger} fires before rows of {name} are written, and was not emitted");
        let label = "it can change a row, or drop it without an error".to_owned();
        let help = format!("make it an AFTER trigger, or DROP TRIGGER {} ON {};", quoted(trigger), qualified(name));
        found(&RULE, verdict(one.made.certain), &one.made, message, label).with_help(help)
    };
    actual.triggers.iter().filter(other).map(finding).collect()
}

fn columns(name: &Name, expected: &Table, actual: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (column, one) in &expected.columns {
        let (at, message) = match actual.columns.get(column) {
            None => (&actual.made, format!("column {column} of {name} is missing")),
            Some(there) if !there.is_alike(one) => {
                (&there.made, format!("column {column} of {name} is not what was emitted"))
            }
            Some(_) => continue,
        };
        findings.push(found(&RULE, Verdict::Broken, at, message, "the emitted column is another".to_owned()));
    }
    findings
}

/// Indexes that serve what sweeps, purges and people ask; those that hold a key are other rules'.
fn indexes(name: &Name, expected: &Table, actual: &Table) -> Vec<Finding> {
    let is_gone = |(index, one): &(&String, &Index)| !one.unique && !actual.indexes.contains_key(*index);
    let finding = |(index, one): (&String, &Index)| {
        let message = format!("index {index} of {name} is missing");
        let label = "without it the whole table is read for what it serves".to_owned();
        let text = one.made.text().split_whitespace().collect::<Vec<_>>().join(" ");
        let mut finding = found(&RULE, Verdict::Broken, &actual.made, message, label).with_help(format!("{text};"));
        finding.level = Level::Warning;
        finding
    };
    let gone = expected.indexes.iter().filter(|_| expected.partition_of.is_none()).filter(is_gone);
    gone.map(finding).collect()
}

/// A key, check or unique index beside the emitted ones refuses rows that the ledger counts on, after something was sent.
fn refusals(name: &Name, expected: &Table, actual: &Table) -> Vec<Finding> {
    if expected.partition_of.is_some() {
        return Vec::new();
    }
    let known = |one: &Constraint| expected.constraints.values().any(|other| other.is_alike(one));
    let constraints = actual
        .constraints
        .iter()
        .filter(|(constraint, one)| !expected.constraints.contains_key(*constraint) && !known(one));
    let constraints = constraints.map(|(constraint, one)| (constraint, &one.made, "constraint"));
    let indexes = actual.indexes.iter().filter(|(index, one)| one.unique && !expected.indexes.contains_key(*index));
    let indexes = indexes.map(|(index, one)| (index, &one.made, "unique index"));
    let finding = |(what, made, kind): (&String, &Origin, &str)| {
        let message = format!("{kind} {what} of {name} was not emitted");
        let label = "it may refuse to record what was sent".to_owned();
        let mut finding = found(&RULE, Verdict::Unproven, made, message, label);
        finding.level = Level::Warning;
        finding.with_help("drop it, or allow this rule with a reason")
    };
    constraints.chain(indexes).map(finding).collect()
}

/// What people and alerts read. A server shows a query otherwise than it was written.
fn views(context: &Context<'_>, expected: &Schema) -> Vec<Finding> {
    let differs = |(name, one): (&Name, &View)| {
        let there = context.schema.views.get(name).filter(|_| !context.subject.live)?;
        let message = format!("the view {name} is not what was emitted");
        let label = "another query stands here".to_owned();
        let finding = found(&RULE, verdict(there.made.certain), &there.made.head(), message, label);
        (there.definition != one.definition).then(|| finding.with_help("make it again as it was emitted"))
    };
    expected.views.iter().filter_map(differs).collect()
}

/// What our roles may do, and may not any more: whoever works with the ledger then fails.
fn rights(expected: &Schema, actual: &Schema) -> Vec<Finding> {
    let lost = expected.grants.keys().filter(|grant| !actual.grants.contains_key(*grant));
    let finding = |grant: &Grant| {
        let name = &grant.object;
        // As people are told of it, as a statement names it, and where it was made.
        let (what, object, at) = match grant.kind {
            ObjectKind::Routine => {
                let signature = Signature { name: name.clone(), arguments: grant.arguments.clone() };
                let at = actual.routines.get(&signature)?.made.head();
                (signature.to_string(), format!("ROUTINE {}", routine(&signature)), at)
            }
            ObjectKind::Table => {
                let table = actual.tables.get(name).map(|table| &table.made);
                let at = table.or_else(|| Some(&actual.views.get(name)?.made))?.clone();
                (name.to_string(), qualified(name), at)
            }
            ObjectKind::Schema => {
                (name.name.clone(), format!("SCHEMA {}", quoted(&name.name)), actual.schemas.get(&name.name)?.clone())
            }
            _ => return None,
        };
        let privilege = grant.privilege.to_uppercase();
        let message = format!("{} has no {privilege} on {what}", grant.role);
        let label = "whoever works in this role fails here".to_owned();
        let help = format!("GRANT {privilege} ON {object} TO {};", quoted(&grant.role));
        Some(found(&RULE, verdict(at.certain), &at, message, label).with_help(help))
    };
    lost.filter_map(finding).collect()
}

fn routines(expected: &Schema, actual: &Schema) -> Vec<Finding> {
    // A body keeps the line ends of the file that made it.
    let unix =
        |one: &Routine| NewRoutine { body: one.definition.body.replace("\r\n", "\n").into(), ..one.definition.clone() };
    let same = |one: &Routine, other: &Routine| one.definition == other.definition || unix(one) == unix(other);
    let pairs = expected
        .routines
        .iter()
        .filter_map(|(signature, one)| actual.routines.get(signature).map(|there| (signature, one, there)));
    let finding = |(signature, _, there): (&crate::schema::Signature, &Routine, &Routine)| {
        let message = format!("{signature} is not what was emitted");
        let label = "another definition stands here".to_owned();
        found(&RULE, verdict(there.made.certain), &there.made.head(), message, label)
            .with_help("make it again as it was emitted")
    };
    pairs.filter(|(_, one, there)| !same(one, there)).map(finding).collect()
}
