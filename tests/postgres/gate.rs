//! Gates in the ledger's tables: a statement that comes to one stands there, its work done and not committed, until
//! the test opens it.

use std::time::Duration;

use tokio_postgres::Client;

use crate::ledger::Ledger;
use crate::worker::LONG;

/// A closed gate.
pub(crate) struct Gate {
    table: &'static str,
    holder: Client,
    watcher: Client,
}

impl Gate {
    /// Stops whatever does `event` to `actions`: a trigger's own words, `AFTER INSERT` and `FOR EACH ROW WHEN (..)`.
    pub(crate) async fn close(ledger: &Ledger, event: &str, each: &str) -> Gate {
        Gate::close_at(ledger, "actions", event, each).await
    }

    /// The same for another table.
    pub(crate) async fn close_at(ledger: &Ledger, table: &'static str, event: &str, each: &str) -> Gate {
        let holder = ledger.database.connect().await;
        holder.batch_execute("SELECT pg_advisory_lock(7)").await.unwrap();
        let sql = format!(
            "CREATE OR REPLACE FUNCTION public.stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
               PERFORM pg_advisory_xact_lock_shared(7); RETURN NULL; END $$;
             CREATE TRIGGER stop {event} ON onlyonce.{table} {each} EXECUTE FUNCTION public.stop()"
        );
        ledger.database.run(&sql).await;
        Gate { table, holder, watcher: ledger.database.connect().await }
    }

    /// Waits until this many stand before it; their process ids.
    pub(crate) async fn crowded(&self, number: usize) -> Vec<i32> {
        waiting(&self.watcher, number, "l.locktype = 'advisory'").await
    }

    /// Ends these sessions, as the server does with those whose client is gone once it looks; waits until they are.
    pub(crate) async fn turn_away(&self, sessions: &[i32]) {
        self.watcher.query("SELECT pg_terminate_backend(unnest($1::int[]))", &[&sessions]).await.unwrap();
        let left = "SELECT count(*) FROM pg_stat_activity WHERE pid = ANY ($1)";
        while self.watcher.query_one(left, &[&sessions]).await.unwrap().get::<_, i64>(0) > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Lets everybody through from now on.
    pub(crate) async fn open(self) {
        self.holder.batch_execute("SELECT pg_advisory_unlock(7)").await.unwrap();
        let busy = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
        // Those that were let through have committed, or were turned away.
        while self.watcher.query_one(busy, &[]).await.unwrap().get::<_, i64>(0) > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        self.watcher.batch_execute(&format!("DROP TRIGGER stop ON onlyonce.{}", self.table)).await.unwrap();
    }
}

/// Waits until this many of the database's sessions wait for a row that another has changed; their process ids.
pub(crate) async fn behind(watcher: &Client, number: usize) -> Vec<i32> {
    waiting(watcher, number, "l.locktype IN ('transactionid', 'tuple')").await
}

async fn waiting(watcher: &Client, number: usize, which: &str) -> Vec<i32> {
    let waiting = format!(
        "SELECT DISTINCT l.pid FROM pg_locks l JOIN pg_stat_activity s ON s.pid = l.pid
         WHERE NOT l.granted AND s.datname = current_database() AND {which}"
    );
    let limit = tokio::time::Instant::now() + LONG;
    loop {
        let rows = watcher.query(&waiting, &[]).await.unwrap();
        if rows.len() >= number {
            return rows.iter().map(|row| row.get(0)).collect();
        }
        assert!(tokio::time::Instant::now() < limit, "{} of {number} wait", rows.len());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
