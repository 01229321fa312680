//! `onlyonce.toml`. If you have a [`Manifest`], it is valid.
//!
//! [`raw`] is the file as written; [`check`] makes it valid and reports every problem at once, each at its
//! place; [`diff`] tells what differs between what was emitted and what is wanted now.

mod action;
mod calls;
pub mod check;
pub mod diff;
pub mod fresh;
mod inbound;
pub mod name;
mod near;
pub mod raw;
pub mod renamed;
mod schema;
mod section;
mod settings;

pub use check::{FILE_NAME, find, load};
pub use inbound::least_retention;
pub use name::{plain as plain_name, type_name};
pub use near::nearest;
pub use schema::LAYOUTS;
pub use section::BLANK;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use crate::catalog::call::Call;
pub use crate::key::PartType;
use crate::source::{Source, Span};

/// Every field with its units, default and limits, for people.
pub const REFERENCE: &str = include_str!("manifest/reference.md");

/// A valid manifest; made only by loading.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// The file as it was read.
    pub source: Source,
    /// The folder that it stands in: paths in it are relative to this.
    pub root: PathBuf,
    /// `[schema]`.
    pub schema: Schema,
    /// `[action.*]`, by name.
    pub actions: BTreeMap<String, Action>,
    /// `[inbound.*]`, by name.
    pub inbound: BTreeMap<String, Inbound>,
    /// `[generate]`.
    pub generate: Generate,
    /// `[scan]`.
    pub scan: Scan,
    /// Where each value stands.
    pub places: Places,
}

/// Where each value of the file stands, by its dotted path: `action.send_reply.key`, `scan.allow.0`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places(BTreeMap<String, Span>);

impl Places {
    /// The place of the value, or of the nearest table around it that is written down; else the file's start.
    #[must_use]
    pub fn of(&self, path: &str) -> Span {
        let mut path = path;
        loop {
            if let Some(span) = self.0.get(path) {
                return *span;
            }
            match path.rsplit_once('.') {
                Some((around, _)) => path = around,
                None => return Span::default(),
            }
        }
    }
}

/// `[schema]`: where the ledger lives and how its migrations are written.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// Postgres schema: lower-case letters, digits and `_`, at most 40 octets, so that role names fit.
    pub name: String,
    /// Folder of the migrations, relative to [`Manifest::root`].
    pub migrations: PathBuf,
    /// The migration tool.
    pub layout: Layout,
    /// Oldest major version of the servers that must run it: 14 to 18.
    pub postgres: u16,
    /// Who makes the roles.
    pub roles: Roles,
    /// HASH partitions of `actions`; 0 is none.
    pub partitions: u32,
    /// How rows are spread over servers.
    pub distribution: Distribution,
    /// A team's own ledger.
    pub adopt: Option<Adopt>,
    /// The place of `[schema]`.
    pub span: Span,
}

/// A migration tool whose layout we read and write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// launchbadge/sqlx
    Sqlx,
    /// rust-db/refinery
    Refinery,
    /// diesel
    Diesel,
    /// amacneil/dbmate
    Dbmate,
    /// pressly/goose
    Goose,
    /// golang-migrate/migrate
    GolangMigrate,
    /// Flyway
    Flyway,
    /// Numbered files for psql.
    Plain,
}

/// Who makes the five roles of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Roles {
    /// The migration, where they are absent.
    Create,
    /// Somebody else, before; the migration grants to them.
    Existing,
    /// Nobody: everything belongs to the migrating role.
    None,
}

/// How rows are spread over servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Distribution {
    /// One server.
    None,
    /// Citus, distributed by key.
    Citus,
}

/// `[schema.adopt]`: a ledger that the team keeps itself; linted and verified instead of ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Adopt {
    /// Table of actions, qualified.
    pub actions: String,
    /// Its key columns.
    pub key: Vec<String>,
    /// Its status column.
    pub status: String,
    /// Table of inbound events, qualified.
    pub inbound: Option<String>,
    /// Its key columns.
    pub event_id: Vec<String>,
    /// The role whose rights are judged.
    pub app_role: Option<String>,
    /// Every status, and those that may follow it; empty where the manifest says nothing.
    pub transitions: BTreeMap<String, BTreeSet<String>>,
}

/// `[action.<name>]`: a kind of act on the world, and what makes two of them the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Its name: lower-case letters, digits and `_`.
    pub name: String,
    /// Whether it acts on the world or asks a model.
    pub kind: Kind,
    /// What it does, for people.
    pub summary: String,
    /// When two of them are the same act, for auditors; reads on after "two are the same when".
    pub same_when: String,
    /// What the key is derived from, in order. Never empty.
    pub key: Vec<KeyPart>,
    /// Name of a provider in `lints/providers/`.
    pub provider: Option<String>,
    /// The longest that a worker may take from reserve to answer.
    pub send_budget: Duration,
    /// After this a reservation without an answer is unknown; at least twice the budget.
    pub pending_timeout: Duration,
    /// How often a released or not attempted action may be reserved anew.
    pub max_attempts: u32,
    /// What becomes of an unknown one.
    pub when_unknown: WhenUnknown,
    /// How long payload and result of a finished row are kept; `None` is for ever.
    pub keep: Option<Duration>,
    /// How long the key is kept; `None` is for ever.
    pub keep_key: Option<Duration>,
    /// The place of its name.
    pub span: Span,
}

