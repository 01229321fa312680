//! Outbound calls of public crates, from `lints/crates/*.toml`: what they are. [`super::lookup`] finds them.
//!
//! To add a crate: one file in `lints/crates/` and its line in `embedded`. Paths and method names may
//! hold patterns: `*` stands for any part of one name, a segment `**` for any number of segments. An entry
//! without a pattern goes before one with, and of two patterns the one with more letters is taken.

use std::collections::BTreeMap;

/// What a call does to the world outside.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Changes nothing.
    Read,
    /// Sends measurements or errors to the team itself.
    Telemetry,
    /// Exchanges credentials.
    Auth,
    /// Asks a model.
    Model,
    /// Changes something remote.
    Mutate,
    /// People or queues get something.
    Send,
    /// Moves money or places orders.
    Charge,
}

impl Effect {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Effect::Read => "read",
            Effect::Telemetry => "telemetry",
            Effect::Auth => "auth",
            Effect::Model => "model",
            Effect::Mutate => "mutate",
            Effect::Send => "send",
            Effect::Charge => "charge",
        }
    }

    /// Whether a repeat may do harm: model calls, changes, sends and charges.
    #[must_use]
    pub fn is_write(self) -> bool {
        matches!(self, Effect::Model | Effect::Mutate | Effect::Send | Effect::Charge)
    }
}

/// When the effect happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trigger {
    /// At the call.
    #[default]
    Call,
    /// When what the call returns is awaited (`IntoFuture` builders and their setters), or its `send` is
    /// called. Where an entry of [`Returns`] has the same path and method, the result is a builder with calls
    /// of its own: then only an await right at the call counts.
    Await,
}

/// What decides whether a call reads or writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MethodSource {
    /// The entry's own effect stands.
    #[default]
    Fixed,
    /// The HTTP method of the builder chain that the receiver came from.
    Chain,
    /// The HTTP method of a request value in an argument (`Client::execute(request)`) or, of an extension
    /// method on a request, in the receiver.
    Request,
    /// Setters that were called on the receiver before (curl): those named in [`CrateCalls::write_setters`].
    Setters,
    /// The program that a `Command` was made with, and its arguments.
    Program,
    /// The GraphQL document in an argument or behind the type argument.
    Graphql,
    /// The name of a remote procedure: a literal first argument, or the method's own name where a literal is
    /// missing; `get`, `list`, `query` and their kin read.
    Name,
    /// The name of the type of the receiver or of the first argument that is an endpoint: `CreateOrder`
    /// writes, `ListOrders` reads.
    Endpoint,
}

/// One crate's outbound calls: a file of `lints/crates/`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrateCalls {
    /// Package name on crates.io; ends in `*` for a family of generated crates.
    #[serde(rename = "crate")]
    pub package: String,
    /// Library names under which code names it; the package name with `_` when empty.
    #[serde(default)]
    pub libraries: Vec<String>,
    /// The version that was read.
    pub version: String,
    /// Other packages that hold the source of entries, as `teloxide-core@0.13.0`: parts that the crate re-exports,
    /// or samples of a family. Sorted.
    #[serde(default)]
    pub parts: Vec<String>,
    /// Why no registry has the source.
    #[serde(default)]
    pub unpublished: Option<String>,
    /// Whether the crate sends again by itself, and how to switch that off.
    #[serde(default)]
    pub built_in_retry: Option<String>,
    /// The calls, sorted by path and method.
    #[serde(default)]
    pub call: Vec<Call>,
    /// Methods and functions whose result type the scanner needs to follow a chain, sorted by path and method.
    #[serde(default)]
    pub returns: Vec<Returns>,
    /// Setters that turn a stateful request into a write ([`MethodSource::Setters`]), sorted.
    #[serde(default)]
    pub write_setters: Vec<String>,
    /// Canonical path -> other public paths of the same item (re-exports, preludes). A module stands for all
    /// that it holds.
    #[serde(default)]
    pub aliases: BTreeMap<String, Vec<String>>,
    /// Canonical path of a trait, or of a type behind `Deref` -> types that have its methods.
    #[serde(default)]
    pub implementors: BTreeMap<String, Vec<String>>,
    /// Types that implement a sending trait without leaving the machine (`FileTransport`), sorted.
    #[serde(default)]
    pub local_only: Vec<String>,
}

/// One outbound method or function.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Canonical path of the type, trait or module: `reqwest::RequestBuilder`. Generic arguments are left out.
    pub path: String,
    /// Method or function name; `await` for a type that is itself the future.
    pub method: String,
    /// Number of arguments without the receiver: tells look-alikes where the receiver's type is not known. None for
    /// patterns, and where versions differ.
    #[serde(default)]
    pub arity: Option<usize>,
    /// What it does; where something else decides between reading and writing, the effect of a write.
    pub effect: Effect,
    /// When.
    #[serde(default)]
    pub trigger: Trigger,
    /// What decides whether it reads or writes.
    #[serde(default)]
    pub method_source: MethodSource,
    /// How the request carries a key to the provider: `header Idempotency-Key`, `method request_strategy`,
    /// `method client_token|idempotency_token` where a family of calls names it differently, `argument 1`.
    #[serde(default)]
    pub key_door: Option<String>,
    /// Whether `path` is a trait, so that any receiver bound by it counts.
    #[serde(default)]
    pub is_trait: bool,
    /// The team's own database, cache or local daemon: part of its own state, not the outside world.
    #[serde(default)]
    pub own_store: bool,
    /// The version that was read, where it is not the file's.
    #[serde(default)]
    pub version: Option<String>,
    /// Why the published source does not show the method as such: the macro, derive or generator that makes it.
    #[serde(default)]
    pub made_by: Option<String>,
    /// What people should know of it.
    #[serde(default)]
    pub note: Option<String>,
    /// Where the fact was read.
    pub source: String,
}

/// What a method or function of a crate returns, as far as chains need it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Returns {
    /// Canonical path of the type or module.
    pub path: String,
    /// Method or function name.
    pub method: String,
    /// Canonical path of what it returns, wrappers (Result, Option, futures) left out; `Self` for the receiver.
    /// `{1}` stands for what the first `*` of `path` matched, `{method}` for the method's name and `{Method}`
    /// for the same in camel case.
    pub returns: String,
    /// The HTTP method that it fixes: `POST`, or `arg 0`.
    #[serde(default)]
    pub http_method: Option<String>,
}

/// Every crate that is known, sorted by package.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// One entry a file of `lints/crates/`.
    pub crates: Vec<CrateCalls>,
    /// Where each name leads; made from `crates`.
    pub(super) names: super::lookup::Names,
    /// Of the files that it was read from, their names included.
    pub(super) digest: [u8; 32],
}

impl CrateCalls {
    /// A crate of which only a team's own entries are known.
    pub(super) fn of_team(library: &str) -> CrateCalls {
        CrateCalls {
            package: library.replace('_', "-"),
            libraries: vec![library.to_owned()],
            version: String::new(),
            parts: Vec::new(),
            unpublished: None,
            built_in_retry: None,
            call: Vec::new(),
            returns: Vec::new(),
            write_setters: Vec::new(),
            aliases: BTreeMap::new(),
            implementors: BTreeMap::new(),
            local_only: Vec::new(),
        }
    }

    /// The names by which code calls the crate: its libraries, or its package name with `_`.
    pub fn library_names(&self) -> impl Iterator<Item = String> + '_ {
        let own = self.libraries.is_empty().then(|| self.package.replace('-', "_"));
        self.libraries.iter().cloned().chain(own)
    }
}
