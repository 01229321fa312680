//! Views, types and domains.

use std::collections::BTreeMap;

use super::{Acts, constraint, table as tables, whole};
use crate::sql::cursor::{Cursor, Written};
use crate::sql::ddl::{ActKind, NewType, NewView};

/// After CREATE .. VIEW.
pub(super) fn create_view(cursor: &mut Cursor<'_>, materialized: bool) -> Acts {
    let _ = cursor.eat(&["if", "not", "exists"]);
    let name = cursor.written()?;
    let mut options = BTreeMap::new();
    loop {
        if cursor.sees_mark("(") {
            cursor.parens()?;
        } else if cursor.eat(&["with"]) {
            options = tables::options(&cursor.parens()?);
        } else if cursor.eat_one_of(&["using", "tablespace"]).is_some() {
            cursor.name()?;
        } else {
            break;
        }
    }
    cursor.expect(&["as"])?;
    let query = cursor.expression(|_| false);
    whole(cursor, ActKind::CreateView { name, view: NewView { materialized, query, options } })
}

/// After CREATE TYPE.
pub(super) fn create(cursor: &mut Cursor<'_>) -> Acts {
    let name = cursor.written()?;
    let made = if cursor.eat(&["as", "enum"]) {
        let labels = cursor.parens()?.elements().into_iter().map(|mut one| one.string()).collect::<Option<Vec<_>>>()?;
        NewType::Enum(labels)
    } else {
        cursor.skip_rest();
        NewType::Other
    };
    whole(cursor, ActKind::CreateType { name, made })
}

/// After ALTER TYPE.
pub(super) fn alter(cursor: &mut Cursor<'_>) -> Acts {
    let name = cursor.written()?;
    if cursor.eat(&["add", "value"]) {
        let _ = cursor.eat(&["if", "not", "exists"]);
        let label = cursor.string()?;
        cursor.skip_rest();
        return whole(cursor, ActKind::AddLabel { name, label });
    }
    if cursor.eat(&["rename", "value"]) {
        let label = cursor.string()?;
        cursor.expect(&["to"])?;
        let to = cursor.string()?;
        return whole(cursor, ActKind::RenameLabel { name, label, to });
    }
    if let Some(moved) = moved(cursor, &name) {
        return whole(cursor, moved);
    }
    cursor.skip_rest();
    Some(Vec::new())
}

/// RENAME TO or SET SCHEMA, of a type or domain.
fn moved(cursor: &mut Cursor<'_>, name: &Written) -> Option<ActKind> {
    let name = name.clone();
    if cursor.eat(&["rename", "to"]) {
        return Some(ActKind::RenameType { name, to: cursor.name()? });
    }
    cursor.expect(&["set", "schema"])?;
    Some(ActKind::MoveType { name, schema: cursor.name()? })
}

/// After CREATE DOMAIN.
pub(super) fn create_domain(cursor: &mut Cursor<'_>) -> Acts {
    let name = cursor.written()?;
    let _ = cursor.eat(&["as"]);
    let base = tables::type_name(cursor)?;
    let (mut collation, mut not_null, mut checks) = (None, false, Vec::new());
    while !cursor.is_done() {
        if cursor.eat(&["constraint"]) {
            cursor.name()?;
        } else if cursor.eat(&["not", "null"]) {
            not_null = true;
        } else if cursor.eat(&["check"]) {
            checks.push(cursor.parens()?.rest());
        } else if cursor.eat(&["collate"]) {
            collation = Some(cursor.written()?.name);
        } else if cursor.eat(&["default"]) {
            cursor.expression(constraint::starts_column);
        } else {
            cursor.expect(&["null"])?;
        }
    }
    whole(cursor, ActKind::CreateType { name, made: NewType::Domain { base, collation, not_null, checks } })
}

/// After ALTER DOMAIN: what its columns refuse may change; which, no rule asks.
pub(super) fn alter_domain(cursor: &mut Cursor<'_>) -> Acts {
    let name = cursor.written()?;
    if let Some(moved) = moved(cursor, &name) {
        return whole(cursor, moved);
    }
    let harmless = cursor.sees(&["owner"]) || cursor.sees(&["rename"]);
    cursor.skip_rest();
    if harmless {
        return Some(Vec::new());
    }
    whole(cursor, ActKind::AlterDomain { name })
}
