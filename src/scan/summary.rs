//! One file -> [`FileSummary`]: parsed, then lowered to owned nodes with byte ranges.

mod allows;
mod attributes;
mod declarations;
pub mod documents;
mod editions;
mod expressions;
mod format;
mod functions;
mod items;
mod lexer;
mod macros;
mod maps;
mod patterns;
mod places;
mod search;
mod select;
mod transcribers;
mod types;

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use syn::parse::Parser;

use crate::scan::cache::Cache;
use crate::scan::discover::{File, Kind};
use crate::scan::ir::{Called, FileSummary, Unread};
use crate::source::{Source, Span};

use attributes::Docs;
use places::Places;

/// More open brackets than this and a file is not read: the parser descends for each.
const MOST_BRACKETS: usize = 256;
/// More tokens without `,`, `;` or `}` between them than this and a file is not read.
const MOST_TOKENS: usize = 16_384;
/// More `<` and `|` than this that no statement's end stands between and a file is not read: each may hold the next.
const MOST_NESTED: usize = 131_072;
/// Expressions or types that stand deeper in one another than this make their file unread: later stages descend too.
const MOST_DEPTH: u32 = 2048;
/// A file beyond any of these is read on a stack of its own.
const SHALLOW_BRACKETS: usize = 32;
const SHALLOW_TOKENS: usize = 768;
const SHALLOW_NESTED: usize = 768;
/// Bytes of that stack; the system hands them out as they are touched.
const DEEP_STACK: usize = 512 << 20;
/// Bytes of stack that one `<` or `|` may take.
const NESTED_STACK: usize = 16 << 10;

/// What lowering needs to know, and what it finds beside the items.
struct Lowering<'a> {
    places: Places<'a>,
    /// Whether what only tests see is read.
    tests: bool,
    /// Whether a module that only tests see surrounds, and is not read: then only the files that belong to it
    /// matter.
    inside_test: bool,
    /// The bytes of every statement, arm and item: what an allow comment can cover.
    units: Vec<Span>,
    /// Docs that the parser does not see.
    docs: Docs<'a>,
    /// The bytes of what was left out; filled only when the file holds comments that speak to us.
    left_out: Option<Vec<Span>>,
    /// Macro calls that were searched as tokens.
    as_tokens: usize,
    /// Files that it includes and that a build script makes.
    made_includes: usize,
    /// What is called.
    called: Called,
    /// An expression that stands deeper than later stages can follow.
    too_deep: Option<Span>,
}

/// Reads every file, on all cores; the order stays. What could not even be opened stays unread. Without `tests`
/// the items that only tests see are left out, but for the modules in them that have files, and files that are named
/// like tests and lead to no other wait. What an earlier scan read of the same text is taken from the cache.
#[must_use]
pub fn summarise_all(files: Vec<File>, tests: bool, cache: Option<&Cache>) -> Vec<FileSummary> {
    let read = |file: File| match file.unread {
        Some(Unread { reason, span }) => unread(file.source, reason, span),
        None if !tests && file.kind == Kind::Code && may_wait(&file.source) => {
            FileSummary { source: file.source, waits: true, ..FileSummary::default() }
        }
        None => {
            let summary = summarise_once(file.source, tests, cache);
            FileSummary { test: summary.test || file.kind != Kind::Code, ..summary }
        }
    };
    files.into_par_iter().map(read).collect()
}

/// Reads a file that has waited until something other than tests led to it.
#[must_use]
pub fn summarise_waiting(file: FileSummary, cache: Option<&Cache>) -> FileSummary {
    summarise_once(file.source, false, cache)
}

/// Whether a file is most likely one that only tests see, and no other file could be found through it alone. Its name
/// decides no more than when it is read.
fn may_wait(source: &Source) -> bool {
    let mut names = source.name().trim_end_matches(".rs").rsplit('/');
    let is_test = |name: &str| matches!(name, "test" | "tests");
    let file = names.next().unwrap_or_default();
    let named = is_test(file) || file.starts_with("test_") || file.ends_with("_test") || file.ends_with("_tests");
    // A file that says itself for whom it is has to be asked.
    let silent = || !source.says("#![cfg") && !lexer::scan(source.text()).leads_on;
    (named || names.any(is_test)) && silent()
}

fn summarise_once(source: Source, tests: bool, cache: Option<&Cache>) -> FileSummary {
    let Some(cache) = cache else { return summarise_with(source, tests) };
    let mut keying = cache.keying("summary");
    keying.add([u8::from(tests)]).add(source.digest());
    let key = keying.key();
    if let Some(known) = cache.get::<FileSummary>(&key) {
        return FileSummary { source, ..known };
    }
    let summary = summarise_with(source, tests);
    cache.put(&key, &summary);
    summary
}

/// Reads one file. What cannot be read says why; nothing panics and no stack overflows, whatever the text.
#[must_use]
pub fn summarise(source: Source) -> FileSummary {
    summarise_with(source, true)
}

fn summarise_with(source: Source, tests: bool) -> FileSummary {
    let scan = lexer::scan(source.text());
    if let Some((reason, at)) = too_deep(&scan) {
        return unread(source, reason, Span::new(at, at));
    }
    if scan.brackets <= SHALLOW_BRACKETS && scan.tokens <= SHALLOW_TOKENS && scan.nested <= SHALLOW_NESTED {
        return lower(source, &scan, tests);
    }
    let stack = DEEP_STACK.max(scan.nested * NESTED_STACK);
    let again = source.clone();
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, || lower(source, &scan, tests));
        let summary = thread.ok().and_then(|thread| thread.join().ok());
        summary.unwrap_or_else(|| unread(again, "no stack to read it on".to_owned(), Span::default()))
    })
}

