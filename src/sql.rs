//! SQL text into statements, and statements into what they do. Nothing is dropped because it was not understood.
//!
//! [`token`] cuts bytes as PostgreSQL's scanner does, [`split`] finds where statements end, `read` reads each
//! definition into [`ddl`]'s nouns, [`allow`] reads the comments that silence a rule.
//!
//! Definitions are read by our own reader and not by sqlparser: its places are empty or off for definitions, it rejects
//! thirteen forms that migration folders hold (DO, ALTER CONSTRAINT, procedures, DROP INDEX CONCURRENTLY, ..), and long
//! chains of operators exhaust its stack. Of a definition only the frame matters here; expressions stay text.

pub mod allow;
pub mod computed;
pub mod cursor;
pub mod ddl;
pub mod meaning;
pub mod split;
pub mod token;
pub mod values;

mod read;

use std::collections::BTreeMap;

use crate::source::{Source, Span};
pub use allow::Allow;
use ddl::Act;
pub use token::{Token, TokenKind, tokens};

/// One statement of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its text without the final semicolon and without leading comments.
    pub text: String,
    /// Its bytes in the file: the same as its text.
    pub span: Span,
    /// What the reader made of it.
    pub parsed: Parsed,
}

/// What the reader made of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parsed {
    /// Read to its end: what it does to the schema, in order. Nothing, where it changes no guarantee.
    Read(Vec<Act>),
    /// Not read.
    Opaque {
        /// Why, as a person would want to know it.
        reason: String,
    },
}

/// A file's statements, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    let parsed = match read::read(&text, &tokens(&text), span.start) {
        Ok(acts) => Parsed::Read(acts),
        Err(reason) => Parsed::Opaque { reason },
    };
    Statement { text, span, parsed }
}

/// What a routine's body does when it is called with arguments of which some are known by name; `None` where it was not
/// read. Places in what it gives mean nothing to who calls it.
#[must_use]
pub fn called(language: &str, body: &str, known: &BTreeMap<String, String>) -> Option<Vec<Act>> {
    read::block::of_routine(language, body, known)
}

/// The routines that an expression or query calls, without a look at what it gives them.
#[must_use]
pub fn calls(expression: &str) -> Vec<ddl::Written> {
    read::calls(expression)
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
