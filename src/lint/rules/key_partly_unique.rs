//! The key is unique for some rows, at some times, or together with something else.

use super::key_not_unique::{implied, was_made};
use super::{Context, found, verdict};
use crate::diagnostic::{Finding, Level};
use crate::lint::unique::{Unique, Weakness};
use crate::lint::{Keyed, unique};
use crate::rule::{Domain, Rule};
use crate::schema::{Name, literal};

pub(in crate::lint) static RULE: Rule = Rule {
    name: "key-partly-unique",
    level: Level::Error,
    domain: Domain::Sql,
    page: include_str!("../../../lints/rules/key-partly-unique.md"),
};

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    partly(context, &context.ledger.actions, &RULE).into_iter().collect()
}

/// A finding when something speaks for the key, and nothing for all of it.
pub(super) fn partly(context: &Context<'_>, keyed: &Keyed, rule: &'static Rule) -> Option<Finding> {
    let candidates = unique::candidates(context.table(keyed)?, &keyed.key);
    if candidates.iter().any(|one| one.weakness.is_none()) {
        return None;
    }
    let (one, weakness) = candidates.iter().find_map(|one| one.weakness.as_ref().map(|weakness| (one, weakness)))?;
    let (name, list) = (&keyed.table, keyed.list());
    let (how, label) = told(weakness);
    let message = format!("the key ({list}) of {name} is unique only {how}");
    let finding = found(rule, verdict(one.made.certain), one.made, message, label);
    let finding = match unique::lost(context.replayed, keyed) {
        Some((made, at)) => was_made(finding, made).with_related(at.label("and is lost here")),
        None => finding,
    };
    Some(finding.with_help(mended(context, keyed, one)))
}

fn told(weakness: &Weakness) -> (String, String) {
    match weakness {
        Weakness::Null(expression) => (
            format!("where {expression} is not NULL"),
            "two NULLs are two different values, so a key for which it is NULL is let in twice".to_owned(),
        ),
        Weakness::Parts => (
            "in some of its partitions".to_owned(),
            "made ONLY for the whole: it is not valid until each partition has an index attached to it".to_owned(),
        ),
        Weakness::Partial(predicate) => {
            (format!("where {predicate}"), "a row outside this condition lets a second one in".to_owned())
        }
        Weakness::Deferrable => (
            "when the transaction ends".to_owned(),
            "a deferrable constraint is checked late and cannot serve ON CONFLICT".to_owned(),
        ),
        Weakness::Extra(columns) => {
            let columns = columns.join(", ");
            (format!("together with {columns}"), format!("the same key with another {columns} is a second row"))
        }
    }
}

/// The old one goes last, so that no moment is without any.
fn mended(context: &Context<'_>, keyed: &Keyed, one: &Unique<'_>) -> String {
    let (name, list) = (keyed.place(), keyed.columns());
    let new = implied(context, keyed);
    let dropped = if one.is_constraint {
        format!("ALTER TABLE {name} DROP CONSTRAINT {};", literal::name(one.name))
    } else {
        format!("DROP INDEX {};", literal::qualified(&Name::new(&keyed.table.schema, one.name)))
    };
    format!("ALTER TABLE {name} ADD CONSTRAINT {} UNIQUE ({list}); {dropped}", literal::name(&new))
}
