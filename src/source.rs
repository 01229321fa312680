//! Text that the user wrote, and places in it.

use std::fmt;
use std::sync::{Arc, OnceLock};

/// A file's text as it was read, with its path as people are shown it. Cheap to clone.
#[derive(Clone)]
pub struct Source(Arc<Inner>);

struct Inner {
    name: String,
    text: String,
    /// Byte offset at which each line starts; told when somebody asks for a line.
    lines: OnceLock<Vec<usize>>,
    digest: OnceLock<[u8; 32]>,
}

/// A range of bytes in a [`Source`]: `start` included, `end` excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// Line and column, both counted from 1; columns count characters, not bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl Span {
    /// The bytes from `start` up to `end`.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    /// The smallest span that holds both.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Whether `other` lies wholly inside.
    #[must_use]
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

impl From<std::ops::Range<usize>> for Span {
    fn from(range: std::ops::Range<usize>) -> Span {
        Span { start: range.start, end: range.end }
    }
}

impl Source {
    /// `name` is the path that findings show: relative to where the user stands or to the scanned folder.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        let (lines, digest) = (OnceLock::new(), OnceLock::new());
        Source(Arc::new(Inner { name: name.into(), text: text.into(), lines, digest }))
    }

    /// BLAKE3 of the text.
    #[must_use]
    pub fn digest(&self) -> &[u8; 32] {
        self.0.digest.get_or_init(|| blake3::hash(self.text().as_bytes()).into())
    }

    fn lines(&self) -> &[usize] {
        let starts = || std::iter::once(0).chain(self.text().match_indices('\n').map(|(at, _)| at + 1)).collect();
        self.0.lines.get_or_init(starts)
    }

    /// The path that findings show.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Whether a word stands anywhere in the text.
    #[must_use]
    pub fn says(&self, word: &str) -> bool {
        memchr::memmem::find(self.text().as_bytes(), word.as_bytes()).is_some()
    }

    /// The text of a span; empty when the span does not lie on character borders of this text.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text().get(span.start..span.end).unwrap_or_default()
    }

    /// Where a byte offset stands; an offset past the end stands at the end.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let line = self.lines().partition_point(|start| *start <= offset).max(1);
        let start = self.lines().get(line - 1).copied().unwrap_or(0);
        let before = self.text().get(start..offset.min(self.text().len())).unwrap_or_default();
        Position { line, column: before.chars().count() + 1 }
    }

    /// The bytes of a line counted from 1, without its line break; empty past the last line.
    #[must_use]
    pub fn line(&self, line: usize) -> Span {
        let Some(&start) = line.checked_sub(1).and_then(|index| self.lines().get(index)) else {
            return Span::new(self.text().len(), self.text().len());
        };
        let end = self.lines().get(line).map_or(self.text().len(), |next| next - 1);
        Span::new(start, end)
    }
}

impl Default for Source {
    /// An empty text without a name.
    fn default() -> Source {
        Source::new("", "")
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({:?}, {} bytes)", self.name(), self.text().len())
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Source) -> bool {
        self.name() == other.name() && self.text() == other.text()
    }
}

impl Eq for Source {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let source = Source::new("a.rs", "fn é() {}\n\nlast");
        assert_eq!(source.position(0), Position { line: 1, column: 1 });
        let brace = source.text().find('{').unwrap();
        assert_eq!(source.position(brace), Position { line: 1, column: 8 });
        assert_eq!(source.position(source.text().len()), Position { line: 3, column: 5 });
        assert_eq!(source.position(usize::MAX).line, 3);
        assert_eq!(source.slice(source.line(1)), "fn é() {}");
        assert_eq!(source.slice(source.line(9)), "");
    }
}
