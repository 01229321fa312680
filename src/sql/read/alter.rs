//! ALTER TABLE and what is written like it; schemas, rules and policies.

use super::{Acts, act, constraint, table as tables, whole};
use crate::sql::cursor::Cursor;
use crate::sql::ddl::{ActKind, Enabled, Persistence, TableAction, Which, Written};

/// After ALTER TABLE or ALTER VIEW.
pub(super) fn table(cursor: &mut Cursor<'_>) -> Acts {
    if cursor.eat(&["all", "in", "tablespace"]) {
        cursor.skip_rest();
        return Some(Vec::new());
    }
    let if_exists = cursor.eat(&["if", "exists"]);
    let only = cursor.eat(&["only"]);
    let name = cursor.written()?;
    let _ = cursor.eat_mark("*");
    let mut acts = Vec::new();
    loop {
        let start = cursor.taken();
        let kind = if cursor.eat(&["rename"]) {
            rename(cursor, &name, if_exists)?
        } else {
            ActKind::AlterTable { name: name.clone(), if_exists, only, action: action(cursor)? }
        };
        acts.push(act(cursor, start, kind));
        if !cursor.eat_mark(",") {
            return Some(acts);
        }
    }
}

fn rename(cursor: &mut Cursor<'_>, name: &Written, if_exists: bool) -> Option<ActKind> {
    let alter = |action| ActKind::AlterTable { name: name.clone(), if_exists, only: false, action };
    if cursor.eat(&["to"]) {
        return Some(ActKind::RenameRelation { name: name.clone(), to: cursor.name()? });
    }
    let is_constraint = cursor.eat(&["constraint"]);
    let _ = !is_constraint && cursor.eat(&["column"]);
    let old = cursor.name()?;
    cursor.expect(&["to"])?;
    let to = cursor.name()?;
    Some(alter(if is_constraint {
        TableAction::RenameConstraint { name: old, to }
    } else {
        TableAction::RenameColumn { name: old, to }
    }))
}

fn action(cursor: &mut Cursor<'_>) -> Option<TableAction> {
    match cursor.eat_one_of(&[
        "add", "alter", "attach", "cluster", "detach", "disable", "drop", "enable", "force", "inherit", "no", "not",
        "of", "owner", "replica", "reset", "set", "validate",
    ])? {
        "add" => add(cursor),
        "alter" => alter(cursor),
        "attach" => attach(cursor),
        "cluster" => {
            cursor.expect(&["on"])?;
            cursor.name().map(|_| TableAction::Harmless)
        }
        "detach" => {
            cursor.expect(&["partition"])?;
            let partition = cursor.written()?;
            let _ = cursor.eat_one_of(&["concurrently", "finalize"]);
            Some(TableAction::Detach { partition })
        }
        "disable" => switch(cursor, Enabled::Never),
        "drop" => drop(cursor),
        "enable" => {
            let enabled = match cursor.eat_one_of(&["always", "replica"]) {
                Some("always") => Enabled::Always,
                Some(_) => Enabled::Replica,
                None => Enabled::Origin,
            };
            switch(cursor, enabled)
        }
        "force" => row_security(cursor, None, Some(true)),
        "inherit" => Some(TableAction::Inherit { parent: cursor.written()?, holds: true }),
        "no" if cursor.eat(&["inherit"]) => Some(TableAction::Inherit { parent: cursor.written()?, holds: false }),
        "no" => {
            cursor.expect(&["force"])?;
            row_security(cursor, None, Some(false))
        }
        "not" => cursor.expect(&["of"]).map(|()| TableAction::Harmless),
        "of" => cursor.written().map(|_| TableAction::Harmless),
        "owner" => {
            cursor.expect(&["to"])?;
            Some(TableAction::Owner { role: cursor.name()? })
        }
        "replica" => {
            cursor.expect(&["identity"])?;
            if cursor.eat(&["using", "index"]) {
                cursor.name()?;
            } else {
                cursor.eat_one_of(&["default", "full", "nothing"])?;
            }
            Some(TableAction::Harmless)
        }
        "reset" => {
            let options = tables::options(&cursor.parens()?);
            Some(TableAction::Options(options.into_keys().map(|name| (name, None)).collect()))
        }
        "set" => set(cursor),
        _ => {
            cursor.expect(&["constraint"])?;
            Some(TableAction::Validate { name: cursor.name()? })
        }
    }
}

