//! Indexes.

use super::{Acts, table as tables, whole};
use crate::sql::cursor::Cursor;
use crate::sql::ddl::{ActKind, IndexColumn, NewIndex};

/// After CREATE.
pub(super) fn create(cursor: &mut Cursor<'_>) -> Acts {
    let unique = cursor.eat(&["unique"]);
    cursor.expect(&["index"])?;
    let _ = cursor.eat(&["concurrently"]);
    let if_not_exists = cursor.eat(&["if", "not", "exists"]);
    let name = if cursor.sees(&["on"]) { None } else { Some(cursor.written()?.name) };
    cursor.expect(&["on"])?;
    let only = cursor.eat(&["only"]);
    let table = cursor.written()?;
    let method = if cursor.eat(&["using"]) { cursor.name()? } else { "btree".to_owned() };
    let columns = cursor.parens()?.elements().into_iter().map(column).collect::<Option<Vec<_>>>()?;
    let mut index =
        NewIndex { unique, columns, include: Vec::new(), predicate: None, nulls_distinct: true, method, only };
    while !cursor.is_done() {
        if cursor.eat(&["include"]) {
            index.include = cursor.parens()?.names()?;
        } else if cursor.eat(&["nulls", "not", "distinct"]) {
            index.nulls_distinct = false;
        } else if cursor.eat(&["nulls", "distinct"]) {
            index.nulls_distinct = true;
        } else if cursor.eat(&["with"]) {
            cursor.parens()?;
        } else if cursor.eat(&["tablespace"]) {
            cursor.name()?;
        } else {
            cursor.expect(&["where"])?;
            index.predicate = Some(cursor.expression(|_| false));
        }
    }
    whole(cursor, ActKind::CreateIndex { table, name, if_not_exists, index })
}

/// A column name, a call, or an expression in parentheses; then its collation. Operator class and order mean nothing here.
fn column(mut part: Cursor<'_>) -> Option<IndexColumn> {
    let start = part.taken();
    let mut ahead = part.clone();
    let called = ahead.written().is_some() && ahead.sees_mark("(");
    let is_expression = part.sees_mark("(") || called;
    let key = if is_expression {
        let _ = called && part.written().is_some();
        part.parens()?;
        part.taken_since(start)
    } else {
        part.name()?
    };
    let collation = if part.eat(&["collate"]) { Some(part.written()?.name) } else { None };
    Some(IndexColumn { key, collation, is_expression })
}

/// After ALTER INDEX.
pub(super) fn alter(cursor: &mut Cursor<'_>) -> Acts {
    if cursor.eat(&["all", "in", "tablespace"]) {
        cursor.skip_rest();
        return Some(Vec::new());
    }
    let _ = cursor.eat(&["if", "exists"]);
    let name = cursor.written()?;
    if cursor.eat(&["rename", "to"]) {
        let to = cursor.name()?;
        return whole(cursor, ActKind::RenameRelation { name, to });
    }
    if cursor.eat(&["set"]) || cursor.eat(&["reset"]) {
        if cursor.eat(&["tablespace"]) {
            cursor.name()?;
            let _ = cursor.eat(&["nowait"]);
        } else {
            tables::options(&cursor.parens()?);
        }
        return Some(Vec::new());
    }
    if cursor.eat(&["attach", "partition"]) {
        let part = cursor.written()?;
        return whole(cursor, ActKind::AttachIndex { whole: name, part });
    }
    cursor.eat_one_of(&["alter", "depends", "no"])?;
    cursor.skip_rest();
    Some(Vec::new())
}
