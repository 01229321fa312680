//! sqlx, refinery and diesel themselves.

use std::path::Path;

use diesel::Connection as _;
use diesel_async::AsyncPgConnection;
use diesel_async::async_connection_wrapper::AsyncConnectionWrapper;
use diesel_migrations::{FileBasedMigrations, MigrationHarness as _};
use sqlx::Connection as _;

pub(crate) async fn sqlx_up(folder: &Path, url: &str) {
    let migrator = sqlx::migrate::Migrator::new(folder).await.unwrap();
    let mut connection = sqlx::PgConnection::connect(url).await.unwrap();
    migrator.run(&mut connection).await.unwrap();
}

pub(crate) async fn sqlx_down(folder: &Path, url: &str) {
    let migrator = sqlx::migrate::Migrator::new(folder).await.unwrap();
    let mut connection = sqlx::PgConnection::connect(url).await.unwrap();
    migrator.undo(&mut connection, 0).await.unwrap();
}

pub(crate) async fn refinery_up(folder: &Path, client: &mut tokio_postgres::Client) {
    let migrations = refinery::load_sql_migrations(folder).unwrap();
    refinery::Runner::new(&migrations).run_async(client).await.unwrap();
}

/// diesel blocks, so that it needs a thread of its own.
async fn diesel(
    folder: &Path,
    url: &str,
    run: fn(&mut AsyncConnectionWrapper<AsyncPgConnection>, FileBasedMigrations),
) {
    let (folder, url) = (folder.to_owned(), url.to_owned());
    tokio::task::spawn_blocking(move || {
        let migrations = FileBasedMigrations::from_path(&folder).unwrap();
        run(&mut AsyncConnectionWrapper::establish(&url).unwrap(), migrations);
    })
    .await
    .unwrap();
}

pub(crate) async fn diesel_up(folder: &Path, url: &str) {
    diesel(folder, url, |connection, migrations| {
        connection.run_pending_migrations(migrations).unwrap();
    })
    .await;
}

pub(crate) async fn diesel_down(folder: &Path, url: &str) {
    diesel(folder, url, |connection, migrations| {
        connection.revert_all_migrations(migrations).unwrap();
    })
    .await;
}
