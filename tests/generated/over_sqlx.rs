//! The client over sqlx, and what the scenarios need of its driver.

use serde_json::Value;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

#[rustfmt::skip]
#[path = "sqlx_client.rs"]
mod client;
#[path = "delivered.rs"]
mod delivered;
#[path = "deliveries.rs"]
mod deliveries;
#[path = "events.rs"]
mod events;
#[path = "keys.rs"]
mod keys;
#[path = "probes.rs"]
mod probes;
#[path = "sends.rs"]
mod sends;
#[path = "world.rs"]
mod world;

use client::{Accepted, Ledger, LedgerError};

use crate::support::Database;

type Pool = PgPool;

/// Where a role reaches the database.
fn reach(database: &Database, role: &str) -> String {
    database.url(role)
}

async fn connect(url: &str, connections: u32) -> Pool {
    PgPoolOptions::new().max_connections(connections).connect(url).await.unwrap()
}

fn ledger(pool: &Pool) -> Ledger {
    Ledger::new(pool.clone())
}

async fn close(pool: &Pool) {
    pool.close().await;
}

/// Accepts an event in a transaction of its own, which then commits or rolls back.
async fn accept_in(
    pool: &Pool,
    ledger: &Ledger,
    (source, body): (&str, &Value),
    commits: bool,
) -> Result<Accepted, LedgerError> {
    let mut transaction = pool.begin().await.unwrap();
    let accepted = ledger.accept_event_in(&mut transaction, source, "e1", body, None).await;
    if commits { transaction.commit().await } else { transaction.rollback().await }.unwrap();
    accepted
}
