//! Findings and faults with code frames, for people.

use std::fmt::{self, Write as _};

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, Severity,
    SourceCode, SourceSpan, SpanContents,
};

use crate::diagnostic::{Fault, Faults, Finding, Label, Level};
use crate::escape::is_plain;
use crate::source::Source;

/// The longest line that is drawn, in octets.
const WIDE: usize = 4000;

/// How text for people looks.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Whether to colour it.
    pub color: bool,
    /// Columns.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Style {
        Style { color: false, width: 100 }
    }
}

/// Findings with their code frames, and a line that counts them.
#[must_use]
pub fn findings(findings: &[Finding], style: Style) -> String {
    format!("{}{}\n", findings_alone(findings, style), count(findings))
}

/// Findings with their code frames alone.
#[must_use]
pub fn findings_alone(findings: &[Finding], style: Style) -> String {
    findings.iter().map(|finding| render(&Frame::of_finding(finding), style)).collect()
}

/// Faults with their code frames.
#[must_use]
pub fn faults(faults: &Faults, style: Style) -> String {
    faults.0.iter().map(|fault| render(&Frame::of_fault(fault), style)).collect()
}

/// "2 errors, 1 warning", worst first, or that there is nothing.
#[must_use]
pub fn count(findings: &[Finding]) -> String {
    let counted = [Level::Error, Level::Warning, Level::Note].map(|level| {
        let number = findings.iter().filter(|finding| finding.level == level).count();
        (number > 0).then(|| plural(number, level.name()))
    });
    let parts: Vec<String> = counted.into_iter().flatten().collect();
    if parts.is_empty() { "no findings".to_owned() } else { parts.join(", ") }
}

/// "1 file", "2 files".
#[must_use]
pub fn plural(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn render(frame: &Frame<'_>, style: Style) -> String {
    legible(&drawn(frame, style))
}

/// Text without what a terminal would act on, but for the colours that a frame has: what is quoted is other people's.
fn legible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let colour = colour(rest);
        match letter {
            '\r' => {}
            _ if colour > 0 => out.push_str(&rest[..colour]),
            '\n' | '\t' => out.push(letter),
            _ if is_plain(letter) => out.push(letter),
            _ => out.push(char::REPLACEMENT_CHARACTER),
        }
        rest = &rest[colour.max(letter.len_utf8())..];
    }
    out
}

/// How many octets a sequence has here that sets a colour; none is 0.
fn colour(text: &str) -> usize {
    let Some(numbers) = text.strip_prefix("\u{1b}[") else { return 0 };
    let end = numbers.find(|letter: char| !(letter.is_ascii_digit() || letter == ';'));
    end.filter(|end| numbers[*end..].starts_with('m')).map_or(0, |end| end + 3)
}

fn drawn(frame: &Frame<'_>, style: Style) -> String {
    if frame.is_wide() {
        return plain(frame) + "\n";
    }
    let theme = if style.color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(style.width)
        .with_links(false)
        // Code that is to be copied stays in its lines.
        .with_wrap_lines(!frame.help.is_some_and(|help| help.contains('\n')))
        .with_context_lines(1)
        .with_show_related_as_nested(true);
    let mut text = String::new();
    match handler.render_report(&mut text, frame) {
        // A blank line, so that the eye finds where the next one begins.
        Ok(()) => text + "\n",
        // A frame that cannot be drawn must not hide what it says.
        Err(fmt::Error) => plain(frame),
    }
}

fn plain(frame: &Frame<'_>) -> String {
    let mut text = frame.code.map_or_else(String::new, |code| format!("{code}: ")) + frame.message;
    for label in &frame.labels {
        let at = label.source.position(label.span.start);
        let _ = write!(text, "\n  {}:{}:{}: {}", label.source.name(), at.line, at.column, label.text);
    }
    if let Some(help) = frame.help {
        let _ = write!(text, "\n  help: {help}");
    }
    for related in &frame.related {
        let _ = write!(text, "\n{}", plain(related).trim_end());
    }
    text + "\n"
}

/// Whether a line that the label's frame would show is too long to be drawn: miette fails on columns over
/// 65,535, and of a made file of one line every frame would repeat all of it.
fn is_wide(label: &Label) -> bool {
    let text = label.source.text();
    let (Some(before), Some(after)) = (text.get(..label.span.start), text.get(label.span.end..)) else { return false };
    // One line more on either side, as context.
    let start = before.rmatch_indices('\n').nth(1).map_or(0, |(at, _)| at);
    let end = after.match_indices('\n').nth(1).map_or(text.len(), |(at, _)| label.span.end + at);
    text.get(start..end).is_some_and(|shown| shown.lines().any(|line| line.len() > WIDE))
}

/// A finding or fault in the form that miette draws.
#[derive(Debug)]
struct Frame<'a> {
    code: Option<&'a str>,
    level: Level,
    message: &'a str,
    help: Option<&'a str>,
    /// Of one source: miette draws one file a frame.
    labels: Vec<&'a Label>,
    source: Option<Named<'a>>,
    related: Vec<Frame<'a>>,
}

impl<'a> Frame<'a> {
    fn is_wide(&self) -> bool {
        self.labels.iter().any(|label| is_wide(label)) || self.related.iter().any(Frame::is_wide)
    }

