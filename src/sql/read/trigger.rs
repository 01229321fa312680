//! Triggers and rewrite rules.

use std::collections::BTreeSet;

use super::{Acts, whole};
use crate::sql::cursor::Cursor;
use crate::sql::ddl::{ActKind, NewRule, NewTrigger};

/// After CREATE [OR REPLACE] [CONSTRAINT] TRIGGER.
pub(super) fn create(cursor: &mut Cursor<'_>, or_replace: bool, constraint: bool) -> Acts {
    let name = cursor.name()?;
    let timing = match cursor.eat_one_of(&["after", "before", "instead"])? {
        "instead" => {
            cursor.expect(&["of"])?;
            "instead of"
        }
        other => other,
    };
    let mut columns = BTreeSet::new();
    let mut events = BTreeSet::new();
    loop {
        let event = cursor.eat_one_of(&["delete", "insert", "truncate", "update"])?;
        events.insert(event.to_owned());
        if event == "update" && cursor.eat(&["of"]) {
            columns.extend(cursor.names()?);
        }
        if !cursor.eat(&["or"]) {
            break;
        }
    }
    cursor.expect(&["on"])?;
    let table = cursor.written()?;
    let (mut each_row, mut condition, mut deferrable) = (false, None, false);
    loop {
        if cursor.eat(&["for"]) {
            let _ = cursor.eat(&["each"]);
            each_row = cursor.eat_one_of(&["row", "statement"])? == "row";
        } else if cursor.eat(&["when"]) {
            condition = Some(cursor.parens()?.rest());
        } else if cursor.eat(&["from"]) {
            cursor.written()?;
        } else if cursor.eat(&["not", "deferrable"]) {
            deferrable = false;
        } else if cursor.eat(&["deferrable"]) {
            deferrable = true;
        } else if cursor.eat(&["initially"]) {
            cursor.eat_one_of(&["deferred", "immediate"])?;
        } else if cursor.eat(&["referencing"]) {
            while !cursor.is_done() && !cursor.sees(&["for"]) && !cursor.sees(&["when"]) && !cursor.sees(&["execute"]) {
                cursor.skip_one();
            }
        } else {
            break;
        }
    }
    cursor.expect(&["execute"])?;
    cursor.eat_one_of(&["function", "procedure"])?;
    let function = cursor.written()?;
    let arguments = cursor.parens()?.elements().iter().map(Cursor::rest).collect();
    let timing = timing.to_owned();
    let trigger =
        NewTrigger { timing, events, columns, each_row, condition, function, arguments, constraint, deferrable };
    whole(cursor, ActKind::CreateTrigger { table, name, or_replace, trigger })
}

/// After ALTER TRIGGER.
pub(super) fn alter(cursor: &mut Cursor<'_>) -> Acts {
    let name = cursor.name()?;
    cursor.expect(&["on"])?;
    let table = cursor.written()?;
    if cursor.eat(&["rename", "to"]) {
        let to = cursor.name()?;
        return whole(cursor, ActKind::RenameTrigger { table, name, to });
    }
    let _ = cursor.eat(&["no"]);
    cursor.expect(&["depends"])?;
    cursor.skip_rest();
    Some(Vec::new())
}

/// After CREATE EVENT TRIGGER.
pub(super) fn create_event(cursor: &mut Cursor<'_>) -> Acts {
    let name = cursor.name()?;
    cursor.before(|rest| rest.sees(&["execute"]));
    cursor.expect(&["execute"])?;
    cursor.eat_one_of(&["function", "procedure"])?;
    let function = cursor.written()?;
    cursor.parens()?;
    whole(cursor, ActKind::CreateEventTrigger { name, function })
}

/// After CREATE RULE.
pub(super) fn create_rule(cursor: &mut Cursor<'_>) -> Acts {
    let name = cursor.name()?;
    cursor.expect(&["as", "on"])?;
    let event = cursor.eat_one_of(&["delete", "insert", "select", "update"])?.to_owned();
    cursor.expect(&["to"])?;
    let table = cursor.written()?;
    while !cursor.is_done() && !cursor.sees(&["do"]) {
        cursor.skip_one();
    }
    cursor.expect(&["do"])?;
    let instead = cursor.eat(&["instead"]);
    let action = cursor.rest();
    cursor.skip_rest();
    whole(cursor, ActKind::CreateRule { table, name, rule: NewRule { event, instead, action } })
}
