//! Comments that silence a rule: `-- onlyonce: allow(key-nullable, reason = "filled in 0009")`.

use super::split::Pieces;
use crate::source::{Source, Span};

/// A reviewed exception in a migration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allow {
    /// The rules that it names; none when it cannot be read.
    pub rules: Vec<String>,
    /// Why; `None` when nothing or only blanks were given: it silences nothing then.
    pub reason: Option<String>,
    /// The last day on which it holds, as written.
    pub until: Option<String>,
    /// The comment.
    pub span: Span,
    /// What it covers: the rest of its own line when something stands before it there, else the statement or, inside a
    /// statement, the line that follows. Empty at the end of the file.
    pub covers: Span,
}

const MARK: &str = "onlyonce:";

/// The exceptions of a file, in order. A comment that starts with `onlyonce:` and cannot be read names no rule.
pub(super) fn allows(source: &Source, pieces: &Pieces) -> Vec<Allow> {
    let read = |span: &Span| {
        let text = source.slice(*span);
        let inner = text.trim_start_matches("--").trim_start_matches("/*").trim_end_matches("*/").trim();
        let Written { rules, reason, until } = parse(inner.strip_prefix(MARK)?.trim()).unwrap_or_default();
        Some(Allow { rules, reason, until, span: *span, covers: covered(source, pieces, *span) })
    };
    pieces.comments.iter().filter_map(read).collect()
}

#[derive(Default)]
struct Written {
    rules: Vec<String>,
    reason: Option<String>,
    until: Option<String>,
}

/// `allow(rule-a, rule-b, reason = "...", until = "2027-01-31")`, texts in either sort of quotes.
fn parse(text: &str) -> Option<Written> {
    let inner = text.strip_prefix("allow(")?.strip_suffix(')')?;
    let mut written = Written::default();
    for part in parts(inner) {
        let (name, value) = part.split_once('=').map_or((part, None), |(name, value)| (name.trim_end(), Some(value)));
        match (name, value) {
            ("reason", Some(value)) => written.reason = Some(quoted(value)?).filter(|reason| !reason.is_empty()),
            ("until", Some(value)) => written.until = Some(quoted(value)?),
            (rule, None) if !rule.is_empty() => written.rules.push(rule.to_owned()),
            ("", None) => {}
            _ => return None,
        }
    }
    Some(written)
}

/// What stands between the commas that stand in no quotes.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut open = None;
    let parts = text.split(move |letter: char| {
        match open {
            Some(quote) if letter == quote => open = None,
            None if matches!(letter, '"' | '\'') => open = Some(letter),
            _ => {}
        }
        letter == ',' && open.is_none()
    });
    parts.map(str::trim)
}

fn quoted(text: &str) -> Option<String> {
    let text = text.trim();
    let within = |quote: char| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    within('"').or_else(|| within('\'')).map(|text| text.trim().to_owned())
}

fn covered(source: &Source, pieces: &Pieces, comment: Span) -> Span {
    let line_number = source.position(comment.start).line;
    let line = source.line(line_number);
    let before = Span::new(line.start, comment.start);
    let inside = around(pieces, comment);
    if !source.slice(before).trim().is_empty() {
        return inside.map_or_else(|| ended_on(pieces, before).unwrap_or(before), |_| before);
    }
    match inside {
        Some(statement) => {
            let next = source.line(line_number + 1);
            Span::new(next.start, next.end.min(statement.end).max(next.start))
        }
        None => following(pieces, comment).unwrap_or(Span::new(comment.end, comment.end)),
    }
}

/// The statement that the comment stands in.
fn around(pieces: &Pieces, comment: Span) -> Option<Span> {
    let index = pieces.statements.partition_point(|span| span.end <= comment.start);
    pieces.statements.get(index).copied().filter(|span| span.contains(comment))
}

/// The last statement that ends on the bytes before a comment.
fn ended_on(pieces: &Pieces, before: Span) -> Option<Span> {
    let index = pieces.statements.partition_point(|span| span.end <= before.end);
    pieces.statements.get(index.checked_sub(1)?).copied().filter(|span| span.end > before.start)
}

fn following(pieces: &Pieces, comment: Span) -> Option<Span> {
    let index = pieces.statements.partition_point(|span| span.start < comment.end);
    pieces.statements.get(index).copied()
}
