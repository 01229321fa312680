//! The client over tokio-postgres, on the pool that most use with it, and what the scenarios need of its driver.

use std::time::Duration;

use deadpool_postgres::{Manager, Runtime};
use serde_json::Value;
use tokio_postgres::NoTls;

#[rustfmt::skip]
#[path = "tokio_postgres_client.rs"]
mod client;
#[path = "events.rs"]
mod events;
#[path = "keys.rs"]
mod keys;
#[path = "one_connection.rs"]
mod one_connection;
#[path = "pooled.rs"]
mod pooled;
#[path = "probes.rs"]
mod probes;
#[path = "sends.rs"]
mod sends;
#[path = "watched.rs"]
mod watched;
#[path = "world.rs"]
mod world;

use client::{Accepted, Ledger, LedgerError};

use crate::support::Database;

type Pool = deadpool_postgres::Pool;

/// Where a role reaches the database.
fn reach(database: &Database, role: &str) -> String {
    database.url(role)
}

async fn connect(url: &str, connections: u32) -> Pool {
    let pool = Pool::builder(Manager::new(url.parse().unwrap(), NoTls))
        .max_size(usize::try_from(connections).unwrap())
        .wait_timeout(Some(Duration::from_secs(30)))
        .runtime(Runtime::Tokio1)
        .build()
        .unwrap();
    drop(pool.get().await.unwrap());
    pool
}

fn ledger(pool: &Pool) -> Ledger {
    let pool = pool.clone();
    let take = move || {
        let pool = pool.clone();
        async move { pool.get().await }
    };
    Ledger::pooled(take, |object| object)
}

async fn close(pool: &Pool) {
    pool.close();
}

/// Accepts an event in a transaction of its own, which then commits or rolls back.
async fn accept_in(
    pool: &Pool,
    ledger: &Ledger,
    (source, body): (&str, &Value),
    commits: bool,
) -> Result<Accepted, LedgerError> {
    let mut client = pool.get().await.unwrap();
    let mut transaction = client.transaction().await.unwrap();
    let accepted = ledger.accept_event_in(&mut transaction, source, "e1", body, None).await;
    if commits { transaction.commit().await } else { transaction.rollback().await }.unwrap();
    accepted
}
