//! Settings of a live server that take away what the ledger rests on.

use super::{RULE, advice};
use crate::diagnostic::{Finding, Verdict};
use crate::lint::rules::{Context, found};
use crate::schema::Setting;

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    if !context.subject.live || context.actions().is_none() {
        return Vec::new();
    }
    context.replayed.settings.iter().filter_map(|one| weakening(context, one)).collect()
}

fn weakening(context: &Context<'_>, one: &Setting) -> Option<Finding> {
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
