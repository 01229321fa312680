//! Settings that take away what the ledger rests on: those that a migration makes, and those that a live server has.

use super::{RULE, advice};
use crate::diagnostic::{Finding, Verdict};
use crate::lint::rules::{Context, found};
use crate::schema::Setting;

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    if context.actions().is_none() {
        return Vec::new();
    }
    let weakening = |one: &Setting| {
        if context.subject.live || one.lasting { of_server(context, one) } else { of_migration(context, one) }
    };
    context.replayed.settings.iter().filter_map(weakening).collect()
}

/// A migration that plays a replica passes by every trigger that is not ENABLE ALWAYS.
fn of_migration(context: &Context<'_>, one: &Setting) -> Option<Finding> {
    let plays = one.name == "session_replication_role" && one.values.first().is_some_and(|value| value == "replica");
    let message = "a migration passes by triggers with session_replication_role = replica".to_owned();
    let label = "what it writes to the ledger is not guarded".to_owned();
    let help = "take it out, or make the ledger's triggers ENABLE ALWAYS";
    plays.then(|| advice(context, found(&RULE, Verdict::Unproven, &one.at, message, label).with_help(help)))
}

/// What every session of the server begins with.
fn of_server(context: &Context<'_>, one: &Setting) -> Option<Finding> {
    let value = one.values.first().map(String::as_str)?;
    let (message, label, help) = match (one.name.as_str(), value) {
        ("fsync" | "full_page_writes", "off") => (
            format!("{} is off", one.name),
            "a crash may lose reservations that were told, and what was sent is sent again",
            format!("ALTER SYSTEM SET {} = on;", one.name),
        ),
        ("session_replication_role", "replica" | "local") => (
            format!("sessions begin with session_replication_role = {value}"),
            "triggers that are not ENABLE ALWAYS are passed by",
            "take the setting off the server, the database and the role".to_owned(),
        ),
        // Our routines wait for the disk whatever this says.
        ("synchronous_commit", "off" | "local" | "remote_write") if context.ledger.ours.is_none() => (
            format!("sessions begin with synchronous_commit = {value}"),
            "a crash or a failover may lose a reservation that was told",
            "SET LOCAL synchronous_commit = on; in the transaction that reserves".to_owned(),
        ),
        _ => return None,
    };
    let finding = found(&RULE, Verdict::Broken, &one.at, message, label.to_owned()).with_help(help);
    Some(if one.name == "synchronous_commit" { advice(context, finding) } else { finding })
}
