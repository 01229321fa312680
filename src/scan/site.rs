//! One outbound call and its verdict. Never absent: what could not be decided says so.

use crate::catalog::call::Effect;
use crate::scan::index::FnId;
use crate::scan::ir::ExprId;
use crate::source::Span;

/// An outbound call as the matcher found it, before guards are looked at.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Sink {
    /// The function whose body holds it.
    pub function: FnId,
    /// The call's expression in that body.
    pub expr: ExprId,
    /// Index of the file in the index.
    pub file: usize,
    /// The whole call chain, the awaited part included.
    pub span: Span,
    /// `reqwest::RequestBuilder::send`.
    pub api: String,
    /// What it does.
    pub effect: Effect,
    /// How the target was found.
    pub resolution: Resolution,
    /// Why it cannot be told whether, or what, this sends.
    pub undecided: Option<String>,
    /// The HTTP method and URL literal, as far as they are known, and what decided the effect: for people.
    pub reason: String,
    /// HTTP method: `POST`.
    pub http_method: Option<String>,
    /// The URL's literal part.
    pub url: Option<String>,
    /// A PUT or DELETE that is repeatable by the id in its own URL.
    pub natural: bool,
    /// The key that the request itself carries to the provider, in the way that the catalog names.
    pub provider_key: Option<ProviderKey>,
    /// The crate sends again by itself.
    pub built_in_retry: bool,
    /// Of a helper that is given what it sends: the calls that decide it, each with what it asks for. Empty
    /// where nobody but the function itself decides.
    pub asked: Vec<AskedFor>,
}

/// A call that decides what a helper sends.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct AskedFor {
    /// The calls that lead to the helper, the innermost first; the last one decides. Never empty.
    pub calls: Vec<(FnId, ExprId)>,
    /// What it asks for.
    pub effect: Effect,
    /// What decided the effect, for people.
    pub reason: String,
    /// HTTP method.
    pub http_method: Option<String>,
    /// The URL's literal part.
    pub url: Option<String>,
    /// A PUT or DELETE that is repeatable by the id in its own URL.
    pub natural: bool,
    /// The key that the request carries to the provider.
    pub provider_key: Option<ProviderKey>,
}

/// A key that a request carries to the provider.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ProviderKey {
    /// `header Idempotency-Key`, `method message_deduplication_id`.
    pub door: String,
    /// The expression that makes the key, in the body of the sink's function (or of `function`).
    pub value: ExprId,
    /// The function whose body holds `value`.
    pub function: FnId,
}

/// How a call's target was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Resolution {
    /// From written types.
    Typed,
    /// From shape and context.
    Inferred,
}

/// What is said of an outbound call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// At most one per key passes.
    Guarded,
    /// Nothing stops a second one.
    Unguarded,
    /// Could not be told.
    Undecided,
    /// Allowed by a comment, the manifest or its class (auth, telemetry).
    Exempt,
    /// Changes nothing.
    Read,
}

/// What guards a call.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Guard {
    /// Which form.
    pub kind: GuardKind,
    /// The action type, where it is known.
    pub action: Option<String>,
}

/// The forms of a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GuardKind {
    /// In the closure given to the generated client's `once`.
    Once,
    /// A permit or slot is in scope.
    Permit,
    /// The request carries the key.
    ProviderKey,
    /// A guard that the manifest declares.
    Custom,
    /// Every caller is guarded.
    Callers,
}

/// One outbound call with its verdict.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Site {
    /// The call.
    pub sink: Sink,
    /// Path of the function for people.
    pub function: String,
    /// What is said of it.
    pub verdict: Verdict,
    /// What guards it.
    pub guard: Option<Guard>,
    /// For undecided ones.
    pub why: Option<String>,
    /// Paths from entry points, shortest first, at most 5; each from the entry point to this function.
    pub callers: Vec<Vec<String>>,
}
