//! Nothing makes the key unique.

use super::key_partly_unique::partly;
use super::{Context, found, verdict};
use crate::diagnostic::{Finding, Level, Verdict};
use crate::lint::{Keyed, unique};
use crate::rule::{Domain, Rule};
use crate::schema::{Name, Origin, literal};

pub(in crate::lint) static RULE: Rule = Rule {
    name: "key-not-unique",
    level: Level::Error,
    domain: Domain::Sql,
    page: include_str!("../../../lints/rules/key-not-unique.md"),
};

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    missing(context, &context.ledger.actions, &RULE).into_iter().collect()
}

/// A finding when nothing at all speaks for the key, or only what may not run. What is only partly unique is another rule's.
pub(in crate::lint) fn missing(context: &Context<'_>, keyed: &Keyed, rule: &'static Rule) -> Option<Finding> {
    let table = context.table(keyed)?;
    let candidates = unique::candidates(table, &keyed.key);
    let whole: Vec<_> = candidates.iter().filter(|one| one.weakness.is_none()).collect();
    if whole.iter().any(|one| one.made.certain) {
        return None;
    }
    let (name, list) = (&keyed.table, keyed.list());
    let (place, new) = (keyed.place(), implied(context, keyed));
    let help = format!("ALTER TABLE {place} ADD CONSTRAINT {} UNIQUE ({});", literal::name(&new), keyed.columns());
    if let Some(one) = whole.first() {
        let message = format!("the key ({list}) of {name} may not be unique");
        let finding =
            found(rule, Verdict::Unproven, one.made, message, format!("{} is made only under a condition", one.name));
        return Some(finding.with_help(help));
    }
    if !candidates.is_empty() {
        return None;
    }
    let message = format!("the key ({list}) of {name} is not unique");
    let finding = match unique::lost(context.replayed, keyed) {
        Some((made, at)) => {
            was_made(found(rule, verdict(at.certain), at, message, "what made it unique is lost here".to_owned()), made)
        }
        None => found(rule, Verdict::Broken, &table.made, message, format!("no unique constraint covers {list}")),
    };
    Some(finding.with_help(help))
}

/// Whether nothing makes the whole key unique for sure, which one of three rules finds.
pub(in crate::lint) fn lacks(context: &Context<'_>, keyed: &Keyed) -> bool {
    missing(context, keyed, &RULE).is_some() || partly(context, keyed, &RULE).is_some()
}

/// Adds where a guarantee had been made.
pub(super) fn was_made(finding: Finding, made: &Origin) -> Finding {
    finding.with_related(made.label("it was made here"))
}

/// The name that PostgreSQL gives a unique constraint over the key.
pub(super) fn implied(context: &Context<'_>, keyed: &Keyed) -> String {
    let taken = |name: &str| context.schema.is_taken(&Name::new(&keyed.table.schema, name));
    crate::schema::name::choose(&keyed.table.name, &keyed.key.join("_"), "key", taken)
}
