//! Outbound calls of public crates, from `lints/crates/*.toml`.

use std::collections::BTreeMap;

/// What a call does to the world outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
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
    /// When what the call returns is awaited (`IntoFuture` builders), or its `send` is called.
    Await,
}

/// What decides the HTTP method of a request, and with it the effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MethodSource {
    /// The entry's own effect stands.
    #[default]
    Fixed,
    /// The builder chain that the receiver came from.
    Chain,
    /// A request value in an argument (`Client::execute(request)`).
    Request,
}

/// One crate's outbound calls: a file of `lints/crates/`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrateCalls {
    /// Package name on crates.io.
    #[serde(rename = "crate")]
    pub package: String,
    /// Library names under which code names it; the package name with `_` when empty.
    #[serde(default)]
    pub libraries: Vec<String>,
    /// The version that was read.
    pub version: String,
    /// Whether the crate sends again by itself, and how to switch that off.
    #[serde(default)]
    pub built_in_retry: Option<String>,
    /// The calls, sorted by path and method.
    #[serde(default)]
    pub call: Vec<Call>,
    /// Methods and functions whose result type the scanner needs to follow a chain, sorted.
    #[serde(default)]
    pub returns: Vec<Returns>,
    /// Canonical path -> other public paths of the same item (re-exports, preludes).
    #[serde(default)]
    pub aliases: BTreeMap<String, Vec<String>>,
    /// Types that implement a sending trait without leaving the machine (`FileTransport`).
    #[serde(default)]
    pub local_only: Vec<String>,
}

/// One outbound method or function.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Canonical path of the type, trait or module: `reqwest::RequestBuilder`.
    pub path: String,
    /// Method or function name.
    pub method: String,
    /// Number of arguments without the receiver, where that tells it apart.
    #[serde(default)]
    pub arity: Option<usize>,
    /// What it does; with [`MethodSource::Chain`] the effect of a write.
    pub effect: Effect,
    /// When.
    #[serde(default)]
    pub trigger: Trigger,
    /// What decides whether it reads or writes.
    #[serde(default)]
    pub method_source: MethodSource,
    /// How the request carries a key to the provider: `header Idempotency-Key`, `method request_strategy`.
    #[serde(default)]
    pub key_door: Option<String>,
    /// Whether `path` is a trait, so that any receiver bound by it counts.
    #[serde(default)]
    pub is_trait: bool,
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
    pub returns: String,
    /// The HTTP method that it fixes: `POST`, or `arg 0`.
    #[serde(default)]
    pub http_method: Option<String>,
}

/// Every crate that is known, sorted by package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    /// One entry a file of `lints/crates/`.
    pub crates: Vec<CrateCalls>,
}
