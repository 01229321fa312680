//! Attributes: what they say about tests, `#[path]`, docs.

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Meta, Token};

use crate::scan::ir::Attribute;

use super::lexer::Comment;
use super::places::Places;

/// Attribute names that make a function a test, by their last segment.
const TEST_ATTRIBUTES: [&str; 9] =
    ["bench", "gtest", "quickcheck", "rstest", "test", "test_case", "test_matrix", "traced_test", "wasm_bindgen_test"];

/// What the attributes of one item say.
#[derive(Default)]
pub(super) struct Attributes {
    /// All but docs; those inside `cfg_attr` too.
    pub(super) list: Vec<Attribute>,
    /// Doc lines.
    pub(super) docs: Vec<String>,
    /// Whether the item is for tests only.
    pub(super) test: bool,
    /// `#[path]` that always holds.
    pub(super) path: Option<String>,
    /// `#[path]` under `cfg_attr`: any of them may hold.
    pub(super) other_paths: Vec<String>,
}

/// `/// ..` comments that the parser does not see.
pub(super) struct Docs<'a> {
    /// The file.
    pub(super) text: &'a str,
    /// In order.
    pub(super) comments: &'a [Comment],
}

impl Docs<'_> {
    /// The lines in front of an item whose attributes, and whose first word, start at these bytes, in order.
    pub(super) fn of(&self, starts: impl Iterator<Item = usize>) -> Vec<String> {
        if self.comments.is_empty() {
            return Vec::new();
        }
        let before = |start: usize| {
            let first = self.comments.partition_point(|comment| comment.before < start);
            self.comments[first..].iter().take_while(move |comment| comment.before == start)
        };
        let line = |comment: &Comment| {
            let text = self.text.get(comment.span.start..comment.span.end).unwrap_or_default();
            doc_lines(text.trim_start_matches('/').trim_end_matches('\r'))
        };
        starts.flat_map(before).flat_map(line).collect()
    }
}

/// Reads the attributes of an item.
pub(super) fn read(attributes: &[syn::Attribute], places: &Places) -> Attributes {
    let mut read = Attributes { test: is_test(attributes), ..Attributes::default() };
    for attribute in attributes {
        add(&mut read, &attribute.meta, false, places);
    }
    read
}

fn add(read: &mut Attributes, meta: &Meta, conditional: bool, places: &Places) {
    let path = path_text(meta.path());
    let text = literal(meta);
    match (path.as_str(), text) {
        ("doc", Some(text)) => return read.docs.extend(doc_lines(&text)),
        ("path", Some(file)) if conditional => read.other_paths.push(file),
        ("path", Some(file)) => read.path = Some(file),
        ("cfg_attr", _) => {
            for meta in nested(meta).into_iter().skip(1) {
                add(read, &meta, true, places);
            }
        }
        _ => {}
    }
    read.list.push(Attribute { path, tokens: tokens(meta, places) });
}

fn doc_lines(text: &str) -> Vec<String> {
    text.lines().map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned()).collect()
}

/// The text of a path without generic arguments.
pub(super) fn path_text(path: &syn::Path) -> String {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>().join("::")
}

fn literal(meta: &Meta) -> Option<String> {
    match meta {
        Meta::NameValue(pair) => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        Meta::Path(_) | Meta::List(_) => None,
    }
}

fn tokens(meta: &Meta, places: &Places) -> String {
    match meta {
        Meta::Path(_) => String::new(),
        Meta::List(list) => places.slice(places.within(*list.delimiter.span())).to_owned(),
        Meta::NameValue(pair) => literal(meta).unwrap_or_else(|| {
            use quote::ToTokens;
            pair.value.to_token_stream().to_string()
        }),
    }
}

fn nested(meta: &Meta) -> Vec<Meta> {
    let Meta::List(list) = meta else { return Vec::new() };
    let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
    parser.parse2(list.tokens.clone()).map(|list| list.into_iter().collect()).unwrap_or_default()
}

