//! The report in its four forms, of an outcome made by hand.

use std::time::Duration;

use onlyonce::chaos::Outcome;
use onlyonce::chaos::faults::{self, Round};
use onlyonce::chaos::journal::{Accepted, Line};
use onlyonce::chaos::verdict::{Finding, Kind, Waiting};
use onlyonce::report::chaos as report;
use uppsala::{XsdValidator, parse};

/// A text as nobody should write it, and somebody will.
const HOSTILE: &str = "<b>&\"'\u{1b}[2J\u{0}";

fn accepted(message_id: &str) -> Accepted {
    Accepted {
        at_ms: 1200,
        action: "send_reply".to_owned(),
        act: HOSTILE.to_owned(),
        event: Some(1),
        key: None,
        payload: "Hello".to_owned(),
        message_id: message_id.to_owned(),
    }
}

fn outcome(with_finding: bool) -> Outcome {
    let line = |fault: bool, text: &str| Line { at_ms: 1234, event: Some(1), fault, text: text.to_owned() };
    let round = |number: usize, name: &str| Round { number, fault: faults::find(name).unwrap(), event: 0, hit: 0 };
    let finding = Finding {
        kind: Kind::Duplicate,
        action: "send_reply".to_owned(),
        act: HOSTILE.to_owned(),
        event: Some(1),
        fault: Some("kill-after-acceptance".to_owned()),
        message: "accepted 2 times, as msg-1, msg-2".to_owned(),
        timeline: vec![line(true, "kill-after-acceptance: killed"), line(false, HOSTILE)],
    };
    Outcome {
        plan: "chaos.toml".to_owned(),
        seed: 7,
        began: jiff::Timestamp::UNIX_EPOCH,
        took: Duration::from_millis(61_500),
        rounds: vec![(round(1, "kill-after-acceptance"), true), (round(2, "replay-in-turn"), false)],
        findings: if with_finding { vec![finding] } else { Vec::new() },
        waiting: vec![Waiting {
            class: "unknown".to_owned(),
            action: "send_reply".to_owned(),
            key: HOSTILE.to_owned(),
            reason: Some("no outcome".to_owned()),
        }],
        accepted: ["msg-1", "msg-2"].map(accepted).to_vec(),
        expected: 2,
        strange: 1,
        ledger: false,
        lines: vec![line(false, HOSTILE)],
        worker_log: String::new(),
    }
}

#[test]
fn people_read_the_timeline_and_the_sums() {
    let text = report::text(&outcome(true));
    for wanted in [
        "duplicate: send_reply <b>&\"'\\u{1b}[2J\\u{0}, event 1, kill-after-acceptance: accepted 2 times",
        "      1.234s ! kill-after-acceptance: killed\n",
        "waits (unknown): send_reply <b>",
        "1 duplicate, 0 contradictions, 0 lost, 0 misrecorded\n",
        "2 rounds with seed 7 in 1m1s: 1 fault, 2 requests accepted, 2 acts expected, 1 waiting for a person\n",
        "1 of them did not come about: replay-in-turn\n",
        "no event of the plan leads to 1 accepted request\n",
        "no ledger was read",
    ] {
        assert!(text.contains(wanted), "{wanted:?} is not in\n{text}");
    }
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn tools_read_the_same() {
    let document: serde_json::Value = serde_json::from_str(&report::document(&outcome(true))).unwrap();
    assert_eq!(document["findings"][0]["kind"], "duplicate");
    assert_eq!(document["findings"][0]["timeline"][1]["text"], HOSTILE);
    assert_eq!(document["summary"]["findings"]["duplicate"], 1);
    assert_eq!(document["rounds"][1]["met"], false);
    assert_eq!(document["accepted"][1]["message_id"], "msg-2");
}

#[test]
fn junit_fits_the_schema_with_a_test_a_fault() {
    let schema = parse(include_str!("../report/junit-10.xsd")).unwrap();
    let validator = XsdValidator::from_schema(&schema).unwrap();
    for (with_finding, failures) in [(true, 1), (false, 0)] {
        let text = report::junit(&outcome(with_finding));
        let document = parse(&text).unwrap();
        let errors = validator.validate(&document);
        assert!(errors.is_empty(), "{errors:?}\n{text}");
        assert_eq!(document.get_elements_by_tag_name("testcase").len(), 2);
        assert_eq!(document.get_elements_by_tag_name("failure").len(), failures);
    }
}

#[test]
fn the_page_holds_all_and_runs_nothing() {
    let page = report::html(&outcome(true));
    assert!(page.contains("failed") && page.contains("1.234 s") && page.contains("&lt;b&gt;"), "{page}");
    assert!(!page.contains("<b>") && !page.contains("<script"), "{page}");
    assert!(report::html(&outcome(false)).contains("<span class=\"passed\">passed</span>"));
}

#[test]
fn faults_are_listed_with_how_exactly_they_are_met() {
    let text = report::faults();
    assert!(text.contains("kill-before-record           exact with a ledger  killed"), "{text}");
    assert_eq!(text.lines().count(), faults::ALL.len());
}
