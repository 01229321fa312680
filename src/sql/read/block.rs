//! The statements of a PL/pgSQL block, of DO or of a routine that is called, that can be read without running it, and
//! whether each is sure to run.

use super::execute::{self, Known};
use super::{Acts, opening, write};
use crate::source::Span;
use crate::sql::cursor::Cursor;
use crate::sql::ddl::Act;
use crate::sql::split::split;
use crate::sql::token::{Token, TokenKind, tokens};

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

/// What the body of a routine does. Places are those in its text; they mean nothing to who calls it.
pub(in crate::sql) fn of_routine(language: &str, body: &str, known: &Known) -> Acts {
    match language {
        "plpgsql" => body_acts(body, 0, known),
        "sql" => {
            let mut acts = Vec::new();
            for span in split(body, inner(body)).statements {
                let text = body.get(span.start..span.end)?;
                let words = tokens(text);
                let mut cursor = Cursor::new(text, &words, span.start);
                acts.extend(opening(&mut cursor).filter(|_| cursor.is_done())?);
            }
            Some(acts)
        }
        _ => None,
    }
}

/// The statements of a body: those between BEGIN ATOMIC and END, where they stand so.
fn inner(body: &str) -> Span {
    let words = tokens(body);
    match words.as_slice() {
        [begin, atomic, .., end] if begin.is_word(body, "begin") && atomic.is_word(body, "atomic") => {
            Span::new(atomic.span.end, end.span.start)
        }
        _ => Span::new(0, body.len()),
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

/// What was read of a block so far.
struct Body<'k> {
    acts: Vec<Act>,
    stack: Vec<Open>,
    known: &'k Known,
}

fn body_acts(text: &str, base: usize, known: &Known) -> Acts {
    let tokens = tokens(text);
    let mut cursor = Cursor::new(text, &tokens, base);
    let mut body = Body { acts: Vec::new(), stack: Vec::new(), known };
    while !cursor.is_done() {
        if body.structure(&mut cursor) {
            continue;
        }
        let found = statement(&mut cursor.piece(), known)?;
        body.add(found);
    }
    Some(body.acts)
}

impl Body<'_> {
    /// Takes a word that opens, divides or closes a block, and what is evaluated there.
    fn structure(&mut self, cursor: &mut Cursor<'_>) -> bool {
        if cursor.eat_mark(";") || cursor.eat(&["else"]) {
            return true;
        }
        if cursor.eat(&["declare"]) {
            let mut declared = cursor.before(|rest| rest.sees(&["begin"]));
            while !declared.is_done() {
                self.aside(&declared.piece());
            }
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
            Some("begin") => self.stack.push(Open { kind: Kind::Begin, acts: self.acts.len() }),
            Some("loop") => self.branch(),
            Some("for" | "foreach" | "while") => {
                self.passed(cursor, "loop");
                self.branch();
            }
            Some("case" | "if") => {
                self.passed(cursor, "then");
                self.branch();
            }
            Some("elseif" | "elsif" | "when") => self.passed(cursor, "then"),
            Some("exception") => self.handlers(),
            Some("end") => {
                self.stack.pop();
                cursor.piece();
            }
            Some(_) | None => return label(cursor),
        }
        true
    }

    /// Goes past a word; what stands before it is evaluated.
    fn passed(&mut self, cursor: &mut Cursor<'_>, word: &str) {
        self.aside(&cursor.before(|rest| rest.sees(&[word])));
        cursor.bump();
    }

    fn aside(&mut self, piece: &Cursor<'_>) {
        self.add(aside(piece, self.known));
    }

    fn add(&mut self, found: Vec<Act>) {
        let certain = self.stack.iter().all(|open| open.kind == Kind::Begin);
        self.acts.extend(found.into_iter().map(|act| Act { certain: act.certain && certain, ..act }));
    }

    fn branch(&mut self) {
        self.stack.push(Open { kind: Kind::Branch, acts: 0 });
    }

    /// From here on the block handles errors: all that was done in it may have been undone.
    fn handlers(&mut self) {
        if let Some(open) = self.stack.last_mut() {
            open.kind = Kind::Branch;
            for act in self.acts.iter_mut().skip(open.acts) {
                act.certain = false;
            }
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

/// PL/pgSQL statements that define nothing themselves.
const PLAIN: [&str; 13] = [
    "assert", "close", "commit", "continue", "exit", "fetch", "get", "move", "null", "open", "raise", "return",
    "rollback",
];

fn statement(piece: &mut Cursor<'_>, known: &Known) -> Acts {
    if PLAIN.iter().any(|word| piece.sees(&[word])) || assigns(piece) {
        return Some(aside(piece, known));
    }
    if piece.sees(&["do"]) {
        return None;
    }
    if piece.eat(&["execute"]) {
        return Some(execute::dynamic(piece, known));
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

/// What an expression or query does that a block evaluates on its way: routines that it calls, rows that it writes, text
/// that it runs.
fn aside(piece: &Cursor<'_>, known: &Known) -> Vec<Act> {
    let mut rest = piece.clone();
    let text = rest.text();
    let mut before: Option<Token> = None;
    while let Some(token) = rest.bump() {
        let follows = |word: &str| before.is_some_and(|before| before.is_word(text, word));
        if token.is_word(text, "execute") && ["for", "in", "query"].iter().any(|word| follows(word)) {
            return execute::dynamic(&mut rest, known);
        }
        before = Some(token);
    }
    write::found(&mut piece.clone(), false, true)
}
