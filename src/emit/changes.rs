//! Which template each change needs, and with which values.

use super::citus;
use super::statements::statements;
use super::template::{Values, fill};
use super::{transitions, versions};
use crate::diagnostic::Fault;
use crate::manifest::diff::{Change, Emitted, EmittedAction, EmittedInbound};
use crate::manifest::{Distribution, InboundMode, Kind, WhenUnknown};
use crate::schema::literal::{interval, optional_interval, optional_text, text};

pub(super) const LEDGER: &str = versions::CURRENT.text;
const ADD_ACTION: &str = include_str!("../../sql/changes/add_action_type.sql");
const CHANGE_ACTION: &str = include_str!("../../sql/changes/change_action_type.sql");
const ADD_INBOUND: &str = include_str!("../../sql/changes/add_inbound_source.sql");
const CHANGE_INBOUND: &str = include_str!("../../sql/changes/change_inbound_source.sql");

/// Statements of both directions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statements {
    /// The way there.
    pub up: Vec<String>,
    /// The way back.
    pub down: Vec<String>,
}

/// The whole ledger, with every action type and source.
///
/// # Errors
/// When a template or the table of transitions is broken.
pub fn ledger(emitted: &Emitted) -> Result<Statements, Fault> {
    ledger_of(LEDGER, emitted)
}

/// The same from another text of the ledger: an earlier version, or one that a test weakens.
pub(super) fn ledger_of(template: &str, emitted: &Emitted) -> Result<Statements, Fault> {
    let filled = fill(template, emitted, &transitions::values()?)?;
    let mut up = statements(&filled.up);
    if emitted.distribution == Distribution::Citus {
        up = citus::distributed(up, emitted)?;
    }
    let actions = emitted.actions.iter().map(|(name, action)| (ADD_ACTION, action_values(name, action)));
    let inbound = emitted.inbound.iter().map(|(name, inbound)| (ADD_INBOUND, inbound_values(name, inbound)));
    for (template, values) in actions.chain(inbound) {
        up.extend(statements(&fill(template, emitted, &values)?.up));
    }
    // The way back drops the schema, and their rows with it.
    Ok(Statements { up: one_role(up), down: statements(&filled.down) })
}

/// One small migration of these changes; the way back undoes them in reverse.
///
/// # Errors
/// When a template is broken.
pub fn changes(emitted: &Emitted, changes: &[Change]) -> Result<Statements, Fault> {
    let mut steps = Vec::new();
    for change in changes {
        let (template, values) = filling(change);
        steps.push(fill(template, emitted, &values)?);
    }
    let up = steps.iter().flat_map(|step| statements(&step.up)).collect();
    let down = steps.iter().rev().flat_map(|step| statements(&step.down)).collect();
    Ok(Statements { up: one_role(up), down: one_role(down) })
}

/// The name of a migration of these changes: of the one change, or that there are several.
#[must_use]
pub fn name(changes: &[Change]) -> String {
    let [change] = changes else { return "onlyonce_changes".to_owned() };
    let (verb, name) = match change {
        Change::ActionAdded { name, .. } | Change::InboundAdded { name, .. } => ("add", name),
        Change::ActionChanged { name, .. } | Change::InboundChanged { name, .. } => ("change", name),
        Change::ActionRetired { name, .. } | Change::InboundRetired { name, .. } => ("retire", name),
        Change::ActionRevived { name, .. } | Change::InboundRevived { name, .. } => ("revive", name),
    };
    // Some file systems keep 143 octets of a name.
    let name: String = name.chars().take(80).collect();
    format!("onlyonce_{verb}_{name}")
}

fn filling(change: &Change) -> (&'static str, Values) {
    match change {
        Change::ActionAdded { name, action } => (ADD_ACTION, action_values(name, action)),
        Change::ActionChanged { name, before, after } | Change::ActionRevived { name, before, after } => {
            (CHANGE_ACTION, both(action_values(name, after), action_values(name, before)))
        }
        Change::ActionRetired { name, before } => {
            let after = EmittedAction { retired: true, ..before.clone() };
            (CHANGE_ACTION, both(action_values(name, &after), action_values(name, before)))
        }
        Change::InboundAdded { name, inbound } => (ADD_INBOUND, inbound_values(name, inbound)),
        Change::InboundChanged { name, before, after } | Change::InboundRevived { name, before, after } => {
            (CHANGE_INBOUND, both(inbound_values(name, after), inbound_values(name, before)))
        }
        Change::InboundRetired { name, before } => {
            let after = EmittedInbound { retired: true, ..before.clone() };
            (CHANGE_INBOUND, both(inbound_values(name, &after), inbound_values(name, before)))
        }
    }
}

pub(super) fn action_values(name: &str, action: &EmittedAction) -> Values {
    let kind = match action.kind {
        Kind::Send => "send",
        Kind::Model => "model",
    };
    let when_unknown = match action.when_unknown {
        WhenUnknown::Reconcile => "reconcile",
        WhenUnknown::Retry => "retry",
    };
    named([
        ("name", text(name)),
        ("kind", text(kind)),
        ("send_budget", interval(action.send_budget)),
        ("pending_timeout", interval(action.pending_timeout)),
        ("max_attempts", action.max_attempts.to_string()),
        ("when_unknown", text(when_unknown)),
        ("key_window", optional_interval(action.key_window)),
        ("keep", optional_interval(action.keep)),
        ("keep_key", optional_interval(action.keep_key)),
        ("look_up", optional_text(action.look_up.as_deref())),
        ("retired", action.retired.to_string()),
    ])
}

pub(super) fn inbound_values(name: &str, inbound: &EmittedInbound) -> Values {
    let mode = match inbound.mode {
        InboundMode::Claim => "claim",
        InboundMode::Transaction => "transaction",
    };
    named([
        ("name", text(name)),
        ("mode", text(mode)),
        ("claim_timeout", interval(inbound.claim_timeout)),
        ("retention", interval(inbound.retention)),
        ("redelivery", optional_interval(inbound.redelivery)),
        ("retired", inbound.retired.to_string()),
    ])
}

fn named<const N: usize>(values: [(&str, String); N]) -> Values {
    values.map(|(name, value)| (name.to_owned(), value)).into()
}

/// The values that are wanted, and those that were, as `{old_..}`.
fn both(after: Values, before: Values) -> Values {
    let old = before.into_iter().map(|(name, value)| (format!("old_{name}"), value));
    after.into_iter().chain(old).collect()
}

/// Each template takes the owner's role and gives it back; between two of them that is idle.
pub(super) fn one_role(statements: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let mut role: Option<String> = None;
    for statement in statements {
        if statement.starts_with("SET ROLE ") {
            let again = role.as_ref() == Some(&statement) && kept.last().is_some_and(|last| last == "RESET ROLE");
            role = Some(statement.clone());
            if again {
                kept.pop();
                continue;
            }
        }
        kept.push(statement);
    }
    kept
}
