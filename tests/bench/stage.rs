//! Databases that the variants stand in, and what is done to them between two runs.

use std::time::Duration;

use tokio_postgres::Client;

use super::Options;
use super::pgbench::{Pgbench, Run, WORKER, flush_time};
use super::support::{self, Database, Server};
use super::variants::Variant;

/// What every part of the benchmark works with.
pub(crate) struct Bench<'a> {
    /// What was asked for.
    pub(crate) options: &'a Options,
    /// What sends the statements.
    pub(crate) pgbench: Pgbench,
    /// What answers them.
    pub(crate) server: Server,
}

impl<'a> Bench<'a> {
    /// Finds pgbench and starts a server.
    pub(crate) fn start(options: &'a Options) -> Result<Bench<'a>, String> {
        let pgbench = Pgbench::find(options.postgres)?;
        Ok(Bench { options, pgbench, server: Server::start(options.postgres, &super::SETTINGS) })
    }

    /// A line on the machine and the server: no figure means anything without it.
    pub(crate) async fn surroundings(&self) -> String {
        let root = support::connect(&self.server.place, "postgres", support::SUPERUSER).await;
        let version: String = root.query_one("SHOW server_version", &[]).await.unwrap().get(0);
        format!(
            "PostgreSQL {version}; {}; {} cores; a flush takes {:.0} us; {} rounds of {}; {}\n",
            self.pgbench.version(),
            std::thread::available_parallelism().map_or(0, std::num::NonZero::get),
            flush_time(&self.server.place),
            self.options.rounds,
            self.options.length(),
            super::SETTINGS.join(", "),
        )
    }

    /// A database that holds these variants, empty.
    pub(crate) async fn stage(&self, variants: &[Variant]) -> Stage<'_> {
        let database = self.server.database().await;
        // Roles belong to the whole server: an earlier part has made it.
        let login =
            format!("DO $$ BEGIN IF to_regrole('{WORKER}') IS NULL THEN CREATE ROLE {WORKER} LOGIN; END IF; END $$");
        database.run(&login).await;
        for variant in variants {
            database.run(&variant.definition()).await;
        }
        Stage { root: database.connect().await, database, bench: self }
    }
}

/// A database with variants in it.
pub(crate) struct Stage<'a> {
    bench: &'a Bench<'a>,
    /// The database.
    pub(crate) database: Database,
    /// A superuser's connection to it.
    pub(crate) root: Client,
}

/// What the server has counted so far.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    /// Octets of WAL, of the whole server.
    pub(crate) wal: f64,
    /// Updates of actions.
    pub(crate) updates: f64,
    /// Those of them that stayed within their page and touched no index.
    pub(crate) hot: f64,
    /// Dead rows in actions.
    pub(crate) dead: f64,
}

impl Stage<'_> {
    /// Runs a script once the server has nothing left to write from before.
    pub(crate) async fn run(&self, script: &str, clients: u32) -> Run {
        self.root.batch_execute("CHECKPOINT").await.unwrap();
        let run = self.bench.pgbench.run(&self.database, script, clients, self.bench.options.length());
        self.wait_until_alone().await;
        run
    }

    /// Until every other connection is gone: it has reported its counts by then.
    pub(crate) async fn wait_until_alone(&self) {
        let others = "SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()";
        while self.root.query_one(others, &[]).await.unwrap().get::<_, i64>(0) > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Takes all rows of a variant away.
    pub(crate) async fn empty(&self, variant: Variant) {
        let schema = variant.name();
        let also = if variant.is_ledger() {
            format!(", {schema}.transition_log, {schema}.late_evidence, {schema}.duplicate_log")
        } else {
            String::new()
        };
        self.without_guards(variant, &format!("TRUNCATE {schema}.actions{also}")).await;
    }

    /// Runs a statement that the guards refuse. They stand again when it is over, and nobody gets in between: it is
    /// one transaction. On a connection of its own, which has reported its counts when this returns.
    pub(crate) async fn without_guards(&self, variant: Variant, sql: &str) {
        let switch = |how: &str| {
            format!(
                "DO $$ DECLARE t record; BEGIN
  FOR t IN SELECT tgrelid::regclass AS place, tgname FROM pg_trigger WHERE NOT tgisinternal
    AND tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = '{}'::regnamespace) LOOP
    EXECUTE format('ALTER TABLE %s {how} TRIGGER %I', t.place, t.tgname);
  END LOOP;
END $$",
                variant.name()
            )
        };
        let (off, on) = (switch("DISABLE"), switch("ENABLE ALWAYS"));
        self.database.run(&format!("BEGIN; {off}; {sql}; {on}; COMMIT")).await;
        let standing = "SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'A'
            AND tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = $1::text::regnamespace)";
        let row = self.root.query_one(standing, &[&variant.name()]).await.unwrap();
        assert_eq!(row.get::<_, i64>(0), 0, "a guard of {} is off", variant.name());
        self.wait_until_alone().await;
    }

    /// Drops the database: the large ones do not stand beside each other on the disk.
    pub(crate) async fn discard(self) {
        let Stage { database, root, .. } = self;
        drop(root);
        let elsewhere = support::connect(database.place(), "postgres", support::SUPERUSER).await;
        let drop_it = format!("DROP DATABASE {} WITH (FORCE)", database.name);
        elsewhere.batch_execute(&drop_it).await.unwrap();
    }

    /// What was counted of a variant.
    pub(crate) async fn counts(&self, variant: Variant) -> Counts {
        let query = r"SELECT (SELECT wal_bytes::float8 FROM pg_stat_wal), sum(n_tup_upd)::float8,
              sum(n_tup_hot_upd)::float8, sum(n_dead_tup)::float8
            FROM pg_stat_user_tables WHERE schemaname = $1 AND relname ~ '^actions(_\d+)?$'";
        let row = self.root.query_one(query, &[&variant.name()]).await.unwrap();
        Counts { wal: row.get(0), updates: row.get(1), hot: row.get(2), dead: row.get(3) }
    }

    /// How many rows of a variant are sent.
    pub(crate) async fn sent(&self, variant: Variant) -> u64 {
        let query = format!("SELECT count(*) FROM {}.actions WHERE status = 'sent'", variant.name());
        self.root.query_one(&query, &[]).await.unwrap().get::<_, i64>(0).unsigned_abs()
    }

    /// Octets of the table and of its indexes, a row.
    pub(crate) async fn sizes(&self, variant: Variant) -> (f64, f64) {
        let query = format!(
            r"SELECT sum(pg_table_size(c.oid))::float8, sum(pg_indexes_size(c.oid))::float8,
                (SELECT count(*)::float8 FROM {0}.actions)
              FROM pg_class AS c
              WHERE c.relnamespace = '{0}'::regnamespace AND c.relkind = 'r' AND c.relname ~ '^actions(_\d+)?$'",
            variant.name()
        );
        let row = self.root.query_one(&query, &[]).await.unwrap();
        let rows: f64 = row.get::<_, f64>(2).max(1.0);
        (row.get::<_, f64>(0) / rows, row.get::<_, f64>(1) / rows)
    }
}
