//! A crash empties the ledger.

use super::{Context, found};
use crate::diagnostic::{Finding, Level, Verdict};
use crate::rule::{Domain, Rule};
use crate::schema::literal::qualified;
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
        if table.persistence != Persistence::Unlogged {
            return None;
        }
        let (message, help) =
            (format!("{name} is unlogged: a crash empties it"), format!("ALTER TABLE {} SET LOGGED;", qualified(name)));
        let label = "what was reserved is forgotten, and sent again".to_owned();
        Some(found(&RULE, Verdict::Broken, &table.persisted, message, label).with_help(help))
    };
    tables.filter_map(finding).collect()
}
