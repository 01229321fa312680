//! Exceptions: comments and `[[scan.allow]]`, with reasons and last days.

use onlyonce::scan::site::Verdict;

use super::bench::{MANIFEST, Program, program, program_with};

fn sent(comment: &str) -> Program {
    program(&format!(
        r#"
        pub async fn page(http: &reqwest::Client) {{
            {comment}
            let _ = http.post("https://api.example.com/send").send().await;
        }}"#
    ))
}

fn is_silent(program: &Program) {
    assert_eq!(program.only().0, Verdict::Exempt);
    assert!(!program.says("unguarded-send"));
    assert_eq!(program.judged.outcome.exceptions.len(), 1);
}

#[test]
fn a_comment_with_a_reason_silences_the_statement_below() {
    let allowed = sent(r#"// onlyonce: allow(unguarded-send, reason = "a doubled page is harmless")"#);
    is_silent(&allowed);
    assert_eq!(allowed.judged.outcome.exceptions[0].reason, "a doubled page is harmless");
    assert!(!allowed.says("unused-allow"));
}

#[test]
fn a_comment_of_another_rule_silences_nothing_and_is_told_of() {
    for (rule, word) in [("undecided-send", "nothing here"), ("unguarded-sends", "no rule")] {
        let open = sent(&format!("// onlyonce: allow({rule}, reason = \"x\")"));
        open.is_unguarded();
        let unused = open.judged.outcome.findings.iter().find(|finding| finding.rule == "unused-allow").unwrap();
        assert!(unused.message.contains(word), "{}", unused.message);
    }
}

#[test]
fn a_comment_without_a_reason_silences_nothing_and_is_told_of() {
    for comment in ["// onlyonce: allow(unguarded-send)", "// onlyonce: allow(unguarded-send, reason = \" \")"] {
        let open = sent(comment);
        open.is_unguarded();
        assert_eq!(open.places("reasonless-allow"), [comment]);
    }
}

#[test]
fn a_last_day_counts_itself() {
    let until = |day: &str| sent(&format!("// onlyonce: allow(unguarded-send, reason = \"x\", until = \"{day}\")"));
    is_silent(&until("2026-11-29"));
    let over = until("2026-11-28");
    over.is_unguarded();
    assert_eq!(over.places("expired-allow").len(), 1);
}

#[test]
fn the_manifest_allows_a_function_or_what_is_in_a_module() {
    let text = r#"
        pub mod ops {
            pub async fn page(http: &reqwest::Client) { let _ = http.post("https://api.example.com/send").send().await; }
        }"#;
    let allow = |path: &str| {
        format!("{MANIFEST}\n[[scan.allow]]\nrule = \"unguarded-send\"\npath = \"{path}\"\nreason = \"x\"\n")
    };
    for path in ["acme::ops::page", "acme::ops"] {
        is_silent(&program_with(&allow(path), text));
    }
    let other = program_with(&allow("acme::op"), text);
    other.is_unguarded();
    assert!(other.says("unused-allow"));
    let over = program_with(&(allow("acme::ops") + "until = 2026-01-01\n"), text);
    over.is_unguarded();
    assert!(over.says("expired-allow"));
}
