//! A ledger in a live database: what waits for a person, what they decide, upkeep, and numbers to watch.
//!
//! Everything is asked in single statements without a name (parse, bind and execute at once), and settings stand
//! for one transaction: a pooler in transaction mode may lie in between. What only reads says so to the server.
//! Nothing here prints. Not to be called within an async runtime: the driver starts its own.

pub mod address;
pub mod definitions;
pub mod import;
pub mod numbers;
mod orders;
pub mod queue;
mod refusal;
mod tls;
pub mod upkeep;

use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use postgres::error::Severity;
use postgres::types::{ToSql, Type};
use postgres::{Client, Config, Row};
use tokio_postgres_rustls::MakeRustlsConnect;

pub use address::Address;

use crate::diagnostic::Fault;
use crate::escape::shown;
use refusal::Doing;

/// The longest that a read, or a decision, may take.
const STATEMENT_TIMEOUT: &str = "30s";

/// A value of a statement, with its type, so that nothing has to be prepared.
type Value<'a> = (&'a (dyn ToSql + Sync), Type);

/// A connection to a ledger.
pub struct Ledger {
    client: Client,
    schema: String,
    /// For messages: which ledger, and where.
    place: String,
    /// The role that connects, for messages.
    role: String,
    /// The manifest adopts a ledger of the team's own, which may be the only one there.
    adopted: bool,
    warnings: Arc<Mutex<Vec<String>>>,
}

impl Ledger {
    /// Connects to the ledger of this schema. That there is one is seen by the first statement.
    ///
    /// # Errors
    /// When the server cannot be reached or does not let us in, or the name cannot be a ledger's.
    pub fn connect(address: &Address, schema: &str) -> Result<Ledger, Fault> {
        if !is_schema_name(schema) {
            return Err(Fault::new(format!("`{}` is no name of a ledger's schema", shown(schema)))
                .with_help("it is made of lower-case letters, digits and `_`, as in onlyonce.toml"));
        }
        let warnings = Arc::new(Mutex::new(Vec::new()));
        Ok(Ledger {
            client: open(address, Arc::clone(&warnings))?,
            schema: schema.to_owned(),
            place: format!("{schema} in {}", address.shown()),
            role: address.user().unwrap_or("the role that connects").to_owned(),
            adopted: false,
            warnings,
        })
    }

    /// Says, where there is no ledger of ours, that the manifest adopts another.
    #[must_use]
    pub fn that_may_be_adopted(self, adopted: bool) -> Ledger {
        Ledger { adopted, ..self }
    }

    /// What the server warned of since this was last asked, in its words.
    pub fn warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut *self.warnings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The schema's name.
    #[must_use]
    pub fn schema(&self) -> &str {
        &self.schema
    }

    /// Reads in one transaction that sees one moment, for what is being done: each statement, with its values, in order.
    fn read(&mut self, doing: Doing, statements: &[(String, Vec<Value<'_>>)]) -> Result<Vec<Vec<Row>>, Fault> {
        let answers = self.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").and_then(|()| {
            let answers: Result<Vec<_>, _> =
                statements.iter().map(|(statement, values)| self.client.query_typed(statement, values)).collect();
            self.end(answers)
        });
        answers.map_err(|error| refusal::told(&error, doing, self))
    }

    /// Calls a function that a person may, in a transaction of its own; its answer.
    fn call(&mut self, call: &str, values: &[Value<'_>]) -> Result<String, postgres::Error> {
        let statement = format!("SELECT {}.{call}", self.schema);
        self.begin("BEGIN").and_then(|()| {
            let answer = self.client.query_typed_one(&statement, values).and_then(|row| row.try_get(0));
            self.end(answer)
        })
    }

    /// A column that is not what this version of the program knows.
    fn strange(&self, error: &postgres::Error) -> Fault {
        Fault::new(format!("the ledger {} is of another version: {error}", self.place))
            .with_help("apply the migrations that `onlyonce emit` writes")
    }

    /// Messages of the ledger hold times: in UTC, as ours.
    fn begin(&mut self, begin: &str) -> Result<(), postgres::Error> {
        self.client.batch_execute(&format!(
            "{begin}; SET LOCAL statement_timeout = '{STATEMENT_TIMEOUT}'; SET LOCAL TimeZone = 'UTC'; \
             SET LOCAL DateStyle = 'ISO'"
        ))
    }

    fn end<T>(&mut self, answer: Result<T, postgres::Error>) -> Result<T, postgres::Error> {
        match answer {
            Ok(answer) => self.client.batch_execute("COMMIT").map(|()| answer),
            Err(error) => {
                // What went wrong is told; a connection that is gone has rolled back by itself.
                let _ = self.client.batch_execute("ROLLBACK");
                Err(error)
            }
        }
    }
}

/// Connects to the database itself, to run statements that are no ledger's; what the server warns of is not kept.
///
/// # Errors
/// When the server cannot be reached or does not let us in.
pub fn connect(address: &Address) -> Result<Client, Fault> {
    open(address, Arc::default())
}

fn open(address: &Address, warnings: Arc<Mutex<Vec<String>>>) -> Result<Client, Fault> {
    let mut config = address.config.clone();
    config.notice_callback(move |notice| {
        if notice.parsed_severity() == Some(Severity::Warning) {
            warnings.lock().unwrap_or_else(PoisonError::into_inner).push(shown(notice.message()).into_owned());
        }
    });
    within(address.patience(), config, tls::connector(address)?)
        .ok_or_else(|| refusal::silent(address))?
        .map_err(|error| refusal::unreachable(&error, address))
}

/// Connects, or gives up: the driver's own limit ends once the socket is open, and a server may hang after that.
fn within(patience: Duration, config: Config, tls: MakeRustlsConnect) -> Option<Result<Client, postgres::Error>> {
    let (done, wait) = mpsc::channel();
    // Who is given up on is left behind until the process ends.
    std::thread::spawn(move || {
        let _ = done.send(config.connect(tls));
    });
    wait.recv_timeout(patience).ok()
}

/// As the manifest has it, so that it stands in statements without quotes.
fn is_schema_name(name: &str) -> bool {
    let letters = name.bytes().all(|octet| octet.is_ascii_lowercase() || octet.is_ascii_digit() || octet == b'_');
    letters && (1..=63).contains(&name.len()) && !name.starts_with(|first: char| first.is_ascii_digit())
}
