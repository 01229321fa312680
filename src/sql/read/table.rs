//! CREATE TABLE.

use std::collections::{BTreeMap, BTreeSet};

use super::{Acts, constraint, whole};
use crate::sql::cursor::Cursor;
use crate::sql::ddl::{ActKind, Generated, Like, NewColumn, NewConstraint, NewTable, PartitionBy, Persistence};

/// `[GLOBAL | LOCAL] [TEMP | TEMPORARY | UNLOGGED]`.
pub(super) fn persistence(cursor: &mut Cursor<'_>) -> Persistence {
    let _ = cursor.eat_one_of(&["global", "local"]);
    match cursor.eat_one_of(&["temp", "temporary", "unlogged"]) {
        Some("unlogged") => Persistence::Unlogged,
        Some(_) => Persistence::Temporary,
        None => Persistence::Permanent,
    }
}

/// After CREATE FOREIGN.
pub(super) fn create_foreign(cursor: &mut Cursor<'_>) -> Acts {
    cursor.expect(&["table"])?;
    let mut acts = create(cursor, Persistence::Permanent)?;
    for act in &mut acts {
        if let ActKind::CreateTable { table, .. } = &mut act.kind {
            table.foreign = true;
        }
    }
    Some(acts)
}

pub(super) fn create(cursor: &mut Cursor<'_>, persistence: Persistence) -> Acts {
    let if_not_exists = cursor.eat(&["if", "not", "exists"]);
    let name = cursor.written()?;
    let mut table = NewTable { persistence, ..NewTable::default() };
    if cursor.eat(&["partition", "of"]) {
        table.partition_of = Some(cursor.written()?);
    } else if cursor.eat(&["of"]) {
        cursor.written()?;
    }
    if cursor.sees_mark("(") {
        let inner = cursor.parens()?;
        for mut part in inner.elements() {
            element(&mut part, &mut table)?;
        }
    }
    tail(cursor, &mut table)?;
    if table.from_query {
        // The names in parentheses are columns without a type: what they hold comes from the query.
        table.columns.clear();
        table.constraints.clear();
    }
    whole(cursor, ActKind::CreateTable { name, if_not_exists, table: Box::new(table) })
}

fn element(part: &mut Cursor<'_>, table: &mut NewTable) -> Option<()> {
    if part.eat(&["like"]) {
        table.like.push(like(part)?);
    } else if constraint::starts(part) {
        table.constraints.push(constraint::table(part)?);
    } else {
        let (column, constraints) = column(part)?;
        table.columns.push(column);
        table.constraints.extend(constraints);
    }
    part.is_done().then_some(())
}

const COPIED: [&str; 9] =
    ["comments", "compression", "constraints", "defaults", "generated", "identity", "indexes", "statistics", "storage"];

fn like(part: &mut Cursor<'_>) -> Option<Like> {
    let table = part.written()?;
    let mut including = BTreeSet::new();
    while let Some(word) = part.eat_one_of(&["excluding", "including"]) {
        let all = part.eat(&["all"]);
        let named = if all { COPIED.to_vec() } else { vec![part.eat_one_of(&COPIED)?] };
        for one in named {
            if word == "including" {
                including.insert(one.to_owned());
            } else {
                including.remove(one);
            }
        }
    }
    Some(Like { table, including })
}

/// A column with everything that follows its name.
pub(super) fn column(part: &mut Cursor<'_>) -> Option<(NewColumn, Vec<NewConstraint>)> {
    let start = part.taken();
    let name = part.name()?;
    let mut column = NewColumn {
        name,
        type_name: String::new(),
        not_null: false,
        default: None,
        collation: None,
        generated: None,
        span: part.span_since(start),
    };
    if !part.is_done() && !constraint::starts_column(part) {
        let _ = part.eat(&["with", "options"]);
        column.type_name =
            if constraint::starts_column(part) || part.is_done() { String::new() } else { type_name(part)? };
    }
    let serial =
        matches!(column.type_name.as_str(), "serial" | "bigserial" | "smallserial" | "serial4" | "serial8" | "serial2");
    column.not_null = serial;
    let mut constraints = Vec::new();
    while !part.is_done() {
        column_option(part, &mut column, &mut constraints)?;
    }
    column.span = part.span_since(start);
    Some((column, constraints))
}

