//! SQL text into statements: our own splitter, then one parse a statement. Nothing is dropped because it did not parse.
//!
//! [`token`] cuts bytes as PostgreSQL's scanner does, [`split`] finds where statements end, [`parse`] asks sqlparser for
//! each, [`recognise`] reads what sqlparser cannot, [`allow`] reads the comments that silence a rule.

pub mod allow;
pub mod parse;
pub mod split;
pub mod token;

use crate::source::{Source, Span};
pub use allow::Allow;
pub use token::{Token, TokenKind, tokens};

/// One statement of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Its text without the final semicolon and without leading comments.
    pub text: String,
    /// Its bytes in the file: the same as its text.
    pub span: Span,
    /// What the parser made of it.
    pub parsed: Parsed,
}

/// What the parser made of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Parsed {
    /// sqlparser read it to its end.
    Read(Box<sqlparser::ast::Statement>),
    /// It reads or writes rows (SELECT, INSERT, COPY, ..): told by its first word and not parsed, since its chains of
    /// operators can be long enough to exhaust a stack.
    Rows,
    /// Not read; `reason` is the parser's word for it.
    Opaque {
        /// Why.
        reason: String,
    },
}

/// A file's statements, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceStatements {
    /// The file.
    pub source: Source,
    /// Its statements.
    pub statements: Vec<Statement>,
    /// Its exceptions.
    pub allows: Vec<Allow>,
}

impl SourceStatements {
    /// All of a file.
    #[must_use]
    pub fn read(source: &Source) -> SourceStatements {
        SourceStatements::read_within(source, Span::new(0, source.text().len()))
    }

    /// A section of a file, such as the up half of a dbmate file. Spans still count from the start of the file.
    #[must_use]
    pub fn read_within(source: &Source, within: Span) -> SourceStatements {
        let pieces = split::split(source.text(), within);
        let mut statements: Vec<Statement> = pieces.statements.iter().map(|span| statement(source, *span)).collect();
        statements.extend(pieces.commands.iter().filter_map(|span| included(source, *span)));
        statements.sort_by_key(|statement| statement.span);
        SourceStatements { source: source.clone(), statements, allows: allow::allows(source, &pieces) }
    }
}

/// The statements of a file, in order.
#[must_use]
pub fn statements(source: &Source) -> Vec<Statement> {
    SourceStatements::read(source).statements
}

fn statement(source: &Source, span: Span) -> Statement {
    let text = source.slice(span).to_owned();
    let parsed = parse::parse(&text);
    Statement { text, span, parsed }
}

/// A psql line that runs another file holds statements that are not here.
fn included(source: &Source, span: Span) -> Option<Statement> {
    let text = source.slice(span);
    let command = text.split_whitespace().next()?;
    matches!(command, "\\i" | "\\ir" | "\\include" | "\\include_relative" | "\\gexec").then(|| Statement {
        text: text.to_owned(),
        span,
        parsed: Parsed::Opaque { reason: format!("{command} runs statements that are not in this file") },
    })
}

#[cfg(test)]
mod tests;
