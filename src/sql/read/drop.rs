//! DROP, of everything.

use super::{Acts, act, cascade, routine, whole};
use crate::sql::cursor::Cursor;
use crate::sql::ddl::{ActKind, Written};

/// Kinds of objects whose loss takes no guarantee of a table.
const HARMLESS: [&str; 15] = [
    "access",
    "aggregate",
    "cast",
    "collation",
    "conversion",
    "database",
    "foreign",
    "language",
    "operator",
    "publication",
    "sequence",
    "server",
    "statistics",
    "subscription",
    "text",
];

/// After DROP.
pub(super) fn drop(cursor: &mut Cursor<'_>) -> Acts {
    if cursor.eat(&["event", "trigger"]) {
        let _ = cursor.eat(&["if", "exists"]);
        let name = cursor.name()?;
        cascade(cursor);
        return whole(cursor, ActKind::DropEventTrigger { name });
    }
    if cursor.sees(&["foreign", "table"]) {
        cursor.bump();
    } else if HARMLESS.iter().any(|word| cursor.sees(&[word])) {
        cursor.skip_rest();
        return Some(Vec::new());
    }
    match cursor.eat_one_of(&[
        "domain",
        "extension",
        "function",
        "group",
        "index",
        "materialized",
        "owned",
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
    ])? {
        "domain" | "type" => named(cursor, |name, cascade| ActKind::DropType { name, cascade }),
        // An extension takes its types along, and with CASCADE the columns of them; one of its types is called as it is.
        "extension" => named(cursor, |name, cascade| ActKind::DropType { name, cascade }),
        "function" | "procedure" | "routine" => routine::drop(cursor),
        "index" => {
            let _ = cursor.eat(&["concurrently"]);
            named(cursor, |name, cascade| ActKind::DropIndex { name, cascade })
        }
        "materialized" => {
            cursor.expect(&["view"])?;
            named(cursor, |name, _| ActKind::DropView { name })
        }
        "owned" => {
            cursor.expect(&["by"])?;
            let roles = cursor.names()?;
            cascade(cursor);
            Some(vec![act(cursor, 0, ActKind::DropOwned { roles })])
        }
        "policy" => on_table(cursor, |table, name| ActKind::DropPolicy { table, name }),
        "group" | "role" | "user" if cursor.eat(&["mapping"]) => {
            cursor.skip_rest();
            Some(Vec::new())
        }
        "group" | "role" | "user" => named(cursor, |name, _| ActKind::DropRole { name: name.name }),
        "rule" => on_table(cursor, |table, name| ActKind::DropRule { table, name }),
        "schema" => named(cursor, |name, cascade| ActKind::DropSchema { name: name.name, cascade }),
        "table" => named(cursor, |name, cascade| ActKind::DropTable { name, cascade }),
        "trigger" => on_table(cursor, |table, name| ActKind::DropTrigger { table, name }),
        "view" => named(cursor, |name, _| ActKind::DropView { name }),
        _ => None,
    }
}

fn named(cursor: &mut Cursor<'_>, kind: impl Fn(Written, bool) -> ActKind) -> Acts {
    let _ = cursor.eat(&["if", "exists"]);
    let names = cursor.listed(Cursor::written)?;
    let cascade = cascade(cursor);
    Some(names.into_iter().map(|name| act(cursor, 0, kind(name, cascade))).collect())
}

fn on_table(cursor: &mut Cursor<'_>, kind: impl Fn(Written, String) -> ActKind) -> Acts {
    let _ = cursor.eat(&["if", "exists"]);
    let name = cursor.name()?;
    cursor.expect(&["on"])?;
    let table = cursor.written()?;
    cascade(cursor);
    Some(vec![act(cursor, 0, kind(table, name))])
}
