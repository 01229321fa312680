//! The ledger's numbers for people, for tools, and in Prometheus' text exposition format 0.0.4.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::escape::shown;
use crate::live::numbers::{Gauge, Numbers};
use crate::report::{json, queue};

/// Prometheus alerting rules over these metrics.
pub const ALERTS: &str = include_str!("../../sql/alerts.yaml");

/// Seconds since which nothing of ours happened: a lag since 1970 is one of what has never been.
const NEVER: f64 = 1e9;

/// What each number of `health` means, sorted by name.
const MEANINGS: [(&str, &str); 16] = [
    ("exhausted", "Actions that were not attempted and have no attempt left; they wait for a person."),
    ("inbound_overdue", "Inbound events whose claim is over and that are not finished; they wait for a person."),
    ("inbound_received", "Inbound events that are not finished."),
    ("late_evidence", "Reports that are kept of attempts that no longer held their action."),
    ("may_go_again", "Actions that the next reserve lets go: released by a person, or not attempted."),
    ("oldest_pending_seconds", "How long ago the oldest pending action was reserved."),
    ("oldest_unknown_seconds", "How long the oldest unknown action has been waiting."),
    ("paused", "1 while reserve answers paused."),
    ("pending", "Actions that a worker holds."),
    ("pending_overdue", "Pending actions past their deadline that no sweep has marked unknown yet."),
    ("purge_lag_seconds", "How long the oldest row has outlived what is kept."),
    ("rejected", "Actions that the provider refused for good; they wait for a person."),
    ("retention_margin_seconds", "How much longer a source's event ids are kept than its provider redelivers."),
    ("shared_message_ids", "Provider message ids that stand on several actions."),
    ("sweep_lag_seconds", "How long ago the last sweep that left nothing behind began; since 1970 where none has."),
    ("unknown", "Actions of which nobody knows whether they were sent; they wait for a person."),
];

/// Both views as two lists.
#[must_use]
pub fn text(numbers: &Numbers) -> String {
    let mut text = String::new();
    let width = numbers.health.iter().map(|gauge| gauge.name.chars().count()).max().unwrap_or(0);
    for Gauge { name, value } in &numbers.health {
        let said = match name.contains("_seconds") {
            true if *value > NEVER => "never".to_owned(),
            true => queue::age(*value),
            false => value.to_string(),
        };
        let _ = writeln!(text, "{:<width$}  {said:>8}", shown(name));
    }
    if !numbers.duplicate_counts.is_empty() {
        text.push('\n');
    }
    let names: Vec<String> = numbers
        .duplicate_counts
        .iter()
        .map(|count| format!("{} {} {}", shown(&count.scope), shown(&count.name), shown(&count.kind)))
        .collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    for (name, count) in names.iter().zip(&numbers.duplicate_counts) {
        let _ = writeln!(text, "{name:<width$}  {:>8}", count.hits);
    }
    text
}

#[derive(Serialize)]
struct Document<'a> {
    version: u8,
    #[serde(flatten)]
    numbers: &'a Numbers,
}

/// The same for tools.
#[must_use]
pub fn document(numbers: &Numbers) -> String {
    json::pretty(&Document { version: 1, numbers })
}

/// The same for Prometheus: every metric with HELP and TYPE, labelled with the ledger's schema.
#[must_use]
pub fn prometheus(numbers: &Numbers, schema: &str) -> String {
    let mut families: BTreeMap<&str, Vec<(Option<&str>, f64)>> = BTreeMap::new();
    for Gauge { name, value } in &numbers.health {
        let (family, source) =
            name.split_once('.').map_or((name.as_str(), None), |(name, source)| (name, Some(source)));
        families.entry(family).or_default().push((source, *value));
    }
    let mut text = String::new();
    for (family, samples) in families.into_iter().filter(|(family, _)| is_metric_name(family)) {
        let meaning = MEANINGS.binary_search_by_key(&family, |(name, _)| name).ok().and_then(|at| MEANINGS.get(at));
        let meaning = meaning.map_or("A number of the view health.", |(_, meaning)| meaning);
        let _ = writeln!(text, "# HELP onlyonce_{family} {meaning}\n# TYPE onlyonce_{family} gauge");
        for (source, value) in samples {
            let source = source.map(|source| format!(",source=\"{}\"", label(source))).unwrap_or_default();
            let _ = writeln!(text, "onlyonce_{family}{{schema=\"{}\"{source}}} {}", label(schema), number(value));
        }
    }
    // Here even while there is none, so that the family can be asked for.
    let counts = "onlyonce_duplicate_counts_total";
    let _ = writeln!(text, "# HELP {counts} How often something came again, came late or was swept.");
    let _ = writeln!(text, "# TYPE {counts} counter");
    for count in &numbers.duplicate_counts {
        let labels = [("schema", schema), ("scope", &count.scope), ("name", &count.name), ("kind", &count.kind)];
        let labels: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", label(value))).collect();
        let _ = writeln!(text, "{counts}{{{}}} {}", labels.join(","), count.hits);
    }
    text
}

/// Names of a later version of the view have to be fit too.
fn is_metric_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|octet| octet.is_ascii_alphanumeric() || octet == b'_')
}

fn label(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

fn number(value: f64) -> String {
    match value {
        value if value == f64::INFINITY => "+Inf".to_owned(),
        value if value == f64::NEG_INFINITY => "-Inf".to_owned(),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::numbers::Count;

    #[test]
    fn meanings_are_sorted_and_plain() {
        assert!(MEANINGS.is_sorted_by_key(|(name, _)| name));
        assert!(MEANINGS.iter().all(|(name, meaning)| is_metric_name(name) && !meaning.contains(['\\', '\n'])));
    }

    #[test]
    fn hostile_names_stay_within_their_label() {
        let gauge = |name: &str, value| Gauge { name: name.to_owned(), value };
        let numbers = Numbers {
            health: vec![
                gauge("no metric", 1.0),
                gauge("retention_margin_seconds.a\"}\\\n b", 0.5),
                gauge("sweep_lag_seconds", f64::INFINITY),
            ],
            duplicate_counts: vec![Count {
                scope: "action".to_owned(),
                name: "a\"b".to_owned(),
                kind: "sent".to_owned(),
                hits: 9_007_199_254_740_993,
            }],
        };
        let text = prometheus(&numbers, "onlyonce");
        for line in [
            "onlyonce_retention_margin_seconds{schema=\"onlyonce\",source=\"a\\\"}\\\\\\n b\"} 0.5",
            "onlyonce_sweep_lag_seconds{schema=\"onlyonce\"} +Inf",
            "onlyonce_duplicate_counts_total{schema=\"onlyonce\",scope=\"action\",name=\"a\\\"b\",kind=\"sent\"} 9007199254740993",
        ] {
            assert!(text.lines().any(|shown| shown == line), "{line}\n{text}");
        }
        assert!(!text.contains("no metric"));
    }
}
