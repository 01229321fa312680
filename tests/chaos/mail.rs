//! The correct worker with lettre, under every fault that a relay of mail can show.

use crate::courier::{Place, findings, report};

/// The courier's plan with a relay in the place of the messenger.
const BY_MAIL: [(&str, &str); 5] = [
    ("PORT = \"{port}\"", "PORT = \"{port}\"\nSMTP_PORT = \"{smtp_port}\""),
    (
        "path = \"/v23.0/*/messages\"\nact = [\"body /to\"]\npayload = [\"body /text/body\"]",
        "protocol = \"smtp\"\nact = [\"header envelope-to\"]",
    ),
    (
        "key = \"body /biz_opaque_callback_data\"\nanswer = '{\"messages\":[{\"id\":\"{message_id}\"}]}'",
        "key = \"header x-key\"\nanswer = \"{message_id}\"",
    ),
    ("is = \"49151{n}\"", "is = \"49151{n}@customers.example\""),
    ("settle = \"5s\"", "settle = \"3s\""),
];

/// Kills, silence after DATA, refusals for now and for good, and a reset after the mail was taken.
const FAULTS: &str = "[faults]\nreplay-at-once = 1\nkill-before-send = 1\nkill-mid-request = 1\nkill-after-acceptance = 1\n\
    kill-before-record = 1\ntimeout-before-acceptance = 1\ntimeout-after-acceptance = 1\nreset-mid-request = 1\n\
    reset-after-acceptance = 1\nstatus-429 = 1\nstatus-500 = 1\nstatus-500-after-acceptance = 1\nanswer-cut = 1\n\
    answer-slow = 1\n";

#[test]
fn no_mail_is_doubled_or_lost() {
    let place = Place::new();
    place.plan(&BY_MAIL, FAULTS);
    let output = place.command(&["--format", "json"]).output().unwrap();
    let report = report(&output);
    assert_eq!(findings(&report), [], "{report:#}");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let rounds = report["rounds"].as_array().unwrap();
    assert_eq!(rounds.len(), 14);
    assert!(rounds.iter().all(|round| round["met"] == true), "{rounds:#?}");
    let said = report["lines"].to_string();
    for reply in ["answered 451 not now", "answered 554 refused"] {
        assert!(said.contains(reply), "{said}");
    }
    // What the ledger says of each: a mail that may have been taken waits for a person.
    let waits = |fault: &str| {
        let number = rounds.iter().find(|round| round["fault"] == fault).unwrap()["number"].as_u64().unwrap();
        let key = format!("wamid.{number:06}");
        let waiting = report["waiting"].as_array().unwrap().iter();
        waiting.filter(|row| row["key"] == key.as_str() && row["action"] == "send_reply").count() == 1
    };
    for fault in
        ["timeout-after-acceptance", "reset-after-acceptance", "status-500-after-acceptance", "kill-before-record"]
    {
        assert!(waits(fault), "{fault}: {report:#}");
    }
    assert!(!waits("answer-slow"), "{report:#}");
}

/// A worker that sends again when a relay does not answer sends twice.
#[test]
fn a_worker_that_sends_a_mail_again_is_caught() {
    let place = Place::new();
    let wrong = "SMTP_PORT = \"{smtp_port}\"\nMODE = \"resend-on-timeout\"";
    let mut changes = BY_MAIL;
    let first = format!("PORT = \"{{port}}\"\n{wrong}");
    changes[0].1 = &first;
    place.plan(&changes, "[faults]\ntimeout-after-acceptance = 1\n");
    let output = place.command(&["--format", "json"]).output().unwrap();
    let found = findings(&report(&output));
    assert!(
        found.iter().any(|(kind, action, _)| (kind.as_str(), action.as_str()) == ("duplicate", "send_reply")),
        "{found:?}"
    );
    assert_eq!(output.status.code(), Some(1));
}
