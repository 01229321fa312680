//! A page per action type for those who have to trust it: what makes two acts the same, what the provider does
//! with a repeat, what becomes of a stuck one, and where in the code it is sent and guarded.
//!
//! `facts` gathers what is known, in plain data (it is the JSON form); `english` puts it into words as
//! blocks; `markdown` and `html` set the blocks. Another language is another module beside `english`.

mod block;
mod english;
mod evidence;
mod facts;
mod html;
mod machine;
mod markdown;

use std::path::Path;

use crate::files::OutputFile;
use crate::manifest::Manifest;

pub use evidence::{Call, Evidence, Exception};

/// Stands in every file that is written: what lacks it is somebody else's.
pub const MARK: &str = "Written by onlyonce docs";

/// A form in which the pages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// A file a page, with Mermaid for the picture.
    Markdown,
    /// One file that needs no other, for screen and paper.
    Html,
    /// One file for tools.
    Json,
}

/// The pages in these forms, in `folder`. The same inputs give the same bytes.
#[must_use]
pub fn docs(manifest: &Manifest, evidence: &Evidence, folder: &Path, formats: &[Format]) -> Vec<OutputFile> {
    let book = facts::Book::of(manifest, evidence);
    let pages = english::pages(&book);
    formats.iter().flat_map(|format| set(*format, &book, &pages, folder)).collect()
}

fn set(format: Format, book: &facts::Book, pages: &[block::Page], folder: &Path) -> Vec<OutputFile> {
    match format {
        Format::Markdown => pages
            .iter()
            .map(|page| {
                OutputFile::new(
                    folder.join(format!("{}.md", page.name)),
                    format!("<!-- {MARK}; do not edit it. -->\n\n{}", markdown::page(page)),
                )
            })
            .collect(),
        Format::Html => vec![OutputFile::new(folder.join("index.html"), html::document(pages))],
        Format::Json => vec![OutputFile::new(folder.join("index.json"), json(book))],
    }
}

fn json(book: &facts::Book) -> String {
    // Strings, numbers and lists alone: there is nothing in it that JSON cannot hold.
    serde_json::to_string_pretty(book).map(|text| text + "\n").unwrap_or_default()
}

#[cfg(test)]
mod tests;
