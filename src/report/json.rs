//! Findings as JSON: `{"version":1,"findings":[..],"summary":{..}}`.

use serde::Serialize;

use crate::diagnostic::{Finding, Level, Verdict};
use crate::gate::identity::fingerprint;
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
    pretty(&Report { version: 1, findings: findings.iter().map(entry).collect(), summary })
}

/// A document of ours as indented JSON with a final line break.
#[must_use]
pub fn pretty(document: &impl Serialize) -> String {
    // Only maps with keys that are no strings fail, and no document of ours has one; an empty text is no JSON,
    // so that a reader notices.
    serde_json::to_string_pretty(document).map(|text| text + "\n").unwrap_or_default()
}

fn entry(finding: &Finding) -> Entry<'_> {
    let source = &finding.place.source;
    Entry {
        rule: finding.rule,
        level: finding.level,
        message: &finding.message,
        file: source.name(),
        start: source.position(finding.place.span.start),
        end: source.position(finding.place.span.end),
        help: finding.help.as_deref(),
        fingerprint: fingerprint(finding),
        verdict: finding.verdict,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Label;
    use crate::source::{Source, Span};

    fn finding(text: &str, at: usize) -> Finding {
        let source = Source::new("src/a.rs", text);
        let place = Label::new(&source, Span::new(at, at + 1), "l");
        Finding::new("unguarded-send", Level::Error, "m", place).with_subject("post")
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
