//! Walks the tokens of one statement. What is asked for and not there answers `None`, and the place is kept for the reason.

use super::token::{Token, TokenKind, tokens};
use crate::source::Span;

/// A place in the tokens of a statement.
#[derive(Clone, Debug)]
pub struct Cursor<'t> {
    text: &'t str,
    tokens: &'t [Token],
    at: usize,
    /// Where the statement's text starts in its file.
    base: usize,
}

/// An object's name as it was written: a schema when one was given. Equal when the names are, wherever they stand, so
/// that definitions from different files compare.
#[derive(Clone, Debug, Eq)]
pub struct Written {
    /// The schema, folded.
    pub schema: Option<String>,
    /// The name, folded.
    pub name: String,
    /// Its bytes in the file.
    pub span: Span,
}

impl PartialEq for Written {
    fn eq(&self, other: &Written) -> bool {
        (&self.schema, &self.name) == (&other.schema, &other.name)
    }
}

impl<'t> Cursor<'t> {
    /// At the first token. `tokens` are those of `text`, which starts at byte `base` of its file.
    #[must_use]
    pub fn new(text: &'t str, tokens: &'t [Token], base: usize) -> Cursor<'t> {
        Cursor { text, tokens, at: 0, base }
    }

    /// The next token.
    #[must_use]
    pub fn peek(&self) -> Option<Token> {
        self.ahead(0)
    }

    /// The token after `count` others.
    #[must_use]
    pub fn ahead(&self, count: usize) -> Option<Token> {
        self.tokens.get(self.at + count).copied()
    }

    /// Whether nothing is left.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Takes the next token, whatever it is.
    pub fn bump(&mut self) -> Option<Token> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    /// How many tokens were taken.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.at
    }

    /// Goes back to where `taken` was.
    pub fn rewind(&mut self, taken: usize) {
        self.at = taken;
    }

    /// Leaves out everything that is left.
    pub fn skip_rest(&mut self) {
        self.at = self.tokens.len();
    }

    /// The text of the whole statement.
    #[must_use]
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// A token's text.
    #[must_use]
    pub fn text_of(&self, token: Token) -> &'t str {
        token.text(self.text)
    }

    /// The next token's text; empty at the end.
    #[must_use]
    pub fn next_text(&self) -> &'t str {
        self.peek().map_or("", |token| self.text_of(token))
    }

    /// The bytes in the file from the token that stood after `taken` others to the last one taken.
    #[must_use]
    pub fn span_since(&self, taken: usize) -> Span {
        let start = self.tokens.get(taken).map_or(0, |token| token.span.start);
        let end = self.at.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(start, |token| token.span.end);
        self.in_file(Span::new(start, end.max(start)))
    }

    /// A token's bytes in the file.
    #[must_use]
    pub fn in_file(&self, span: Span) -> Span {
        Span::new(self.base + span.start, self.base + span.end)
    }

    /// Whether these keywords come next.
    #[must_use]
    pub fn sees(&self, words: &[&str]) -> bool {
        words
            .iter()
            .enumerate()
            .all(|(index, word)| self.ahead(index).is_some_and(|token| token.is_word(self.text, word)))
    }

    /// Takes these keywords when all of them come next.
    pub fn eat(&mut self, words: &[&str]) -> bool {
        let seen = self.sees(words);
        self.at += if seen { words.len() } else { 0 };
        seen
    }

    /// Takes one of these keywords and tells which.
    pub fn eat_one_of(&mut self, words: &[&'static str]) -> Option<&'static str> {
        words.iter().copied().find(|word| self.eat(&[word]))
    }

    /// Demands these keywords.
    pub fn expect(&mut self, words: &[&str]) -> Option<()> {
        self.eat(words).then_some(())
    }

    /// Whether this mark comes next.
    #[must_use]
    pub fn sees_mark(&self, mark: &str) -> bool {
        self.peek().is_some_and(|token| token.is_symbol(self.text, mark))
    }

    /// Takes this mark when it comes next.
    pub fn eat_mark(&mut self, mark: &str) -> bool {
        let seen = self.sees_mark(mark);
        self.at += usize::from(seen);
        seen
    }

    /// Demands this mark.
    pub fn expect_mark(&mut self, mark: &str) -> Option<()> {
        self.eat_mark(mark).then_some(())
    }

    /// A name of one part.
    pub fn name(&mut self) -> Option<String> {
        let name = self.peek()?.name(self.text)?;
        self.at += 1;
        Some(name)
    }

    /// A name of one to three parts; of three, the database is left out.
    pub fn written(&mut self) -> Option<Written> {
        let start = self.at;
        let mut parts = vec![self.name()?];
        while parts.len() < 3 && self.eat_mark(".") {
            parts.push(self.name()?);
        }
        let name = parts.pop()?;
        Some(Written { schema: parts.pop(), name, span: self.span_since(start) })
    }

    /// Names with commas between them.
    pub fn names(&mut self) -> Option<Vec<String>> {
        self.listed(Cursor::name)
    }

    /// One or more of something, with commas between.
    pub fn listed<T>(&mut self, mut one: impl FnMut(&mut Cursor<'t>) -> Option<T>) -> Option<Vec<T>> {
        let mut list = vec![one(self)?];
        while self.eat_mark(",") {
            list.push(one(self)?);
        }
        Some(list)
    }

    /// A cursor over what stands in the parentheses that come next; this one goes past them.
    pub fn parens(&mut self) -> Option<Cursor<'t>> {
        self.expect_mark("(")?;
        let start = self.at;
        let mut depth = 1usize;
        while depth > 0 {
            let token = self.bump()?;
            depth = match self.text_of(token) {
                "(" if token.kind == TokenKind::Symbol => depth + 1,
                ")" if token.kind == TokenKind::Symbol => depth - 1,
                _ => depth,
            };
        }
        Some(Cursor { text: self.text, tokens: self.tokens.get(start..self.at - 1)?, at: 0, base: self.base })
    }

    /// What lies between commas outside parentheses, from here to the end. Empty when nothing is left.
    #[must_use]
    pub fn elements(&self) -> Vec<Cursor<'t>> {
        let mut parts = Vec::new();
        let mut rest = self.clone();
        while !rest.is_done() {
            parts.push(rest.clause());
            rest.eat_mark(",");
        }
        parts
    }

    /// A cursor over everything up to the next comma outside parentheses, or to the end; this one goes past it.
    pub fn clause(&mut self) -> Cursor<'t> {
        self.before(|rest| rest.sees_mark(","))
    }

    /// A cursor over everything up to the next semicolon outside parentheses, or to the end; this one goes past it.
    pub fn piece(&mut self) -> Cursor<'t> {
        let piece = self.before(|rest| rest.sees_mark(";"));
        self.eat_mark(";");
        piece
    }

    /// A cursor over everything up to a token, outside parentheses, for which `stop` holds, or to the end; this one goes
    /// to that token.
    pub fn before(&mut self, stop: impl Fn(&Cursor<'t>) -> bool) -> Cursor<'t> {
        let start = self.at;
        while !self.is_done() && !stop(self) {
            self.skip_one();
        }
        let tokens = self.tokens.get(start..self.at).unwrap_or_default();
        Cursor { text: self.text, tokens, at: 0, base: self.base }
    }

    /// The value of a token that is a string.
    #[must_use]
    pub fn literal_of(&self, token: Token) -> Option<String> {
        literal(token, self.text)
    }

    /// Takes one token, or a whole pair of parentheses with what they hold.
    pub fn skip_one(&mut self) {
        if self.sees_mark("(") {
            // Parentheses that are never closed reach to the end.
            let _ = self.parens();
        } else {
            self.at = (self.at + 1).min(self.tokens.len());
        }
    }

    /// Everything up to a token, outside parentheses, for which `stop` holds, or to the end, in normal form.
    pub fn expression(&mut self, stop: impl Fn(&Cursor<'t>) -> bool) -> String {
        let start = self.at;
        while !self.is_done() && (self.at == start || !stop(self)) {
            self.skip_one();
        }
        normal(self.text, self.tokens.get(start..self.at).unwrap_or_default())
    }

    /// What was taken since `start`, in normal form.
    #[must_use]
    pub fn taken_since(&self, start: usize) -> String {
        normal(self.text, self.tokens.get(start..self.at).unwrap_or_default())
    }

    /// Everything that is left, in normal form.
    #[must_use]
    pub fn rest(&self) -> String {
        normal(self.text, self.tokens.get(self.at..).unwrap_or_default())
    }

    /// The text of a string literal.
    pub fn string(&mut self) -> Option<String> {
        let token = self.peek()?;
        let value = literal(token, self.text)?;
        self.at += 1;
        Some(value)
    }
}

/// The value of a string; escapes of `E'..'` other than quotes stay as they are written.
#[must_use]
pub fn literal(token: Token, text: &str) -> Option<String> {
    let raw = token.text(text);
    match token.kind {
        TokenKind::Text => {
            let inner = raw.split_once('\'').map_or(raw, |(_, inner)| inner);
            Some(inner.strip_suffix('\'').unwrap_or(inner).replace("''", "'"))
        }
        TokenKind::Dollar => {
            let tag = raw.get(1..).and_then(|rest| rest.find('$')).map_or(0, |end| end + 2);
            Some(raw.get(tag..raw.len().saturating_sub(tag).max(tag)).unwrap_or_default().to_owned())
        }
        TokenKind::Word | TokenKind::Quoted | TokenKind::Number | TokenKind::Symbol | TokenKind::Comment => None,
    }
}

/// Pairs around a whole expression that are taken off; each costs a look at all of it.
const MOST_PARENTHESES: usize = 8;

/// An expression's text with keywords and plain names in lower case, one blank between tokens, and without
/// parentheses around the whole. Two texts of one normal form mean the same; not the other way round.
#[must_use]
pub fn normal(text: &str, tokens: &[Token]) -> String {
    let mut tokens = tokens;
    for _ in 0..MOST_PARENTHESES {
        match tokens {
            [first, inner @ .., last]
                if first.is_symbol(text, "(") && last.is_symbol(text, ")") && balanced(text, inner) =>
            {
                tokens = inner;
            }
            _ => break,
        }
    }
    let mut out = String::new();
    for token in tokens {
        let raw = token.text(text);
        if apart(&out, raw) {
            out.push(' ');
        }
        match token.kind {
            TokenKind::Word => out.push_str(&raw.to_lowercase()),
            TokenKind::Quoted => out.push_str(&token.name(text).map_or_else(|| raw.to_owned(), |name| spelled(&name))),
            _ => out.push_str(raw),
        }
    }
    out
}

/// Whether a blank stands between what is written already and the next token.
fn apart(written: &str, next: &str) -> bool {
    let called = next == "(" && written.ends_with(|one: char| one.is_alphanumeric() || one == '_');
    let joined = written.is_empty() || written.ends_with(['(', '.']) || written.ends_with("::");
    !called && !joined && !matches!(next, ")" | "," | "." | "::" | "[" | "]")
}

/// A name as normal form has it: in quotes only where it is not plain.
#[must_use]
pub fn spelled(name: &str) -> String {
    let plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if plain && !name.is_empty() { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

fn balanced(text: &str, tokens: &[Token]) -> bool {
    let mut depth = 0i32;
    for token in tokens {
        if token.is_symbol(text, "(") {
            depth += 1;
        } else if token.is_symbol(text, ")") {
            depth -= 1;
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// [`normal`] of a text.
#[must_use]
pub fn normal_text(text: &str) -> String {
    normal(text, &tokens(text))
}
