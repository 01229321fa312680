//! The status takes any text, or NULL.

use std::collections::BTreeSet;

use super::{Context, found};
use crate::diagnostic::{Finding, Level, Verdict};
use crate::lint::missing::Missing;
use crate::rule::{Domain, Rule};
use crate::schema::{Column, Demand, Lost, Name, Origin, Table, literal};
use crate::sql::ddl::NewType;
use crate::sql::values::{Allowed, allowed};

pub(in crate::lint) static RULE: Rule = Rule {
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
    let (place, quoted) = (literal::qualified(name), literal::name(status));
    let not_null = format!("ALTER TABLE {place} ALTER COLUMN {quoted} SET NOT NULL;");
    let checks = checks(table, status);
    let refuses_null = refuses_null(table, &checks, status);
    if let Some((list, _, null)) = checks.iter().find_map(Known::list) {
        let at = list.made;
        if null && !refuses_null {
            let message =
                format!("the status column {status} of {name} takes NULL: a CHECK whose value is NULL passes");
            let finding = found(&RULE, Verdict::Broken, at, message, "NULL passes this check".to_owned());
            return Some(finding.with_help(not_null));
        }
        return doubted(list, name, status);
    }
    if typed(context, column) || referred(table, status) {
        return (!refuses_null).then(|| {
            let message = format!("the status column {status} of {name} takes NULL");
            found(&RULE, Verdict::Broken, &column.made, message, "NULL is no status".to_owned()).with_help(not_null)
        });
    }
    if sound(context, table) {
        return None;
    }
    let help = format!("ALTER TABLE {place} ADD CHECK ({quoted} IS NOT NULL AND {quoted} IN ('pending', ..));");
    if let Some(Known { made: at, .. }) = checks.iter().find(|one| one.allowed == Allowed::Unknown) {
        let message = format!("whether the status column {status} of {name} is checked cannot be told");
        return Some(found(&RULE, Verdict::Unproven, at, message, "not understood".to_owned()).with_help(help));
    }
    let message = format!("the status column {status} of {name} is not checked");
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
        signature.name == function
            && routine.made.certain
            && LEDGER.contains(routine.definition.body.replace("\r\n", "\n").trim())
    });
    let call = format!("{function}(");
    emitted
        && table.constraints.values().any(|one| {
            let held = one.valid && one.made.certain;
            held && matches!(&one.demand, Demand::Check(expression) if expression.trim_start().starts_with(&call))
        })
}

/// A CHECK that has to do with the status.
struct Known<'t> {
    name: &'t str,
    made: &'t Origin,
    valid: bool,
    allowed: Allowed,
}

impl Known<'_> {
    /// The statuses that it lists, and whether it passes NULL.
    fn list(&self) -> Option<(&Self, &BTreeSet<String>, bool)> {
        match &self.allowed {
            Allowed::Only { values, null } if !values.is_empty() => Some((self, values, *null)),
            Allowed::Only { .. } | Allowed::NotNull | Allowed::Anything | Allowed::Unknown => None,
        }
    }
}

fn checks<'t>(table: &'t Table, status: &str) -> Vec<Known<'t>> {
    let all = table.constraints.iter().filter_map(|(name, one)| match &one.demand {
        Demand::Check(expression) => {
            Some(Known { name, made: &one.made, valid: one.valid, allowed: allowed(expression, status) })
        }
        Demand::Primary(_) | Demand::Unique { .. } | Demand::Foreign { .. } | Demand::Exclude(_) => None,
    });
    all.filter(|one| one.allowed != Allowed::Anything).collect()
}

fn refuses_null(table: &Table, checks: &[Known<'_>], status: &str) -> bool {
    let refuses = |one: &Known<'_>| matches!(one.allowed, Allowed::NotNull | Allowed::Only { null: false, .. });
    table.refuses_null(status) || checks.iter().any(|one| one.valid && refuses(one))
}

/// What the status of a table lacks, as far as a migration can add it.
pub(in crate::lint) fn missing(context: &Context<'_>, table: &Table, column: &Column) -> Vec<Missing> {
    let status = &context.ledger.status;
    let checks = checks(table, status);
    let null = (!refuses_null(table, &checks, status))
        .then(|| Missing::NotNull { keyed: context.ledger.actions.clone(), column: status.clone() });
    let check = match checks.iter().find_map(Known::list) {
        Some((list, ..)) if !list.made.certain => Some(Missing::Statuses),
        Some((list, statuses, _)) => {
            (!list.valid).then(|| Missing::Validation { constraint: list.name.to_owned(), statuses: statuses.clone() })
        }
        None if typed(context, column) || referred(table, status) || sound(context, table) => None,
        None => Some(Missing::Statuses),
    };
    null.into_iter().chain(check).collect()
}

/// The statuses that a table is known to hold: those that a CHECK lists, or the labels of its type.
pub(in crate::lint) fn known(context: &Context<'_>) -> Option<BTreeSet<String>> {
    let table = context.actions()?;
    let status = &context.ledger.status;
    if let Some((_, values, _)) = checks(table, status).iter().find_map(Known::list) {
        return Some(values.clone());
    }
    match context.own_type(table.columns.get(status)?)? {
        NewType::Enum(labels) => Some(labels.iter().cloned().collect()),
        NewType::Domain { .. } | NewType::Other => None,
    }
}

fn doubted(list: &Known<'_>, name: &Name, status: &str) -> Option<Finding> {
    let label = match (list.valid, list.made.certain) {
        (true, true) => return None,
        (false, _) => "NOT VALID: rows that were there before are not checked",
        (true, false) => "made only under a condition",
    };
    let message = format!("whether every status {status} of {name} is checked cannot be told");
    let help = format!("ALTER TABLE {} VALIDATE CONSTRAINT {};", literal::qualified(name), literal::name(list.name));
    Some(found(&RULE, Verdict::Unproven, list.made, message, label.to_owned()).with_help(help))
}

/// An enum allows its labels only, a boolean two values, a domain what its checks allow.
fn typed(context: &Context<'_>, column: &Column) -> bool {
    if column.type_name == "boolean" {
        return true;
    }
    match context.own_type(column) {
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
