//! The statements of a PL/pgSQL block, of DO or of a routine that is called, that can be read without running it, and
//! whether each is sure to run.

use std::collections::BTreeMap;

use super::{Acts, opening, write};
use crate::source::Span;
use crate::sql::cursor::Cursor;
use crate::sql::ddl::{Act, ActKind};
use crate::sql::split::split;
use crate::sql::token::{TokenKind, tokens};

/// After DO.
pub(super) fn anonymous(cursor: &mut Cursor<'_>) -> Acts {
    let mut language = "plpgsql".to_owned();
    let mut body = None;
    while !cursor.is_done() {
        if cursor.eat(&["language"]) {
            language = cursor.name().or_else(|| cursor.string())?;
        } else {
            let token = cursor.peek()?;
            body = Some((token, cursor.string()?));
        }
    }
    let (token, text) = body.filter(|_| language == "plpgsql")?;
    let whole = cursor.span_since(0);
    let opened = cursor.text_of(token);
    // Where quotes are doubled inside a body, its places cannot be counted: the whole statement stands for each.
    let base = (token.kind == TokenKind::Dollar).then(|| {
        let tag = opened.len().saturating_sub(text.len()) / 2;
        cursor.in_file(token.span).start + tag
    });
    let mut acts = body_acts(&text, base.unwrap_or(0), &Known::new())?;
    if base.is_none() {
        acts.iter_mut().for_each(|act| act.span = whole);
    }
    Some(acts)
}

/// Arguments whose text is known, by name.
pub(in crate::sql) type Known = BTreeMap<String, String>;

/// What the body of a routine does. Places in it mean nothing to who calls it.
pub(in crate::sql) fn of_routine(language: &str, body: &str, known: &Known) -> Acts {
    match language {
        "plpgsql" => body_acts(body, 0, known),
        "sql" => {
            let mut acts = Vec::new();
            for span in split(body, Span::new(0, body.len())).statements {
                let text = body.get(span.start..span.end)?;
                let words = tokens(text);
                let mut cursor = Cursor::new(text, &words, 0);
                acts.extend(opening(&mut cursor).filter(|_| cursor.is_done())?);
            }
            Some(acts)
        }
        _ => None,
    }
}

/// What a block of code is part of.
struct Open {
    kind: Kind,
    /// How many acts there were when it began.
    acts: usize,
}

#[derive(PartialEq)]
enum Kind {
    Begin,
    /// IF, CASE or LOOP, or the handlers of a block: may not run.
    Branch,
}

fn body_acts(text: &str, base: usize, known: &Known) -> Acts {
    let tokens = tokens(text);
    let mut cursor = Cursor::new(text, &tokens, base);
    let mut acts = Vec::new();
    let mut stack: Vec<Open> = Vec::new();
    while !cursor.is_done() {
        if structure(&mut cursor, &mut stack, &mut acts) {
            continue;
        }
        let mut piece = cursor.piece();
        let certain = stack.iter().all(|open| open.kind == Kind::Begin);
        for mut act in statement(&mut piece, known)? {
            act.certain &= certain;
            acts.push(act);
        }
    }
    Some(acts)
}

/// Takes a word that opens, divides or closes a block.
fn structure(cursor: &mut Cursor<'_>, stack: &mut Vec<Open>, acts: &mut [Act]) -> bool {
    if cursor.eat_mark(";") || cursor.eat(&["else"]) {
        return true;
    }
    if cursor.eat(&["declare"]) {
        skip_to(cursor, "begin");
        return true;
    }
    match cursor.eat_one_of(&[
        "begin",
        "case",
        "elseif",
        "elsif",
        "end",
        "exception",
        "for",
        "foreach",
        "if",
        "loop",
        "when",
        "while",
    ]) {
        Some("begin") => stack.push(Open { kind: Kind::Begin, acts: acts.len() }),
        Some("loop") => branch(stack),
        Some("for" | "foreach" | "while") => {
            skip_past(cursor, "loop");
            branch(stack);
        }
        Some("case" | "if") => {
            skip_past(cursor, "then");
            branch(stack);
        }
        Some("elseif" | "elsif" | "when") => skip_past(cursor, "then"),
        Some("exception") => handlers(stack, acts),
        Some("end") => {
            stack.pop();
            skip_past_semicolon(cursor);
        }
        Some(_) | None => return label(cursor),
    }
    true
}

fn branch(stack: &mut Vec<Open>) {
    stack.push(Open { kind: Kind::Branch, acts: 0 });
}

/// From here on the block handles errors: all that was done in it may have been undone.
fn handlers(stack: &mut [Open], acts: &mut [Act]) {
    if let Some(open) = stack.last_mut() {
        open.kind = Kind::Branch;
        for act in acts.iter_mut().skip(open.acts) {
            act.certain = false;
        }
    }
}

fn label(cursor: &mut Cursor<'_>) -> bool {
    let labelled = cursor.eat_mark("<");
    while labelled && !cursor.is_done() && !cursor.eat_mark(">") {
        cursor.bump();
    }
    let _ = labelled && cursor.eat_mark(">");
    labelled
}

fn skip_to(cursor: &mut Cursor<'_>, word: &str) {
    while !cursor.is_done() && !cursor.sees(&[word]) {
        cursor.skip_one();
    }
}

fn skip_past(cursor: &mut Cursor<'_>, word: &str) {
    skip_to(cursor, word);
    cursor.bump();
}

fn skip_past_semicolon(cursor: &mut Cursor<'_>) {
    while !cursor.is_done() && !cursor.eat_mark(";") {
        cursor.bump();
    }
}

/// PL/pgSQL statements that define nothing.
const PLAIN: [&str; 13] = [
    "assert", "close", "commit", "continue", "exit", "fetch", "get", "move", "null", "open", "raise", "return",
    "rollback",
];

fn statement(piece: &mut Cursor<'_>, arguments: &Known) -> Acts {
    if PLAIN.iter().any(|word| piece.sees(&[word])) || assigns(piece) {
        return Some(Vec::new());
    }
    if piece.sees(&["do"]) {
        return None;
    }
    if piece.eat(&["execute"]) {
        return Some(dynamic(piece, arguments));
    }
    if piece.sees(&["perform"]) {
        return write::rows(piece);
    }
    opening(piece).filter(|_| piece.is_done())
}

fn assigns(piece: &Cursor<'_>) -> bool {
    piece.ahead(1).is_some_and(|next| matches!(piece.text_of(next), ":=" | "=" | "[" | "."))
        && piece.peek().is_some_and(|first| matches!(first.kind, TokenKind::Word | TokenKind::Quoted))
}

/// EXECUTE: text that is known before it runs is read like any statement; of anything else, what is known of it is kept.
fn dynamic(piece: &mut Cursor<'_>, arguments: &Known) -> Vec<Act> {
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
    let mut literals = Vec::new();
    while let Some(token) = rest.bump() {
        literals.extend(rest.literal_of(token).or_else(|| arguments.get(&token.name(rest.text())?).cloned()));
    }
    let kind = ActKind::Dynamic { text: literals.join(" ") };
    vec![Act { span, certain: true, kind }]
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
