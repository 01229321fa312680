//! Which tables are the ledger, and what is demanded of it.

use std::time::Duration;

use crate::catalog::provider;
use crate::diagnostic::Label;
use crate::manifest::{Adopt, Inbound, Manifest, least_retention};
use crate::schema::{Name, Schema, literal};

/// What is linted.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The ledger.
    pub ledger: Ledger,
    /// Whether it must be there: it was emitted, or a team's own is named. Without it, a folder that holds none is quiet.
    pub demanded: bool,
    /// Where the manifest speaks of it.
    pub place: Label,
    /// The sources of inbound events.
    pub sources: Vec<Source>,
    /// What emission makes of the same manifest; for our own ledger.
    pub expected: Option<Schema>,
    /// Emitted migrations that were edited since, at their first lines.
    pub edited: Vec<Label>,
    /// Whether the history is what a server has at this moment, and not the migrations of a folder.
    pub live: bool,
}

/// The tables of a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    /// The schema of our own ledger; `None` for a team's.
    pub ours: Option<String>,
    /// The table of actions.
    pub actions: Keyed,
    /// Its status column.
    pub status: String,
    /// The table of inbound events.
    pub inbound: Option<Keyed>,
    /// The role whose rights are judged beside those of PUBLIC.
    pub app_role: Option<String>,
}

/// A table and the columns that make its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keyed {
    /// The table.
    pub table: Name,
    /// The columns, in order.
    pub key: Vec<String>,
}

/// A source of inbound events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name in the manifest.
    pub name: String,
    /// How long its ids are remembered.
    pub retention: Duration,
    /// The least that its provider's redeliveries ask for, when they are known.
    pub least: Option<Duration>,
}

impl Ledger {
    /// The ledger that we emit, in a schema of this name.
    #[must_use]
    pub fn ours(schema: &str) -> Ledger {
        Ledger {
            ours: Some(schema.to_owned()),
            actions: Keyed::new(Name::new(schema, "actions"), &["action_type", "idempotency_key"]),
            status: "status".to_owned(),
            inbound: Some(Keyed::new(Name::new(schema, "inbound_events"), &["source", "event_id"])),
            app_role: Some(format!("{schema}_app")),
        }
    }

    /// A team's own.
    #[must_use]
    pub fn adopted(adopt: &Adopt) -> Ledger {
        let inbound =
            adopt.inbound.as_ref().map(|table| Keyed { table: Name::parse(table), key: adopt.event_id.clone() });
        Ledger {
            ours: None,
            actions: Keyed { table: Name::parse(&adopt.actions), key: adopt.key.clone() },
            status: adopt.status.clone(),
            inbound,
            app_role: adopt.app_role.clone(),
        }
    }

    /// Both tables.
    pub fn tables(&self) -> impl Iterator<Item = &Keyed> {
        std::iter::once(&self.actions).chain(&self.inbound)
    }

    /// Whether a table belongs to it: one of the two, or anything in our own schema.
    #[must_use]
    pub fn holds(&self, name: &Name) -> bool {
        self.ours.as_ref().is_some_and(|schema| *schema == name.schema) || self.tables().any(|one| one.table == *name)
    }
}

impl Keyed {
    fn new(table: Name, key: &[&str]) -> Keyed {
        Keyed { table, key: key.iter().map(|one| (*one).to_owned()).collect() }
    }

    /// The columns with commas between.
    #[must_use]
    pub fn list(&self) -> String {
        self.key.join(", ")
    }

    /// The same as a statement has them, with quotes where there must be some.
    #[must_use]
    pub fn columns(&self) -> String {
        literal::names(&self.key)
    }

    /// The table's name as a statement has it.
    #[must_use]
    pub fn place(&self) -> String {
        literal::qualified(&self.table)
    }
}

impl Subject {
    /// Where the ledger is looked for, as messages say it.
    #[must_use]
    pub fn home(&self) -> &'static str {
        if self.live { "this database" } else { "these migrations" }
    }

    /// What a manifest asks for. `demanded` says whether a ledger of ours was emitted already.
    #[must_use]
    pub fn of(manifest: &Manifest, emitted: bool) -> Subject {
        let schema = &manifest.schema;
        let ledger = schema.adopt.as_ref().map_or_else(|| Ledger::ours(&schema.name), Ledger::adopted);
        let path = if schema.adopt.is_some() { "schema.adopt" } else { "schema" };
        Subject {
            ledger,
            demanded: emitted || schema.adopt.is_some(),
            place: Label::new(&manifest.source, manifest.places.of(path), "the ledger is named here"),
            sources: manifest.inbound.values().map(source).collect(),
            expected: None,
            edited: Vec::new(),
            live: false,
        }
    }
}

fn source(inbound: &Inbound) -> Source {
    let facts = inbound.provider.as_deref().and_then(provider::find).and_then(|one| one.inbound.as_ref());
    let window = facts.and_then(provider::Inbound::longest_redelivery);
    Source {
        name: inbound.name.clone(),
        retention: inbound.retention,
        least: window.map(|redelivery| least_retention(redelivery.window)),
    }
}
