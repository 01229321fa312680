//! cargo's messages, through the types that rust-analyzer reads them with (`cargo_metadata`), and what it makes of them
//! (crates/rust-analyzer/src/flycheck.rs and diagnostics/flycheck_to_proto.rs).

use cargo_metadata::diagnostic::{Diagnostic, DiagnosticLevel, DiagnosticSpan};
use cargo_metadata::{CompilerMessage, Message};

use super::sample::Sample;

fn messages(sample: &Sample, words: &[&str]) -> (Vec<CompilerMessage>, bool) {
    let said = sample.check(&[&["--format", "cargo"], words].concat());
    let mut lines: Vec<Message> = said.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let Some(Message::BuildFinished(finished)) = lines.pop() else { panic!("the last line says how it ended: {said}") };
    let messages = lines.into_iter().map(|line| match line {
        Message::CompilerMessage(message) => message,
        other => panic!("{other:?}"),
    });
    (messages.collect(), finished.success)
}

#[test]
fn every_line_is_a_message_of_cargos() {
    let sample = Sample::new();
    let (messages, success) = messages(&sample, &[]);
    assert!(!success);
    let findings = sample.findings();
    assert_eq!(messages.len(), findings.len());
    for (message, finding) in messages.iter().zip(&findings) {
        assert_eq!(message.target.name, "bot");
        assert!(message.package_id.repr.ends_with("/crates/bot#bot"), "{}", message.package_id.repr);
        let diagnostic = &message.message;
        assert_eq!(diagnostic.message, finding["message"].as_str().unwrap());
        let level = match finding["level"].as_str().unwrap() {
            "error" => DiagnosticLevel::Error,
            "warning" => DiagnosticLevel::Warning,
            _ => DiagnosticLevel::Note,
        };
        assert_eq!(diagnostic.level, level);
        // Of a code in two parts the first is shown as the source.
        let code = diagnostic.code.as_ref().unwrap().code.split("::").collect::<Vec<_>>();
        assert_eq!(code, ["onlyonce", finding["rule"].as_str().unwrap()]);
        // Children without places are shown as lines of the message.
        let help: Vec<&str> = diagnostic.children.iter().map(|child| child.message.as_str()).collect();
        assert_eq!(help, finding["help"].as_str().into_iter().collect::<Vec<_>>());
        assert!(diagnostic.rendered.as_ref().unwrap().contains(finding["rule"].as_str().unwrap()));
    }
    sample.empty();
    assert!(self::messages(&sample, &[]).1);
}

/// One primary place each, in a file of the workspace; others carry the label without which they are not shown.
#[test]
fn places_are_where_the_editor_looks() {
    let sample = Sample::new();
    let mut related = 0;
    for message in messages(&sample, &[]).0 {
        let Diagnostic { spans, .. } = message.message;
        let (primary, secondary): (Vec<_>, Vec<_>) = spans.iter().partition(|span| span.is_primary);
        assert_eq!(primary.len(), 1);
        related += secondary.len();
        assert!(secondary.iter().all(|span| span.label.is_some()));
        for span in &spans {
            let text = sample.text(&span.file_name);
            assert_eq!(span.text.len(), span.line_end - span.line_start + 1);
            let lines: Vec<&str> = text.lines().skip(span.line_start - 1).take(span.text.len()).collect();
            let shown: Vec<&str> = span.text.iter().map(|line| line.text.as_str()).collect();
            assert!(lines.is_empty() || lines == shown, "{lines:?} {shown:?}");
            if !lines.is_empty() {
                assert_eq!(covered(span), text[span.byte_start as usize..span.byte_end as usize]);
                let (first, last) = (span.text.first().unwrap(), span.text.last().unwrap());
                assert_eq!((span.column_start, span.column_end), (first.highlight_start, last.highlight_end));
            }
        }
    }
    assert!(related > 0, "the sample has no second place");
}

/// What the columns of a span's lines cover, counted in characters as rustc does.
fn covered(span: &DiagnosticSpan) -> String {
    let lines = span.text.iter().map(|line| {
        let width = line.highlight_end - line.highlight_start;
        line.text.chars().skip(line.highlight_start - 1).take(width).collect::<String>()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A finding belongs to the innermost package around its file, and to what that builds.
#[test]
fn a_package_within_a_package_has_its_own() {
    let sample = Sample::new();
    sample.write("tools/page/Cargo.toml", "[package]\nname = \"page-tool\"\n\n[dependencies]\nreqwest = \"0.13\"\n");
    sample.write(
        "tools/page/src/main.rs",
        "fn main() {}\nasync fn page(http: &reqwest::Client) {\n    let _ = http.post(\"https://api.example.com/page\").send().await;\n}\n",
    );
    let of = |message: &CompilerMessage| message.message.spans[0].file_name.starts_with("tools/");
    let (inner, outer): (Vec<_>, Vec<_>) = messages(&sample, &[]).0.into_iter().partition(of);
    assert!(!inner.is_empty() && !outer.is_empty());
    for (messages, name, kind) in [(inner, "page-tool", "bin"), (outer, "bot", "lib")] {
        for message in messages {
            let kinds: Vec<String> = message.target.kind.iter().map(ToString::to_string).collect();
            assert_eq!((message.target.name.as_str(), kinds), (name, vec![kind.to_owned()]));
            assert!(message.package_id.repr.ends_with(&format!("#{name}")), "{}", message.package_id.repr);
        }
    }
}

#[test]
fn seen_from_another_folder_paths_lead_there() {
    let sample = Sample::new();
    let top = sample.root().parent().unwrap().parent().unwrap().to_owned();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let now = jiff::Timestamp::UNIX_EPOCH;
    let mut page = onlyonce::cli::Page::new(top, now, &mut out, &mut err);
    let words = ["onlyonce", "check", "crates/bot", "--format", "cargo"].map(std::ffi::OsString::from);
    onlyonce::cli::run(words, &mut page);
    drop(page);
    let said = String::from_utf8(out).unwrap();
    assert!(said.contains(r#""file_name":"crates/bot/src/bad.rs""#), "{said}");
}
