//! golang-migrate's rules, re-implemented from golang-migrate/migrate 18966c75: `source/parse.go`,
//! `database/postgres/postgres.go`. The file is one simple query, its version a transaction of its own.

use std::path::Path;

use super::tool::{files, numeric_prefix};

const TABLE: &str =
    "CREATE TABLE IF NOT EXISTS schema_migrations (version bigint NOT NULL PRIMARY KEY, dirty boolean NOT NULL)";

fn version(name: &str, direction: &str) -> Option<u64> {
    let stem = name.strip_suffix(".sql")?.strip_suffix(direction)?;
    numeric_prefix(&format!("{stem}.sql"))
}

async fn set_version(client: &tokio_postgres::Client, version: u64, dirty: bool) {
    let text =
        format!("BEGIN; TRUNCATE schema_migrations; INSERT INTO schema_migrations VALUES ({version}, {dirty}); COMMIT");
    client.batch_execute(&text).await.unwrap();
}

async fn run(client: &tokio_postgres::Client, name: &str, text: &str, version: u64) {
    set_version(client, version, true).await;
    client.batch_execute(text).await.unwrap_or_else(|error| panic!("{name}: {}", super::tool::told(&error)));
    set_version(client, version, false).await;
}

pub(crate) async fn up(folder: &Path, client: &mut tokio_postgres::Client) {
    client.batch_execute(TABLE).await.unwrap();
    let at = client.query_opt("SELECT version FROM schema_migrations", &[]).await.unwrap();
    let at = at.map_or(0, |row| row.get::<_, i64>(0).try_into().unwrap());
    for (name, text) in files(folder, |name| version(name, ".up")) {
        let version = version(&name, ".up").unwrap();
        if version > at {
            run(client, &name, &text, version).await;
        }
    }
}

pub(crate) async fn down(folder: &Path, client: &mut tokio_postgres::Client) {
    for (name, text) in files(folder, |name| version(name, ".down")).into_iter().rev() {
        run(client, &name, &text, version(&name, ".down").unwrap()).await;
    }
    client.batch_execute("TRUNCATE schema_migrations").await.unwrap();
}
