//! What the scan found, as far as the pages tell of it.

use serde::Serialize;

use crate::catalog::call::Effect;
use crate::scan::site::{GuardKind, Verdict};

/// What the scan found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Outbound calls, sorted by file and line.
    pub calls: Vec<Call>,
    /// Reviewed exceptions, sorted by rule and place.
    pub exceptions: Vec<Exception>,
}

/// An outbound call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Call {
    /// Relative to the manifest's folder, with `/`.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Path of the function.
    pub function: String,
    /// `reqwest::RequestBuilder::send`.
    pub api: String,
    /// What it does.
    pub effect: Effect,
    /// What is said of it.
    pub verdict: Verdict,
    /// What guards it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guard: Option<GuardKind>,
    /// The action type that guards it, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// For undecided ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A reviewed exception.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Exception {
    /// The rule that is silenced.
    pub rule: String,
    /// `src/ops.rs:12`, or the path that the manifest names.
    pub place: String,
    /// Why.
    pub reason: String,
    /// The last day on which it holds: `2027-06-30`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}
