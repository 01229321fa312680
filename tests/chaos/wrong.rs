//! Each wrong worker is caught by the fault that exposes it, and by no other: the rest are those that it withstands.

use std::collections::BTreeSet;

use crate::courier::{Place, findings, report};
use crate::support;

/// The worker's own table as its ledger.
const OWN: &str = "[ledger]\nkind = \"adopted\"\nactions = \"public.replies\"\nkey = [\"id\"]\nstatus = \"status\"\n\
    sent = [\"sent\"]\nfailed = [\"failed\"]\nwaiting = [\"unknown\", \"pending\"]\n";
/// No ledger that could be read.
const NONE: &str = "[ledger]\nkind = \"none\"\n";

/// What is to be found: kind, action and fault.
type Found = (&'static str, &'static str, &'static str);

async fn is_caught(mode: &str, ledger: &str, faults: &[&str], wanted: &[Found]) {
    let place = Place::new();
    let counts: String = faults.iter().map(|fault| format!("{fault} = 1\n")).collect();
    let environment = format!("[worker.environment]\nMODE = \"{mode}\"");
    let changes = [("[worker.environment]", environment.as_str()), ("settle = \"5s\"", "settle = \"3s\"")];
    place.plan(&changes, &format!("{ledger}\n[faults]\n{counts}"));
    let server = support::server(support::majors()[0]);
    let url = server.database().await.url(support::SUPERUSER);
    let output = place.command(&["--format", "json", "--database-url", &url]).output().unwrap();
    let report = report(&output);
    let met: Vec<bool> = report["rounds"].as_array().unwrap().iter().map(|round| round["met"] == true).collect();
    assert!(met.len() == faults.len() && met.iter().all(|met| *met), "{report:#}");
    let found: BTreeSet<(String, String, String)> = findings(&report).into_iter().collect();
    let owned = |found: &Found| (found.0.to_owned(), found.1.to_owned(), found.2.to_owned());
    assert_eq!(found, wanted.iter().map(owned).collect(), "{report:#}");
    assert_eq!(output.status.code(), Some(1));
    for finding in report["findings"].as_array().unwrap().iter().filter(|finding| finding["kind"] == "lost") {
        assert_eq!(finding["message"], "the ledger says sent, and the provider has never accepted it");
    }
    // What is shown of it names the fault and shows both times that it was accepted.
    for finding in report["findings"].as_array().unwrap().iter().filter(|finding| finding["kind"] == "duplicate") {
        let lines = finding["timeline"].as_array().unwrap();
        assert!(lines.iter().any(|line| line["fault"] == true), "{finding:#}");
        let accepted = lines.iter().filter(|line| line["text"].as_str().unwrap().contains("accepted as msg-"));
        assert!(accepted.count() > 1, "{finding:#}");
    }
}

macro_rules! wrong {
    ($($name:ident: $mode:literal, $ledger:expr, [$($fault:literal),*], [$($found:expr),*];)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                is_caught($mode, $ledger, &[$($fault),*], &[$($found),*]).await;
            }
        )*
    };
}

