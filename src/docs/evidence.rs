//! What the scan found, as far as the pages tell of it.

use serde::Serialize;

use crate::catalog::call::Effect;
use crate::scan::index::Index;
use crate::scan::rules::allows;
use crate::scan::site::{GuardKind, Site, Verdict};
use crate::scan::{Judged, Scan};

/// What the scan found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Outbound calls, sorted by file and line.
    pub calls: Vec<Call>,
    /// Reviewed exceptions, sorted by rule and place.
    pub exceptions: Vec<Exception>,
}

impl Evidence {
    /// What this scan of the manifest's folder found.
    #[must_use]
    pub fn of(scan: &Scan, judged: &Judged) -> Evidence {
        Evidence {
            calls: judged.sites.iter().filter_map(|site| Call::of(site, &scan.index)).collect(),
            exceptions: judged.outcome.exceptions.iter().map(Exception::of).collect(),
        }
    }
}

impl Call {
    /// A site; one of a file that the index does not have is none.
    fn of(site: &Site, index: &Index) -> Option<Call> {
        let source = &index.files.get(site.sink.file)?.source;
        Some(Call {
            file: source.name().to_owned(),
            line: source.position(site.sink.span.start).line,
            function: site.function.clone(),
            api: site.sink.api.clone(),
            effect: site.sink.effect,
            verdict: site.verdict,
            guard: site.guard.as_ref().map(|guard| guard.kind),
            action: site.guard.as_ref().and_then(|guard| guard.action.clone()),
            why: site.why.clone(),
        })
    }
}

impl Exception {
    fn of(allowed: &allows::Exception) -> Exception {
        let place = &allowed.finding.place;
        let line = place.source.position(place.span.start).line;
        Exception {
            rule: allowed.finding.rule.to_owned(),
            place: format!("{}:{line}", place.source.name()),
            function: allowed.function.clone(),
            reason: allowed.reason.clone(),
            until: allowed.until.clone(),
        }
    }
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
    /// `src/ops.rs:12`.
    pub place: String,
    /// Path of the function; empty outside of any.
    pub function: String,
    /// Why.
    pub reason: String,
    /// The last day on which it holds: `2027-06-30`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}
