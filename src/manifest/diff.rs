//! What differs between what was emitted and what the manifest wants now.
//!
//! [`Emitted`] stands in `onlyonce.lock`. Texts for people (`summary`, `same_when`) are not in it: they never
//! reach the database, so that mending a sentence emits nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::catalog::provider::{self, Window};
use crate::diagnostic::{Fault, Faults, Label};
use crate::duration;
use crate::manifest::{
    Action, Distribution, Inbound, InboundMode, KeyPart, Kind, Layout, Manifest, Roles, WhenUnknown,
};

/// Everything that emission depends on, as it was when it last ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Emitted {
    /// Name of the Postgres schema.
    pub schema: String,
    /// The tool that the files were written for.
    pub layout: Layout,
    /// Who makes the roles.
    pub roles: Roles,
    /// HASH partitions of `actions`.
    pub partitions: u32,
    /// How rows are spread over servers.
    pub distribution: Distribution,
    /// Action types by name, retired ones too: their keys are remembered.
    #[serde(default)]
    pub actions: BTreeMap<String, EmittedAction>,
    /// Sources by name, retired ones too.
    #[serde(default)]
    pub inbound: BTreeMap<String, EmittedInbound>,
}

/// An action type as it was emitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmittedAction {
    /// Whether it acts on the world or asks a model.
    pub kind: Kind,
    /// What its key is derived from.
    pub key: Vec<KeyPart>,
    /// Name of its provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// How long the provider remembers our key, at the least; `None` where it takes none, where that is not known
    /// or where it is for ever.
    #[serde(default, with = "duration::optional", skip_serializing_if = "Option::is_none")]
    pub key_window: Option<Duration>,
    /// How a person looks it up at the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look_up: Option<String>,
    /// From reserve to answer at the most.
    #[serde(with = "duration::text")]
    pub send_budget: Duration,
    /// After this it is unknown.
    #[serde(with = "duration::text")]
    pub pending_timeout: Duration,
    /// How often it may be reserved anew.
    pub max_attempts: u32,
    /// What becomes of an unknown one.
    pub when_unknown: WhenUnknown,
    /// How long payload and result are kept.
    #[serde(default, with = "duration::optional", skip_serializing_if = "Option::is_none")]
    pub keep: Option<Duration>,
    /// How long the key is kept.
    #[serde(default, with = "duration::optional", skip_serializing_if = "Option::is_none")]
    pub keep_key: Option<Duration>,
    /// Whether it is no longer in the manifest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retired: bool,
}

/// A source of events as it was emitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmittedInbound {
    /// Name of its provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The longest redelivery that is known of the provider: the retention margin is measured against it.
    #[serde(default, with = "duration::optional", skip_serializing_if = "Option::is_none")]
    pub redelivery: Option<Duration>,
    /// When an event counts as accepted.
    pub mode: InboundMode,
    /// How long a claim stands.
    #[serde(with = "duration::text")]
    pub claim_timeout: Duration,
    /// How long ids are remembered.
    #[serde(with = "duration::text")]
    pub retention: Duration,
    /// Whether it is no longer in the manifest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retired: bool,
}

/// One thing that the next migration has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A new action type.
    ActionAdded {
        /// Its name.
        name: String,
        /// What it is.
        action: EmittedAction,
    },
    /// An action type with the same key and other settings.
    ActionChanged {
        /// Its name.
        name: String,
        /// As it was emitted.
        before: EmittedAction,
        /// As it is wanted.
        after: EmittedAction,
    },
    /// An action type that left the manifest: its rows stay, nothing new is reserved.
    ActionRetired {
        /// Its name.
        name: String,
        /// As it was emitted.
        before: EmittedAction,
    },
    /// A retired action type that is back with the same key.
    ActionRevived {
        /// Its name.
        name: String,
        /// As it was emitted, `retired` set.
        before: EmittedAction,
        /// As it is wanted.
        after: EmittedAction,
    },
    /// A new source.
    InboundAdded {
        /// Its name.
        name: String,
        /// What it is.
        inbound: EmittedInbound,
    },
    /// A source with other settings.
    InboundChanged {
        /// Its name.
        name: String,
        /// As it was emitted.
        before: EmittedInbound,
        /// As it is wanted.
        after: EmittedInbound,
    },
    /// A source that left the manifest: its ids stay, nothing new is accepted.
    InboundRetired {
        /// Its name.
        name: String,
        /// As it was emitted.
        before: EmittedInbound,
    },
    /// A retired source that is back.
    InboundRevived {
        /// Its name.
        name: String,
        /// As it was emitted, `retired` set.
        before: EmittedInbound,
        /// As it is wanted.
        after: EmittedInbound,
    },
}

