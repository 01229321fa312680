//! Partitions of a team's own table that lack a guard which the whole has. A partition gets the row triggers of the
//! whole, and no trigger of a statement: TRUNCATE of the partition alone passes by that of the whole.

use std::collections::BTreeMap;

use super::{RULE, advice};
use crate::diagnostic::{Finding, Verdict};
use crate::lint::guard::{self, Guard};
use crate::lint::rules::{Context, found, verdict};
use crate::schema::{Name, Origin, Table, Trigger, literal};
use crate::sql::ddl::Enabled;

/// A guard of the whole that a partition lacks, or by which a replica's session passes there.
#[derive(Clone, Debug)]
pub(in crate::lint) struct Bare<'c> {
    pub(in crate::lint) partition: &'c Name,
    pub(in crate::lint) event: &'static str,
    /// The guard of the whole.
    pub(in crate::lint) trigger: &'c str,
    pub(in crate::lint) of_whole: &'c Trigger,
    /// Where it can be seen, why it is so, and whether that is sure.
    at: &'c Origin,
    why: String,
    sure: bool,
}

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    let mut by_event: BTreeMap<&str, Vec<Bare<'_>>> = BTreeMap::new();
    for one in bare(context) {
        by_event.entry(one.event).or_default().push(one);
    }
    by_event.into_iter().filter_map(|(event, all)| told(context, event, &all)).collect()
}

/// How many partitions are named.
const SHOWN: usize = 5;

fn told(context: &Context<'_>, event: &str, all: &[Bare<'_>]) -> Option<Finding> {
    let first = all.first()?;
    let (whole, upper) = (&context.ledger.actions.table, event.to_uppercase());
    let names: Vec<String> = all.iter().take(SHOWN).map(|one| one.partition.to_string()).collect();
    let more = if all.len() > SHOWN { ", .." } else { "" };
    let count = if all.len() == 1 { "a partition".to_owned() } else { format!("{} partitions", all.len()) };
    let message = format!("{upper} is not guarded in {count} of {whole}: {}{more}", names.join(", "));
    let verdict = if first.sure { verdict(first.at.certain) } else { Verdict::Unproven };
    let help = literal::qualified(first.partition);
    let (trigger, function) = (literal::name(first.trigger), literal::qualified(&first.of_whole.function));
    let make =
        format!("CREATE TRIGGER {trigger} BEFORE {upper} ON {help} FOR EACH STATEMENT EXECUTE FUNCTION {function}(); ");
    let make = if first.of_whole.definition.each_row { String::new() } else { make };
    let help = format!("{make}ALTER TABLE {help} ENABLE ALWAYS TRIGGER {trigger};");
    let finding = found(&RULE, verdict, first.at, message, first.why.clone()).with_help(help);
    Some(if event == "update" { finding } else { advice(context, finding) })
}

/// Every such guard; our own ledger is held against what was emitted.
pub(in crate::lint) fn bare<'c>(context: &Context<'c>) -> Vec<Bare<'c>> {
    let Some(whole) = context.actions().filter(|whole| whole.partition_by.is_some() && context.ledger.ours.is_none())
    else {
        return Vec::new();
    };
    let leaves = context.schema.leaves(&context.ledger.actions.table);
    let mut all = Vec::new();
    for (event, column) in guard::guarded(&context.ledger.status) {
        let Guard::Stands { name: trigger, trigger: of_whole } = guard::guard(context.replayed, whole, event, column)
        else {
            continue;
        };
        all.extend(leaves.iter().filter_map(|(partition, table)| {
            let (at, why, sure) = lacking(context, table, event, column, of_whole)?;
            Some(Bare { partition, event, trigger, of_whole, at, why, sure })
        }));
    }
    all
}

fn lacking<'c>(
    context: &Context<'c>,
    table: &'c Table,
    event: &str,
    column: Option<&str>,
    of_whole: &Trigger,
) -> Option<(&'c Origin, String, bool)> {
    match guard::guard(context.replayed, table, event, column) {
        Guard::Stands { trigger, .. } if trigger.enabled == Enabled::Always || of_whole.enabled != Enabled::Always => {
            None
        }
        Guard::Stands { name, trigger } => {
            let at = trigger.switched.as_ref().unwrap_or(&trigger.made);
            Some((at, format!("trigger {name} is not ENABLE ALWAYS here"), true))
        }
        Guard::Hollow { at, why, sure, .. } => Some((at, why, sure)),
        Guard::Missing => Some((&table.made, "made here, without a guard of its own".to_owned(), true)),
    }
}
