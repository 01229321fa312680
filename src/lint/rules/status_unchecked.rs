//! The status takes any text, or NULL.

use super::{Context, found};
use crate::diagnostic::{Finding, Level, Verdict};
use crate::rule::{Domain, Rule};
use crate::schema::{Column, Demand, Lost, Name, Origin, Table};
use crate::sql::ddl::NewType;
use crate::sql::values::{Allowed, allowed};

pub(super) static RULE: Rule = Rule {
    name: "status-unchecked",
    level: Level::Error,
    domain: Domain::Sql,
    page: include_str!("../../../lints/rules/status-unchecked.md"),
};

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    let Some(table) = context.actions() else { return Vec::new() };
    let Some(column) = table.columns.get(&context.ledger.status) else { return Vec::new() };
    check(context, table, column).into_iter().collect()
}

fn check(context: &Context<'_>, table: &Table, column: &Column) -> Option<Finding> {
    let (name, status) = (&context.ledger.actions.table, &context.ledger.status);
    let checks = checks(table, status);
    let listed = checks.iter().find_map(|(at, valid, allowed)| match allowed {
        Allowed::Only { values, null } if !values.is_empty() => Some((*at, *valid, *null)),
        Allowed::Only { .. } | Allowed::NotNull | Allowed::Anything | Allowed::Unknown => None,
    });
    let refuses_null =
        table.refuses_null(status) || checks.iter().any(|(_, valid, allowed)| *valid && refuses(allowed));
    if let Some((at, valid, null)) = listed {
        if null && !refuses_null {
            let message = format!("the status {status} of {name} takes NULL: a CHECK whose value is NULL passes");
            let finding = found(&RULE, Verdict::Broken, at, message, "NULL passes this check".to_owned());
            return Some(finding.with_help(format!("ALTER TABLE {name} ALTER COLUMN {status} SET NOT NULL;")));
        }
        return doubted(context, at, valid, name, status);
    }
    if typed(context, column) || referred(table, status) {
        return (!refuses_null).then(|| {
            let message = format!("the status {status} of {name} takes NULL");
            found(&RULE, Verdict::Broken, &column.made, message, "NULL is no status".to_owned())
                .with_help(format!("ALTER TABLE {name} ALTER COLUMN {status} SET NOT NULL;"))
        });
    }
    if sound(context, table) {
        return None;
    }
    let help = format!("ALTER TABLE {name} ADD CHECK ({status} IS NOT NULL AND {status} IN ('pending', ..));");
    if let Some((at, ..)) = checks.iter().find(|(_, _, allowed)| *allowed == Allowed::Unknown) {
        let message = format!("whether the status {status} of {name} is checked cannot be told");
        return Some(found(&RULE, Verdict::Unproven, at, message, "not understood".to_owned()).with_help(help));
    }
    let message = format!("the status {status} of {name} is not checked");
    let finding = match lost(context, status) {
        Some((made, at)) => found(&RULE, super::verdict(at.certain), at, message, "the check is lost here".to_owned())
            .with_related(made.label("it was made here")),
        None => found(&RULE, Verdict::Broken, &column.made, message, "any text can stand here".to_owned()),
    };
    Some(finding.with_help(help))
}

/// Whether a CHECK that holds for every row calls the ledger's own `is_sound`, which knows the statuses: a call is all
/// that its table can afford. Its body must be the one that is emitted.
fn sound(context: &Context<'_>, table: &Table) -> bool {
    const LEDGER: &str = include_str!("../../../sql/ledger.sql");
    let function = Name { schema: context.ledger.actions.table.schema.clone(), name: "is_sound".to_owned() };
    let emitted = context.schema.routines.iter().any(|(signature, routine)| {
        signature.name == function && routine.made.certain && LEDGER.contains(routine.definition.body.trim())
    });
    let call = format!("{function}(");
    emitted
        && table.constraints.values().any(|one| {
            let held = one.valid && one.made.certain;
            held && matches!(&one.demand, Demand::Check(expression) if expression.trim_start().starts_with(&call))
        })
}

fn checks<'t>(table: &'t Table, status: &str) -> Vec<(&'t Origin, bool, Allowed)> {
    let all = table.constraints.values().filter_map(|one| match &one.demand {
        Demand::Check(expression) => Some((&one.made, one.valid, allowed(expression, status))),
        Demand::Primary(_) | Demand::Unique { .. } | Demand::Foreign { .. } | Demand::Exclude(_) => None,
    });
    all.filter(|(_, _, allowed)| *allowed != Allowed::Anything).collect()
}

fn refuses(allowed: &Allowed) -> bool {
    matches!(allowed, Allowed::NotNull | Allowed::Only { null: false, .. })
}

fn doubted(context: &Context<'_>, at: &Origin, valid: bool, name: &Name, status: &str) -> Option<Finding> {
    let label = match (valid, at.certain) {
        (true, true) => return None,
        (false, _) => "NOT VALID: rows that were there before are not checked",
        (true, false) => "made only under a condition",
    };
    let message = format!("whether every status {status} of {name} is checked cannot be told");
    let constraint = context
        .actions()?
        .constraints
        .iter()
        .find(|(_, one)| std::ptr::eq(&raw const one.made, at))
        .map(|(name, _)| name);
    let help = format!("ALTER TABLE {name} VALIDATE CONSTRAINT {};", constraint?);
    Some(found(&RULE, Verdict::Unproven, at, message, label.to_owned()).with_help(help))
}

/// An enum allows its labels only, a boolean two values, a domain what its checks allow.
fn typed(context: &Context<'_>, column: &Column) -> bool {
    if column.type_name == "boolean" {
        return true;
    }
    let types = &context.schema.types;
    let name = Name::parse(&column.type_name);
    let own = Name::new(&context.ledger.actions.table.schema, &name.name);
    match types.get(&name).or_else(|| types.get(&own)).map(|one| &one.definition) {
        Some(NewType::Enum(_)) => true,
        Some(NewType::Domain { checks, .. }) => {
            checks.iter().any(|check| matches!(allowed(check, "value"), Allowed::Only { .. }))
        }
        Some(NewType::Other) | None => false,
    }
}

/// A foreign key to a table of states.
fn referred(table: &Table, status: &str) -> bool {
    table.constraints.values().any(|one| match &one.demand {
        Demand::Foreign { columns, .. } => columns.len() == 1 && columns.iter().all(|column| column == status),
        Demand::Primary(_) | Demand::Unique { .. } | Demand::Check(_) | Demand::Exclude(_) => false,
    })
}

fn lost<'c>(context: &Context<'c>, status: &str) -> Option<(&'c Origin, &'c Origin)> {
    let mut losses = context.replayed.losses.iter().rev().filter(|loss| loss.table == context.ledger.actions.table);
    let found = losses.find(|loss| match &loss.lost {
        Lost::Constraint(_, one) => match &one.demand {
            Demand::Check(expression) => matches!(allowed(expression, status), Allowed::Only { .. } | Allowed::Unknown),
            Demand::Foreign { .. } | Demand::Primary(_) | Demand::Unique { .. } | Demand::Exclude(_) => false,
        },
        Lost::Table
        | Lost::Partition(_)
        | Lost::Column(_)
        | Lost::Index(..)
        | Lost::NotNull(_)
        | Lost::Trigger(..)
        | Lost::Fires(..)
        | Lost::Collation(..)
        | Lost::Ignored => false,
    });
    found.map(|loss| (&loss.made, &loss.at))
}
