//! The correct worker under everything.

use std::fs;

use serde_json::Value;

use crate::courier::{Place, findings, report};
use crate::support;

/// Every fault that there is; the sample's own plan runs as the README's command does (tests/readme.rs).
#[test]
fn nothing_is_doubled_or_lost_under_any_fault() {
    let place = Place::new();
    place.plan(&[("settle = \"5s\"", "settle = \"3s\"")], "");
    let output = place.command(&["--format", "json", "--out", "reports"]).output().unwrap();
    let report = report(&output);
    assert_eq!(findings(&report), [], "{report:#}");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let missed: Vec<&str> = report["rounds"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|round| round["met"] != true)
        .map(|round| round["fault"].as_str().unwrap())
        .collect();
    assert_eq!(missed, [""; 0]);
    assert_eq!(report["rounds"].as_array().unwrap().len(), onlyonce::chaos::faults::ALL.len());
    moments_are_exact(&report);
    for name in ["chaos.txt", "chaos.json", "chaos.html", "chaos.xml", "worker.log"] {
        assert!(place.0.path().join("reports").join(name).is_file(), "{name}");
    }
    let page = fs::read_to_string(place.0.path().join("reports/chaos.html")).unwrap();
    assert!(page.contains("passed") && page.contains("kill-after-acceptance"), "{page}");
}

/// A worker that answers later than it takes a message is waited for, as long as the plan says.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_takes_its_time_is_waited_for() {
    let server = support::server(support::majors()[0]);
    for (within, met) in [("1s", false), ("4s", true)] {
        let worker = format!("acts_within = \"{within}\"\n[worker.environment]\nDELAY_MS = \"1500\"");
        let place = Place::new();
        let changes = [("[worker.environment]", worker.as_str()), ("settle = \"5s\"", "settle = \"3s\"")];
        place.plan(&changes, "[faults]\nkill-after-acceptance = 1\n");
        let url = server.database().await.url(support::SUPERUSER);
        let output = place.command(&["--format", "json", "--database-url", &url]).output().unwrap();
        let report = report(&output);
        assert_eq!((findings(&report), output.status.code()), (Vec::new(), Some(0)), "{report:#}");
        assert_eq!(report["rounds"][0]["met"], met, "{report:#}");
    }
}

/// Who is killed at an exact moment has not recorded anything, and the provider has accepted what it should have: what
/// nobody knows waits for a person, neither sent anew nor forgotten.
fn moments_are_exact(report: &Value) {
    let round = |fault: &str| {
        let rounds = report["rounds"].as_array().unwrap();
        rounds.iter().find(|round| round["fault"] == fault).unwrap()["number"].as_u64().unwrap()
    };
    let has = |lines: &Value, text: &str| {
        lines.as_array().unwrap().iter().any(|line| line["text"].as_str().unwrap_or_default().starts_with(text))
    };
    for (fault, accepted) in [
        ("kill-before-send", false),
        ("kill-mid-request", false),
        ("kill-after-acceptance", true),
        ("kill-before-record", true),
    ] {
        let number = round(fault);
        let (to, key) = (format!("send_reply 49151{number:06} accepted"), format!("wamid.{number:06}"));
        assert_eq!(has(&report["lines"], &to), accepted, "{fault}: {report:#}");
        let waiting = report["waiting"].as_array().unwrap();
        let row = waiting.iter().find(|row| row["key"] == key.as_str() && row["action"] == "send_reply");
        let reason = row.unwrap_or_else(|| panic!("{fault}: {report:#}"))["reason"].as_str().unwrap();
        assert_eq!(reason, "no outcome was recorded in time", "{fault}");
    }
    assert!(has(&report["lines"], "the worker comes to record it, and is held"), "{report:#}");
    assert!(!has(&report["lines"], "the worker does not come to record it"), "{report:#}");
    // Who is told to end first ends its work, and records it.
    let number = round("term-after-acceptance");
    let waits = |row: &Value| row["key"] == format!("wamid.{number:06}").as_str();
    assert!(!report["waiting"].as_array().unwrap().iter().any(waits), "{report:#}");
}

/// Thousands of kills, when they are asked for.
#[test]
fn nothing_is_doubled_or_lost_in_a_long_run() {
    let kills: u32 = match std::env::var("ONLYONCE_KILLS") {
        Ok(kills) => kills.parse().expect("ONLYONCE_KILLS is a number"),
        Err(_) => return,
    };
    let place = Place::new();
    let faults = "[faults]\nkill-when-reserved = 1\nkill-before-send = 1\nkill-mid-request = 1\n\
        kill-after-acceptance = 1\nkill-before-record = 1\n";
    place.plan(&[("time_limit = \"10m\"", "time_limit = \"5h\""), ("settle = \"5s\"", "settle = \"3s\"")], faults);
    let times = kills.div_ceil(5).to_string();
    let output = place.command(&["--format", "json", "--times", &times]).output().unwrap();
    let report = report(&output);
    assert_eq!(findings(&report), [], "{}", report["summary"]);
    assert_eq!(output.status.code(), Some(0));
    let met = report["rounds"].as_array().unwrap().iter().filter(|round| round["met"] == true).count();
    eprintln!("{met} kills in {} ms: {}", report["took_ms"], report["summary"]);
    assert!(met * 100 >= report["rounds"].as_array().unwrap().len() * 98, "{met} of {kills} kills came about");
}
