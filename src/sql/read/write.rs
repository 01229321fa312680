//! Statements on rows: what they write to, and settings that they change by `set_config`.

use super::calls::Calls;
use super::{Acts, act};
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
    let sure = ["call", "perform", "select"].iter().any(|word| cursor.sees(&[word]));
    Some(found(cursor, copies, sure))
}

/// What the rest of a statement, or an expression, does to rows and settings, and which routines it calls. `sure` says
/// whether what stands in it is evaluated at all.
pub(super) fn found(cursor: &mut Cursor<'_>, copies: bool, sure: bool) -> Vec<Act> {
    let mut acts = Vec::new();
    let mut calls = Calls::within(cursor, sure);
    let mut before = None;
    while let Some(token) = cursor.peek() {
        if let Some(found) = write(cursor, before, copies).or_else(|| configured(cursor)) {
            acts.push(found);
        } else if before.is_none_or(|word| cursor.text_of(word) != ".") {
            acts.extend(calls.next(cursor));
        }
        calls.pass(cursor.text_of(token));
        before = Some(token);
        cursor.bump();
    }
    acts
}

/// The routines that a definition calls, and rows that its query writes; `sure` where it is sure to come to them.
pub(super) fn called(cursor: &Cursor<'_>, sure: bool) -> Vec<Act> {
    let mut all = cursor.clone();
    all.rewind(0);
    let mut acts = found(&mut all, false, sure);
    acts.retain(|act| matches!(act.kind, ActKind::Call { .. } | ActKind::Write { .. }));
    acts.iter_mut().for_each(|act| act.certain &= sure || matches!(act.kind, ActKind::Call { .. }));
    acts
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
