//! Functions and procedures.

use std::collections::{BTreeMap, BTreeSet};

use super::{Acts, act, calls, cascade, table as tables, whole};
use crate::sql::cursor::Cursor;
use crate::sql::ddl::{ActKind, Called, NewRoutine, RoutineAction};
use crate::sql::tokens;

/// After CREATE [OR REPLACE] FUNCTION or PROCEDURE.
pub(super) fn create(cursor: &mut Cursor<'_>, or_replace: bool, is_procedure: bool) -> Acts {
    let name = cursor.written()?;
    let written = cursor.parens()?;
    let (names, arguments) = arguments(&written, !is_procedure).into_iter().unzip();
    let mut routine = NewRoutine {
        is_procedure,
        arguments,
        names,
        returns: String::new(),
        language: "sql".to_owned(),
        definer: false,
        settings: BTreeMap::new(),
        volatility: "volatile".to_owned(),
        body: "".into(),
        defines: false,
        calls: BTreeSet::new(),
    };
    if cursor.eat(&["returns"]) {
        routine.returns =
            if cursor.eat(&["table"]) { returned_table(&cursor.parens()?)? } else { tables::type_name(cursor)? };
    }
    while !cursor.is_done() {
        option(cursor, &mut routine)?;
    }
    if routine.returns.is_empty() && !is_procedure {
        routine.returns = returned(&written);
    }
    routine.defines = defines(&routine.body);
    routine.calls = calls::named(&routine.body);
    whole(cursor, ActKind::CreateRoutine { name, or_replace, routine: Box::new(routine) })
}

/// Whether a body holds a word that begins a definition, runs text, or changes what later names and triggers mean.
fn defines(body: &str) -> bool {
    const WORDS: [&str; 10] = [
        "alter",
        "create",
        "drop",
        "execute",
        "grant",
        "revoke",
        "search_path",
        "session_replication_role",
        "set_config",
        "truncate",
    ];
    tokens(body).iter().any(|token| WORDS.iter().any(|word| token.is_word(body, word)))
}

/// Words that may end a setting's values.
fn starts_option(cursor: &Cursor<'_>) -> bool {
    [
        "as",
        "begin",
        "called",
        "cost",
        "external",
        "immutable",
        "language",
        "leakproof",
        "parallel",
        "returns",
        "rows",
        "security",
        "set",
        "stable",
        "strict",
        "support",
        "volatile",
        "window",
    ]
    .iter()
    .any(|word| cursor.sees(&[word]))
}

fn option(cursor: &mut Cursor<'_>, routine: &mut NewRoutine) -> Option<()> {
    if let Some(word) = cursor.eat_one_of(&["immutable", "stable", "volatile"]) {
        routine.volatility = word.to_owned();
    } else if cursor.eat(&["language"]) {
        routine.language = cursor.name().or_else(|| cursor.string())?;
    } else if cursor.eat(&["external"]) || cursor.sees(&["security"]) {
        cursor.expect(&["security"])?;
        routine.definer = cursor.eat_one_of(&["definer", "invoker"])? == "definer";
    } else if cursor.eat(&["set"]) {
        let (name, values) = setting(cursor, starts_option)?;
        routine.settings.insert(name, values);
    } else if cursor.eat(&["as"]) {
        routine.body = cursor.string()?.into();
        if cursor.eat_mark(",") {
            cursor.string()?;
        }
    } else if cursor.sees(&["begin", "atomic"]) || cursor.sees(&["return"]) {
        routine.body = cursor.expression(|_| false).into();
    } else {
        harmless(cursor)?;
    }
    Some(())
}

fn harmless(cursor: &mut Cursor<'_>) -> Option<()> {
    if cursor.eat(&["called", "on", "null", "input"])
        || cursor.eat(&["returns", "null", "on", "null", "input"])
        || cursor.eat(&["not", "leakproof"])
        || cursor.eat_one_of(&["leakproof", "strict", "window"]).is_some()
    {
        return Some(());
    }
    match cursor.eat_one_of(&["cost", "parallel", "rows", "support", "transform"])? {
        "support" => cursor.written().map(|_| ()),
        "transform" => {
            cursor.listed(|one| {
                one.expect(&["for", "type"])?;
                tables::type_name(one)
            })?;
            Some(())
        }
        _ => cursor.bump().map(|_| ()),
    }
}

/// `name { TO | = } value, ..`, `name TO DEFAULT`, `name FROM CURRENT`.
pub(super) fn setting(cursor: &mut Cursor<'_>, stop: fn(&Cursor<'_>) -> bool) -> Option<(String, Vec<String>)> {
    let mut name = cursor.name()?;
    while cursor.eat_mark(".") {
        name = format!("{name}.{}", cursor.name()?);
    }
    if cursor.eat(&["from", "current"]) {
        return Some((name, vec!["from current".to_owned()]));
    }
    let _ = cursor.eat(&["to"]) || cursor.eat_mark("=");
    if cursor.eat(&["default"]) {
        return Some((name, Vec::new()));
    }
    let values = cursor.listed(|one| {
        let value = one.string().or_else(|| one.name());
        value.or_else(|| Some(one.expression(|rest| rest.sees_mark(",") || stop(rest))))
    })?;
    Some((name, values))
}

/// Names and types of the arguments that a call gives: OUT and TABLE ones are left out of a function's signature; a procedure's OUT
/// arguments are given, as NULL.
fn arguments(inner: &Cursor<'_>, leave_out: bool) -> Vec<(String, String)> {
    inner.elements().into_iter().filter_map(|part| argument(part, leave_out)).collect()
}