/// Whether something with these attributes exists in tests only: its cfgs together imply `test`, or it is
/// itself a test.
pub(super) fn is_test(attributes: &[syn::Attribute]) -> bool {
    if attributes.is_empty() {
        return false;
    }
    let marked = attributes.iter().any(|attribute| {
        let last = attribute.path().segments.last();
        last.is_some_and(|last| TEST_ATTRIBUTES.iter().any(|name| last.ident == name))
    });
    marked || implies_test(attributes.iter().filter(|a| a.path().is_ident("cfg")).flat_map(|a| nested(&a.meta)))
}

/// A cfg predicate; equal atoms have equal numbers, `test` is none of them.
enum Predicate {
    Test,
    Atom(usize),
    All(Vec<Predicate>),
    Any(Vec<Predicate>),
    Not(Box<Predicate>),
}

/// Over so many different atoms a predicate is taken not to imply `test`: it is scanned.
const MOST_ATOMS: usize = 10;

/// Whether all predicates together cannot hold without `test`.
pub(super) fn implies_test(predicates: impl Iterator<Item = Meta>) -> bool {
    let mut atoms = Vec::new();
    let all = Predicate::All(predicates.map(|meta| predicate(&meta, &mut atoms)).collect());
    if matches!(&all, Predicate::All(list) if list.is_empty()) || atoms.len() > MOST_ATOMS {
        return false;
    }
    (0..1_u32 << atoms.len()).all(|values| !holds(&all, values))
}

fn predicate(meta: &Meta, atoms: &mut Vec<String>) -> Predicate {
    let path = path_text(meta.path());
    let mut inner = || nested(meta).iter().map(|meta| predicate(meta, atoms)).collect::<Vec<_>>();
    match (path.as_str(), meta) {
        ("test", Meta::Path(_)) => Predicate::Test,
        ("all", Meta::List(_)) => Predicate::All(inner()),
        ("any", Meta::List(_)) => Predicate::Any(inner()),
        ("not", Meta::List(_)) => Predicate::Not(Box::new(Predicate::All(inner()))),
        _ => {
            use quote::ToTokens;
            let text = meta.to_token_stream().to_string();
            let at = atoms.iter().position(|atom| *atom == text).unwrap_or_else(|| {
                atoms.push(text);
                atoms.len() - 1
            });
            Predicate::Atom(at)
        }
    }
}

/// The predicate's value without `test`; bit `n` of `values` is atom `n`.
fn holds(predicate: &Predicate, values: u32) -> bool {
    match predicate {
        Predicate::Test => false,
        Predicate::Atom(at) => values >> at & 1 == 1,
        Predicate::All(list) => list.iter().all(|inner| holds(inner, values)),
        Predicate::Any(list) => list.iter().any(|inner| holds(inner, values)),
        Predicate::Not(inner) => !holds(inner, values),
    }
}

/// Whether `#[cfg(..)]` tokens, as they stand inside a macro, imply `test`.
pub(super) fn tokens_imply_test(attribute: TokenStream) -> bool {
    let mut tokens = attribute.into_iter();
    let (Some(TokenTree::Ident(name)), Some(TokenTree::Group(group))) = (tokens.next(), tokens.next()) else {
        return false;
    };
    let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
    name == "cfg" && parser.parse2(group.stream()).is_ok_and(|list| implies_test(list.into_iter()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test_only(item: &str) -> bool {
        let item: syn::ItemFn = syn::parse_str(&format!("{item} fn f() {{}}")).unwrap();
        is_test(&item.attrs)
    }

    #[test]
    fn only_what_implies_test_is_for_tests() {
        for yes in [
            "#[test]",
            "#[tokio::test(flavor = \"multi_thread\")]",
            "#[cfg(test)]",
            "#[cfg(all(test, feature = \"live\"))]",
            "#[cfg(any(all(test, a), all(unix, test)))]",
            "#[cfg(not(not(test)))]",
            "#[cfg(not(any(not(test), a)))]",
            "#[cfg(any(test, a))] #[cfg(any(test, not(a)))]",
        ] {
            assert!(test_only(yes), "{yes}");
        }
        for no in [
            "",
            "#[cfg(not(test))]",
            "#[cfg(any(test, feature = \"mail\"))]",
            "#[cfg(all())]",
            "#[cfg(test = \"x\")]",
            "#[allow(test)]",
            "#[cfg_attr(test, inline)]",
        ] {
            assert!(!test_only(no), "{no}");
        }
    }
}
