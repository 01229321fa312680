//! Roles, privileges and settings.

use std::collections::BTreeSet;

use super::{Acts, act, routine, whole};
use crate::sql::cursor::Cursor;
use crate::sql::ddl::{ActKind, Called, ObjectKind, Privileges};

/// After GRANT or REVOKE.
pub(super) fn grant(cursor: &mut Cursor<'_>, give: bool) -> Acts {
    let _ = cursor.eat(&["grant", "option", "for"]) || cursor.eat(&["admin", "option", "for"]);
    let start = cursor.taken();
    let mut on = cursor.clone();
    while !on.is_done() && !on.sees(&["on"]) && !on.sees(&["to"]) && !on.sees(&["from"]) {
        on.skip_one();
    }
    if !on.sees(&["on"]) {
        cursor.rewind(start);
        let roles = cursor.names()?;
        let to = grantees(cursor, give)?;
        cursor.skip_rest();
        return whole(cursor, ActKind::Membership { give, roles, to });
    }
    let (privileges, by_column) = privileges(cursor)?;
    cursor.expect(&["on"])?;
    let only_procedures = match cursor.ahead(1).map(|word| cursor.text_of(word).to_lowercase()).as_deref() {
        Some("functions") => Some(false),
        Some("procedures") => Some(true),
        Some(_) | None => None,
    };
    let (kind, all_in_schema) = kind(cursor)?;
    let objects = objects(cursor, kind, all_in_schema)?;
    let roles = grantees(cursor, give)?;
    cursor.skip_rest();
    let grant = Privileges { privileges, by_column, kind, objects, all_in_schema, only_procedures, roles };
    whole(cursor, ActKind::Grant { give, grant })
}

fn privileges(cursor: &mut Cursor<'_>) -> Option<(BTreeSet<String>, bool)> {
    let mut by_column = false;
    let list = cursor.listed(|one| {
        let mut name = one.name()?;
        while !one.is_done() && !one.sees(&["on"]) && !one.sees_mark(",") && !one.sees_mark("(") {
            let word = one.name()?;
            // ALL PRIVILEGES is ALL.
            if word != "privileges" {
                name = format!("{name} {word}");
            }
        }
        if one.sees_mark("(") {
            one.parens()?;
            by_column = true;
        }
        Some(name)
    })?;
    Some((list.into_iter().collect(), by_column))
}

fn kind(cursor: &mut Cursor<'_>) -> Option<(ObjectKind, bool)> {
    if cursor.eat(&["all"]) {
        let kind = match cursor.eat_one_of(&["functions", "procedures", "routines", "sequences", "tables"])? {
            "sequences" => ObjectKind::Sequence,
            "tables" => ObjectKind::Table,
            _ => ObjectKind::Routine,
        };
        cursor.expect(&["in", "schema"])?;
        return Some((kind, true));
    }
    let two: [&[&str]; 4] =
        [&["foreign", "data", "wrapper"], &["foreign", "server"], &["large", "object"], &["foreign", "table"]];
    if two.iter().any(|words| cursor.eat(words)) {
        return Some((ObjectKind::Other, false));
    }
    let words = [
        "database",
        "domain",
        "function",
        "language",
        "parameter",
        "procedure",
        "routine",
        "schema",
        "sequence",
        "table",
        "tablespace",
        "type",
    ];
    // A table may be called like one of these words.
    let named =
        cursor.ahead(1).is_some_and(|next| matches!(cursor.text_of(next), "," | "." | ";")) || is_grantee_word(cursor);
    let kind = match if named { None } else { cursor.eat_one_of(&words) } {
        None | Some("table") => ObjectKind::Table,
        Some("function" | "procedure" | "routine") => ObjectKind::Routine,
        Some("schema") => ObjectKind::Schema,
        Some("sequence") => ObjectKind::Sequence,
        Some("type" | "domain") => ObjectKind::Type,
        Some(_) => ObjectKind::Other,
    };
    Some((kind, false))
}

fn is_grantee_word(cursor: &Cursor<'_>) -> bool {
    let mut next = cursor.clone();
    next.bump();
    next.sees(&["to"]) || next.sees(&["from"])
}

fn objects(cursor: &mut Cursor<'_>, kind: ObjectKind, schemas: bool) -> Option<Vec<Called>> {
    if kind == ObjectKind::Routine && !schemas {
        return cursor.listed(routine::called);
    }
    if kind == ObjectKind::Other {
        while !cursor.is_done() && !cursor.sees(&["to"]) && !cursor.sees(&["from"]) {
            cursor.bump();
        }
        return Some(Vec::new());
    }
    cursor.listed(|one| Some(Called { name: one.written()?, arguments: None }))
}

