//! Findings as SARIF 2.1.0, as code scanning takes them in.
//!
//! Paths are relative to the top of the repository; columns count characters. What a person or the baseline silenced is
//! there too, as suppressed. GitHub takes at most 25,000 results of a run and reads no suppressions, so what is
//! uploaded there should leave those out (README.md says how).

use serde_json::{Value, json};

use crate::diagnostic::{Finding, Label, Level, Silenced, Silencer};
use crate::gate::Checked;
use crate::gate::identity::fingerprint;
use crate::gate::place::Place;
use crate::report;
use crate::report::json::pretty;
use crate::rule::{Domain, Rule};

/// More results of a run than these are refused by code scanning.
const MOST: usize = 25_000;

/// What paths are relative to: the consumer knows where it has the repository.
const BASE: &str = "%SRCROOT%";

/// The document. `exit` is the exit code of the check.
#[must_use]
pub fn document(checked: &Checked, place: &Place, exit: u8) -> String {
    let told = Told { place, rules: report::rules() };
    let mut results: Vec<(&Finding, Option<&Silenced>)> = checked.findings.iter().map(|one| (one, None)).collect();
    results.extend(checked.silenced.iter().map(|one| (&one.finding, Some(one))));
    let left_out = results.len().saturating_sub(MOST);
    if left_out > 0 {
        results.sort_by_key(|(finding, silenced)| (silenced.is_some(), std::cmp::Reverse(finding.level)));
        results.truncate(MOST);
    }
    let results: Vec<Value> = results.into_iter().map(|(finding, by)| told.result(finding, by)).collect();
    let category = place.in_repository("");
    let id = if category.is_empty() { "onlyonce/".to_owned() } else { format!("onlyonce/{category}/") };
    pretty(&json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "onlyonce",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": told.rules.iter().map(|rule| self::rule(rule)).collect::<Vec<_>>(),
            } },
            "automationDetails": { "id": id },
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { BASE: { "description": { "text": "the top of the repository" } } },
            "invocations": [{
                "executionSuccessful": true,
                "exitCode": exit,
                "toolExecutionNotifications": told.notifications(checked, left_out),
            }],
            "results": results,
        }],
    }))
}

struct Told<'a> {
    place: &'a Place,
    rules: Vec<&'static Rule>,
}

impl Told<'_> {
    fn result(&self, finding: &Finding, silenced: Option<&Silenced>) -> Value {
        let message = match &finding.help {
            Some(help) => format!("{}\nhelp: {help}", finding.message),
            None => finding.message.clone(),
        };
        let mut location = json!({ "physicalLocation": self.physical(&finding.place, true) });
        let function = finding.subject.function.as_str();
        if !function.is_empty() && function != finding.place.source.name() {
            location["logicalLocations"] = json!([{ "fullyQualifiedName": function, "kind": "function" }]);
        }
        let related = finding.related.iter().zip(1..).map(|(label, id)| {
            json!({ "id": id, "physicalLocation": self.physical(label, false), "message": { "text": label.text } })
        });
        let mut result = json!({
            "ruleId": finding.rule,
            "level": level(finding.level),
            "message": { "text": message },
            "locations": [location],
            "relatedLocations": related.collect::<Vec<_>>(),
            "partialFingerprints": { "onlyonce/v1": fingerprint(finding) },
        });
        if let Ok(index) = self.rules.binary_search_by_key(&finding.rule, |rule| rule.name) {
            result["ruleIndex"] = index.into();
        }
        if let Some(silenced) = silenced {
            result["suppressions"] = json!([self.suppression(silenced)]);
        }
        result
    }

    fn suppression(&self, silenced: &Silenced) -> Value {
        let justification = match &silenced.until {
            Some(until) => format!("{} (until {until})", silenced.reason),
            None => silenced.reason.clone(),
        };
        let kind = match silenced.by {
            Silencer::Comment => "inSource",
            Silencer::Manifest | Silencer::Baseline => "external",
        };
        let mut suppression = json!({ "kind": kind, "status": "accepted", "justification": justification });
        if let Some(at) = &silenced.at {
            suppression["location"] = json!({ "physicalLocation": self.physical(at, false) });
        }
        suppression
    }

    fn physical(&self, label: &Label, with_text: bool) -> Value {
        let (source, span) = (&label.source, label.span);
        let (start, end) = (source.position(span.start), source.position(span.end));
        let mut region = json!({
            "startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column,
        });
        let code = source.slice(span);
        if with_text && !code.is_empty() && code.len() <= LONGEST {
            region["snippet"] = json!({ "text": code });
        }
        json!({ "artifactLocation": { "uri": self.uri(source.name()), "uriBaseId": BASE }, "region": region })
    }

    fn uri(&self, name: &str) -> String {
        percent_encoding::utf8_percent_encode(&self.place.in_repository(name), ENCODED).to_string()
    }

    /// What kept the check from looking at everything.
    fn notifications(&self, checked: &Checked, left_out: usize) -> Vec<Value> {
        let unread = checked.scanned.iter().flat_map(|scanned| &scanned.coverage.files_unread).map(|name| {
            let location = json!({ "artifactLocation": { "uri": self.uri(name), "uriBaseId": BASE } });
            json!({
                "level": "error",
                "message": { "text": format!("{name} was not read") },
                "locations": [{ "physicalLocation": location }],
            })
        });
        let cut = (left_out > 0).then(|| {
            let text = format!("{left_out} results are left out: {MOST} are all that code scanning takes");
            json!({ "level": "warning", "message": { "text": text } })
        });
        unread.chain(cut).collect()
    }
}

/// The longest code that is quoted, in bytes.
const LONGEST: usize = 2000;

/// What stands in a path and not as it is in a URI.
const ENCODED: &percent_encoding::AsciiSet =
    &percent_encoding::NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn rule(rule: &Rule) -> Value {
    let domain = match rule.domain {
        Domain::Code => "code",
        Domain::Sql => "sql",
    };
    let severity = match rule.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "recommendation",
    };
    json!({
        "id": rule.name,
        "name": rule.name,
        "shortDescription": { "text": rule.summary() },
        "fullDescription": { "text": rule.summary() },
        "help": { "text": rule.page, "markdown": rule.page },
        "defaultConfiguration": { "level": level(rule.level) },
        "properties": {
            "tags": ["idempotency", "reliability", domain],
            "precision": "high",
            "problem.severity": severity,
        },
    })
}

/// SARIF's words are ours.
fn level(level: Level) -> &'static str {
    level.name()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Source, Span};

    /// Code scanning refuses more, and the mildest are the first to go.
    #[test]
    fn there_are_never_more_results_than_are_taken() {
        let source = Source::new("src/a.rs", "a");
        let finding = |level| Finding::new("unguarded-send", level, "m", Label::new(&source, Span::new(0, 1), "l"));
        let mut findings = vec![finding(Level::Note); 3];
        findings.extend(vec![finding(Level::Error); MOST]);
        let checked = Checked { findings, ..Checked::default() };
        let place = Place { root: "/top".into(), top: "/top".into() };
        let document: Value = serde_json::from_str(&document(&checked, &place, 1)).unwrap();
        let results = document["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), MOST);
        assert!(results.iter().all(|result| result["level"] == "error"));
        let told = &document["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
        assert!(told.as_str().unwrap().starts_with("3 results are left out"), "{told}");
    }
}
