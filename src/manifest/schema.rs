//! `[schema]` and `[schema.adopt]`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::manifest::name::{check_path, check_schema, check_sql_name, check_table};
use crate::manifest::section::{At, Section, brief};
use crate::manifest::{Adopt, Distribution, Layout, Roles, Schema};
use crate::source::Span;

/// Every migration tool, sorted by name.
pub const LAYOUTS: [Layout; 8] = [
    Layout::Dbmate,
    Layout::Diesel,
    Layout::Flyway,
    Layout::GolangMigrate,
    Layout::Goose,
    Layout::Plain,
    Layout::Refinery,
    Layout::Sqlx,
];

impl Layout {
    /// The tool's name as manifests spell it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Layout::Dbmate => "dbmate",
            Layout::Diesel => "diesel",
            Layout::Flyway => "flyway",
            Layout::GolangMigrate => "golang-migrate",
            Layout::Goose => "goose",
            Layout::Plain => "plain",
            Layout::Refinery => "refinery",
            Layout::Sqlx => "sqlx",
        }
    }
}

/// As many as a Postgres index takes.
const MOST_COLUMNS: usize = 32;

/// The most HASH partitions: each one costs planning time and an autovacuum turn.
const MAX_PARTITIONS: u32 = 256;

/// What holds where `[schema]` is left out.
pub(super) fn default(span: Span) -> Schema {
    Schema {
        name: "onlyonce".to_owned(),
        migrations: PathBuf::from("migrations"),
        layout: Layout::Sqlx,
        postgres: 14,
        roles: Roles::Create,
        partitions: 0,
        distribution: Distribution::None,
        adopt: None,
        span,
    }
}

pub(super) fn read(section: Section<'_>) -> Option<Schema> {
    let default = default(section.span);
    let name = section.text("name").filter(|name| check_schema(&section, *name));
    let migrations = section.text("migrations").and_then(|path| check_path(&section, "migrations", path));
    let layout = section.choice("layout", &LAYOUTS.map(|layout| (layout.name(), layout)));
    let postgres = section.number("postgres", 14..=18);
    let roles =
        section.choice("roles", &[("create", Roles::Create), ("existing", Roles::Existing), ("none", Roles::None)]);
    let partitions = section.number("partitions", 0..=MAX_PARTITIONS);
    let distribution = section.choice("distribution", &[("citus", Distribution::Citus), ("none", Distribution::None)]);
    check_spread(&section, partitions, distribution);
    let adopt = section.table("adopt").map(read_adopt);
    section.finish();
    // Values that are wrong have reported so: the defaults in their place are never seen.
    Some(Schema {
        name: name.map_or(default.name, |name| name.value.to_owned()),
        migrations: migrations.unwrap_or(default.migrations),
        layout: layout.map_or(default.layout, |layout| layout.value),
        postgres: postgres.and_then(|version| u16::try_from(version.value).ok()).unwrap_or(default.postgres),
        roles: roles.map_or(default.roles, |roles| roles.value),
        partitions: partitions.map_or(default.partitions, |partitions| partitions.value),
        distribution: distribution.map_or(default.distribution, |distribution| distribution.value),
        adopt: match adopt {
            Some(adopt) => Some(adopt?),
            None => None,
        },
        span: default.span,
    })
}

fn check_spread(section: &Section<'_>, partitions: Option<At<u32>>, distribution: Option<At<Distribution>>) {
    let Some(partitions) = partitions.filter(|partitions| partitions.value > 0) else { return };
    if distribution.is_some_and(|distribution| distribution.value == Distribution::Citus) {
        let message = "partitions and Citus cannot be had together".to_owned();
        section.fault(partitions.span, message, "Citus cuts the table by key itself", "write partitions = 0");
    } else if partitions.value == 1 {
        let message = "one partition is none".to_owned();
        section.fault(partitions.span, message, "all rows would lie in it", "write partitions = 0, or 2 and more");
    }
}

