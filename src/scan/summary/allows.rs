//! `// onlyonce: allow(rule, reason = "...")`: what it says and what it covers.

use syn::parse::{ParseStream, Parser};
use syn::{Ident, LitStr, Token};

use crate::scan::ir::AllowComment;
use crate::source::Span;

use super::lexer::Comment;

/// Reads the comments of a file. `text` is the whole file, `units` its statements, arms and items.
pub(super) fn read(comments: &[Comment], units: &[Span], text: &str) -> Vec<AllowComment> {
    comments.iter().filter_map(|comment| allow(comment, units, text)).collect()
}

fn allow(comment: &Comment, units: &[Span], text: &str) -> Option<AllowComment> {
    let written = text.get(comment.span.start..comment.span.end)?.trim_start_matches('/').trim();
    let written = written.strip_prefix("onlyonce:")?.trim();
    let (rules, reason, until) = parse.parse_str(written).unwrap_or_default();
    let reason = reason.filter(|reason| !reason.trim().is_empty());
    Some(AllowComment { rules, reason, until, span: comment.span, covers: covers(comment, units, text) })
}

type Written = (Vec<String>, Option<String>, Option<String>);

/// `allow(rule-a, rule-b, reason = "...", until = "2027-01-31")`.
fn parse(input: ParseStream) -> syn::Result<Written> {
    let word: Ident = input.parse()?;
    if word != "allow" {
        return Err(syn::Error::new(word.span(), "expected `allow`"));
    }
    let content;
    syn::parenthesized!(content in input);
    let (mut rules, mut reason, mut until) = (Vec::new(), None, None);
    while !content.is_empty() {
        let name = dashed(&content)?;
        match name.as_str() {
            "reason" if content.peek(Token![=]) => reason = Some(value(&content)?),
            "until" if content.peek(Token![=]) => until = Some(value(&content)?),
            _ => rules.push(name),
        }
        if !content.is_empty() {
            content.parse::<Token![,]>()?;
        }
    }
    input.is_empty().then_some((rules, reason, until)).ok_or_else(|| input.error("expected nothing behind `)`"))
}

fn value(input: ParseStream) -> syn::Result<String> {
    input.parse::<Token![=]>()?;
    Ok(input.parse::<LitStr>()?.value())
}

/// `unguarded-send`.
fn dashed(input: ParseStream) -> syn::Result<String> {
    use syn::ext::IdentExt;
    let mut name = input.call(Ident::parse_any)?.to_string();
    while input.peek(Token![-]) {
        input.parse::<Token![-]>()?;
        name = format!("{name}-{}", input.call(Ident::parse_any)?);
    }
    Ok(name)
}

/// On a line of its own: the outermost statement or item that starts behind it, else the innermost that it
/// stands in. Behind code: the innermost statement or item that holds the last byte of that code.
fn covers(comment: &Comment, units: &[Span], text: &str) -> Span {
    let nothing = Span::new(comment.span.end, comment.span.end);
    let around = |at: usize| {
        let holding = units.iter().filter(|unit| unit.start <= at && at < unit.end);
        holding.min_by_key(|unit| unit.end - unit.start).copied()
    };
    if let Some(after) = comment.after {
        return around(after.saturating_sub(1)).unwrap_or(nothing);
    }
    let next = comment.before;
    if matches!(text.as_bytes().get(next), None | Some(b'}' | b')' | b']')) {
        return nothing;
    }
    let starting = |at: usize| units.iter().filter(|unit| unit.start == at).max_by_key(|unit| unit.end).copied();
    starting(next).or_else(|| starting(behind_attributes(text, next))).or_else(|| around(next)).unwrap_or(nothing)
}

/// The first byte behind `#[..]`s, which stand outside the bytes of a statement.
fn behind_attributes(text: &str, mut at: usize) -> usize {
    while text.get(at..).is_some_and(|rest| rest.starts_with("#[")) {
        let mut depth = 0_usize;
        let end = text[at..].bytes().position(|byte| {
            depth += usize::from(byte == b'[');
            depth -= usize::from(byte == b']' && depth > 0);
            byte == b']' && depth == 0
        });
        let Some(end) = end else { return at };
        let rest = &text[at + end + 1..];
        at += end + 1 + (rest.len() - rest.trim_start().len());
    }
    at
}
