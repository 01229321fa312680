//! Reads the definitions that can touch a table, clause by clause from tokens: every clause keeps its own place, and
//! forms that a general parser rejects are forms like any other. Expressions are kept whole, not understood.
//!
//! To add a form: a line in `opening` and a function in the file of its object. A function that meets what it does not
//! know answers `None`; the statement is then opaque, never half-read.

mod access;
mod alter;
pub(super) mod block;
mod calls;
mod constraint;
mod drop;
mod execute;
mod index;
mod routine;
mod table;
mod trigger;
mod types;
mod write;

use super::cursor::Cursor;
use super::ddl::{Act, ActKind, Written};
use super::token::{Token, tokens};

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
const HARMLESS: [&[&str]; 62] = [
    &["abort"],
    &["alter", "aggregate"],
    &["alter", "collation"],
    &["alter", "conversion"],
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
    &["discard"],
    &["end"],
    &["import"],
    &["listen"],
    &["load"],
    &["lock"],
    &["move"],
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
    match cursor.eat_one_of(&[
        "alter", "create", "declare", "do", "drop", "execute", "grant", "prepare", "reassign", "reset", "revoke",
        "set", "truncate",
    ]) {
        Some("alter") => altered(cursor),
        Some("create") => created(cursor),
        // What is prepared or declared is run later, or not at all; what runs it names it alone.
        Some("declare" | "execute" | "prepare") => Some(later(cursor)),
        Some("do") => block::anonymous(cursor),
        Some("drop") => drop::drop(cursor),
        Some("grant") => access::grant(cursor, true),
        Some("reassign") => access::reassign(cursor),
        Some("reset") => access::reset(cursor),
        Some("revoke") => access::grant(cursor, false),
        Some("set") => access::set(cursor),
        Some("truncate") => write::truncate(cursor),
        Some(_) | None => write::rows(cursor),
    }
}

fn later(cursor: &mut Cursor<'_>) -> Vec<Act> {
    let mut acts = write::found(cursor, false, false);
    acts.iter_mut().for_each(|act| act.certain = false);
    acts
}

/// What was read, and the routines that the statement calls besides.
fn with_calls(cursor: &Cursor<'_>, sure: bool, acts: Acts) -> Acts {
    let mut acts = acts.filter(|_| cursor.is_done())?;
    acts.extend(write::called(cursor, sure));
    Some(acts)
}

fn altered(cursor: &mut Cursor<'_>) -> Acts {
    if cursor.eat(&["materialized", "view"]) {
        return alter::table(cursor);
    }
    let word = cursor.eat_one_of(&[
        "database",
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
        "system",
        "table",
        "trigger",
        "type",
        "user",
        "view",
    ]);
    match word? {
        "database" => {
            cursor.name()?;
            access::configure(cursor)
        }
        "system" => access::configure(cursor),
        "default" => access::default_privileges(cursor),
        "domain" => types::alter_domain(cursor),
        "function" | "procedure" | "routine" => routine::alter(cursor),
        "group" | "role" | "user" => access::role(cursor, false),
        "index" => index::alter(cursor),
        "policy" => alter::policy(cursor),
        "rule" => alter::rule(cursor),
        "schema" => alter::schema(cursor),
        "table" => {
            let acts = alter::table(cursor);
            // A default, or how a type is changed, is an expression that runs now.
            if holds(cursor, &["default", "using"]) { with_calls(cursor, false, acts) } else { acts }
        }
        "view" => alter::table(cursor),
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
        return trigger::create_event(cursor);
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
        "foreign" => table::create_foreign(cursor),
        "function" => routine::create(cursor, or_replace, false),
        "group" | "role" | "user" => access::role(cursor, true),
        "materialized" => {
            let acts = cursor.expect(&["view"]).and_then(|()| types::create_view(cursor, true));
            with_calls(cursor, runs(cursor), acts)
        }
        "policy" => alter::create_policy(cursor),
        "procedure" => routine::create(cursor, or_replace, true),
        "recursive" => cursor.expect(&["view"]).and_then(|()| types::create_view(cursor, false)),
        "rule" => trigger::create_rule(cursor),
        "schema" => alter::create_schema(cursor),
        "sequence" => {
            cursor.skip_rest();
            Some(Vec::new())
        }
        "table" => {
            let acts = table::create(cursor, persistence);
            if from_query(&acts) { with_calls(cursor, runs(cursor), acts) } else { acts }
        }
        "trigger" => trigger::create(cursor, or_replace, constraint),
        "type" => types::create(cursor),
        "view" => types::create_view(cursor, false),
        _ => None,
    }
}

/// The routines that an expression calls.
pub(super) fn calls(expression: &str) -> Vec<Written> {
    let tokens = tokens(expression);
    let acts = write::called(&Cursor::new(expression, &tokens, 0), false);
    let name = |act: Act| if let ActKind::Call { routine, .. } = act.kind { Some(routine) } else { None };
    acts.into_iter().filter_map(name).collect()
}

/// Whether the query of a definition is sure to run: not with IF NOT EXISTS, nor WITH NO DATA.
fn runs(cursor: &Cursor<'_>) -> bool {
    !holds(cursor, &["data", "exists"])
}

fn holds(cursor: &Cursor<'_>, words: &[&str]) -> bool {
    let mut all = cursor.clone();
    all.rewind(0);
    let mut all = std::iter::from_fn(|| all.bump());
    all.any(|token| words.iter().any(|word| token.is_word(cursor.text(), word)))
}

/// Whether it is CREATE TABLE .. AS, whose query runs.
fn from_query(acts: &Acts) -> bool {
    let made = acts.iter().flatten();
    made.map(|act| &act.kind).any(|kind| matches!(kind, ActKind::CreateTable { table, .. } if table.from_query))
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
