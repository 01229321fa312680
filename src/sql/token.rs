//! Bytes into tokens, as PostgreSQL's own scanner cuts them: linear, total, without recursion.

use crate::source::Span;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A name or keyword without quotes.
    Word,
    /// A name in double quotes, `U&"..."` too.
    Quoted,
    /// A string: `'..'`, `E'..'`, `B'..'`, `X'..'`, `N'..'`, `U&'..'`.
    Text,
    /// A string between dollar quotes.
    Dollar,
    /// A number, or a parameter such as `$1`.
    Number,
    /// An operator or a mark; marks stand alone, `::` and the comparison operators are one token each.
    Symbol,
    /// A comment, of either form.
    Comment,
}

/// A piece of text that means one thing. Blanks lie between tokens and make none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its bytes in the text that was read.
    pub span: Span,
}

impl Token {
    /// Its bytes as text; empty when they do not lie in `text`.
    #[must_use]
    pub fn text<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.span.start..self.span.end).unwrap_or_default()
    }

    /// Whether it is this keyword, given in lower case.
    #[must_use]
    pub fn is_word(&self, text: &str, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text(text).eq_ignore_ascii_case(word)
    }

    /// The name that it spells, folded as PostgreSQL folds it; `None` for what is no name.
    #[must_use]
    pub fn name(&self, text: &str) -> Option<String> {
        let raw = self.text(text);
        match self.kind {
            TokenKind::Word => Some(raw.to_lowercase()),
            TokenKind::Quoted => {
                let inner = raw.trim_start_matches(['u', 'U', '&']);
                let inner = inner.strip_prefix('"').unwrap_or(inner);
                Some(inner.strip_suffix('"').unwrap_or(inner).replace("\"\"", "\""))
            }
            TokenKind::Text | TokenKind::Dollar | TokenKind::Number | TokenKind::Symbol | TokenKind::Comment => None,
        }
    }

    /// Whether it is this operator or mark.
    #[must_use]
    pub fn is_symbol(&self, text: &str, symbol: &str) -> bool {
        self.kind == TokenKind::Symbol && self.text(text) == symbol
    }
}

/// Reads tokens one after the other. Text that is never closed reaches to the end.
#[derive(Clone, Debug)]
pub struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
}

/// Every token of a text but its comments.
#[must_use]
pub fn tokens(text: &str) -> Vec<Token> {
    let mut scanner = Scanner::new(text, 0);
    std::iter::from_fn(|| scanner.next_token()).filter(|token| token.kind != TokenKind::Comment).collect()
}

impl<'t> Scanner<'t> {
    /// A scanner that starts at byte `at`.
    #[must_use]
    pub fn new(text: &'t str, at: usize) -> Scanner<'t> {
        Scanner { text, bytes: text.as_bytes(), at }
    }

    /// The byte after the last token.
    #[must_use]
    pub fn position(&self) -> usize {
        self.at
    }

    /// Goes on at byte `at`.
    pub fn jump(&mut self, at: usize) {
        self.at = at.min(self.bytes.len());
    }

    /// The next token, comments included.
    pub fn next_token(&mut self) -> Option<Token> {
        self.skip_blanks();
        let start = self.at;
        let kind = match self.peek(0)? {
            b'-' if self.peek(1) == Some(b'-') => self.line_comment(),
            b'/' if self.peek(1) == Some(b'*') => self.block_comment(),
            b'\'' => self.string(false),
            b'"' => self.quoted(),
            b'$' => self.dollar(),
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_some_and(|next| next.is_ascii_digit()) => self.number(),
            byte if starts_word(byte) => self.word_or_string(byte),
            _ => self.symbol(),
        };
        Some(Token { kind, span: Span::new(start, self.at) })
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn skip_blanks(&mut self) {
        // A byte-order mark is a blank: editors leave it at the start, concatenation in the middle.
        loop {
            match self.peek(0) {
                Some(byte) if byte.is_ascii_whitespace() || byte == 0x0b => self.at += 1,
                Some(0xef) if self.bytes[self.at..].starts_with("\u{feff}".as_bytes()) => self.at += 3,
                _ => return,
            }
        }
    }

    fn skip_to(&mut self, needle: &str) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.at = rest.find(needle).map_or(self.bytes.len(), |found| self.at + found);
    }

    fn line_comment(&mut self) -> TokenKind {
        self.skip_to("\n");
        TokenKind::Comment
    }

    fn block_comment(&mut self) -> TokenKind {
        let mut depth = 0usize;
        while let Some(byte) = self.peek(0) {
            let step = match (byte, self.peek(1)) {
                (b'/', Some(b'*')) => {
                    depth += 1;
                    2
                }
                (b'*', Some(b'/')) => {
                    depth -= 1;
                    2
                }
                _ => 1,
            };
            self.at += step;
            if depth == 0 {
                break;
            }
        }
        TokenKind::Comment
    }

    /// From the opening quote to the closing one; `''` stands for a quote, and `\'` too where backslashes escape.
    fn string(&mut self, escapes: bool) -> TokenKind {
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            match byte {
                b'\\' if escapes => self.at += usize::from(self.at < self.bytes.len()),
                b'\'' if self.peek(0) == Some(b'\'') => self.at += 1,
                b'\'' => break,
                _ => {}
            }
        }
        // An escape may have stepped over the first byte of a longer character.
        while self.at < self.bytes.len() && !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        TokenKind::Text
    }