    fn of_finding(finding: &'a Finding) -> Frame<'a> {
        let (here, elsewhere): (Vec<&Label>, Vec<&Label>) =
            finding.related.iter().partition(|label| label.source == finding.place.source);
        Frame {
            code: Some(finding.rule),
            level: finding.level,
            message: &finding.message,
            help: finding.help.as_deref(),
            labels: std::iter::once(&finding.place).chain(here).collect(),
            source: Some(Named(&finding.place.source)),
            related: elsewhere.into_iter().map(Frame::of_label).collect(),
        }
    }

    fn of_fault(fault: &'a Fault) -> Frame<'a> {
        Frame {
            code: None,
            level: Level::Error,
            message: &fault.message,
            help: fault.help.as_deref(),
            labels: fault.place.iter().collect(),
            source: fault.place.as_ref().map(|label| Named(&label.source)),
            related: Vec::new(),
        }
    }

    fn of_label(label: &'a Label) -> Frame<'a> {
        Frame {
            code: None,
            level: Level::Note,
            message: &label.text,
            help: None,
            labels: vec![label],
            source: Some(Named(&label.source)),
            related: Vec::new(),
        }
    }
}

impl fmt::Display for Frame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message)
    }
}

impl std::error::Error for Frame<'_> {}

impl Diagnostic for Frame<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.code.map(|code| Box::new(code) as Box<dyn fmt::Display>)
    }

    fn severity(&self) -> Option<Severity> {
        Some(match self.level {
            Level::Note => Severity::Advice,
            Level::Warning => Severity::Warning,
            Level::Error => Severity::Error,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|named| named as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let labels = self.labels.iter().map(|label| {
            let length = label.span.end.saturating_sub(label.span.start);
            LabeledSpan::new(Some(label.text.clone()), label.span.start, length)
        });
        Some(Box::new(labels))
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        let frames = self.related.iter().map(|frame| frame as &dyn Diagnostic);
        (!self.related.is_empty()).then(|| Box::new(frames) as Box<dyn Iterator<Item = _>>)
    }
}

/// A source under its name, without a copy of its text.
#[derive(Debug)]
struct Named<'a>(&'a Source);

impl SourceCode for Named<'_> {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let contents = self.0.text().read_span(span, before, after)?;
        Ok(Box::new(MietteSpanContents::new_named(
            self.0.name().to_owned(),
            contents.data(),
            *contents.span(),
            contents.line(),
            contents.column(),
            contents.line_count(),
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;

    #[test]
    fn what_is_quoted_does_nothing_to_a_terminal() {
        let source = Source::new("a.sql", "SELECT '\u{1b}]0;title\u{7}\u{1b}[2J\u{202e}x';\r\n");
        let finding = Finding::new("r", Level::Error, "m", Label::new(&source, Span::new(0, 6), "here"));
        for color in [false, true] {
            let text = findings(std::slice::from_ref(&finding), Style { color, width: 80 });
            assert!(text.contains("]0;title") && !text.contains(['\u{7}', '\u{202e}', '\r']), "{text:?}");
            assert_eq!(text.contains('\u{1b}'), color, "{text:?}");
            assert!(!text.contains("\u{1b}[2J") && !text.contains("\u{1b}]"), "{text:?}");
        }
    }

    #[test]
    fn a_finding_shows_rule_place_label_and_help() {
        let source = Source::new("src/a.rs", "fn f() {\n    send();\n}\n");
        let other = Source::new("src/b.rs", "fn g() { f() }\n");
        let place = Label::new(&source, Span::new(13, 19), "sends here");
        let finding = Finding::new("unguarded-send", Level::Error, "nothing stops a second send", place)
            .with_help("put it into `once`")
            .with_related(Label::new(&other, Span::new(9, 12), "called from here"));
        let text = findings(&[finding], Style::default());
        let wanted = [
            "unguarded-send",
            "nothing stops a second send",
            "src/a.rs:2:5",
            "sends here",
            "put it into `once`",
            "src/b.rs:1:10",
            "called from here",
            "1 error\n",
        ];
        for part in wanted {
            assert!(text.contains(part), "{part:?} is missing in\n{text}");
        }
        assert!(!text.contains('\u{1b}'), "no colour was asked for");
    }

    #[test]
    fn a_line_that_is_too_long_to_be_drawn_is_told_in_words() {
        let text = format!("fn f() {{ {} send(); }}\n", "wait();".repeat(20_000));
        let at = text.find("send").unwrap();
        let source = Source::new("src/made.rs", text.clone());
        let finding = Finding {
            help: Some("wrap it".to_owned()),
            ..Finding::new(
                "unguarded-send",
                Level::Error,
                "a doubled send",
                Label::new(&source, Span::new(at, at + 4), "here"),
            )
        };
        let shown = findings(&[finding], Style::default());
        assert!(shown.contains("src/made.rs:1:140011: here") && shown.contains("help: wrap it"), "{shown}");
        assert!(shown.len() < 1000, "{}", shown.len());
    }

    #[test]
    fn a_label_outside_of_the_text_still_says_its_message() {
        let source = Source::new("a.toml", "x");
        let fault = Fault::new("what is wrong").at(Label::new(&source, Span::new(50, 60), "here"));
        assert!(faults(&fault.into(), Style::default()).contains("what is wrong"));
    }

    #[test]
    fn counting_names_each_level_worst_first() {
        let source = Source::new("a", "x");
        let of = |level| Finding::new("r", level, "m", Label::new(&source, Span::new(0, 1), "l"));
        assert_eq!(count(&[]), "no findings");
        assert_eq!(count(&[of(Level::Note), of(Level::Error), of(Level::Error)]), "2 errors, 1 note");
    }
}
