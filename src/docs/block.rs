//! What a page is made of, before it is set in any form.

use crate::docs::machine::Machine;

/// A page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Page {
    /// Its file's stem and its anchor.
    pub name: String,
    /// Its heading.
    pub title: Rich,
    /// What it is about, in one sentence.
    pub lead: Rich,
    /// The rest.
    pub blocks: Vec<Block>,
}

/// A block of a page.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Block {
    /// Opens a section.
    Heading(String),
    /// Running text.
    Paragraph(Rich),
    /// What must not be overlooked.
    Note(Rich),
    /// Names with what they are.
    Facts(Vec<(String, Rich)>),
    /// Rows under a head; never empty.
    Table { head: Vec<String>, rows: Vec<Vec<Rich>> },
    /// One below the other.
    List(Vec<Rich>),
    /// The picture of the states.
    Machine(Machine),
}

/// Text with code and links in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rich(pub Vec<Inline>);

/// A piece of text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Inline {
    /// Words.
    Text(String),
    /// As it stands in code.
    Code(String),
    /// Another page, by its name.
    Page(String),
    /// A page of somebody else.
    Address(String),
}

impl Rich {
    /// As it stands in code.
    pub(super) fn code(text: impl Into<String>) -> Rich {
        Rich(vec![Inline::Code(text.into())])
    }

    /// A link to another page.
    pub(super) fn page(name: impl Into<String>) -> Rich {
        Rich(vec![Inline::Page(name.into())])
    }

    /// Links to pages of others, one after another.
    pub(super) fn addresses(addresses: &[String]) -> Rich {
        Rich::joined(addresses.iter().map(|address| Rich(vec![Inline::Address(address.clone())])), ", ")
    }

    /// One after another.
    pub(super) fn joined(parts: impl IntoIterator<Item = Rich>, between: &str) -> Rich {
        let mut joined = Vec::new();
        for (at, part) in parts.into_iter().enumerate() {
            if at > 0 {
                joined.push(Inline::Text(between.to_owned()));
            }
            joined.extend(part.0);
        }
        Rich(joined)
    }

    /// This, then that.
    pub(super) fn and(mut self, other: impl Into<Rich>) -> Rich {
        self.0.extend(other.into().0);
        self
    }
}

/// What stands between two backticks is code.
impl From<&str> for Rich {
    fn from(text: &str) -> Rich {
        let pieces: Vec<&str> = text.split('`').collect();
        if pieces.len().is_multiple_of(2) {
            return Rich(vec![Inline::Text(text.to_owned())]);
        }
        let inline = pieces.iter().enumerate().filter(|(_, piece)| !piece.is_empty());
        Rich(
            inline
                .map(
                    |(at, piece)| {
                        if at % 2 == 1 { Inline::Code((*piece).to_owned()) } else { Inline::Text((*piece).to_owned()) }
                    },
                )
                .collect(),
        )
    }
}

impl From<String> for Rich {
    fn from(text: String) -> Rich {
        Rich::from(text.as_str())
    }
}
