//! The database makes up a key where the caller gives none.

use super::{Context, found};
use crate::diagnostic::{Finding, Level, Verdict};
use crate::lint::Keyed;
use crate::rule::{Domain, Rule};
use crate::schema::{Column, literal};
use crate::sql::ddl::Generated;

pub(super) static RULE: Rule = Rule {
    name: "key-generated",
    level: Level::Error,
    domain: Domain::Sql,
    page: include_str!("../../../lints/rules/key-generated.md"),
};

/// Functions whose next value differs, by name or part of it.
const FRESH: [&str; 13] = [
    "clock_timestamp",
    "current_date",
    "current_time",
    "gen_random",
    "localtime",
    "nanoid",
    "nextval",
    "now",
    "random",
    "statement_timestamp",
    "transaction_timestamp",
    "txid_current",
    "uuid",
];

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    context.ledger.tables().flat_map(|keyed| keyed.key.iter().filter_map(|name| one(context, keyed, name))).collect()
}

fn one(context: &Context<'_>, keyed: &Keyed, name: &str) -> Option<Finding> {
    let column = context.column(keyed, name)?;
    let how = how(context, column)?;
    let message = format!("the key column {name} of {} is made up by the database: {how}", keyed.table);
    let label = "a repeated insert gets a new key, so nothing is ever a duplicate".to_owned();
    let made = if column.generated.is_some() { "IDENTITY" } else { "DEFAULT" };
    let (place, quoted) = (keyed.place(), literal::name(name));
    let help = format!("ALTER TABLE {place} ALTER COLUMN {quoted} DROP {made}; and let the caller give the key");
    Some(found(&RULE, Verdict::Broken, &column.made, message, label).with_help(help))
}

fn how(context: &Context<'_>, column: &Column) -> Option<String> {
    match &column.generated {
        Some(Generated::IdentityAlways | Generated::IdentityByDefault) => return Some("an identity".to_owned()),
        Some(Generated::Expression(_)) | None => {}
    }
    let default = column.default.as_ref()?;
    let called = crate::sql::tokens(default).into_iter().filter_map(|token| token.name(default));
    let is_fresh = |name: String| FRESH.iter().any(|fresh| name == *fresh || (fresh.len() > 3 && name.contains(fresh)));
    let own = crate::sql::calls(default).into_iter().any(|call| {
        let mut routines = context.schema.routines.iter().filter(|(one, _)| one.name.name == call.name);
        routines.any(|(_, routine)| {
            let body = &routine.definition.body;
            crate::sql::tokens(body).into_iter().filter_map(|token| token.name(body)).any(is_fresh)
        })
    });
    (own || called.into_iter().any(is_fresh)).then(|| format!("default {default}"))
}