fn read_adopt(section: Section<'_>) -> Option<Adopt> {
    section.need("actions", "the ledger's table must be known", "write actions = \"public.agent_actions\"");
    section.need("key", "its key is what is checked", "write key = [\"idem_key\"]");
    section.need("status", "its states are what is checked", "write status = \"state\"");
    let actions = section.text("actions").filter(|name| check_table(&section, "actions", *name));
    let key = columns(&section, "key");
    let status = section.text("status").filter(|name| check_sql_name(&section, "status", *name));
    let inbound = section.text("inbound").filter(|name| check_table(&section, "inbound", *name));
    let event_id = columns(&section, "event_id");
    let app_role = section.text("app_role").filter(|name| check_sql_name(&section, "app_role", *name));
    if let Some(inbound) = inbound.filter(|_| !section.has("event_id")) {
        let message = format!("`inbound` in {} has no `event_id` beside it", section.title());
        section.fault(inbound.span, message, "its key is what is checked", "write event_id = \"event_id\" below it");
    }
    if let Some(event_id) = event_id.as_ref().filter(|_| !section.has("inbound")) {
        let message = format!("`event_id` in {} has no `inbound` beside it", section.title());
        section.fault(
            event_id.span,
            message,
            "columns of which table?",
            "write inbound = \"public.webhook_events\" above it",
        );
    }
    let transitions = transitions(&section);
    section.finish();
    Some(Adopt {
        actions: actions?.value.to_owned(),
        key: key?.value,
        status: status?.value.to_owned(),
        inbound: inbound.map(|name| name.value.to_owned()),
        event_id: event_id.map(|names| names.value).unwrap_or_default(),
        app_role: app_role.map(|name| name.value.to_owned()),
        transitions,
    })
}

/// `"pending -> sent"` lets a status follow another; `"cancelled"` alone is a status that nothing leads to.
fn transitions(section: &Section<'_>) -> BTreeMap<String, BTreeSet<String>> {
    let mut transitions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for written in section.texts("transitions", false).map(|list| list.value).unwrap_or_default() {
        let names: Vec<&str> = written.value.split("->").map(str::trim).collect();
        let plain = |name: &&str| !name.is_empty() && name.chars().all(|c| (' '..='~').contains(&c) && c != '$');
        // An arrow that is mistyped is no part of a name.
        let mistyped = names.iter().any(|name| name.contains(['<', '>']));
        if names.len() > 2 || mistyped || !names.iter().all(plain) {
            let message = format!("`{}` is no transition", brief(written.value));
            let help = "write transitions = [\"pending -> sent\", \"pending -> failed\"]";
            section.fault(written.span, message, "one status, or two with -> between", help);
            continue;
        }
        for name in &names {
            transitions.entry((*name).to_owned()).or_default();
        }
        if let [from, to] = names.as_slice() {
            transitions.entry((*from).to_owned()).or_default().insert((*to).to_owned());
        }
    }
    transitions
}

/// One column name or several, each once.
fn columns(section: &Section<'_>, field: &'static str) -> Option<At<Vec<String>>> {
    let names = section.texts(field, true)?;
    let count = names.value.len();
    if count == 0 || count > MOST_COLUMNS {
        let (wrong, label) =
            if count == 0 { ("no column", "an empty list") } else { ("too many columns", "a key is a few") };
        let message = format!("`{field}` in {} names {wrong}", section.title());
        section.fault(names.span, message, label, format!("write {field} = [\"idem_key\"]"));
        return None;
    }
    let mut columns: Vec<String> = Vec::new();
    for name in &names.value {
        if columns.iter().any(|column| column == name.value) {
            let message = format!("`{field}` in {} names `{}` twice", section.title(), brief(name.value));
            section.fault(name.span, message, "the second time", "take it out");
        }
        check_sql_name(section, field, *name);
        columns.push(name.value.to_owned());
    }
    Some(At { value: columns, span: names.span })
}
