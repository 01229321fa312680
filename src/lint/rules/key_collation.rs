//! A key column sorts as the system's locale says.

use super::key_not_unique::was_made;
use super::{Context, found};
use crate::diagnostic::{Finding, Level, Verdict};
use crate::rule::{Domain, Rule};
use crate::schema::{Lost, literal};
use crate::sql::ddl::NewType;

pub(super) static RULE: Rule = Rule {
    name: "key-collation",
    level: Level::Warning,
    domain: Domain::Sql,
    page: include_str!("../../../lints/rules/key-collation.md"),
};

/// Collations that no release of a library changes.
const STABLE: [&str; 4] = ["C", "POSIX", "pg_c_utf8", "ucs_basic"];

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    let key = &context.ledger.actions;
    key.key.iter().filter_map(|name| one(context, name)).collect()
}

fn one(context: &Context<'_>, name: &str) -> Option<Finding> {
    let keyed = &context.ledger.actions;
    let column = context.column(keyed, name)?;
    let type_name = match context.own_type(column) {
        Some(NewType::Domain { base, .. }) => base,
        Some(NewType::Enum(_) | NewType::Other) | None => &column.type_name,
    };
    let base = type_name.split('(').next().unwrap_or_default();
    let base = base.strip_suffix(".citext").map_or(base, |_| "citext");
    if !matches!(base, "text" | "character varying" | "character" | "char" | "bpchar" | "citext") {
        return None;
    }
    if column.collation.as_deref().is_some_and(|collation| STABLE.contains(&collation)) && base != "citext" {
        return None;
    }
    let message = format!("the key column {name} of {} sorts by a collation that can change", keyed.table);
    let label = "an upgrade of the system's locales can re-sort it and let duplicates in".to_owned();
    let lost =
        context.replayed.losses.iter().rev().find(|loss| {
            loss.table == keyed.table && matches!(&loss.lost, Lost::Collation(column, _) if column == name)
        });
    let finding = match lost {
        Some(loss) => was_made(
            found(&RULE, Verdict::Broken, &loss.at, message, "the collation is lost here".to_owned()),
            &loss.made,
        ),
        None => found(&RULE, Verdict::Broken, &column.made, message, label),
    };
    let type_name = if base == "citext" { "text" } else { &column.type_name };
    let (place, quoted) = (keyed.place(), literal::name(name));
    Some(finding.with_help(format!("ALTER TABLE {place} ALTER COLUMN {quoted} TYPE {type_name} COLLATE \"C\";")))
}
