//! Constraints, written with a column or with the table.

use crate::sql::cursor::Cursor;
use crate::sql::ddl::{ConstraintKind, NewConstraint};

/// Whether a table constraint comes next.
pub(super) fn starts(part: &Cursor<'_>) -> bool {
    part.sees(&["constraint"])
        || part.sees(&["primary", "key"])
        || part.sees(&["foreign", "key"])
        || part.sees(&["not", "null"])
        || opens(part, &["unique", "check", "exclude"])
}

/// Whether one of these words comes next and is no column's name: a column's type would follow.
fn opens(part: &Cursor<'_>, words: &[&str]) -> bool {
    let mut ahead = part.clone();
    words.iter().any(|word| ahead.eat(&[word]))
        && (ahead.sees_mark("(") || ahead.sees(&["using"]) || ahead.sees(&["nulls"]))
}

/// Words that end a type, a default or another option of a column.
pub(super) fn starts_column(part: &Cursor<'_>) -> bool {
    [
        "check",
        "collate",
        "compression",
        "constraint",
        "default",
        "deferrable",
        "generated",
        "initially",
        "null",
        "primary",
        "references",
        "storage",
        "unique",
    ]
    .iter()
    .any(|word| part.sees(&[word]))
        || part.sees(&["not", "null"])
        || part.sees(&["not", "deferrable"])
}

/// A constraint of a table.
pub(super) fn table(part: &mut Cursor<'_>) -> Option<NewConstraint> {
    let start = part.taken();
    let name = if part.eat(&["constraint"]) { Some(part.name()?) } else { None };
    let kind = match part.eat_one_of(&["check", "exclude", "foreign", "not", "primary", "unique"])? {
        "check" => ConstraintKind::Check { expression: part.parens()?.rest(), column: None },
        "exclude" => exclude(part)?,
        "foreign" => {
            part.expect(&["key"])?;
            let columns = key_columns(part)?;
            part.expect(&["references"])?;
            references(part, columns)?
        }
        "not" => {
            part.expect(&["null"])?;
            ConstraintKind::NotNull { column: part.name()? }
        }
        "primary" => {
            part.expect(&["key"])?;
            primary(part)?
        }
        _ => unique(part)?,
    };
    finish(part, start, name, kind)
}

/// A constraint of a column, after its name.
pub(super) fn column(part: &mut Cursor<'_>, start: usize, name: Option<String>, column: &str) -> Option<NewConstraint> {
    let columns = vec![column.to_owned()];
    let kind = match part.eat_one_of(&["check", "primary", "references", "unique"])? {
        "check" => ConstraintKind::Check { expression: part.parens()?.rest(), column: Some(column.to_owned()) },
        "primary" => {
            part.expect(&["key"])?;
            ConstraintKind::Primary { columns }
        }
        "references" => references(part, columns)?,
        _ => ConstraintKind::Unique { columns, nulls_distinct: nulls_distinct(part) },
    };
    finish(part, start, name, kind)
}

fn nulls_distinct(part: &mut Cursor<'_>) -> bool {
    let _ = part.eat(&["nulls", "distinct"]);
    !part.eat(&["nulls", "not", "distinct"])
}

fn primary(part: &mut Cursor<'_>) -> Option<ConstraintKind> {
    if part.eat(&["using", "index"]) {
        return Some(ConstraintKind::UsingIndex { index: part.name()?, primary: true });
    }
    Some(ConstraintKind::Primary { columns: key_columns(part)? })
}

fn unique(part: &mut Cursor<'_>) -> Option<ConstraintKind> {
    if part.eat(&["using", "index"]) {
        return Some(ConstraintKind::UsingIndex { index: part.name()?, primary: false });
    }
    let nulls_distinct = nulls_distinct(part);
    Some(ConstraintKind::Unique { columns: key_columns(part)?, nulls_distinct })
}

fn key_columns(part: &mut Cursor<'_>) -> Option<Vec<String>> {
    let mut inner = part.parens()?;
    let columns = inner.listed(|one| {
        let name = one.name()?;
        let _ = one.eat(&["without", "overlaps"]);
        Some(name)
    })?;
    inner.is_done().then_some(columns)
}

fn exclude(part: &mut Cursor<'_>) -> Option<ConstraintKind> {
    if part.eat(&["using"]) {
        part.name()?;
    }
    let elements = part.parens()?.elements().iter().map(Cursor::rest).collect();
    Some(ConstraintKind::Exclude { elements })
}

fn references(part: &mut Cursor<'_>, columns: Vec<String>) -> Option<ConstraintKind> {
    let table = part.written()?;
    let referred = if part.sees_mark("(") { key_columns(part)? } else { Vec::new() };
    if part.eat(&["match"]) {
        part.name()?;
    }
    let (mut on_delete, mut on_update) = ("no action".to_owned(), "no action".to_owned());
    while part.eat(&["on"]) {
        let event = part.eat_one_of(&["delete", "update"])?;
        let action = reaction(part)?;
        *(if event == "delete" { &mut on_delete } else { &mut on_update }) = action;
    }
    Some(ConstraintKind::Foreign { columns, table, referred, on_delete, on_update })
}

fn reaction(part: &mut Cursor<'_>) -> Option<String> {
    if part.eat(&["no", "action"]) {
        return Some("no action".to_owned());
    }
    let word = part.eat_one_of(&["cascade", "restrict", "set"])?;
    if word != "set" {
        return Some(word.to_owned());
    }
    let what = part.eat_one_of(&["default", "null"])?;
    if part.sees_mark("(") {
        part.parens()?;
    }
    Some(format!("set {what}"))
}

/// What may follow any constraint.
fn finish(part: &mut Cursor<'_>, start: usize, name: Option<String>, kind: ConstraintKind) -> Option<NewConstraint> {
    let mut constraint = NewConstraint { name, kind, deferrable: false, valid: true, span: part.span_since(start) };
    loop {
        if part.eat(&["not", "deferrable"]) {
            constraint.deferrable = false;
        } else if part.eat(&["deferrable"]) {
            constraint.deferrable = true;
        } else if part.eat(&["initially"]) {
            constraint.deferrable |= part.eat_one_of(&["deferred", "immediate"])? == "deferred";
        } else if part.eat(&["not", "valid"]) || part.eat(&["not", "enforced"]) {
            constraint.valid = false;
        } else if part.eat(&["where"]) || part.eat(&["include"]) || part.eat(&["with"]) {
            part.parens()?;
        } else if part.eat(&["using", "index", "tablespace"]) {
            part.name()?;
        } else if !part.eat(&["no", "inherit"]) && !part.eat(&["enforced"]) {
            break;
        }
    }
    constraint.span = part.span_since(start);
    Some(constraint)
}