fn column_option(part: &mut Cursor<'_>, column: &mut NewColumn, constraints: &mut Vec<NewConstraint>) -> Option<()> {
    let start = part.taken();
    let name = if part.eat(&["constraint"]) { Some(part.name()?) } else { None };
    if part.eat(&["not", "null"]) {
        column.not_null = true;
        let _ = part.eat(&["no", "inherit"]);
    } else if part.eat(&["null"]) {
        // NULL is what holds without it.
    } else if part.eat(&["default"]) {
        column.default = set_default(part.expression(constraint::starts_column));
    } else if part.eat(&["collate"]) {
        column.collation = Some(part.written()?.name);
    } else if part.eat(&["generated"]) {
        column.generated = Some(generated(part)?);
        column.not_null |= !matches!(column.generated, Some(Generated::Expression(_)));
    } else if part.eat_one_of(&["storage", "compression"]).is_some() {
        part.bump()?;
    } else {
        constraints.push(constraint::column(part, start, name, &column.name)?);
    }
    Some(())
}

/// A default of NULL is none: PostgreSQL keeps no entry for it.
pub(super) fn set_default(expression: String) -> Option<String> {
    let is_null = expression == "null" || expression.starts_with("null::");
    (!is_null).then_some(expression)
}

/// What follows GENERATED.
pub(super) fn generated(part: &mut Cursor<'_>) -> Option<Generated> {
    let always = part.eat_one_of(&["always", "by"])? == "always";
    if !always {
        part.expect(&["default"])?;
    }
    part.expect(&["as"])?;
    if part.eat(&["identity"]) {
        if part.sees_mark("(") {
            part.parens()?;
        }
        return Some(if always { Generated::IdentityAlways } else { Generated::IdentityByDefault });
    }
    let expression = part.parens()?.rest();
    let _ = part.eat_one_of(&["stored", "virtual"]);
    Some(Generated::Expression(expression))
}

/// A type: names, modifiers, array marks.
pub(super) fn type_name(part: &mut Cursor<'_>) -> Option<String> {
    let start = part.taken();
    // Words that go on with a type. One that begins a type is none of them: what stands before it is a name.
    let type_words = ["day", "hour", "minute", "month", "precision", "second", "to", "varying", "year"];
    let _ = part.eat(&["setof"]);
    if !part.eat(&["national"]) {
        part.name()?;
    } else if part.eat_one_of(&["character", "char"]).is_none() {
        return None;
    }
    loop {
        if part.eat_mark(".") {
            part.name()?;
        } else if part.sees_mark("(") {
            part.parens()?;
        } else if part.eat_mark("[") {
            while !part.eat_mark("]") {
                part.bump()?;
            }
        } else if part.eat_mark("%") {
            part.expect(&["type"]).or_else(|| part.expect(&["rowtype"]))?;
        } else if !part.eat(&["with", "time", "zone"])
            && !part.eat(&["without", "time", "zone"])
            && part.eat_one_of(&type_words).is_none()
        {
            break;
        }
    }
    let _ = part.eat(&["array"]);
    Some(canonical(&part.taken_since(start)))
}

/// The type as PostgreSQL's `format_type` writes it.
fn canonical(name: &str) -> String {
    let name = name.strip_prefix("pg_catalog.").unwrap_or(name).replace(", ", ",");
    let (name, array) = name.find(" array").or_else(|| name.find('[')).map_or((&*name, ""), |at| name.split_at(at));
    let array = if array == " array" { "[]" } else { array };
    let (base, modifier, rest) = parts(name);
    let whole = match (base, rest) {
        ("bool", "") => "boolean".to_owned(),
        ("int" | "int4", "") => "integer".to_owned(),
        ("int2", "") => "smallint".to_owned(),
        ("int8", "") => "bigint".to_owned(),
        ("float4", "") => "real".to_owned(),
        ("float8", "") => "double precision".to_owned(),
        ("float", "") => float(modifier).to_owned(),
        ("decimal" | "dec" | "numeric", "") => format!("numeric{}", scaled(modifier)),
        ("timestamptz", "") => format!("timestamp{modifier} with time zone"),
        ("timetz", "") => format!("time{modifier} with time zone"),
        ("timestamp" | "time", "") => format!("{base}{modifier} without time zone"),
        ("varchar", "") | ("character" | "char" | "nchar" | "national character" | "national char", " varying") => {
            format!("character varying{modifier}")
        }
        ("character" | "char" | "nchar" | "national character" | "national char", "") => {
            format!("character{}", or_one(modifier))
        }
        ("bit", "") => format!("bit{}", or_one(modifier)),
        ("varbit", "") => format!("bit varying{modifier}"),
        _ => format!("{base}{modifier}{rest}"),
    };
    format!("{whole}{array}")
}