fn grantees(cursor: &mut Cursor<'_>, give: bool) -> Option<Vec<String>> {
    cursor.expect(&[if give { "to" } else { "from" }])?;
    cursor.listed(|one| {
        let _ = one.ahead(1).is_some() && one.eat(&["group"]);
        one.name()
    })
}

/// After ALTER DEFAULT.
pub(super) fn default_privileges(cursor: &mut Cursor<'_>) -> Acts {
    cursor.expect(&["privileges"])?;
    let (mut schemas, mut owners) = (Vec::new(), Vec::new());
    loop {
        if cursor.eat(&["for"]) {
            cursor.eat_one_of(&["role", "user"])?;
            owners = cursor.names()?;
        } else if cursor.eat(&["in", "schema"]) {
            schemas = cursor.names()?;
        } else {
            break;
        }
    }
    let give = cursor.eat_one_of(&["grant", "revoke"])? == "grant";
    let _ = cursor.eat(&["grant", "option", "for"]);
    let (privileges, by_column) = privileges(cursor)?;
    cursor.expect(&["on"])?;
    let kind = match cursor.eat_one_of(&["functions", "routines", "schemas", "sequences", "tables", "types"])? {
        "functions" | "routines" => ObjectKind::Routine,
        "schemas" => ObjectKind::Schema,
        "sequences" => ObjectKind::Sequence,
        "tables" => ObjectKind::Table,
        _ => ObjectKind::Type,
    };
    let roles = grantees(cursor, give)?;
    cursor.skip_rest();
    let grant = Privileges {
        privileges,
        by_column,
        kind,
        objects: Vec::new(),
        all_in_schema: true,
        only_procedures: None,
        roles,
    };
    whole(cursor, ActKind::DefaultPrivileges { give, schemas, owners, grant })
}

/// After CREATE or ALTER ROLE, USER or GROUP.
pub(super) fn role(cursor: &mut Cursor<'_>, is_new: bool) -> Acts {
    if cursor.eat(&["mapping"]) {
        cursor.skip_rest();
        return Some(Vec::new());
    }
    let _ = cursor.eat(&["if", "not", "exists"]);
    let name = cursor.name()?;
    if cursor.eat(&["in", "database"]) {
        cursor.name()?;
    }
    if !is_new && cursor.eat(&["set"]) {
        let start = cursor.taken();
        let (setting, values) = routine::setting(cursor, |_| false)?;
        let options = BTreeSet::from([format!("{setting}={}", values.join(","))]);
        return Some(vec![act(cursor, start, ActKind::Role { name, options, is_new })]);
    }
    let mut options = BTreeSet::new();
    while let Some(token) = cursor.bump() {
        options.insert(cursor.text_of(token).to_lowercase());
    }
    options.remove("with");
    whole(cursor, ActKind::Role { name, options, is_new })
}

/// After SET.
pub(super) fn set(cursor: &mut Cursor<'_>) -> Acts {
    if cursor.sees(&["constraints"]) || cursor.sees(&["transaction"]) || cursor.sees(&["session", "characteristics"]) {
        cursor.skip_rest();
        return Some(Vec::new());
    }
    let local = cursor.eat(&["local"]);
    let _ = cursor.eat(&["session"]);
    if cursor.eat(&["authorization"]) || cursor.sees(&["time", "zone"]) || cursor.sees(&["names"]) {
        cursor.skip_rest();
        return Some(Vec::new());
    }
    if cursor.eat(&["role"]) {
        let _ = cursor.eat(&["to"]) || cursor.eat_mark("=");
        let role = cursor.name().or_else(|| cursor.string())?;
        let values = if role == "none" { Vec::new() } else { vec![role] };
        return whole(cursor, ActKind::Set { name: "role".to_owned(), values, local });
    }
    let (name, values) = routine::setting(cursor, |_| false)?;
    whole(cursor, ActKind::Set { name, values, local })
}

/// After ALTER SYSTEM, or the name of ALTER DATABASE.
pub(super) fn configure(cursor: &mut Cursor<'_>) -> Acts {
    if cursor.eat(&["set"]) && !cursor.sees(&["tablespace"]) {
        let (name, values) = routine::setting(cursor, |_| false)?;
        return whole(cursor, ActKind::Configure { name, values });
    }
    cursor.skip_rest();
    Some(Vec::new())
}

/// After REASSIGN.
pub(super) fn reassign(cursor: &mut Cursor<'_>) -> Acts {
    cursor.expect(&["owned", "by"])?;
    let from = cursor.names()?;
    cursor.expect(&["to"])?;
    let to = cursor.name()?;
    whole(cursor, ActKind::Reassign { from, to })
}

/// After RESET.
pub(super) fn reset(cursor: &mut Cursor<'_>) -> Acts {
    let name = cursor.name()?;
    cursor.skip_rest();
    whole(cursor, ActKind::Set { name, values: Vec::new(), local: false })
}
