//! Guards on DELETE and TRUNCATE, and triggers that a replica session passes by.

use std::collections::BTreeMap;

use super::{RULE, advice};
use crate::diagnostic::{Finding, Verdict};
use crate::lint::guard::{self, Guard};
use crate::lint::rules::{Context, found, verdict};
use crate::schema::{Name, Table, Trigger, literal};
use crate::sql::ddl::Enabled;

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    let Some(table) = context.actions() else { return Vec::new() };
    let name = &context.ledger.actions.table;
    let mut findings: Vec<Finding> =
        ["delete", "truncate"].into_iter().filter_map(|event| unguarded(context, name, table, event)).collect();
    findings.extend(passed_by(context, name, table));
    findings
}

fn unguarded(context: &Context<'_>, name: &Name, table: &Table, event: &str) -> Option<Finding> {
    let upper = event.to_uppercase();
    let message = format!("nothing keeps {upper} from {name}");
    let guard = guard::guard(context.replayed, table, event, None);
    let switch_on = guard::switch_on(&guard, table, name);
    let finding = match guard {
        Guard::Stands { .. } => return None,
        Guard::Hollow { at, why, sure, .. } => {
            let verdict = if sure { Verdict::Broken } else { Verdict::Unproven };
            found(&RULE, verdict, at, message, why)
        }
        Guard::Missing => match guard::lost(context.replayed, name, event) {
            Some((trigger, made, at)) => {
                found(&RULE, verdict(at.certain), at, message, format!("trigger {trigger} is dropped here"))
                    .with_related(made.label("it was made here"))
            }
            None => found(&RULE, Verdict::Broken, &table.made, message, format!("no trigger guards {upper}")),
        },
    };
    let each = if event == "truncate" { "STATEMENT" } else { "ROW" };
    let make = format!(
        "CREATE TRIGGER {} BEFORE {upper} ON {} FOR EACH {each} EXECUTE FUNCTION ..; with a function that raises an error",
        literal::name(&format!("{}_no_{event}", name.name)),
        literal::qualified(name)
    );
    Some(advice(context, finding.with_help(switch_on.unwrap_or(make))))
}

fn passed_by(context: &Context<'_>, name: &Name, table: &Table) -> Vec<Finding> {
    let finding = |(trigger, one): (&str, &Trigger)| {
        let message = format!("trigger {trigger} of {name} is not ENABLE ALWAYS");
        let at = one.switched.as_ref().unwrap_or(&one.made);
        let label = "a session with session_replication_role = replica passes by it".to_owned();
        let help =
            format!("ALTER TABLE {} ENABLE ALWAYS TRIGGER {};", literal::qualified(name), literal::name(trigger));
        advice(context, found(&RULE, Verdict::Broken, at, message, label).with_help(help))
    };
    not_always(context, table).into_iter().map(finding).collect()
}

/// Guards that stand, and that `session_replication_role = replica` switches off.
pub(in crate::lint) fn not_always<'c>(context: &Context<'c>, table: &'c Table) -> BTreeMap<&'c str, &'c Trigger> {
    let mut guards = BTreeMap::new();
    for (event, column) in guard::guarded(&context.ledger.status) {
        if let Guard::Stands { name, trigger } = guard::guard(context.replayed, table, event, column)
            && trigger.enabled != Enabled::Always
        {
            guards.insert(name, trigger);
        }
    }
    guards
}