wrong! {
    without_a_ledger: "no-ledger", NONE, ["replay-in-turn"], [
        ("duplicate", "send_reply", "replay-in-turn"),
        ("duplicate", "draft_reply", "replay-in-turn"),
        ("contradiction", "send_reply", "replay-in-turn")
    ];
    checking_and_then_acting: "check-then-act", OWN, ["replay-in-turn", "replay-at-once"], [
        ("duplicate", "send_reply", "replay-at-once"),
        ("duplicate", "draft_reply", "replay-at-once"),
        ("contradiction", "send_reply", "replay-at-once")
    ];
    with_a_key_for_each_attempt: "key-per-attempt", NONE, ["replay-in-turn"], [
        ("duplicate", "send_reply", "replay-in-turn"),
        ("duplicate", "draft_reply", "replay-in-turn"),
        ("contradiction", "send_reply", "replay-in-turn")
    ];
    with_a_key_from_the_body: "key-from-body", NONE, ["replay-in-turn"], [
        ("duplicate", "send_reply", "replay-in-turn"),
        ("duplicate", "draft_reply", "replay-in-turn"),
        ("contradiction", "send_reply", "replay-in-turn")
    ];
    recording_before_the_send: "record-before-send", OWN, ["replay-in-turn", "replay-at-once", "kill-before-send"], [
        ("lost", "send_reply", "kill-before-send")
    ];
    sending_again_after_a_timeout: "resend-on-timeout", OWN,
        ["replay-in-turn", "replay-at-once", "kill-after-acceptance", "timeout-after-acceptance"], [
        ("duplicate", "send_reply", "timeout-after-acceptance")
    ];
    reserving_in_the_callers_transaction: "reserve-in-transaction", OWN,
        ["replay-in-turn", "replay-at-once", "kill-after-acceptance"], [
        ("duplicate", "send_reply", "kill-after-acceptance"),
        ("contradiction", "send_reply", "kill-after-acceptance")
    ];
    sweeping_into_a_second_send: "sweep-resends", OWN,
        ["replay-in-turn", "replay-at-once", "kill-before-send", "kill-after-acceptance"], [
        ("duplicate", "send_reply", "kill-after-acceptance"),
        ("contradiction", "send_reply", "kill-after-acceptance")
    ];
    taking_over_from_a_worker_that_is_only_slow: "lease-expires", OWN,
        ["replay-in-turn", "replay-at-once", "stop-after-acceptance"], [
        ("duplicate", "send_reply", "stop-after-acceptance"),
        ("contradiction", "send_reply", "stop-after-acceptance")
    ];
    de_duplicating_after_the_model: "dedupe-after-model", OWN, ["replay-in-turn", "kill-after-acceptance"], [
        ("duplicate", "draft_reply", "replay-in-turn")
    ];
    de_duplicating_in_memory: "in-memory", NONE, ["replay-in-turn", "replay-at-once", "kill-after-acceptance"], [
        ("duplicate", "send_reply", "kill-after-acceptance"),
        ("contradiction", "send_reply", "kill-after-acceptance")
    ];
    leaving_it_to_the_provider: "provider-key-only", NONE, ["replay-in-turn"], [
        ("duplicate", "send_reply", "replay-in-turn"),
        ("duplicate", "draft_reply", "replay-in-turn"),
        ("contradiction", "send_reply", "replay-in-turn")
    ];
}

/// The same worker is right where its provider honours the key that it sends.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_honours_the_key_makes_it_right() {
    let place = Place::new();
    let changes = [
        ("[worker.environment]", "[worker.environment]\nMODE = \"provider-key-only\""),
        ("key = \"body /biz_opaque_callback_data\"", "honours = \"header idempotency-key\""),
        ("settle = \"5s\"", "settle = \"1s\""),
    ];
    place.plan(&changes, &format!("{NONE}\n[faults]\nreplay-in-turn = 1\nkill-after-acceptance = 1\n"));
    let url = support::server(support::majors()[0]).database().await.url(support::SUPERUSER);
    let output = place.command(&["--format", "json", "--database-url", &url]).output().unwrap();
    // The model is asked three times all the same.
    let found = findings(&report(&output));
    assert_eq!(found, [("duplicate".to_owned(), "draft_reply".to_owned(), "replay-in-turn".to_owned())]);
}

/// A worker without a database is judged by the provider alone.
#[test]
fn a_worker_without_a_database_is_judged_too() {
    let place = Place::new();
    std::fs::remove_file(place.0.path().join("onlyonce.toml")).unwrap();
    let changes =
        [("DATABASE_URL = \"{database_url}\"", "MODE = \"in-memory\""), ("settle = \"5s\"", "settle = \"1s\"")];
    place.plan(&changes, "[faults]\nreplay-in-turn = 1\nreplay-at-once = 1\n");
    let output = place.command(&[]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("no ledger was read: judged by the provider alone"), "{said}");
}
