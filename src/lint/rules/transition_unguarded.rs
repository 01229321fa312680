//! Nothing keeps a status from going back.

use super::{Context, found, verdict};
use crate::diagnostic::{Finding, Level, Verdict};
use crate::lint::guard::{self, Guard};
use crate::rule::{Domain, Rule};
use crate::schema::literal;

pub(super) static RULE: Rule = Rule {
    name: "transition-unguarded",
    level: Level::Error,
    domain: Domain::Sql,
    page: include_str!("../../../lints/rules/transition-unguarded.md"),
};

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    let ledger = context.ledger;
    let Some(table) = context.actions() else { return Vec::new() };
    let (name, status) = (&ledger.actions.table, ledger.status.as_str());
    let message = format!("any update may change the status column {status} of {name}");
    let guard = guard::guard(context.replayed, table, "update", Some(status));
    let switch_on = guard::switch_on(&guard, table, name);
    let finding = match guard {
        Guard::Stands { .. } => return Vec::new(),
        Guard::Hollow { at, why, sure: true, .. } => found(&RULE, Verdict::Broken, at, message, why),
        Guard::Hollow { at, why, sure: false, .. } => {
            let message = format!("whether updates of the status column {status} of {name} are guarded cannot be told");
            found(&RULE, Verdict::Unproven, at, message, why)
        }
        Guard::Missing => match guard::lost(context.replayed, name, "update") {
            Some((trigger, made, at)) => {
                found(&RULE, verdict(at.certain), at, message, format!("trigger {trigger} is dropped here"))
                    .with_related(made.label("it was made here"))
            }
            None => found(&RULE, Verdict::Broken, &table.made, message, "no trigger guards updates".to_owned()),
        },
    };
    let make = format!(
        "CREATE TRIGGER {} BEFORE UPDATE ON {} FOR EACH ROW EXECUTE FUNCTION ..; with a function that raises an error \
         where a final {status} would change",
        literal::name(&format!("{}_guard", name.name)),
        literal::qualified(name)
    );
    vec![finding.with_help(switch_on.unwrap_or(make))]
}
