//! The client over sqlx that prepares no statement, through PgBouncer in transaction mode, which knows none, in every
//! scenario.

use serde_json::Value;
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

#[rustfmt::skip]
#[path = "sqlx_unprepared_client.rs"]
mod client;
#[path = "events.rs"]
mod events;
#[path = "keys.rs"]
mod keys;
#[path = "pooled.rs"]
mod pooled;
#[path = "probes.rs"]
mod probes;
#[path = "sends.rs"]
mod sends;
#[path = "world.rs"]
mod world;

use client::{Accepted, Ledger, LedgerError};

use crate::support::Database;
use crate::support::pooler::Pooler;

type Pool = PgPool;

/// Where a role reaches the database: by a pooler of its own, which ends with this process.
fn reach(database: &Database, role: &str) -> String {
    let pooler = Box::leak(Box::new(Pooler::start(database, &[role], 3)));
    pooler.url(role)
}

async fn connect(url: &str, connections: u32) -> Pool {
    // PgBouncer refuses the parameter, unless it is told to ignore it.
    let options = url.parse::<PgConnectOptions>().unwrap().extra_float_digits(None);
    PgPoolOptions::new().max_connections(connections).connect_with(options).await.unwrap()
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