/// What a function returns by its OUT and INOUT arguments alone.
fn returned(inner: &Cursor<'_>) -> String {
    let is_out = |part: &Cursor<'_>| {
        let mode = mode(part);
        mode == Some("out") || mode == Some("inout") || (mode == Some("in") && part.sees(&["in", "out"]))
    };
    let mut outs = inner.elements().into_iter().filter(is_out);
    match (outs.next(), outs.next()) {
        (Some(only), None) => argument(only, false).map(|(_, type_name)| type_name).unwrap_or_default(),
        (Some(_), Some(_)) => "record".to_owned(),
        (None, _) => String::new(),
    }
}

/// RETURNS TABLE, with its types in PostgreSQL's own words.
fn returned_table(inner: &Cursor<'_>) -> Option<String> {
    let column = |mut part: Cursor<'_>| Some(format!("{} {}", part.name()?, tables::type_name(&mut part)?));
    let columns = inner.elements().into_iter().map(column).collect::<Option<Vec<_>>>()?;
    Some(format!("table({})", columns.join(", ")))
}

/// How an argument is given, where that is said; a name of the same spelling has its type behind it.
fn mode(part: &Cursor<'_>) -> Option<&'static str> {
    ["in", "inout", "out", "variadic"].into_iter().find(|word| part.sees(&[word]) && part.ahead(1).is_some())
}

/// Its name, empty where it has none, and its type.
fn argument(mut part: Cursor<'_>, leave_out: bool) -> Option<(String, String)> {
    let mode = mode(&part);
    if mode.is_some() {
        part.bump();
        let _ = mode == Some("in") && part.eat(&["out"]);
    }
    let start = part.taken();
    let whole = argument_type(&mut part);
    let ends =
        |part: &Cursor<'_>| part.is_done() || part.sees(&["default"]) || part.sees_mark("=") || part.sees_mark(":=");
    let argument = match whole {
        Some(type_name) if ends(&part) => (String::new(), type_name),
        // A name comes first.
        Some(_) | None => {
            part.rewind(start);
            (part.name()?, argument_type(&mut part)?)
        }
    };
    (mode != Some("out") || !leave_out).then_some(argument)
}

/// A signature knows of no length or precision.
fn argument_type(part: &mut Cursor<'_>) -> Option<String> {
    let mut name = tables::type_name(part)?;
    if let (Some(open), Some(close)) = (name.find('('), name.find(')')) {
        name.replace_range(open..=close, "");
    }
    Some(name)
}

/// A routine as DROP, ALTER, GRANT name it.
pub(super) fn called(cursor: &mut Cursor<'_>) -> Option<Called> {
    let name = cursor.written()?;
    let types = |inner: Cursor<'_>| arguments(&inner, true).into_iter().map(|(_, type_name)| type_name).collect();
    let arguments = if cursor.sees_mark("(") { Some(types(cursor.parens()?)) } else { None };
    Some(Called { name, arguments })
}

/// After ALTER FUNCTION, PROCEDURE or ROUTINE.
pub(super) fn alter(cursor: &mut Cursor<'_>) -> Acts {
    let routine = called(cursor)?;
    let mut acts = Vec::new();
    while !cursor.is_done() {
        let start = cursor.taken();
        let action = action(cursor)?;
        acts.push(act(cursor, start, ActKind::AlterRoutine { routine: routine.clone(), action }));
    }
    Some(acts)
}

fn action(cursor: &mut Cursor<'_>) -> Option<RoutineAction> {
    if cursor.eat(&["rename", "to"]) {
        return cursor.name().map(RoutineAction::Rename);
    }
    if cursor.eat(&["set", "schema"]) {
        return cursor.name().map(RoutineAction::SetSchema);
    }
    if cursor.eat(&["owner", "to"]) {
        return cursor.name().map(RoutineAction::Owner);
    }
    if let Some(word) = cursor.eat_one_of(&["immutable", "stable", "volatile"]) {
        return Some(RoutineAction::Volatility(word.to_owned()));
    }
    if cursor.eat(&["security"]) || cursor.eat(&["external", "security"]) {
        return Some(RoutineAction::Definer(cursor.eat_one_of(&["definer", "invoker"])? == "definer"));
    }
    if cursor.eat(&["set"]) {
        let (name, values) = setting(cursor, starts_option)?;
        return Some(RoutineAction::Setting { name, values });
    }
    if cursor.eat(&["reset"]) {
        return Some(RoutineAction::Setting { name: cursor.name()?, values: Vec::new() });
    }
    if cursor.eat_one_of(&["depends", "no"]).is_some() {
        cursor.skip_rest();
        return Some(RoutineAction::Harmless);
    }
    if cursor.eat(&["restrict"]) {
        return Some(RoutineAction::Harmless);
    }
    harmless(cursor).map(|()| RoutineAction::Harmless)
}

/// After DROP FUNCTION, PROCEDURE or ROUTINE.
pub(super) fn drop(cursor: &mut Cursor<'_>) -> Acts {
    let _ = cursor.eat(&["if", "exists"]);
    let routines = cursor.listed(called)?;
    let cascade = cascade(cursor);
    Some(routines.into_iter().map(|routine| act(cursor, 0, ActKind::DropRoutine { routine, cascade })).collect())
}
