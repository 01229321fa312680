//! Spans of the parser as bytes of the user's text.
//!
//! `Span::byte_range` keeps a tree of every offset that was ever asked for; line and column are cheaper to
//! ask for and lead to the same bytes. Cheaper still is a look at the text, where a token mostly stands right behind
//! one whose place is known; a comment between them is left to the span.

use std::cell::Cell;

use proc_macro2::extra::DelimSpan;
use proc_macro2::{LineColumn, TokenStream};

use crate::source::Span;

use super::MOST_DEPTH;

/// Where the parsed text stands in the file, and where its lines start.
pub(super) struct Places<'a> {
    /// The parsed text: the file's without byte order mark and shebang.
    text: &'a str,
    /// Its first byte in the file.
    base: usize,
    /// Byte offset in `text` at which each line starts.
    lines: Vec<usize>,
    /// Whether columns are bytes everywhere.
    ascii: bool,
    /// How many types are open around the one that is read.
    types: Cell<u32>,
    /// A type that stands deeper than later stages can follow.
    too_deep: Cell<Option<Span>>,
    /// Whether tokens were taken out between those that are read: `$( .. ),*`.
    pub(super) thinned: bool,
}

impl<'a> Places<'a> {
    /// `text` is what the parser gets, `base` where it starts in the file.
    pub(super) fn new(text: &'a str, base: usize) -> Places<'a> {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let (types, too_deep) = (Cell::new(0), Cell::new(None));
        Places { text, base, lines, ascii: text.is_ascii(), types, too_deep, thinned: false }
    }

    /// Byte of the file.
    fn byte(&self, place: LineColumn) -> usize {
        let Some(&start) = place.line.checked_sub(1).and_then(|line| self.lines.get(line)) else {
            return self.base;
        };
        let column = match self.ascii {
            true => place.column,
            false => self.text[start..].char_indices().nth(place.column).map_or(self.text.len() - start, |(at, _)| at),
        };
        self.base + (start + column).min(self.text.len())
    }

    /// Reads a type within another; nothing where it stands too deep.
    pub(super) fn deeper<T>(&self, at: impl FnOnce() -> Span, read: impl FnOnce() -> T) -> Option<T> {
        if self.types.get() >= MOST_DEPTH {
            self.too_deep.set(self.too_deep.get().or_else(|| Some(at())));
            return None;
        }
        self.types.set(self.types.get() + 1);
        let read = read();
        self.types.set(self.types.get() - 1);
        Some(read)
    }

    /// The first type that stands too deep.
    pub(super) fn too_deep(&self) -> Option<Span> {
        self.too_deep.get()
    }

    /// First byte of a span.
    pub(super) fn start(&self, span: proc_macro2::Span) -> usize {
        self.byte(span.start())
    }

    /// One past the last byte of a span.
    pub(super) fn end(&self, span: proc_macro2::Span) -> usize {
        self.byte(span.end())
    }

    /// All of a span.
    pub(super) fn range(&self, span: proc_macro2::Span) -> Span {
        Span::new(self.start(span), self.end(span))
    }

    /// What stands within brackets, without the blanks at its ends.
    pub(super) fn within(&self, brackets: DelimSpan) -> Span {
        let (start, end) = (self.end(brackets.open()), self.start(brackets.close()));
        let text = self.slice(Span::new(start, end));
        let start = start + (text.len() - text.trim_start().len());
        Span::new(start, start + text.trim().len())
    }

    /// From the first token to the last; empty when there is none. It copies every token: [`Places::within`] does not.
    pub(super) fn tokens(&self, tokens: &TokenStream) -> Span {
        let mut tokens = tokens.clone().into_iter();
        let Some(first) = tokens.next() else { return Span::default() };
        let last = tokens.last().map_or_else(|| first.span(), |last| last.span());
        Span::new(self.start(first.span()), self.end(last))
    }

    /// The user's text of a span.
    pub(super) fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start.saturating_sub(self.base)..span.end.saturating_sub(self.base)).unwrap_or_default()
    }

    /// The text from a byte of the file on.
    fn rest(&self, at: usize) -> &'a str {
        at.checked_sub(self.base).and_then(|at| self.text.get(at..)).unwrap_or_default()
    }

    /// One past the last byte of a sign that was parsed behind `at`.
    pub(super) fn end_behind(&self, at: usize, sign: &str, span: proc_macro2::Span) -> usize {
        if self.rest(at).starts_with(sign) { at + sign.len() } else { self.end(span) }
    }

    /// One past the bracket that closes a list whose last part, or whose opening bracket, ends at `at`.
    pub(super) fn closed_behind(&self, at: usize, bracket: u8, span: proc_macro2::Span) -> usize {
        let rest = if self.thinned { &[] } else { self.rest(at).as_bytes() };
        let mut comma = false;
        for (length, byte) in rest.iter().enumerate() {
            match byte {
                b' ' | b'\n' => {}
                b',' if !comma => comma = true,
                byte if *byte == bracket => return at + length + 1,
                _ => break,
            }
        }
        self.end(span)
    }

    /// As [`Places::name`], of a name that was parsed behind a sign that stands behind `at`.
    pub(super) fn name_behind(&self, at: usize, sign: &str, ident: &proc_macro2::Ident) -> (String, Span) {
        let rest = self.rest(at);
        let inner = rest.trim_start_matches([' ', '\n']);
        let found = inner.strip_prefix(sign).and_then(|behind| {
            let length = behind.bytes().take_while(|byte| is_name_byte(*byte)).count();
            behind.get(..length).filter(|name| !name.is_empty() && ident == name)
        });
        match found {
            Some(name) => {
                let start = at + (rest.len() - inner.len()) + sign.len();
                (name.to_owned(), Span::new(start, start + name.len()))
            }
            None => self.name(ident),
        }
    }

    /// A name without `r#`, and its bytes.
    pub(super) fn name(&self, ident: &proc_macro2::Ident) -> (String, Span) {
        let start = self.start(ident.span());
        let rest = self.text.get(start.saturating_sub(self.base)..).unwrap_or_default();
        let raw = if rest.starts_with("r#") { 2 } else { 0 };
        let length = rest.bytes().skip(raw).take_while(|byte| is_name_byte(*byte)).count() + raw;
        let name = rest.get(raw..length).unwrap_or_default();
        (name.to_owned(), Span::new(start, start + length))
    }
}

/// Whether a byte can stand in a name; other scripts' letters are all over 0x7F.
pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
