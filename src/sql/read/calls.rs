//! Calls of routines in a statement or expression, and what is known of their arguments.

use std::collections::BTreeSet;

use super::act;
use super::table::type_name;
use crate::manifest::name::is_sql_keyword;
use crate::sql::cursor::Cursor;
use crate::sql::ddl::{Act, ActKind, Argument};
use crate::sql::token::{TokenKind, tokens};

/// Calls of one statement that were seen, so that each is told once.
pub(super) struct Calls {
    seen: BTreeSet<(Option<String>, String, Vec<Argument>)>,
    /// Whether what comes next is sure to be evaluated, outside parentheses.
    sure: bool,
    depth: usize,
}

/// The most calls that are told of one statement: rows of data may call a function each.
const MOST_CALLS: usize = 1000;

/// How far the end of a call's arguments is looked for, so that calls in calls cost no square.
const NEAR: usize = 64;

/// Words behind or before which a call may not be made, or not once.
const DOUBT: [&str; 9] = ["from", "group", "having", "insert", "limit", "offset", "set", "values", "where"];

impl Calls {
    /// Before the first token of a statement or expression; `sure` where it is evaluated.
    pub(super) fn within(cursor: &Cursor<'_>, sure: bool) -> Calls {
        let mut rest = cursor.clone();
        let mut sure = sure;
        while sure && !rest.is_done() {
            sure = !DOUBT.iter().any(|word| rest.sees(&[word]));
            rest.skip_one();
        }
        Calls { seen: BTreeSet::new(), sure, depth: 0 }
    }

    /// Goes past a token.
    pub(super) fn pass(&mut self, text: &str) {
        match text {
            "(" => self.depth += 1,
            ")" => self.depth = self.depth.saturating_sub(1),
            _ => self.sure &= !["and", "case", "or"].iter().any(|word| text.eq_ignore_ascii_case(word)),
        }
    }

    /// A call that begins here.
    pub(super) fn next(&mut self, cursor: &Cursor<'_>) -> Option<Act> {
        cursor.ahead(1).filter(|next| matches!(cursor.text_of(*next), "(" | "."))?;
        let mut ahead = cursor.clone();
        let start = ahead.taken();
        let routine = ahead.written().filter(|one| ahead.sees_mark("(") && !is_sql_keyword(&one.name))?;
        let arguments = arguments(&ahead);
        let seen = (routine.schema.clone(), routine.name.clone(), arguments.clone());
        if self.seen.len() >= MOST_CALLS || !self.seen.insert(seen) {
            return None;
        }
        let mut found = act(&ahead, start, ActKind::Call { routine, arguments });
        found.certain = self.sure && self.depth == 0;
        Some(found)
    }
}

/// The arguments of a call whose `(` comes next: what is known of those that are literals, with a cast or without.
fn arguments(cursor: &Cursor<'_>) -> Vec<Argument> {
    let (mut found, mut depth) = (Vec::new(), 0usize);
    let (mut one, mut is_first, mut is_cast) = (Argument::default(), true, false);
    for at in 1..NEAR {
        let Some(token) = cursor.ahead(at) else { break };
        let text = cursor.text_of(token);
        match text {
            ")" if depth == 0 => {
                found.extend((!is_first).then_some(one));
                return found;
            }
            "," if depth == 0 => {
                found.push(std::mem::take(&mut one));
                (is_first, is_cast) = (true, false);
                continue;
            }
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        match cursor.literal_of(token) {
            Some(literal) if is_first => one.value = Some(literal),
            _ if text == "::" && depth == 0 => {
                is_cast = true;
                one.type_name = cast(cursor, at + 1);
            }
            _ if is_first => one.type_name = shown(token.kind, text),
            _ if !is_cast => one = Argument::default(),
            _ => {}
        }
        is_first = false;
    }
    found
}

/// The type behind a cast's mark.
fn cast(cursor: &Cursor<'_>, at: usize) -> Option<String> {
    let mut rest = cursor.clone();
    (0..at).try_for_each(|_| rest.bump().map(|_| ()))?;
    type_name(&mut rest)
}

/// The type that a literal shows.
fn shown(kind: TokenKind, text: &str) -> Option<String> {
    match kind {
        TokenKind::Number if text.bytes().all(|byte| byte.is_ascii_digit()) => Some("integer".to_owned()),
        TokenKind::Number => Some("numeric".to_owned()),
        TokenKind::Word if ["false", "true"].iter().any(|word| text.eq_ignore_ascii_case(word)) => {
            Some("boolean".to_owned())
        }
        _ => None,
    }
}

/// Names, without their schemas, of what a text may call.
pub(super) fn named(text: &str) -> BTreeSet<String> {
    let words = tokens(text);
    let before_arguments = words.windows(2).filter_map(|pair| match pair {
        [name, open] if open.is_symbol(text, "(") => name.name(text),
        _ => None,
    });
    before_arguments.filter(|name| !is_sql_keyword(name)).collect()
}