fn add(cursor: &mut Cursor<'_>) -> Option<TableAction> {
    if constraint::starts(cursor) {
        return Some(TableAction::AddConstraint(constraint::table(cursor)?));
    }
    let _ = cursor.eat(&["column"]);
    let if_not_exists = cursor.eat(&["if", "not", "exists"]);
    let mut one = cursor.clause();
    let (column, constraints) = tables::column(&mut one)?;
    Some(TableAction::AddColumn { column, constraints, if_not_exists })
}

fn drop(cursor: &mut Cursor<'_>) -> Option<TableAction> {
    let is_constraint = cursor.eat(&["constraint"]);
    let _ = !is_constraint && cursor.eat(&["column"]);
    let _ = cursor.eat(&["if", "exists"]);
    let name = cursor.name()?;
    let cascade = super::cascade(cursor);
    Some(if is_constraint { TableAction::DropConstraint { name, cascade } } else { TableAction::DropColumn { name } })
}

fn alter(cursor: &mut Cursor<'_>) -> Option<TableAction> {
    if cursor.eat(&["constraint"]) {
        return alter_constraint(cursor);
    }
    let _ = cursor.eat(&["column"]);
    let column = cursor.name()?;
    match cursor.eat_one_of(&["add", "drop", "reset", "restart", "set", "type"])? {
        "add" => {
            cursor.expect(&["generated"])?;
            Some(TableAction::Generated { column, generated: Some(tables::generated(&mut cursor.clause())?) })
        }
        "drop" => dropped(cursor, column),
        "set" => set_column(cursor, column),
        "type" => set_type(cursor, column),
        _ => {
            cursor.clause();
            Some(TableAction::Harmless)
        }
    }
}

fn dropped(cursor: &mut Cursor<'_>, column: String) -> Option<TableAction> {
    if cursor.eat(&["not", "null"]) {
        return Some(TableAction::NotNull { column, holds: false });
    }
    match cursor.eat_one_of(&["default", "expression", "identity"])? {
        "default" => Some(TableAction::Default { column, default: None }),
        _ => {
            let _ = cursor.eat(&["if", "exists"]);
            Some(TableAction::Generated { column, generated: None })
        }
    }
}

fn set_column(cursor: &mut Cursor<'_>, column: String) -> Option<TableAction> {
    if cursor.eat(&["not", "null"]) {
        Some(TableAction::NotNull { column, holds: true })
    } else if cursor.eat(&["default"]) {
        let default = tables::set_default(cursor.clause().rest());
        Some(TableAction::Default { column, default })
    } else if cursor.eat(&["data", "type"]) {
        set_type(cursor, column)
    } else if cursor.eat(&["generated"]) {
        use crate::sql::ddl::Generated::{IdentityAlways, IdentityByDefault};
        let always = cursor.eat(&["always"]);
        cursor.clause();
        let generated = Some(if always { IdentityAlways } else { IdentityByDefault });
        Some(TableAction::Generated { column, generated })
    } else if cursor.eat(&["expression"]) {
        cursor.expect(&["as"])?;
        let generated = Some(crate::sql::ddl::Generated::Expression(cursor.clause().rest()));
        Some(TableAction::Generated { column, generated })
    } else {
        cursor.clause();
        Some(TableAction::Harmless)
    }
}

fn set_type(cursor: &mut Cursor<'_>, column: String) -> Option<TableAction> {
    let mut clause = cursor.clause();
    let type_name = tables::type_name(&mut clause)?;
    let collation = if clause.eat(&["collate"]) { Some(clause.written()?.name) } else { None };
    let mut rewrites = false;
    if clause.eat(&["using"]) {
        rewrites = !casts(clause.clone(), &column);
        clause.skip_rest();
    }
    clause.is_done().then_some(TableAction::SetType { column, type_name, collation, rewrites })
}

/// Whether an expression is the column itself, or casts of it.
fn casts(mut expression: Cursor<'_>, column: &str) -> bool {
    if expression.eat(&["cast"]) || expression.sees_mark("(") {
        return expression.parens().is_some_and(|inner| casts(inner, column)) && only_casts(expression);
    }
    expression.name().as_deref() == Some(column) && only_casts(expression)
}

/// Whether nothing but types follows.
fn only_casts(mut rest: Cursor<'_>) -> bool {
    while rest.eat_mark("::") || rest.eat(&["as"]) {
        if tables::type_name(&mut rest).is_none() {
            return false;
        }
    }
    let _ = rest.eat(&["collate"]) && rest.written().is_some();
    rest.is_done()
}