fn too_deep(scan: &lexer::Scan) -> Option<(String, usize)> {
    if scan.brackets > MOST_BRACKETS {
        return Some((format!("more than {MOST_BRACKETS} brackets are open at once"), scan.deepest));
    }
    if scan.nested > MOST_NESTED {
        return Some((format!("more than {MOST_NESTED} `<` and `|` stand in one statement"), scan.longest));
    }
    let reason = || (format!("an expression is more than {MOST_TOKENS} tokens long"), scan.longest);
    (scan.tokens > MOST_TOKENS).then(reason)
}

fn unread(source: Source, reason: String, span: Span) -> FileSummary {
    let unread = Some(Unread { reason, span });
    FileSummary { source, unread, ..FileSummary::default() }
}

fn lower(source: Source, scan: &lexer::Scan, tests: bool) -> FileSummary {
    let base = code_start(source.text());
    let short = without(source.text(), &unread_by_parser(scan, tests));
    let summary = short.and_then(|text| parse(&source, &text, base, scan, tests, &scan.docs).ok());
    let summary = summary.map_or_else(|| parse(&source, source.text(), base, scan, tests, &[]), Ok);
    // The parser keeps the text of every file that a thread has read until it is told that no span is left.
    proc_macro2::extra::invalidate_current_thread_spans();
    summary.unwrap_or_else(|lost| {
        let allows = allows::read(&scan.comments, &[], source.text());
        FileSummary { allows, ..unread(source, lost.reason, lost.span) }
    })
}

/// What need not be parsed, in order: docs, which are found in the text, and what only tests see where it is not read.
fn unread_by_parser(scan: &lexer::Scan, tests: bool) -> Vec<Span> {
    let tests = if tests { &[][..] } else { scan.tests.as_slice() };
    let mut spans = Vec::with_capacity(tests.len() + scan.docs.len());
    let mut docs = scan.docs.iter().map(|comment| comment.span).peekable();
    for test in tests {
        spans.extend(std::iter::from_fn(|| docs.next_if(|doc| doc.start < test.start)));
        while docs.next_if(|doc| doc.start < test.end).is_some() {}
        spans.push(*test);
    }
    spans.extend(docs);
    spans
}

/// The text with blanks in the place of some of it, so that bytes and lines stay where they are. What is left may turn
/// out not to parse; then the whole is looked at.
fn without(text: &str, spans: &[Span]) -> Option<String> {
    if spans.is_empty() {
        return None;
    }
    let mut short = String::with_capacity(text.len());
    for span in spans {
        short.push_str(text.get(short.len()..span.start)?);
        let inside = text.get(span.start..span.end)?;
        short.extend(inside.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
    }
    short.push_str(text.get(short.len()..)?);
    Some(short)
}

/// `docs` are those that the parser does not see.
fn parse(
    source: &Source,
    text: &str,
    base: usize,
    scan: &lexer::Scan,
    tests: bool,
    docs: &[lexer::Comment],
) -> Result<FileSummary, Unread> {
    let text = text.get(base..).unwrap_or_default();
    let places = Places::new(text, base);
    let left_out = (!scan.comments.is_empty()).then(Vec::new);
    let mut lowering = Lowering {
        places,
        tests,
        inside_test: false,
        units: Vec::new(),
        docs: Docs { text: source.text(), comments: docs },
        left_out,
        as_tokens: 0,
        made_includes: 0,
        called: Called::default(),
        too_deep: None,
    };
    let (items, test) = match syn::parse_str::<syn::File>(text) {
        Ok(file) => (lowering.items(&file.items), attributes::is_test(&file.attrs)),
        Err(error) => match syn::Block::parse_within.parse_str(text) {
            // A file that `include!` reads as an expression.
            Ok(stmts) => (lowering.fragment(&stmts), false),
            Err(_) => match editions::with_dyn(text).and_then(|tokens| syn::parse2::<syn::File>(tokens).ok()) {
                Some(file) => (lowering.items(&file.items), attributes::is_test(&file.attrs)),
                None => return Err(broken(&error, &lowering.places, source)),
            },
        },
    };
    for (what, span) in [("expressions", lowering.too_deep), ("types", lowering.places.too_deep())] {
        if let Some(span) = span {
            return Err(Unread { reason: format!("{what} stand more than {MOST_DEPTH} deep in one another"), span });
        }
    }
    let left_out = lowering.left_out.unwrap_or_default();
    let kept = |comment: &&lexer::Comment| !left_out.iter().any(|span| span.contains(comment.span));
    let comments: Vec<_> = scan.comments.iter().filter(kept).copied().collect();
    let allows = allows::read(&comments, &lowering.units, source.text());
    Ok(FileSummary {
        source: source.clone(),
        items,
        allows,
        unread: None,
        macros_as_tokens: lowering.as_tokens,
        made_includes: lowering.made_includes,
        called: lowering.called,
        test,
        waits: false,
    })
}

/// An error at the end of the text has no place of its own.
fn broken(error: &syn::Error, places: &Places, source: &Source) -> Unread {
    let span = places.range(error.span());
    let end = Span::new(source.text().len(), source.text().len());
    Unread { reason: error.to_string(), span: if span.start == span.end { end } else { span } }
}

/// Where code starts: behind a byte order mark and a `#!` line.
fn code_start(text: &str) -> usize {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let rest = &text[mark..];
    let shebang = rest.strip_prefix("#!").is_some_and(|rest| !rest.trim_start().starts_with('['));
    mark + if shebang { rest.find('\n').unwrap_or(rest.len()) } else { 0 }
}

#[cfg(test)]
mod tests;
