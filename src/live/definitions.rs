//! What a database has, as the SQL that would make it: one reader and one set of rules serve it and a folder of
//! migrations alike.

use postgres::types::Type;

use crate::diagnostic::Fault;
use crate::lint;
use crate::live::refusal::Doing;
use crate::live::{Ledger, Value};
use crate::schema::Name;

/// The statements, in an order in which they could run.
const DEFINITIONS: &str = include_str!("definitions.sql");

/// What is wanted of a database. Partitions and children of tables come with them, and so do the routines of their
/// triggers, the roles with rights in them, and the settings of the server that a ledger rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Schemas of which everything is wanted.
    pub schemas: Vec<String>,
    /// Tables that are wanted alone.
    pub tables: Vec<Name>,
}

impl Wanted {
    /// What is asked of this ledger.
    #[must_use]
    pub fn of(ledger: &lint::Ledger) -> Wanted {
        match &ledger.ours {
            Some(schema) => Wanted { schemas: vec![schema.clone()], tables: Vec::new() },
            None => Wanted { schemas: Vec::new(), tables: ledger.tables().map(|keyed| keyed.table.clone()).collect() },
        }
    }
}

impl Ledger {
    /// The definitions at one moment, in a transaction that only reads. Catalogs are open to every role, so no right
    /// is needed but to connect.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn definitions(&mut self, wanted: &Wanted) -> Result<String, Fault> {
        let tables: Vec<String> = wanted.tables.iter().map(Name::to_string).collect();
        let values: Vec<Value<'_>> = vec![(&wanted.schemas, Type::TEXT_ARRAY), (&tables, Type::TEXT_ARRAY)];
        let whole_names = ("SET LOCAL search_path = ''".to_owned(), Vec::new());
        let mut answers = self.read(Doing::Reading, &[whole_names, (DEFINITIONS.to_owned(), values)])?;
        let mut text = String::new();
        for row in answers.pop().unwrap_or_default() {
            let statement: String = row.try_get(0).map_err(|error| self.strange(&error))?;
            text.push_str(statement.trim_end());
            text.push_str(";\n");
        }
        Ok(text)
    }
}
