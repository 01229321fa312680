//! What the ledger says at the end, and its sweep. Blocks.

use postgres::types::Type;
use postgres::{Client, Row};

use crate::chaos::plan::{AdoptedBook, Book};
use crate::chaos::server::said;
use crate::chaos::verdict::{Entry, State, Waiting};
use crate::diagnostic::Fault;
use crate::schema::{Name, literal};

/// What the ledger says.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    pub(super) entries: Vec<Entry>,
    pub(super) waiting: Vec<Waiting>,
}

/// Reads all of it.
pub(super) fn read(book: &Book, client: &mut Client) -> Result<Option<Said>, Fault> {
    let told = match book {
        Book::None => return Ok(None),
        Book::Onlyonce { schema } => ours(schema, client),
        Book::Adopted(book) => adopted(book, client),
    };
    told.map(Some).map_err(|error| {
        Fault::new(format!("the ledger could not be read: {}", said(&error)))
            .with_help("look at [ledger] of the plan, and at the migrations")
    })
}

/// Marks what is pending past its deadline unknown; a team's own ledger is its own to sweep.
pub(super) fn sweep(book: &Book, client: &mut Client) -> Result<(), Fault> {
    let Book::Onlyonce { schema } = book else { return Ok(()) };
    let swept = client.batch_execute(&format!("SELECT {schema}.sweep()"));
    swept.map_err(|error| Fault::new(format!("the sweep failed: {}", said(&error))))
}

/// Whether this key stands in the ledger, whatever its state.
pub(super) fn has(book: &Book, action: &str, key: &str, client: &mut Client) -> Result<bool, postgres::Error> {
    find(book, action, key, "", client)
}

/// Locks the row of this key until the connection rolls back, so that whoever would record it has to wait; whether
/// there is one.
pub(super) fn lock(book: &Book, action: &str, key: &str, client: &mut Client) -> Result<bool, postgres::Error> {
    client.batch_execute("BEGIN")?;
    find(book, action, key, " FOR UPDATE", client)
}

/// Whether there is a row of this key; `how` ends the statement that asks.
fn find(book: &Book, action: &str, key: &str, how: &str, client: &mut Client) -> Result<bool, postgres::Error> {
    let rows = match book {
        Book::None => return Ok(false),
        Book::Onlyonce { schema } => {
            let row = format!("{schema}.actions WHERE action_type = $1 AND idempotency_key = $2");
            client.query_typed(&format!("SELECT FROM {row}{how}"), &[(&action, Type::TEXT), (&key, Type::TEXT)])?
        }
        Book::Adopted(book) => {
            let row = format!("{} WHERE {} = $1", table(book), joined(book));
            client.query_typed(&format!("SELECT FROM {row}{how}"), &[(&key, Type::TEXT)])?
        }
    };
    Ok(!rows.is_empty())
}

/// Whether somebody waits for what this connection has locked.
pub(super) fn is_waited_for(client: &mut Client) -> Result<bool, postgres::Error> {
    let statement = format!("SELECT FROM pg_stat_activity WHERE {WAITS} LIMIT 1");
    client.query_typed(&statement, &[]).map(|rows| !rows.is_empty())
}

/// Lets go; who waits is cut off first where the worker is dead: else the server would do what the dead one asked for.
pub(super) fn unlock(cut: bool, client: &mut Client) -> Result<(), postgres::Error> {
    if cut {
        let statement = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {WAITS}");
        client.query_typed(&statement, &[])?;
    }
    client.batch_execute("ROLLBACK")
}

const WAITS: &str = "pg_backend_pid() = ANY (pg_blocking_pids(pid))";

/// The key columns as one text.
fn joined(book: &AdoptedBook) -> String {
    format!("concat_ws(':', {})", literal::names(&book.key))
}

fn table(book: &AdoptedBook) -> String {
    literal::qualified(&Name::parse(&book.actions))
}

fn ours(schema: &str, client: &mut Client) -> Result<Said, postgres::Error> {
    let actions =
        format!("SELECT action_type, idempotency_key, status, failure, message_id FROM {schema}.actions ORDER BY 1, 2");
    let queue = format!(
        "SELECT class, action_type, idempotency_key, reason FROM {schema}.reconciliation_queue ORDER BY 1, 2, 3"
    );
    let waiting: Vec<Waiting> = client.query_typed(&queue, &[])?.iter().map(waiting).collect::<Result<_, _>>()?;
    let waits = |action: &str, key: &str| {
        waiting.iter().any(|row| row.class != "inbound" && row.action == action && row.key == key)
    };
    let entry = |row: &Row| -> Result<Entry, postgres::Error> {
        let (action, key): (String, String) = (row.try_get(0)?, row.try_get(1)?);
        let (status, failure): (String, Option<String>) = (row.try_get(2)?, row.try_get(3)?);
        let state = match status.as_str() {
            "sent" => State::Sent,
            "failed" => State::Failed,
            _ if waits(&action, &key) => State::Waiting,
            _ => State::Open,
        };
        let status = failure.map_or(status.clone(), |failure| format!("{status} ({failure})"));
        Ok(Entry { action: Some(action), key, state, status, message_id: row.try_get(4)? })
    };
    let entries = client.query_typed(&actions, &[])?.iter().map(entry).collect::<Result<_, _>>()?;
    Ok(Said { entries, waiting })
}

fn waiting(row: &Row) -> Result<Waiting, postgres::Error> {
    Ok(Waiting { class: row.try_get(0)?, action: row.try_get(1)?, key: row.try_get(2)?, reason: row.try_get(3)? })
}

fn adopted(book: &AdoptedBook, client: &mut Client) -> Result<Said, postgres::Error> {
    let status = literal::name(&book.status);
    let statement = format!("SELECT {}, {status}::text FROM {} ORDER BY 1", joined(book), table(book));
    let mut told = Said::default();
    for row in client.query_typed(&statement, &[])? {
        let (key, status): (String, String) = (row.try_get(0)?, row.try_get(1)?);
        let state = match &status {
            status if book.sent.contains(status) => State::Sent,
            status if book.failed.contains(status) => State::Failed,
            status if book.waiting.contains(status) => State::Waiting,
            _ => State::Open,
        };
        if state == State::Waiting {
            let (class, action) = ("unknown".to_owned(), book.actions.clone());
            told.waiting.push(Waiting { class, action, key: key.clone(), reason: None });
        }
        told.entries.push(Entry { action: None, key, state, status, message_id: None });
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_quotes_where_they_must() {
        let key = ["tenantId", "order", "part"].map(str::to_owned).to_vec();
        let (actions, status) = ("shop.user".to_owned(), "State".to_owned());
        let book = AdoptedBook { actions, key, status, sent: vec![], failed: vec![], waiting: vec![] };
        assert_eq!(joined(&book), "concat_ws(':', \"tenantId\", \"order\", part)");
        assert_eq!(table(&book), "shop.\"user\"");
    }
}
