//! Statements on rows: what they write to, and settings that they change by `set_config`.

use std::collections::BTreeSet;

use super::{Acts, act};
use crate::manifest::name::is_sql_keyword;
use crate::sql::cursor::Cursor;
use crate::sql::ddl::{Act, ActKind, Verb};

/// First words of statements on rows, and of PL/pgSQL statements that run them.
const WORDS: [&str; 18] = [
    "analyze", "call", "copy", "delete", "execute", "explain", "fetch", "insert", "merge", "notify", "perform",
    "return", "select", "table", "update", "vacuum", "values", "with",
];

/// Any statement on rows, data-modifying queries within it included.
pub(super) fn rows(cursor: &mut Cursor<'_>) -> Acts {
    if !WORDS.iter().any(|word| cursor.sees(&[word])) && !cursor.sees_mark("(") {
        return None;
    }
    let copies = cursor.sees(&["copy"]);
    let mut acts = Vec::new();
    let mut calls = Calls::default();
    let mut before = None;
    while let Some(token) = cursor.peek() {
        if let Some(found) = write(cursor, before, copies).or_else(|| configured(cursor)) {
            acts.push(found);
        } else if before.is_none_or(|word| cursor.text_of(word) != ".") {
            acts.extend(calls.next(cursor));
        }
        before = Some(token);
        cursor.bump();
    }
    Some(acts)
}

fn write(cursor: &Cursor<'_>, before: Option<crate::sql::Token>, copies: bool) -> Option<Act> {
    let mut ahead = cursor.clone();
    let start = ahead.taken();
    let verb = match ahead.eat_one_of(&["copy", "delete", "insert", "merge", "update"])? {
        "copy" if copies && start == 0 => Verb::Copy,
        "delete" if ahead.eat(&["from"]) => Verb::Delete,
        "insert" if ahead.eat(&["into"]) => Verb::Insert,
        "merge" if ahead.eat(&["into"]) => Verb::Merge,
        // FOR UPDATE, ON UPDATE, DO UPDATE and UPDATE OF write to nothing of their own.
        "update"
            if !before.is_some_and(|word| {
                matches!(cursor.text_of(word).to_lowercase().as_str(), "do" | "for" | "key" | "on")
            }) =>
        {
            Verb::Update
        }
        _ => return None,
    };
    let _ = ahead.eat(&["only"]);
    let table = ahead.written()?;
    if verb == Verb::Copy && !copies_in(&mut ahead.clone()) {
        return None;
    }
    ahead.skip_rest();
    Some(act(&ahead, start, ActKind::Write { verb, table }))
}

fn copies_in(ahead: &mut Cursor<'_>) -> bool {
    if ahead.sees_mark("(") {
        ahead.skip_one();
    }
    ahead.sees(&["from"])
}

/// Calls of one statement that were seen, so that each is told once.
#[derive(Default)]
struct Calls(BTreeSet<(Option<String>, String, Vec<Option<String>>)>);

/// The most calls that are told of one statement: rows of data may call a function each.
const MOST_CALLS: usize = 1000;

/// How far the end of a call's arguments is looked for, so that calls in calls cost no square.
const NEAR: usize = 64;

impl Calls {
    /// A call that begins here. It is sure to be done where the statement does nothing else.
    fn next(&mut self, cursor: &Cursor<'_>) -> Option<Act> {
        cursor.ahead(1).filter(|next| matches!(cursor.text_of(*next), "(" | "."))?;
        let mut ahead = cursor.clone();
        let start = ahead.taken();
        let routine = ahead.written().filter(|one| ahead.sees_mark("(") && !is_sql_keyword(&one.name))?;
        let arguments = literals(&ahead);
        let seen = (routine.schema.clone(), routine.name.clone(), arguments.clone());
        if self.0.len() >= MOST_CALLS || !self.0.insert(seen) {
            return None;
        }
        let mut found = act(&ahead, start, ActKind::Call { routine, arguments });
        found.certain = start == 1 && is_alone(ahead);
        Some(found)
    }
}

fn is_alone(mut rest: Cursor<'_>) -> bool {
    rest.rewind(0);
    let opens = rest.eat_one_of(&["call", "perform", "select"]).is_some();
    while !rest.is_done() && !["from", "limit", "where"].iter().any(|word| rest.sees(&[word])) {
        rest.bump();
    }
    opens && rest.is_done()
}

/// The arguments of a call whose `(` comes next: those that are literals, with a cast behind them or without.
fn literals(cursor: &Cursor<'_>) -> Vec<Option<String>> {
    let (mut found, mut depth) = (Vec::new(), 0usize);
    let (mut value, mut is_first, mut is_cast) = (None, true, false);
    for at in 1..NEAR {
        let Some(token) = cursor.ahead(at) else { break };
        let text = cursor.text_of(token);
        match text {
            ")" if depth == 0 => {
                found.extend((!is_first).then_some(value));
                return found;
            }
            "," if depth == 0 => {
                found.push(value.take());
                (is_first, is_cast) = (true, false);
                continue;
            }
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        match cursor.literal_of(token) {
            Some(literal) if is_first => value = Some(literal),
            _ if text == "::" => is_cast = true,
            _ if !is_cast => value = None,
            _ => {}
        }
        is_first = false;
    }
    found
}

/// `set_config('name', 'value', is_local)`.
fn configured(cursor: &Cursor<'_>) -> Option<Act> {
    let mut ahead = cursor.clone();
    let start = ahead.taken();
    ahead.expect(&["set_config"])?;
    let inner = ahead.parens()?;
    let mut parts = inner.elements().into_iter();
    let name = parts.next()?.string()?;
    let values = vec![parts.next()?.string()?];
    let local = parts.next()?.sees(&["true"]);
    Some(act(&ahead, start, ActKind::Set { name, values, local }))
}

/// After TRUNCATE.
pub(super) fn truncate(cursor: &mut Cursor<'_>) -> Acts {
    let _ = cursor.eat(&["table"]);
    let tables = cursor.listed(|one| {
        let _ = one.eat(&["only"]);
        let table = one.written()?;
        let _ = one.eat_mark("*");
        Some(table)
    })?;
    let _ = cursor.eat(&["restart", "identity"]) || cursor.eat(&["continue", "identity"]);
    super::cascade(cursor);
    Some(tables.into_iter().map(|table| act(cursor, 0, ActKind::Truncate { table })).collect())
}
