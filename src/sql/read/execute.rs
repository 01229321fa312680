//! EXECUTE in a block: text that is put together when it runs, and what is known of it before.

use std::collections::BTreeMap;

use super::{Acts, opening};
use crate::source::Span;
use crate::sql::cursor::Cursor;
use crate::sql::ddl::{Act, ActKind};
use crate::sql::token::{TokenKind, tokens};

/// Arguments whose text is known, by name.
pub(in crate::sql) type Known = BTreeMap<String, String>;

/// EXECUTE: text that is known before it runs is read like any statement; of anything else, what is known of it is kept.
pub(super) fn dynamic(piece: &mut Cursor<'_>, arguments: &Known) -> Vec<Act> {
    let start = piece.taken();
    let mut rest = piece.clone();
    rest.skip_rest();
    let span = rest.span_since(0);
    rest.rewind(0);
    let ends = |piece: &Cursor<'_>| piece.is_done() || piece.sees(&["into"]) || piece.sees(&["using"]);
    if let Some(text) = known(piece, arguments)
        && ends(piece)
        && let Some(acts) = text_acts(&text, span)
    {
        return acts;
    }
    piece.rewind(start);
    let mut literals = Vec::new();
    if is_open(piece, arguments) {
        literals.push("%".to_owned());
    }
    while let Some(token) = rest.bump() {
        literals.extend(rest.literal_of(token).or_else(|| arguments.get(&token.name(rest.text())?).cloned()));
    }
    let kind = ActKind::Dynamic { text: literals.join(" ") };
    vec![Act { span, certain: true, kind }]
}

/// Whether nothing is known of how the text begins: it does so with what a name stands for, or a routine gives back.
fn is_open(piece: &Cursor<'_>, arguments: &Known) -> bool {
    const MADE_OF_TEXT: [&str; 6] = ["concat", "concat_ws", "format", "quote_ident", "replace", "string_agg"];
    let mut rest = piece.clone();
    while rest.eat_mark("(") || rest.eat(&["select"]) || rest.eat(&["pg_catalog"]) || rest.eat_mark(".") {}
    let Some(first) = rest.peek() else { return false };
    let named = matches!(first.kind, TokenKind::Word | TokenKind::Quoted) && rest.literal_of(first).is_none();
    let name = first.name(rest.text()).unwrap_or_default();
    named && !arguments.contains_key(&name) && !MADE_OF_TEXT.contains(&name.as_str())
}

/// A literal or known argument, several joined by `||`, or `format` of them.
fn known(piece: &mut Cursor<'_>, arguments: &Known) -> Option<String> {
    let start = piece.taken();
    let qualified = piece.eat(&["pg_catalog"]) && piece.eat_mark(".");
    if piece.eat(&["format"]) {
        let elements = piece.parens()?.elements().into_iter();
        let mut parts = elements.map(|mut part| term(&mut part, arguments).filter(|_| part.is_done()));
        let pattern = parts.next()??;
        return formatted(&pattern, &parts.collect::<Option<Vec<_>>>()?);
    }
    if qualified {
        piece.rewind(start);
    }
    let mut text = term(piece, arguments)?;
    while piece.eat_mark("||") {
        text.push_str(&term(piece, arguments)?);
    }
    Some(text)
}

/// A literal, an argument whose text is known, or one of them as a quoted name or as text.
fn term(piece: &mut Cursor<'_>, arguments: &Known) -> Option<String> {
    let text = if piece.sees(&["quote_ident"]) && piece.ahead(1).is_some_and(|next| piece.text_of(next) == "(") {
        piece.bump();
        let mut inner = piece.parens()?;
        let name = term(&mut inner, arguments).filter(|_| inner.is_done())?;
        format!("\"{}\"", name.replace('"', "\"\""))
    } else if let Some(text) = piece.string() {
        text
    } else {
        arguments.get(&piece.name()?)?.clone()
    };
    if piece.eat_mark("::") {
        piece.eat_one_of(&["name", "regclass", "text"])?;
    }
    Some(text)
}

/// `format(pattern, ..)`, for patterns without positions and widths.
fn formatted(pattern: &str, arguments: &[String]) -> Option<String> {
    let mut arguments = arguments.iter();
    let mut pieces = pattern.split('%');
    let mut text = pieces.next()?.to_owned();
    while let Some(piece) = pieces.next() {
        let mut rest = piece.chars();
        match rest.next() {
            Some('I') => text.push_str(&format!("\"{}\"", arguments.next()?.replace('"', "\"\""))),
            Some('L') => text.push_str(&format!("'{}'", arguments.next()?.replace('\'', "''"))),
            Some('s') => text.push_str(arguments.next()?),
            // `%%` leaves an empty piece before the text that follows it.
            None => {
                text.push('%');
                text.push_str(pieces.next()?);
                continue;
            }
            Some(_) => return None,
        }
        text.push_str(rest.as_str());
    }
    Some(text)
}

fn text_acts(text: &str, span: Span) -> Acts {
    let tokens = tokens(text.trim_end().trim_end_matches(';'));
    let mut cursor = Cursor::new(text, &tokens, 0);
    if cursor.sees(&["do"]) {
        return None;
    }
    let mut acts = opening(&mut cursor).filter(|_| cursor.is_done())?;
    acts.iter_mut().for_each(|act| act.span = span);
    Some(acts)
}
