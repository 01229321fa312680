//! What the pages say, in English. All words for people are here and below, and no logic but grammar.

mod action;
mod index;
mod words;

use crate::docs::block::Page;
use crate::docs::facts::Book;

/// The language of these pages, as HTML names it.
pub(super) const LANGUAGE: &str = "en";

/// What the whole is called.
pub(super) const TITLE: &str = "What acts once, and why";

/// The index, then a page an action type.
pub(super) fn pages(book: &Book) -> Vec<Page> {
    let mut pages = vec![index::page(book)];
    pages.extend(book.actions.iter().map(action::page));
    pages
}
