//! Findings as JSON: `{"version":1,"findings":[..],"summary":{..}}`.

use std::collections::BTreeMap;

use base64::Engine as _;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::diagnostic::{Finding, Level, Verdict};
use crate::source::Position;

#[derive(Serialize)]
struct Report<'a> {
    version: u32,
    findings: Vec<Entry<'a>>,
    summary: serde_json::Map<String, serde_json::Value>,
}

#[derive(Serialize)]
struct Entry<'a> {
    rule: &'a str,
    level: Level,
    message: &'a str,
    file: &'a str,
    start: Position,
    end: Position,
    help: Option<&'a str>,
    fingerprint: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
}

/// The findings with a fingerprint each that stays when lines move; the counts by level go into `summary`.
#[must_use]
pub fn findings(findings: &[Finding], mut summary: serde_json::Map<String, serde_json::Value>) -> String {
    for level in [Level::Error, Level::Warning, Level::Note] {
        let number = findings.iter().filter(|finding| finding.level == level).count();
        summary.insert(format!("{}s", level.name()), number.into());
    }
    let entries = findings.iter().zip(fingerprints(findings)).map(|(finding, fingerprint)| entry(finding, fingerprint));
    pretty(&Report { version: 1, findings: entries.collect(), summary })
}

/// A document of ours as indented JSON with a final line break.
#[must_use]
pub fn pretty(document: &impl Serialize) -> String {
    // Only maps with keys that are no strings fail, and no document of ours has one; an empty text is no JSON,
    // so that a reader notices.
    serde_json::to_string_pretty(document).map(|text| text + "\n").unwrap_or_default()
}

fn entry(finding: &Finding, fingerprint: String) -> Entry<'_> {
    let source = &finding.place.source;
    Entry {
        rule: finding.rule,
        level: finding.level,
        message: &finding.message,
        file: source.name(),
        start: source.position(finding.place.span.start),
        end: source.position(finding.place.span.end),
        help: finding.help.as_deref(),
        fingerprint,
        verdict: finding.verdict,
    }
}

/// One for each finding, from rule, file and subject; equal ones are told apart by their order in the file.
#[must_use]
pub fn fingerprints(findings: &[Finding]) -> Vec<String> {
    let mut seen: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    let ordinals = findings.iter().map(|finding| {
        let subject = (finding.rule, finding.place.source.name(), finding.subject.as_str());
        let ordinal = seen.entry(subject).or_default();
        *ordinal += 1;
        digest(&[subject.0, subject.1, subject.2, &ordinal.to_string()])
    });
    ordinals.collect()
}

/// 24 characters of a SHA-256: enough that two findings of one code base do not meet.
fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    let mut text = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(hash.finalize());
    text.truncate(24);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Label;
    use crate::source::{Source, Span};

    fn finding(text: &str, at: usize) -> Finding {
        let source = Source::new("src/a.rs", text);
        let place = Label::new(&source, Span::new(at, at + 1), "l");
        Finding::new("unguarded-send", Level::Error, "m", place).with_subject("a::f post")
    }

    #[test]
    fn fingerprints_stay_when_lines_move_and_tell_equals_apart() {
        let before = fingerprints(&[finding("abc", 0), finding("abc", 1)]);
        let after = fingerprints(&[finding("\n\nabc", 2), finding("\n\nabc", 3)]);
        assert_eq!(before, after);
        assert_ne!(before[0], before[1]);
        assert_eq!(before[0].len(), 24);
    }

    #[test]
    fn the_form_is_the_contract() {
        let summary = serde_json::Map::from_iter([("files".to_owned(), 1.into())]);
        let value: serde_json::Value = serde_json::from_str(&findings(&[finding("abc", 1)], summary)).unwrap();
        assert_eq!(value["version"], 1);
        assert_eq!(value["findings"][0]["start"], serde_json::json!({"line": 1, "column": 2}));
        assert_eq!(value["findings"][0]["level"], "error");
        assert_eq!(value["summary"], serde_json::json!({"files": 1, "errors": 1, "warnings": 0, "notes": 0}));
        assert!(value["findings"][0].get("verdict").is_none());
    }
}
