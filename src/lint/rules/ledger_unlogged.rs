//! A crash empties the ledger.

use super::{Context, found};
use crate::diagnostic::{Finding, Level, Verdict};
use crate::rule::{Domain, Rule};
use crate::sql::ddl::Persistence;

pub(super) static RULE: Rule = Rule {
    name: "ledger-unlogged",
    level: Level::Error,
    domain: Domain::Sql,
    page: include_str!("../../../lints/rules/ledger-unlogged.md"),
};

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    let tables = context.schema.tables.iter().filter(|(name, _)| context.ledger.holds(name));
    let finding = |(name, table): (&crate::schema::Name, &crate::schema::Table)| {
        let (how, help) = match table.persistence {
            Persistence::Permanent => return None,
            Persistence::Unlogged => ("unlogged: a crash empties it", format!("ALTER TABLE {name} SET LOGGED;")),
            Persistence::Temporary => ("temporary: it ends with the session", "take TEMPORARY out".to_owned()),
        };
        let label = "what was reserved is forgotten, and sent again".to_owned();
        Some(found(&RULE, Verdict::Broken, &table.persisted, format!("{name} is {how}"), label).with_help(help))
    };
    tables.filter_map(finding).collect()
}
