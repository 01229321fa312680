//! The file as written: bytes -> text -> TOML with the place of every value. Every syntax error is kept.

use std::fs;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

use crate::diagnostic::{Fault, Label};
use crate::files::{cannot, read_text};
use crate::manifest::FILE_NAME;
use crate::source::{Source, Span};

/// The largest manifest that is read, in bytes: a thousand action types fit with room to spare.
pub const MAX_BYTES: u64 = 1 << 20;

/// The most faults that are told of one file; a file with more is no manifest.
pub(super) const MAX_FAULTS: usize = 300;

/// Reads the file whole; `name` is its path as people are shown it.
///
/// # Errors
/// When it is missing, no file, too large, empty, not UTF-8, or there is no right to read it.
pub fn read(path: &Path, name: &str) -> Result<Source, Fault> {
    let facts = fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Fault::new(format!("there is no manifest at {name}"))
            .with_help("run `onlyonce init` to draft one, or name it with --manifest"),
        _ => cannot("read", path, &error),
    })?;
    if !facts.is_file() {
        let kind = if facts.is_dir() { "a folder" } else { "no regular file" };
        let inside = Path::new(name).join(FILE_NAME);
        return Err(Fault::new(format!("{name} is {kind}, not a manifest"))
            .with_help(format!("name the file itself, such as {}", inside.display())));
    }
    let text = read_text(path, name, "manifest", MAX_BYTES)?;
    if text.trim().is_empty() {
        return Err(Fault::new(format!("{name} is empty"))
            .at(Label::new(&Source::new(name, text), Span::default(), "nothing stands here"))
            .with_help("write version = 1 and an [action.<name>], or remove the file and run `onlyonce init`"));
    }
    Ok(Source::new(name, text))
}

/// What the parser made of the text, as far as it could, and what it could not.
pub(super) fn parse(source: &Source) -> (DeTable<'_>, Vec<Fault>) {
    let (table, mut errors) = DeTable::parse_recoverable(source.text());
    // One more than can be told, so that the cut is seen.
    errors.truncate(MAX_FAULTS + 1);
    let mut open = Vec::new();
    table.get_ref().values().for_each(|value| open_lists(value, &errors, &mut open));
    let mut faults: Vec<Fault> = open.iter().map(|list| never_closed(source, *list)).collect();
    let swallowed = |error: &Error| open.iter().any(|list| list.contains(place(source, error)));
    faults.extend(errors.iter().filter(|error| !swallowed(error)).map(|error| syntax(source, error)));
    faults.dedup();
    (table.into_inner(), faults)
}

fn place(source: &Source, error: &Error) -> Span {
    let end = source.text().len();
    error.span().map_or(Span::new(end, end), Span::from)
}

/// Lists without an end: they swallow the lines below, and every one of those would be a fault of its own.
fn open_lists(value: &Spanned<DeValue<'_>>, errors: &[Error], open: &mut Vec<Span>) {
    let span = value.span();
    match value.get_ref() {
        DeValue::Array(items) => {
            let swallows = |error: &Error| {
                let inside = error.span().is_some_and(|at| span.start < at.start && at.end <= span.end);
                inside
                    && (error.message().starts_with("unclosed array") || error.message().starts_with("unexpected `=`"))
            };
            if errors.iter().any(swallows) {
                open.push(span.into());
            } else {
                items.iter().for_each(|item| open_lists(item, errors, open));
            }
        }
        DeValue::Table(table) => table.values().for_each(|value| open_lists(value, errors, open)),
        DeValue::String(_) | DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => {}
    }
}

fn never_closed(source: &Source, list: Span) -> Fault {
    Fault::new("not valid TOML: a list is not closed, or holds what is no value")
        .at(Label::new(source, list, "the list starts here"))
        .with_help("write `]` at its end")
}

fn syntax(source: &Source, error: &Error) -> Fault {
    let span = place(source, error);
    let (problem, expected) = error.message().split_once(", expected ").unwrap_or((error.message(), ""));
    let written = source.slice(span);
    let stopped = "the parser stopped understanding here";
    let (message, label, help) = match problem {
        "duplicate key" => (format!("`{written}` is given twice"), "the second time", "keep one of the two".to_owned()),
        "string values must be quoted" if written.is_empty() => {
            ("not valid TOML: there is no value".to_owned(), "nothing stands here", "write a value".to_owned())
        }
        "string values must be quoted" => {
            (format!("`{written}` is a text without quotes"), "no value of TOML", format!("write \"{written}\""))
        }
        _ if expected.is_empty() => {
            (format!("not valid TOML: {problem}"), stopped, "write it as https://toml.io shows".to_owned())
        }
        _ => (format!("not valid TOML: {problem}"), stopped, format!("write what TOML expects here: {expected}")),
    };
    Fault::new(message).at(Label::new(source, span, label)).with_help(help)
}