/// Whether an action acts on the world or asks a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Acts on the world.
    Send,
    /// Asks a model; its result is kept and given back.
    Model,
}

/// What becomes of an action whose outcome is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WhenUnknown {
    /// A person looks.
    Reconcile,
    /// It may be reserved anew: model calls, and providers that take our key.
    Retry,
}

/// One part of a key: `inbound_message_id: text`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct KeyPart {
    /// A Rust and SQL identifier.
    pub name: String,
    /// Its type, which fixes the normalisation.
    #[serde(rename = "type")]
    pub part_type: PartType,
}

/// `[inbound.<name>]`: a source of events.
#[derive(Clone, Debug, PartialEq)]
pub struct Inbound {
    /// Its name.
    pub name: String,
    /// Name of a provider in `lints/providers/`.
    pub provider: Option<String>,
    /// JSON path of the events within a delivery; `None`: the delivery is the event.
    pub items: Option<String>,
    /// JSON paths within an event whose values make its id. Never empty.
    pub event_id: Vec<String>,
    /// When an event counts as accepted.
    pub mode: InboundMode,
    /// How long a claim stands in claim mode.
    pub claim_timeout: Duration,
    /// How long ids are remembered.
    pub retention: Duration,
    /// The place of its name.
    pub span: Span,
}

/// When an inbound event counts as accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InboundMode {
    /// At once; a claim that is finished later.
    Claim,
    /// With the transaction of its effect.
    Transaction,
}

/// `[generate]`: the Rust client.
#[derive(Clone, Debug, PartialEq)]
pub struct Generate {
    /// The file, relative to [`Manifest::root`].
    pub path: PathBuf,
    /// The driver that it is written for.
    pub client: Client,
    /// Whether statements may be prepared. Where a pooler hands every transaction to another session they may not, with
    /// a name or without: the client over sqlx then spells the values out and asks in one message.
    pub prepared: bool,
    /// Crates whose errors become a `SendError`: `errors = ["reqwest"]`. Sorted, none twice; default none.
    pub errors: Vec<ErrorCrate>,
    /// Whether each step is counted and timed by the crate metrics; default false.
    pub metrics: bool,
    /// Whether each step is a span of the crate tracing; default false.
    pub tracing: bool,
}

/// A crate whose errors the generated client can turn into a `SendError`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorCrate {
    /// async-stripe, 1.0.0-rc.10
    AsyncStripe,
    /// The AWS SDK: whatever crate of it is used, its error is `SdkError`.
    AwsSdk,
    /// hyper, with the client of hyper-util
    Hyper,
    /// lettre, over SMTP
    Lettre,
    /// reqwest
    Reqwest,
    /// tonic
    Tonic,
}

impl ErrorCrate {
    /// All of them, under their names in the manifest, sorted.
    pub const ALL: [(&'static str, ErrorCrate); 6] = [
        ("async-stripe", ErrorCrate::AsyncStripe),
        ("aws-sdk", ErrorCrate::AwsSdk),
        ("hyper", ErrorCrate::Hyper),
        ("lettre", ErrorCrate::Lettre),
        ("reqwest", ErrorCrate::Reqwest),
        ("tonic", ErrorCrate::Tonic),
    ];
}

/// The database driver of the generated client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Client {
    /// sqlx
    Sqlx,
    /// tokio-postgres
    TokioPostgres,
}

/// `[scan]`: what the scanner reads and what it takes for a guard.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scan {
    /// Path patterns that are left out.
    pub exclude: Vec<String>,
    /// Hosts that are not the outside world.
    pub internal_hosts: Vec<String>,
    /// `[[scan.guard]]`: guards that the team already has.
    pub guards: Vec<GuardDeclaration>,
    /// `[[scan.allow]]`: reviewed exceptions.
    pub allows: Vec<Allow>,
    /// `[[scan.call]]`: outbound calls that the catalog does not have, or has otherwise.
    pub calls: Vec<DeclaredCall>,
}

/// An outbound call that the team knows.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredCall {
    /// As an entry of the catalog; its source is the place in the manifest, where none is given.
    pub call: Call,
    /// Its place.
    pub span: Span,
}

/// A guard that the team already has.
#[derive(Clone, Debug, PartialEq)]
pub struct GuardDeclaration {
    /// Path of the function or method.
    pub path: String,
    /// Which argument is the key; a method's self is not counted.
    pub key: usize,
    /// Which argument holds the send.
    pub body: usize,
    /// Its place.
    pub span: Span,
}

/// A reviewed exception.
#[derive(Clone, Debug, PartialEq)]
pub struct Allow {
    /// The rule that is silenced.
    pub rule: String,
    /// Path of the function, or of a module that holds it.
    pub path: String,
    /// Why; shown to auditors.
    pub reason: String,
    /// The last day on which it holds.
    pub until: Option<jiff::civil::Date>,
    /// Its place.
    pub span: Span,
}
