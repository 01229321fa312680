//! One statement through sqlparser, with the end of input demanded.

use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::Token as Unit;

use super::Parsed;
use super::token::{Token, TokenKind, tokens};

/// Each link of a flat chain (`a OR b OR ..`, `UNION ALL ..`) is one level of the tree, and dropping or comparing a tree
/// takes stack for each level: some 1,200 bytes, of the two megabytes that a thread has.
const MOST_LINKS: usize = 400;

/// Longer than any definition that people write.
const MOST_TOKENS: usize = 100_000;

/// Statements on rows.
const ROWS: [&str; 15] = [
    "analyze", "copy", "delete", "execute", "explain", "fetch", "insert", "merge", "notify", "select", "table",
    "update", "vacuum", "values", "with",
];

/// What a statement's text means.
#[must_use]
pub fn parse(text: &str) -> Parsed {
    let tokens = tokens(text);
    if tokens.first().is_some_and(|first| ROWS.iter().any(|word| first.is_word(text, word))) {
        return Parsed::Rows;
    }
    if tokens.len() > MOST_TOKENS || tokens.iter().filter(|token| links(token, text)).count() > MOST_LINKS {
        return Parsed::Opaque { reason: "the statement is too long to be read safely".to_owned() };
    }
    match whole(text) {
        Ok(statement) => Parsed::Read(Box::new(statement)),
        Err(reason) => Parsed::Opaque { reason },
    }
}

fn whole(text: &str) -> Result<sqlparser::ast::Statement, String> {
    let dialect = PostgreSqlDialect {};
    let mut parser = Parser::new(&dialect).try_with_sql(text).map_err(|error| error.to_string())?;
    let statement = parser.parse_statement().map_err(|error| error.to_string())?;
    match parser.peek_token_ref().token {
        Unit::EOF => Ok(statement),
        ref rest => Err(format!("the parser stopped before {rest}")),
    }
}

/// Whether a token can make a chain one level deeper.
fn links(token: &Token, text: &str) -> bool {
    match token.kind {
        TokenKind::Symbol => !matches!(token.text(text), "," | "(" | ")" | ";" | "." | "="),
        TokenKind::Word => ["and", "collate", "except", "intersect", "is", "join", "not", "or", "union"]
            .iter()
            .any(|word| token.is_word(text, word)),
        TokenKind::Quoted | TokenKind::Text | TokenKind::Dollar | TokenKind::Number | TokenKind::Comment => false,
    }
}
