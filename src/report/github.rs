//! Findings as annotations of GitHub Actions: workflow commands, a line each. GitHub shows ten of each level a step on
//! the pull request; the log holds them all.

use crate::diagnostic::{Finding, Level};
use crate::gate::place::Place;

/// A line for each finding.
#[must_use]
pub fn annotations(findings: &[Finding], place: &Place) -> String {
    findings.iter().map(|finding| annotation(finding, place)).collect()
}

fn annotation(finding: &Finding, place: &Place) -> String {
    let command = match finding.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    };
    let source = &finding.place.source;
    let (start, end) = (source.position(finding.place.span.start), source.position(finding.place.span.end));
    // GitHub takes columns only where one line holds both.
    let columns =
        if start.line == end.line { format!(",col={},endColumn={}", start.column, end.column) } else { String::new() };
    let file = property(&place.in_repository(source.name()));
    let message = match &finding.help {
        Some(help) => data(&format!("{}\nhelp: {help}", finding.message)),
        None => data(&finding.message),
    };
    let title = property(finding.rule);
    format!("::{command} file={file},line={},endLine={}{columns},title={title}::{message}\n", start.line, end.line)
}

/// Text behind the second `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A value before it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Label;
    use crate::source::{Source, Span};

    fn place() -> Place {
        Place { root: "/top/a".into(), top: "/top".into() }
    }

    fn finding(name: &str, text: &str, span: Span, message: &str) -> Finding {
        Finding::new("unguarded-send", Level::Error, message, Label::new(&Source::new(name, text), span, "l"))
    }

    #[test]
    fn what_the_runner_reads_is_escaped() {
        let finding =
            finding("src/a,b:c%.rs", "fn f() {}", Span::new(3, 4), "100%: this\r\n::error::x").with_help("one\ntwo");
        assert_eq!(
            annotations(&[finding], &place()),
            "::error file=a/src/a%2Cb%3Ac%25.rs,line=1,endLine=1,col=4,endColumn=5,title=unguarded-send::\
             100%25: this%0D%0A::error::x%0Ahelp: one%0Atwo\n"
        );
    }

    #[test]
    fn over_several_lines_there_are_no_columns() {
        let finding = finding("src/a.rs", "a\nb\n", Span::new(0, 3), "m");
        let expected = "::error file=a/src/a.rs,line=1,endLine=2,title=unguarded-send::m\n";
        assert_eq!(annotations(&[finding], &place()), expected);
    }
}
