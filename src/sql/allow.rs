//! Comments that silence a rule: `-- onlyonce: allow(key-nullable, reason = "filled in 0009")`.

use super::split::Pieces;
use crate::source::{Source, Span};

/// A reviewed exception in a migration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allow {
    /// The rule that it names.
    pub rule: String,
    /// Why; `None` when nothing or only blanks were given: it silences nothing then.
    pub reason: Option<String>,
    /// The comment.
    pub span: Span,
    /// What it covers: the rest of its own line when something stands before it there, else the statement or, inside a
    /// statement, the line that follows. Empty at the end of the file.
    pub covers: Span,
}

const MARK: &str = "onlyonce:";

/// The exceptions of a file, in order. A comment that starts with `onlyonce:` and cannot be read names the rule `""`.
pub(super) fn allows(source: &Source, pieces: &Pieces) -> Vec<Allow> {
    let read = |span: &Span| {
        let text = source.slice(*span);
        let inner = text.trim_start_matches("--").trim_start_matches("/*").trim_end_matches("*/").trim();
        let (rule, reason) = parse(inner.strip_prefix(MARK)?.trim());
        Some(Allow { rule, reason, span: *span, covers: covered(source, pieces, *span) })
    };
    pieces.comments.iter().filter_map(read).collect()
}

/// `allow(rule, reason = "...")`, where a reason stands in either sort of quotes.
fn parse(text: &str) -> (String, Option<String>) {
    let Some(inner) = text.strip_prefix("allow(").and_then(|rest| rest.strip_suffix(')')) else {
        return (String::new(), None);
    };
    let (rule, rest) = inner.split_once(',').unwrap_or((inner, ""));
    let reason = rest.trim().strip_prefix("reason").map(str::trim_start).and_then(|rest| rest.strip_prefix('='));
    let reason = reason.map(str::trim).and_then(|text| {
        let quoted = |quote: char| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        quoted('"').or_else(|| quoted('\''))
    });
    (rule.trim().to_owned(), reason.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned))
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
