//! What a database has, as the SQL that would make it: one reader and one set of rules serve it and a folder of
//! migrations alike.

use postgres::error::SqlState;
use postgres::types::Type;
use postgres::{Error, Row};

use crate::diagnostic::Fault;
use crate::lint;
use crate::lint::rows::Answer;
use crate::live::refusal::{self, Doing};
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
    /// The definitions at one moment, in a transaction that only reads, and the answers to what `ask` wants to know of
    /// rows at the same moment. Catalogs are open to every role, so that definitions need no right but to connect; what a
    /// role may not read of rows is an answer.
    ///
    /// # Errors
    /// When definitions cannot be read, or the connection ends.
    pub fn definitions(
        &mut self,
        wanted: &Wanted,
        ask: impl FnOnce(&str) -> Vec<String>,
    ) -> Result<(String, Vec<Answer>), Fault> {
        let begun = self.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        let told = begun.and_then(|()| {
            let told = self.text_of(wanted).and_then(|text| {
                let answers: Result<Vec<Answer>, _> = ask(&text).iter().map(|question| self.answer(question)).collect();
                Ok((text, answers?))
            });
            self.end(told)
        });
        told.map_err(|error| refusal::told(&error, Doing::Reading, self))
    }

    fn text_of(&mut self, wanted: &Wanted) -> Result<String, Error> {
        let tables: Vec<String> = wanted.tables.iter().map(Name::to_string).collect();
        // With row_security off a query that would see a part of the rows is refused. Nobody waits long for a lock.
        self.client
            .batch_execute("SET LOCAL search_path = ''; SET LOCAL row_security = off; SET LOCAL lock_timeout = '5s'")?;
        let values: [Value<'_>; 2] = [(&wanted.schemas, Type::TEXT_ARRAY), (&tables, Type::TEXT_ARRAY)];
        let mut text = String::new();
        for row in self.client.query_typed(DEFINITIONS, &values)? {
            text.push_str(row.try_get::<_, &str>(0)?.trim_end());
            text.push_str(";\n");
        }
        Ok(text)
    }

    /// A question that is refused, or takes too long, leaves the others to be asked.
    fn answer(&mut self, question: &str) -> Result<Answer, Error> {
        self.client.batch_execute("SAVEPOINT question")?;
        let error = match self.client.query_typed(question, &[]) {
            Ok(rows) => {
                self.client.batch_execute("RELEASE SAVEPOINT question")?;
                return rows.iter().map(texts).collect::<Result<_, _>>().map(Answer::Rows);
            }
            Err(error) => error,
        };
        self.client.batch_execute("ROLLBACK TO SAVEPOINT question; RELEASE SAVEPOINT question")?;
        match error.as_db_error() {
            Some(said) if *said.code() == SqlState::INSUFFICIENT_PRIVILEGE => {
                let row = self.client.query_typed_one("SELECT current_user::text", &[])?;
                Ok(Answer::Denied { role: row.try_get(0)? })
            }
            Some(said) => Ok(Answer::Failed(said.message().to_owned())),
            None => Err(error),
        }
    }
}

/// Every column of a row.
fn texts(row: &Row) -> Result<Vec<Option<String>>, Error> {
    (0..row.len()).map(|column| row.try_get(column)).collect()
}