#[cfg(test)]
impl Emitted {
    /// A plain ledger with no action type and no source.
    pub(crate) fn bare(schema: &str) -> Emitted {
        Emitted {
            schema: schema.to_owned(),
            layout: Layout::Sqlx,
            roles: Roles::Create,
            partitions: 0,
            distribution: Distribution::None,
            actions: BTreeMap::new(),
            inbound: BTreeMap::new(),
        }
    }
}

impl Emitted {
    /// What a first emission of the manifest records.
    #[must_use]
    pub fn of(manifest: &Manifest) -> Emitted {
        let schema = &manifest.schema;
        Emitted {
            schema: schema.name.clone(),
            layout: schema.layout,
            roles: schema.roles,
            partitions: schema.partitions,
            distribution: schema.distribution,
            actions: manifest.actions.iter().map(|(name, action)| (name.clone(), EmittedAction::of(action))).collect(),
            inbound: manifest.inbound.iter().map(|(name, source)| (name.clone(), EmittedInbound::of(source))).collect(),
        }
    }

    /// What is recorded once `changes` were emitted.
    pub fn apply(&mut self, changes: &[Change]) {
        for change in changes {
            match change.clone() {
                Change::ActionAdded { name, action: after }
                | Change::ActionChanged { name, after, .. }
                | Change::ActionRevived { name, after, .. } => {
                    self.actions.insert(name, after);
                }
                Change::ActionRetired { name, before } => {
                    self.actions.insert(name, EmittedAction { retired: true, ..before });
                }
                Change::InboundAdded { name, inbound: after }
                | Change::InboundChanged { name, after, .. }
                | Change::InboundRevived { name, after, .. } => {
                    self.inbound.insert(name, after);
                }
                Change::InboundRetired { name, before } => {
                    self.inbound.insert(name, EmittedInbound { retired: true, ..before });
                }
            }
        }
    }
}

impl EmittedAction {
    /// What is recorded of an action type.
    #[must_use]
    pub fn of(action: &Action) -> EmittedAction {
        let outbound = action.provider.as_deref().and_then(provider::find).and_then(|known| known.outbound.as_ref());
        EmittedAction {
            kind: action.kind,
            key: action.key.clone(),
            provider: action.provider.clone(),
            key_window: outbound.and_then(|outbound| match outbound.key_window()? {
                Window::For(window) => Some(window),
                Window::Forever => None,
            }),
            look_up: outbound.map(|outbound| outbound.reconcile.clone()),
            send_budget: action.send_budget,
            pending_timeout: action.pending_timeout,
            max_attempts: action.max_attempts,
            when_unknown: action.when_unknown,
            keep: action.keep,
            keep_key: action.keep_key,
            retired: false,
        }
    }
}

impl EmittedInbound {
    /// What is recorded of a source.
    #[must_use]
    pub fn of(source: &Inbound) -> EmittedInbound {
        let inbound = source.provider.as_deref().and_then(provider::find).and_then(|known| known.inbound.as_ref());
        EmittedInbound {
            provider: source.provider.clone(),
            redelivery: inbound.and_then(|inbound| inbound.longest_redelivery()).map(|redelivery| redelivery.window),
            mode: source.mode,
            claim_timeout: source.claim_timeout,
            retention: source.retention,
            retired: false,
        }
    }
}

/// What the next migration has to do; empty when nothing differs. Sorted: action types by name, then sources.
///
/// # Errors
/// What no migration may do, each at its place: another key for a type (LEDGER R4), another schema, layout,
/// roles, partitions or distribution.
pub fn diff(emitted: &Emitted, manifest: &Manifest) -> Result<Vec<Change>, Faults> {
    let wanted = Emitted::of(manifest);
    let mut faults = fixed_settings(emitted, &wanted, manifest);
    faults.extend(rekeyed(emitted, &wanted, manifest));
    if !faults.is_empty() {
        return Err(Faults(faults));
    }
    let mut changes = action_changes(emitted, &wanted);
    changes.extend(inbound_changes(emitted, &wanted));
    Ok(changes)
}

fn action_changes(emitted: &Emitted, wanted: &Emitted) -> Vec<Change> {
    names(&emitted.actions, &wanted.actions)
        .filter_map(|name| match (emitted.actions.get(&name), wanted.actions.get(&name)) {
            (None, Some(after)) => Some(Change::ActionAdded { name, action: after.clone() }),
            (Some(before), None) if !before.retired => Some(Change::ActionRetired { name, before: before.clone() }),
            (Some(before), Some(after)) if before.retired => {
                Some(Change::ActionRevived { name, before: before.clone(), after: after.clone() })
            }
            (Some(before), Some(after)) if before != after => {
                Some(Change::ActionChanged { name, before: before.clone(), after: after.clone() })
            }
            (Some(_), _) | (None, None) => None,
        })
        .collect()
}