fn alter_constraint(cursor: &mut Cursor<'_>) -> Option<TableAction> {
    let name = cursor.name()?;
    let (mut deferrable, mut enforced) = (None, None);
    loop {
        if cursor.eat(&["not", "deferrable"]) {
            deferrable = Some(false);
        } else if cursor.eat(&["deferrable"]) {
            deferrable = Some(true);
        } else if cursor.eat(&["not", "enforced"]) {
            enforced = Some(false);
        } else if cursor.eat(&["enforced"]) {
            enforced = Some(true);
        } else if cursor.eat(&["initially"]) {
            cursor.eat_one_of(&["deferred", "immediate"])?;
        } else if !cursor.eat(&["no", "inherit"]) && !cursor.eat(&["inherit"]) {
            return Some(TableAction::AlterConstraint { name, deferrable, enforced });
        }
    }
}

fn attach(cursor: &mut Cursor<'_>) -> Option<TableAction> {
    cursor.expect(&["partition"])?;
    let partition = cursor.written()?;
    cursor.clause();
    Some(TableAction::Attach { partition })
}

fn switch(cursor: &mut Cursor<'_>, enabled: Enabled) -> Option<TableAction> {
    match cursor.eat_one_of(&["row", "rule", "trigger"])? {
        "row" => {
            cursor.expect(&["level", "security"])?;
            Some(TableAction::RowSecurity { enabled: Some(enabled != Enabled::Never), forced: None })
        }
        "rule" => Some(TableAction::Rule { name: cursor.name()?, enabled }),
        _ => {
            let which = match cursor.eat_one_of(&["all", "user"]) {
                Some("all") => Which::All,
                Some(_) => Which::User,
                None => Which::One(cursor.name()?),
            };
            Some(TableAction::Triggers { which, enabled })
        }
    }
}

fn row_security(cursor: &mut Cursor<'_>, enabled: Option<bool>, forced: Option<bool>) -> Option<TableAction> {
    cursor.expect(&["row", "level", "security"])?;
    Some(TableAction::RowSecurity { enabled, forced })
}

fn set(cursor: &mut Cursor<'_>) -> Option<TableAction> {
    if cursor.sees_mark("(") {
        let options = tables::options(&cursor.parens()?);
        return Some(TableAction::Options(options.into_iter().map(|(name, value)| (name, Some(value))).collect()));
    }
    match cursor.eat_one_of(&["access", "logged", "schema", "tablespace", "unlogged", "without"])? {
        "access" => {
            cursor.expect(&["method"])?;
            cursor.name().map(|_| TableAction::Harmless)
        }
        "logged" => Some(TableAction::Persistence(Persistence::Permanent)),
        "schema" => Some(TableAction::SetSchema { schema: cursor.name()? }),
        "tablespace" => {
            cursor.name()?;
            let _ = cursor.eat(&["nowait"]);
            Some(TableAction::Harmless)
        }
        "unlogged" => Some(TableAction::Persistence(Persistence::Unlogged)),
        _ => cursor.eat_one_of(&["cluster", "oids"]).map(|_| TableAction::Harmless),
    }
}

/// After CREATE SCHEMA. One that holds definitions of its own is not read.
pub(super) fn create_schema(cursor: &mut Cursor<'_>) -> Acts {
    let if_not_exists = cursor.eat(&["if", "not", "exists"]);
    let named = if cursor.sees(&["authorization"]) { None } else { Some(cursor.name()?) };
    let owner = if cursor.eat(&["authorization"]) { Some(cursor.name()?) } else { None };
    let name = named.or_else(|| owner.clone())?;
    whole(cursor, ActKind::CreateSchema { name, owner, if_not_exists })
}

pub(super) fn schema(cursor: &mut Cursor<'_>) -> Acts {
    let name = cursor.name()?;
    if cursor.eat(&["owner", "to"]) {
        cursor.name()?;
        return Some(Vec::new());
    }
    cursor.expect(&["rename", "to"])?;
    let to = cursor.name()?;
    whole(cursor, ActKind::RenameSchema { name, to })
}

/// ALTER POLICY: its name stays the same, and rules look at no more than that there is one.
pub(super) fn policy(cursor: &mut Cursor<'_>) -> Acts {
    cursor.skip_rest();
    Some(Vec::new())
}

/// ALTER RULE .. RENAME TO, the only form.
pub(super) fn rule(cursor: &mut Cursor<'_>) -> Acts {
    cursor.skip_rest();
    Some(Vec::new())
}

pub(super) fn create_policy(cursor: &mut Cursor<'_>) -> Acts {
    let name = cursor.name()?;
    cursor.expect(&["on"])?;
    let table = cursor.written()?;
    cursor.skip_rest();
    whole(cursor, ActKind::CreatePolicy { table, name })
}
