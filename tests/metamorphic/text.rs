//! Rust text, and edits to it by byte ranges: comments, macros and layout stay as they are.

use std::ops::Range;

use syn::spanned::Spanned as _;

/// A parsed text.
pub(crate) struct Code {
    pub(crate) text: String,
    pub(crate) file: syn::File,
}

impl Code {
    pub(crate) fn new(text: &str) -> Code {
        let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        Code { text: text.to_owned(), file }
    }

    /// The text of a node.
    pub(crate) fn of(&self, node: &impl quote::ToTokens) -> &str {
        &self.text[range(node)]
    }
}

/// Where a node stands.
pub(crate) fn range(node: &impl quote::ToTokens) -> Range<usize> {
    node.span().byte_range()
}

/// Replacements of byte ranges.
#[derive(Default)]
pub(crate) struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    pub(crate) fn put(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.0.push((range, text.into()));
    }

    pub(crate) fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.put(at..at, text);
    }

    pub(crate) fn extend(&mut self, other: Edits) {
        self.0.extend(other.0);
    }

    /// The text with every replacement made; one that lies in another that is made is left out. Nothing when there
    /// is none.
    pub(crate) fn apply(mut self, text: &str) -> Option<String> {
        self.0.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        let (mut out, mut at) = (String::new(), 0);
        for (range, new) in self.0.iter().filter(|(range, _)| text.is_char_boundary(range.start)) {
            if range.start >= at {
                out.push_str(&text[at..range.start]);
                out.push_str(new);
                at = range.end;
            }
        }
        out.push_str(&text[at..]);
        (out != text).then_some(out)
    }
}