fn inbound_changes(emitted: &Emitted, wanted: &Emitted) -> Vec<Change> {
    names(&emitted.inbound, &wanted.inbound)
        .filter_map(|name| match (emitted.inbound.get(&name), wanted.inbound.get(&name)) {
            (None, Some(after)) => Some(Change::InboundAdded { name, inbound: after.clone() }),
            (Some(before), None) if !before.retired => Some(Change::InboundRetired { name, before: before.clone() }),
            (Some(before), Some(after)) if before.retired => {
                Some(Change::InboundRevived { name, before: before.clone(), after: after.clone() })
            }
            (Some(before), Some(after)) if before != after => {
                Some(Change::InboundChanged { name, before: before.clone(), after: after.clone() })
            }
            (Some(_), _) | (None, None) => None,
        })
        .collect()
}

/// The names of both, sorted, each once.
fn names<T>(a: &BTreeMap<String, T>, b: &BTreeMap<String, T>) -> impl Iterator<Item = String> {
    a.keys().chain(b.keys()).cloned().collect::<BTreeSet<_>>().into_iter()
}

/// Settings that every row and grant stands on: no migration of ours changes them.
fn fixed_settings(emitted: &Emitted, wanted: &Emitted, manifest: &Manifest) -> Vec<Fault> {
    [
        ("name", spelled(&emitted.schema), spelled(&wanted.schema), "its rows would be left behind in the old schema"),
        ("layout", spelled(&emitted.layout), spelled(&wanted.layout), "the folder holds the other tool's files"),
        (
            "roles",
            spelled(&emitted.roles),
            spelled(&wanted.roles),
            "grants and owners of the emitted ledger rest on it",
        ),
        (
            "partitions",
            emitted.partitions.to_string(),
            wanted.partitions.to_string(),
            "a table is partitioned when it is made and not later",
        ),
        (
            "distribution",
            spelled(&emitted.distribution),
            spelled(&wanted.distribution),
            "a table is distributed when it is made",
        ),
    ]
    .into_iter()
    .filter(|(_, before, after, _)| before != after)
    .map(|(field, before, after, why)| {
        let place = manifest.places.of(&format!("schema.{field}"));
        Fault::new(format!("[schema] {field} was emitted as {before} and is now {after}"))
            .at(Label::new(&manifest.source, place, why))
            .with_help(format!(
                "write {before} again; to move, emit a new ledger from a manifest of its own and drain this one"
            ))
    })
    .collect()
}

/// R4: another key for a type would give everything in flight a second key, and so a second send.
fn rekeyed(emitted: &Emitted, wanted: &Emitted, manifest: &Manifest) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (name, after) in &wanted.actions {
        let Some(before) = emitted.actions.get(name) else { continue };
        let retired = if before.retired { ", retired since," } else { "" };
        let declare = format!("declare a new type, [action.{name}_2], and keep or retire `{name}` until it is drained");
        if before.key != after.key {
            let message = format!("the key of `{name}`{retired} was emitted as {}", key_text(&before.key));
            let label = "another key would let what was sent under the old one be sent again";
            let place = Label::new(&manifest.source, manifest.places.of(&format!("action.{name}.key")), label);
            let help = format!("write key = {} again, or {declare}", key_text(&before.key));
            faults.push(Fault::new(message).at(place).with_help(help));
        }
        if before.kind != after.kind {
            let message = format!("the kind of `{name}`{retired} was emitted as {}", spelled(&before.kind));
            let label = "a send and a model call are kept and forgotten by different rules";
            let place = Label::new(&manifest.source, manifest.places.of(&format!("action.{name}.kind")), label);
            let help = format!("write kind = {} again, or {declare}", spelled(&before.kind));
            faults.push(Fault::new(message).at(place).with_help(help));
        }
    }
    faults
}

/// `["inbound_message_id: text"]`, as the manifest writes it.
fn key_text(parts: &[KeyPart]) -> String {
    let parts: Vec<_> = parts.iter().map(|part| format!("\"{}: {}\"", part.name, part.part_type.name())).collect();
    format!("[{}]", parts.join(", "))
}

/// A unit variant as the manifest writes it, quoted.
fn spelled<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests;
