//! SQL text into statements: our own splitter, then one parse a statement. Nothing is dropped because it did not parse.

use crate::source::Span;

/// One statement of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Its text without the final semicolon and without leading comments.
    pub text: String,
    /// Its bytes in the file.
    pub span: Span,
    /// What the parser made of it.
    pub parsed: Parsed,
}

/// What the parser made of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Parsed {
    /// sqlparser read it to its end.
    Read(Box<sqlparser::ast::Statement>),
    /// Not read; `reason` is the parser's word for it.
    Opaque {
        /// Why.
        reason: String,
    },
}
