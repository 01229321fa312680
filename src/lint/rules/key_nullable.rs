//! A key column takes NULL, which equals nothing.

use super::key_not_unique::was_made;
use super::{Context, found, verdict};
use crate::diagnostic::{Finding, Level, Verdict};
use crate::lint::{Keyed, unique};
use crate::rule::{Domain, Rule};
use crate::schema::{Demand, Lost, Table, literal};
use crate::sql::ddl::NewType;
use crate::sql::values::{Allowed, allowed};

pub(in crate::lint) static RULE: Rule = Rule {
    name: "key-nullable",
    level: Level::Error,
    domain: Domain::Sql,
    page: include_str!("../../../lints/rules/key-nullable.md"),
};

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    nullable(context, &context.ledger.actions, &RULE)
}

/// A finding for each key column that takes NULL.
pub(super) fn nullable(context: &Context<'_>, keyed: &Keyed, rule: &'static Rule) -> Vec<Finding> {
    let Some(table) = context.table(keyed) else { return Vec::new() };
    keyed.key.iter().filter_map(|name| one(context, keyed, table, name, rule)).collect()
}

/// The key columns of which [`nullable`] finds something.
pub(in crate::lint) fn missing<'k>(context: &Context<'_>, keyed: &'k Keyed) -> Vec<&'k String> {
    let Some(table) = context.table(keyed) else { return Vec::new() };
    keyed.key.iter().filter(|name| one(context, keyed, table, name, &RULE).is_some()).collect()
}

fn one(context: &Context<'_>, keyed: &Keyed, table: &Table, name: &str, rule: &'static Rule) -> Option<Finding> {
    let column = table.columns.get(name)?;
    let help = format!("ALTER TABLE {} ALTER COLUMN {} SET NOT NULL;", keyed.place(), literal::name(name));
    if let Some(at) = &column.not_null {
        let message = format!("the key column {name} of {} may take NULL", keyed.table);
        let doubted = !at.certain;
        return doubted.then(|| {
            found(rule, Verdict::Unproven, at, message, "refused only under a condition".to_owned()).with_help(help)
        });
    }
    if refused(context, keyed, table, name) {
        return None;
    }
    let message = format!("the key column {name} of {} takes NULL", keyed.table);
    let lost = context
        .replayed
        .losses
        .iter()
        .rev()
        .find(|loss| loss.table == keyed.table && matches!(&loss.lost, Lost::NotNull(column) if column == name));
    let finding = match lost {
        Some(loss) => was_made(
            found(rule, verdict(loss.at.certain), &loss.at, message, "NULL is let in here".to_owned()),
            &loss.made,
        ),
        None => found(rule, Verdict::Broken, &column.made, message, "two NULLs are two different keys".to_owned()),
    };
    Some(finding.with_help(help))
}

/// The primary key refuses NULL, a CHECK or a domain may, and NULLS NOT DISTINCT makes two NULLs one key.
fn refused(context: &Context<'_>, keyed: &Keyed, table: &Table, name: &str) -> bool {
    let checked = table.constraints.values().any(|one| match &one.demand {
        Demand::Check(expression) => {
            one.valid && matches!(allowed(expression, name), Allowed::NotNull | Allowed::Only { null: false, .. })
        }
        Demand::Primary(_) | Demand::Unique { .. } | Demand::Foreign { .. } | Demand::Exclude(_) => false,
    });
    let typed = || match table.columns.get(name).and_then(|column| context.own_type(column)) {
        Some(NewType::Domain { not_null, checks, .. }) => {
            *not_null || checks.iter().any(|check| allowed(check, "value") == Allowed::NotNull)
        }
        Some(NewType::Enum(_) | NewType::Other) | None => false,
    };
    let candidates = unique::candidates(table, &keyed.key);
    let is_same = candidates.iter().any(|one| one.weakness.is_none() && one.nulls_same.contains(name));
    checked || table.refuses_null(name) || is_same || typed()
}