/// The first words, what stands in parentheses, and the words that go on.
fn parts(name: &str) -> (&str, &str, &str) {
    let first = if name.starts_with("national ") { "national ".len() } else { 0 };
    let end = name[first..].find(['(', ' ']).map_or(name.len(), |at| first + at);
    let (base, rest) = name.split_at(end);
    match (rest.find('('), rest.find(')')) {
        (Some(0), Some(close)) => (base, &rest[..=close], &rest[close + 1..]),
        (Some(open), Some(_)) => (base, &rest[open..], &rest[..open]),
        _ => (base, "", rest),
    }
}

/// Up to 24 binary digits are the short form.
fn float(modifier: &str) -> &'static str {
    let digits = modifier.trim_matches(['(', ')']).parse();
    if digits.is_ok_and(|digits: u8| digits <= 24) { "real" } else { "double precision" }
}

/// A precision alone has no digits behind the point.
fn scaled(modifier: &str) -> String {
    match modifier.strip_suffix(')') {
        Some(precision) if !precision.contains(',') => format!("{precision},0)"),
        _ => modifier.to_owned(),
    }
}

/// One character or bit, where no number is given.
fn or_one(modifier: &str) -> &str {
    if modifier.is_empty() { "(1)" } else { modifier }
}

fn tail(cursor: &mut Cursor<'_>, table: &mut NewTable) -> Option<()> {
    while !cursor.is_done() {
        if cursor.eat(&["inherits"]) {
            table.inherits = parents(&mut cursor.parens()?)?;
        } else if cursor.eat(&["partition", "by"]) {
            let strategy = cursor.name()?;
            let columns = cursor.parens()?.elements().iter_mut().map(partition_column).collect();
            table.partition_by = Some(PartitionBy { strategy, columns });
        } else if cursor.eat(&["with"]) {
            table.options = options(&cursor.parens()?);
        } else if cursor.eat(&["for", "values"]) {
            let _ = cursor.eat_one_of(&["from", "in", "with"])?;
            cursor.parens()?;
            if cursor.eat(&["to"]) {
                cursor.parens()?;
            }
        } else if cursor.eat(&["on", "commit"]) {
            cursor
                .eat(&["delete"])
                .then_some(())
                .or_else(|| cursor.expect(&["preserve"]))
                .or_else(|| cursor.expect(&["drop"]))?;
            let _ = cursor.eat(&["rows"]);
        } else if cursor.eat_one_of(&["tablespace", "using", "server"]).is_some() {
            cursor.name()?;
        } else if cursor.eat(&["options"]) {
            cursor.parens()?;
        } else if cursor.eat(&["as"]) {
            table.from_query = true;
            cursor.skip_rest();
        } else if !cursor.eat(&["default"]) && !cursor.eat(&["without", "oids"]) {
            return None;
        }
    }
    Some(())
}

fn parents(inner: &mut Cursor<'_>) -> Option<Vec<crate::sql::ddl::Written>> {
    inner.listed(Cursor::written)
}

/// A column of a partition key, without its collation and operator class.
fn partition_column(part: &mut Cursor<'_>) -> String {
    let expression = part.expression(|cursor| !cursor.sees_mark(".") && !cursor.sees_mark("("));
    part.skip_rest();
    expression
}

/// `(fillfactor = 70, autovacuum_enabled)`; a name without a value is true.
pub(super) fn options(inner: &Cursor<'_>) -> BTreeMap<String, String> {
    let option = |mut part: Cursor<'_>| {
        let name = part.expression(|cursor| cursor.sees_mark("="));
        let value = if part.eat_mark("=") { part.rest() } else { "true".to_owned() };
        (name, value.trim_matches('\'').to_owned())
    };
    inner.elements().into_iter().map(option).collect()
}
