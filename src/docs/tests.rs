//! What the pages say, from the sample agent's manifest.

use std::path::Path;

use super::*;
use crate::catalog::call::Effect;
use crate::manifest::check;
use crate::scan::site::{GuardKind, Verdict};

fn manifest() -> Manifest {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/sales/onlyonce.toml");
    check::load(&path, "onlyonce.toml", &[]).unwrap()
}

fn call(line: usize, verdict: Verdict, action: Option<&str>) -> Call {
    Call {
        file: "src/whatsapp.rs".to_owned(),
        line,
        function: "sales::whatsapp::WhatsApp::send".to_owned(),
        api: "reqwest::RequestBuilder::send".to_owned(),
        effect: Effect::Send,
        verdict,
        guard: (verdict == Verdict::Guarded).then_some(GuardKind::Permit),
        action: action.map(str::to_owned),
        why: (verdict == Verdict::Undecided).then(|| "the method is a variable".to_owned()),
    }
}

fn evidence() -> Evidence {
    Evidence {
        calls: vec![
            call(44, Verdict::Guarded, Some("send_reply")),
            call(60, Verdict::Undecided, None),
            call(70, Verdict::Read, None),
        ],
        exceptions: vec![Exception {
            rule: "unguarded-send".to_owned(),
            place: "src/ops.rs:12".to_owned(),
            function: "sales::ops::page".to_owned(),
            reason: "a doubled page is harmless".to_owned(),
            until: Some("2027-06-30".to_owned()),
        }],
    }
}

fn file(name: &str) -> String {
    let files = docs(&manifest(), &evidence(), Path::new("out"), &[Format::Markdown, Format::Html, Format::Json]);
    files.into_iter().find(|file| file.path == Path::new("out").join(name)).unwrap().text
}

#[test]
fn there_is_an_index_and_a_page_an_action() {
    let files = docs(&manifest(), &evidence(), Path::new("out"), &[Format::Markdown]);
    let names: Vec<_> = files.iter().map(|file| file.path.display().to_string()).collect();
    let expected = ["index", "charge_order", "draft_reply", "outreach_email", "send_reply"];
    assert_eq!(names, expected.map(|name| format!("out/{name}.md")));
}

#[test]
fn the_example_keys_are_computed_by_the_key_rules() {
    let page = file("outreach_email.md");
    let retry = page.lines().find(|line| line.starts_with("| Retry")).unwrap();
    assert_eq!(retry, "| Retry, second delivery or second worker | `BÜCHER.example.` | `xn--bcher-kva.example` |");
    for line in [
        "| First attempt | `bücher.example` | `xn--bcher-kva.example` |",
        "| Another intent | `example.com` | `example.com` |",
    ] {
        assert!(page.contains(line), "{page}");
    }
}

#[test]
fn a_call_stands_on_its_actions_page_and_what_has_none_on_the_index() {
    assert!(file("send_reply.md").contains("| `src/whatsapp.rs:44` |"));
    assert!(!file("charge_order.md").contains("src/whatsapp.rs"));
    let index = file("index.md");
    assert!(!index.contains("src/whatsapp.rs:44") && !index.contains("src/whatsapp.rs:70"), "{index}");
    assert!(index.contains("| it could not be told: the method is a variable |"), "{index}");
    assert!(
        index.contains(
            "| `unguarded-send` | `src/ops.rs:12` | `sales::ops::page` | a doubled page is harmless. | 2027-06-30 |"
        ),
        "{index}"
    );
}

#[test]
fn only_a_type_that_may_retry_says_so() {
    let retry = "unknown --> pending: safe to ask again";
    assert!(file("charge_order.md").contains(retry) && file("charge_order.md").contains("remembers it for 1 day"));
    assert!(!file("send_reply.md").contains(retry));
}

#[test]
fn no_page_promises_more_than_is_true() {
    for name in ["index.md", "send_reply.md", "charge_order.md", "index.html"] {
        let text = file(name).to_lowercase();
        let promised = text.replace("not exactly-once delivery", "");
        assert!(!promised.contains("exactly once") && !promised.contains("exactly-once"), "{name}");
    }
    assert!(file("index.md").contains("at most once per key, unless a person releases"));
}

#[test]
fn the_html_needs_no_other_file_and_shows_what_users_wrote_as_text() {
    let mut manifest = manifest();
    let action = manifest.actions.get_mut("send_reply").unwrap();
    action.summary = "<script>alert(1)</script> & \"more\"".to_owned();
    let html = docs(&manifest, &evidence(), Path::new("out"), &[Format::Html]).remove(0).text;
    assert!(!html.contains("<script") && html.contains("&lt;script&gt;"), "{html}");
    assert!(!html.contains("<link") && !html.contains("src=") && !html.contains("url(http"), "{html}");
    assert!(html.contains("<svg") && html.contains("@media print"));
}

#[test]
fn what_users_wrote_cannot_break_a_markdown_table() {
    let mut manifest = manifest();
    let action = manifest.actions.get_mut("send_reply").unwrap();
    action.summary = "one | two\nthree `".to_owned();
    let index = docs(&manifest, &evidence(), Path::new("out"), &[Format::Markdown]).remove(0).text;
    assert!(index.contains("| one \\| two three \\`. |"), "{index}");
}

#[test]
fn the_json_is_what_the_pages_are_made_of() {
    let json: serde_json::Value = serde_json::from_str(&file("index.json")).unwrap();
    assert_eq!(json["version"], 1);
    assert_eq!(json["actions"][3]["name"], "send_reply");
    assert_eq!(json["actions"][3]["calls"][0]["line"], 44);
    assert_eq!(json["actions"][3]["keep"], "90d");
    assert_eq!(json["summary"]["undecided"], 1);
}