    fn quoted(&mut self) -> TokenKind {
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            if byte == b'"' {
                if self.peek(0) == Some(b'"') {
                    self.at += 1;
                } else {
                    break;
                }
            }
        }
        TokenKind::Quoted
    }

    /// `$1`, `$$..$$`, `$tag$..$tag$`, or a dollar sign that means nothing.
    fn dollar(&mut self) -> TokenKind {
        let start = self.at;
        self.at += 1;
        if self.peek(0).is_some_and(|byte| byte.is_ascii_digit()) {
            return self.number();
        }
        while self.peek(0).is_some_and(|byte| byte != b'$' && continues_word(byte)) {
            self.at += 1;
        }
        if self.peek(0) != Some(b'$') {
            return TokenKind::Symbol;
        }
        self.at += 1;
        let tag = self.text.get(start..self.at).unwrap_or("$$");
        self.skip_to(tag);
        self.at = (self.at + tag.len()).min(self.bytes.len());
        TokenKind::Dollar
    }

    fn number(&mut self) -> TokenKind {
        while let Some(byte) = self.peek(0) {
            let exponent_sign = matches!(byte, b'+' | b'-') && matches!(self.bytes.get(self.at - 1), Some(b'e' | b'E'));
            if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.' || exponent_sign {
                self.at += 1;
            } else {
                break;
            }
        }
        TokenKind::Number
    }

    fn word_or_string(&mut self, first: u8) -> TokenKind {
        match (first, self.peek(1), self.peek(2)) {
            (b'e' | b'E', Some(b'\''), _) => self.prefixed(1, true),
            (b'b' | b'B' | b'x' | b'X' | b'n' | b'N', Some(b'\''), _) => self.prefixed(1, false),
            (b'u' | b'U', Some(b'&'), Some(b'\'')) => self.prefixed(2, false),
            (b'u' | b'U', Some(b'&'), Some(b'"')) => {
                self.at += 2;
                self.quoted()
            }
            _ => {
                while self.peek(0).is_some_and(continues_word) {
                    // A no-break mark inside a word is a blank that this scanner knows only as a whole.
                    if self.bytes[self.at..].starts_with("\u{feff}".as_bytes()) {
                        break;
                    }
                    self.at += 1;
                }
                TokenKind::Word
            }
        }
    }

    fn prefixed(&mut self, length: usize, escapes: bool) -> TokenKind {
        self.at += length;
        self.string(escapes)
    }

    fn symbol(&mut self) -> TokenKind {
        let two = self.bytes.get(self.at..self.at + 2);
        let length = match two {
            Some(b"::" | b"<=" | b">=" | b"<>" | b"!=" | b"||" | b":=" | b"=>" | b"->" | b"!~" | b"~~" | b"&&") => 2,
            _ => 1,
        };
        self.at += length;
        TokenKind::Symbol
    }
}

fn starts_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

fn continues_word(byte: u8) -> bool {
    starts_word(byte) || byte.is_ascii_digit() || byte == b'$'
}
