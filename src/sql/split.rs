//! A file into the spans of its statements, with its comments: what psql's scanner does, by bytes.

use super::token::{Scanner, Token, TokenKind};
use crate::source::Span;

/// What a file holds, cut but not yet understood. Spans are in order and do not overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    /// Statements without their semicolons, from first to last token.
    pub statements: Vec<Span>,
    /// Comments, wherever they stand.
    pub comments: Vec<Span>,
    /// Lines for psql, such as `\i other.sql`.
    pub commands: Vec<Span>,
    /// Rows after `COPY .. FROM STDIN`, with the `\.` that ends them.
    pub rows: Vec<Span>,
}

/// Cuts the bytes of `text` within `within`. Never fails: what is not closed reaches to the end.
#[must_use]
pub fn split(text: &str, within: Span) -> Pieces {
    let text = text.get(..within.end).unwrap_or(text);
    let mut cutter = Cutter { text, scanner: Scanner::new(text, within.start), pieces: Pieces::default(), open: None };
    while let Some(token) = cutter.scanner.next_token() {
        cutter.take(token);
    }
    cutter.close();
    cutter.pieces
}

struct Cutter<'t> {
    text: &'t str,
    scanner: Scanner<'t>,
    pieces: Pieces,
    open: Option<Open>,
}

/// A statement that has begun.
struct Open {
    span: Span,
    /// Parentheses that are open.
    depth: usize,
    /// Blocks between BEGIN ATOMIC and END that are open, CASE expressions in them included.
    blocks: usize,
    /// The first words, enough to tell a routine or a COPY.
    head: Vec<Token>,
    /// Whether the words FROM STDIN have stood side by side.
    reads_rows: bool,
    last_word: Option<Token>,
}

const HEAD: usize = 4;

impl Cutter<'_> {
    fn take(&mut self, token: Token) {
        if token.kind == TokenKind::Comment {
            self.pieces.comments.push(token.span);
        } else if token.is_symbol(self.text, "\\") {
            self.command(token);
        } else if token.is_symbol(self.text, ";") && self.open.as_ref().is_none_or(Open::ends_here) {
            if self.close() {
                self.skip_rows();
            }
        } else {
            let open = self.open.get_or_insert_with(|| Open::new(token.span));
            open.take(token, self.text);
        }
    }

    /// A backslash outside quotes belongs to psql up to the end of the line; behind a statement it ends it, as `\g` does.
    fn command(&mut self, token: Token) {
        let rows = self.close();
        let rest = self.text.get(token.span.start..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or(rest);
        let span = Span::new(token.span.start, token.span.start + line.trim_end().len());
        self.pieces.commands.push(span);
        self.scanner.jump(span.end);
        if rows {
            self.skip_rows();
        }
    }

    /// Ends the statement that is open; whether rows come behind it.
    fn close(&mut self) -> bool {
        let Some(open) = self.open.take() else { return false };
        self.pieces.statements.push(open.span);
        open.reads_rows && open.head.first().is_some_and(|word| word.is_word(self.text, "copy"))
    }

    /// Rows begin on the next line and end with a line `\.`; a file without one has none.
    fn skip_rows(&mut self) {
        let start = self.scanner.position();
        let rest = self.text.get(start..).unwrap_or_default();
        let Some(line) = rest.find('\n').filter(|end| rest[..*end].trim().is_empty()) else { return };
        let mut at = line + 1;
        for row in rest[at..].split_inclusive('\n') {
            at += row.len();
            if row.trim_end() == "\\." {
                self.pieces.rows.push(Span::new(start + line + 1, start + at));
                self.scanner.jump(start + at);
                return;
            }
            // A semicolon at the end of a row without a tab is SQL again: tools that know no rows leave them out.
            if row.trim_end().ends_with(';') && !row.contains('\t') {
                return;
            }
        }
    }
}

impl Open {
    fn new(span: Span) -> Open {
        Open { span, depth: 0, blocks: 0, head: Vec::new(), reads_rows: false, last_word: None }
    }

    fn ends_here(&self) -> bool {
        self.depth == 0 && self.blocks == 0
    }

    fn take(&mut self, token: Token, text: &str) {
        self.span = self.span.to(token.span);
        match token.text(text) {
            "(" if token.kind == TokenKind::Symbol => self.depth += 1,
            ")" if token.kind == TokenKind::Symbol => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        if self.head.len() < HEAD {
            self.head.push(token);
        }
        if token.kind == TokenKind::Word {
            self.word(token, text);
        }
        self.last_word = (token.kind == TokenKind::Word).then_some(token);
    }

    fn word(&mut self, token: Token, text: &str) {
        let after = |word: &str| self.last_word.is_some_and(|last| last.is_word(text, word));
        if token.is_word(text, "stdin") && after("from") {
            self.reads_rows = true;
        } else if self.depth > 0 || !self.makes_routine(text) {
            // Only the bodies of routines hold statements that are not quoted.
        } else if token.is_word(text, "atomic") && after("begin") {
            self.blocks = 1;
        } else if token.is_word(text, "case") && self.blocks > 0 && !after("end") {
            self.blocks += 1;
        } else if token.is_word(text, "end") && self.blocks > 0 {
            self.blocks -= 1;
        }
    }

    /// `CREATE [OR REPLACE] FUNCTION | PROCEDURE`.
    fn makes_routine(&self, text: &str) -> bool {
        let word = |index: usize, word: &str| self.head.get(index).is_some_and(|token| token.is_word(text, word));
        let kind = |index: usize| word(index, "function") || word(index, "procedure");
        word(0, "create") && (kind(1) || (word(1, "or") && word(2, "replace") && kind(3)))
    }
}
