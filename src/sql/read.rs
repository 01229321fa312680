//! Reads the definitions that can touch a table, clause by clause from tokens: every clause keeps its own place, and
//! forms that a general parser rejects are forms like any other. Expressions are kept whole, not understood.
//!
//! To add a form: a line in `opening` and a function in the file of its object. A function that meets what it does not
//! know answers `None`; the statement is then opaque, never half-read.

mod access;
mod alter;
pub(super) mod block;
mod constraint;
mod drop;
mod index;
mod routine;
mod table;
mod trigger;
mod types;
mod write;

use super::cursor::Cursor;
use super::ddl::{Act, ActKind};
use super::token::Token;

/// What a statement does, or where reading stopped.
pub(super) type Acts = Option<Vec<Act>>;

/// Reads a statement that starts at byte `base` of its file.
///
/// # Errors
/// Where reading stopped.
pub(super) fn read(text: &str, tokens: &[Token], base: usize) -> Result<Vec<Act>, String> {
    let mut cursor = Cursor::new(text, tokens, base);
    match opening(&mut cursor) {
        Some(acts) if cursor.is_done() => Ok(acts),
        Some(_) | None if cursor.is_done() => Err("reading stopped at the end of the statement".to_owned()),
        Some(_) | None => Err(format!("reading stopped before `{}`", cursor.next_text())),
    }
}

/// Statements that change no guarantee of a table, told by their first words.
const HARMLESS: [&[&str]; 67] = [
    &["abort"],
    &["alter", "aggregate"],
    &["alter", "collation"],
    &["alter", "conversion"],
    &["alter", "database"],
    &["alter", "event", "trigger"],
    &["alter", "extension"],
    &["alter", "foreign"],
    &["alter", "language"],
    &["alter", "large"],
    &["alter", "operator"],
    &["alter", "publication"],
    &["alter", "sequence"],
    &["alter", "server"],
    &["alter", "statistics"],
    &["alter", "subscription"],
    &["alter", "system"],
    &["alter", "tablespace"],
    &["alter", "text"],
    &["alter", "user", "mapping"],
    &["begin"],
    &["checkpoint"],
    &["close"],
    &["cluster"],
    &["comment"],
    &["commit"],
    &["create", "access"],
    &["create", "aggregate"],
    &["create", "cast"],
    &["create", "collation"],
    &["create", "conversion"],
    &["create", "database"],
    &["create", "extension"],
    &["create", "foreign", "data"],
    &["create", "language"],
    &["create", "operator"],
    &["create", "publication"],
    &["create", "sequence"],
    &["create", "server"],
    &["create", "statistics"],
    &["create", "subscription"],
    &["create", "tablespace"],
    &["create", "text"],
    &["create", "transform"],
    &["deallocate"],
    &["declare"],
    &["discard"],
    &["end"],
    &["import"],
    &["listen"],
    &["load"],
    &["lock"],
    &["move"],
    &["prepare"],
    &["reassign"],
    &["refresh"],
    &["reindex"],
    &["release"],
    &["rollback"],
    &["savepoint"],
    &["security"],
    &["show"],
    &["start"],
    &["unlisten"],
    &["create", "or", "replace", "aggregate"],
    &["create", "temp", "sequence"],
    &["create", "temporary", "sequence"],
];

fn opening(cursor: &mut Cursor<'_>) -> Acts {
    if HARMLESS.iter().any(|words| cursor.sees(words)) {
        cursor.skip_rest();
        return Some(Vec::new());
    }
    match cursor
        .eat_one_of(&["alter", "create", "do", "drop", "execute", "grant", "reset", "revoke", "set", "truncate"])
    {
        Some("alter") => altered(cursor),
        Some("create") => created(cursor),
        Some("do") => block::anonymous(cursor),
        Some("drop") => drop::drop(cursor),
        Some("grant") => access::grant(cursor, true),
        Some("reset") => access::reset(cursor),
        Some("revoke") => access::grant(cursor, false),
        Some("set") => access::set(cursor),
        Some("truncate") => write::truncate(cursor),
        Some(_) | None => write::rows(cursor),
    }
}

fn altered(cursor: &mut Cursor<'_>) -> Acts {
    if cursor.eat(&["materialized", "view"]) {
        return alter::table(cursor);
    }
    let word = cursor.eat_one_of(&[
        "default",
        "domain",
        "function",
        "group",
        "index",
        "policy",
        "procedure",
        "role",
        "routine",
        "rule",
        "schema",
        "table",
        "trigger",
        "type",
        "user",
        "view",
    ]);
    match word? {
        "default" => access::default_privileges(cursor),
        "domain" => types::alter_domain(cursor),
        "function" | "procedure" | "routine" => routine::alter(cursor),
        "group" | "role" | "user" => access::role(cursor, false),
        "index" => index::alter(cursor),
        "policy" => alter::policy(cursor),
        "rule" => alter::rule(cursor),
        "schema" => alter::schema(cursor),
        "table" | "view" => alter::table(cursor),
        "trigger" => trigger::alter(cursor),
        "type" => types::alter(cursor),
        _ => None,
    }
}

fn created(cursor: &mut Cursor<'_>) -> Acts {
    let or_replace = cursor.eat(&["or", "replace"]);
    if cursor.sees(&["unique", "index"]) || cursor.sees(&["index"]) {
        return index::create(cursor);
    }
    if cursor.eat(&["event", "trigger"]) {
        cursor.skip_rest();
        return Some(Vec::new());
    }
    let constraint = cursor.eat(&["constraint"]);
    let persistence = table::persistence(cursor);
    let word = cursor.eat_one_of(&[
        "domain",
        "foreign",
        "function",
        "group",
        "materialized",
        "policy",
        "procedure",
        "recursive",
        "role",
        "rule",
        "schema",
        "sequence",
        "table",
        "trigger",
        "type",
        "user",
        "view",
    ]);
    match word? {
        "domain" => types::create_domain(cursor),
        "foreign" => cursor.expect(&["table"]).and_then(|()| table::create(cursor, persistence)),
        "function" => routine::create(cursor, or_replace, false),
        "group" | "role" | "user" => access::role(cursor, true),
        "materialized" => cursor.expect(&["view"]).and_then(|()| types::create_view(cursor, true)),
        "policy" => alter::create_policy(cursor),
        "procedure" => routine::create(cursor, or_replace, true),
        "recursive" => cursor.expect(&["view"]).and_then(|()| types::create_view(cursor, false)),
        "rule" => trigger::create_rule(cursor),
        "schema" => alter::create_schema(cursor),
        "sequence" => {
            cursor.skip_rest();
            Some(Vec::new())
        }
        "table" => table::create(cursor, persistence),
        "trigger" => trigger::create(cursor, or_replace, constraint),
        "type" => types::create(cursor),
        "view" => types::create_view(cursor, false),
        _ => None,
    }
}

/// One act over everything that the cursor has taken so far.
fn whole(cursor: &Cursor<'_>, kind: ActKind) -> Acts {
    Some(vec![act(cursor, 0, kind)])
}

/// One act over what was taken since `start`.
fn act(cursor: &Cursor<'_>, start: usize, kind: ActKind) -> Act {
    Act { span: cursor.span_since(start), certain: true, kind }
}

/// CASCADE or RESTRICT at the end of a DROP.
fn cascade(cursor: &mut Cursor<'_>) -> bool {
    let cascade = cursor.eat(&["cascade"]);
    let _ = cascade || cursor.eat(&["restrict"]);
    cascade
}
