//! What an acceptance run has shown, as text, JSON, HTML and JUnit.

mod html;

pub use html::document as html;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

use serde_json::json;

use crate::chaos::Outcome;
use crate::chaos::faults::{self, Fault};
use crate::chaos::journal::Line;
use crate::chaos::verdict::{Finding, Kind};
use crate::duration;
use crate::escape::shown;
use crate::report::human::plural;
use crate::report::junit::escaped;

/// Every kind of finding.
const KINDS: [Kind; 4] = [Kind::Duplicate, Kind::Contradiction, Kind::Lost, Kind::Misrecorded];

/// For people: each finding with its timeline, what waits, and the sums.
#[must_use]
pub fn text(outcome: &Outcome) -> String {
    let mut text: String = outcome.findings.iter().map(finding).collect();
    for waiting in &outcome.waiting {
        let reason = waiting.reason.as_deref().map(|reason| format!(": {}", shown(reason))).unwrap_or_default();
        let _ = writeln!(text, "waits ({}): {} {}{reason}", waiting.class, shown(&waiting.action), shown(&waiting.key));
    }
    for line in sums(outcome) {
        let _ = writeln!(text, "{line}");
    }
    text
}

fn finding(finding: &Finding) -> String {
    let mut text = format!("{}: {}\n", heading(finding), shown(&finding.message));
    for line in &finding.timeline {
        let _ = writeln!(text, "  {}", moment(line));
    }
    text + "\n"
}

/// "duplicate: send_reply 49151, event 3, kill-after-acceptance".
fn heading(finding: &Finding) -> String {
    let mut text = format!("{}: {} {}", finding.kind.name(), shown(&finding.action), shown(&finding.act));
    if let Some(event) = finding.event {
        let _ = write!(text, ", event {event}");
    }
    if let Some(fault) = &finding.fault {
        let _ = write!(text, ", {fault}");
    }
    text
}

fn moment(line: &Line) -> String {
    let mark = if line.fault { '!' } else { ' ' };
    format!("{:>9.3}s {mark} {}", Duration::from_millis(line.at_ms).as_secs_f64(), shown(&line.text))
}

/// The sums, a line each.
fn sums(outcome: &Outcome) -> Vec<String> {
    let counted = KINDS.map(|kind| match (kind, count(outcome, kind)) {
        (Kind::Duplicate | Kind::Contradiction, count) => plural(count, kind.name()),
        (Kind::Lost | Kind::Misrecorded, count) => format!("{count} {}", kind.name()),
    });
    let mut lines = vec![counted.join(", ")];
    let met = outcome.rounds.iter().filter(|(_, met)| *met).count();
    let took = duration::format(outcome.took.max(Duration::from_secs(1)));
    lines.push(format!(
        "{} with seed {} in {took}: {}, {} accepted, {} expected, {} waiting for a person",
        plural(outcome.rounds.len(), "round"),
        outcome.seed,
        plural(met, "fault"),
        plural(outcome.accepted.len(), "request"),
        plural(outcome.expected, "act"),
        outcome.waiting.len(),
    ));
    let missed: BTreeSet<&str> =
        outcome.rounds.iter().filter(|(_, met)| !met).map(|(round, _)| round.fault.name).collect();
    if !missed.is_empty() {
        let names: Vec<&str> = missed.into_iter().collect();
        lines.push(format!("{} of them did not come about: {}", outcome.rounds.len() - met, names.join(", ")));
    }
    if outcome.strange > 0 {
        let strange = plural(outcome.strange, "accepted request");
        lines.push(format!("no event of the plan leads to {strange}"));
    }
    if !outcome.ledger {
        lines.push("no ledger was read: judged by the provider alone".to_owned());
    }
    lines
}

/// How many findings are of this kind.
fn count(outcome: &Outcome, kind: Kind) -> usize {
    outcome.findings.iter().filter(|finding| finding.kind == kind).count()
}

/// For tools.
#[must_use]
pub fn document(outcome: &Outcome) -> String {
    let rounds: Vec<_> = outcome
        .rounds
        .iter()
        .map(|(round, met)| json!({"number": round.number, "fault": round.fault.name, "met": met}))
        .collect();
    let counts: BTreeMap<&str, usize> = KINDS.map(|kind| (kind.name(), count(outcome, kind))).into_iter().collect();
    let document = json!({
        "version": 1,
        "plan": outcome.plan,
        "seed": outcome.seed,
        "began": outcome.began.to_string(),
        "took_ms": u64::try_from(outcome.took.as_millis()).unwrap_or(u64::MAX),
        "ledger": outcome.ledger,
        "summary": {
            "findings": counts,
            "accepted": outcome.accepted.len(),
            "expected": outcome.expected,
            "strange": outcome.strange,
            "waiting": outcome.waiting.len(),
        },
        "rounds": rounds,
        "findings": outcome.findings,
        "waiting": outcome.waiting,
        "accepted": outcome.accepted,
        "lines": outcome.lines,
    });
    document.to_string() + "\n"
}

/// For CI: a test a fault, failed where a finding was exposed by it.
#[must_use]
pub fn junit(outcome: &Outcome) -> String {
    let mut cases: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for (round, _) in &outcome.rounds {
        cases.entry(round.fault.name).or_default();
    }
    for finding in &outcome.findings {
        cases.entry(finding.fault.as_deref().unwrap_or("no event")).or_default().push(finding);
    }
    let failures = cases.values().filter(|findings| !findings.is_empty()).count();
    let stamp = jiff::tz::Offset::UTC.to_datetime(outcome.began).strftime("%Y-%m-%dT%H:%M:%S").to_string();
    let (name, tests) = (escaped(&outcome.plan), cases.len());
    let time = outcome.took.as_secs_f64();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, r#"<testsuites name="onlyonce" tests="{tests}" failures="{failures}" errors="0">"#);
    let _ = writeln!(
        out,
        r#"  <testsuite name="{name}" tests="{tests}" failures="{failures}" errors="0" skipped="0" time="{time:.3}" timestamp="{stamp}">"#
    );
    for (fault, findings) in cases {
        let fault = escaped(fault);
        if findings.is_empty() {
            let _ = writeln!(out, r#"    <testcase classname="{name}" name="{fault}" time="0"/>"#);
            continue;
        }
        let _ = writeln!(out, r#"    <testcase classname="{name}" name="{fault}" time="0">"#);
        let kind = findings.first().map(|finding| finding.kind.name()).unwrap_or_default();
        let message = escaped(&findings.iter().map(|finding| heading(finding)).collect::<Vec<_>>().join("; "));
        let text = escaped(&findings.iter().map(|found| finding(found)).collect::<String>());
        let _ = writeln!(out, r#"      <failure type="{kind}" message="{message}">{text}</failure>"#);
        out.push_str("    </testcase>\n");
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

/// Every fault that a plan can name, a line each.
#[must_use]
pub fn faults() -> String {
    let width = faults::ALL.iter().map(|fault| fault.name.len()).max().unwrap_or(0);
    let line = |fault: &Fault| format!("{:width$}  {:19}  {}\n", fault.name, fault.placed.name(), fault.says);
    faults::ALL.iter().map(line).collect()
}
