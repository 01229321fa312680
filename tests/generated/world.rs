//! A database that was emitted into, a ledger in it, and a provider that remembers what it was sent.

#![allow(unreachable_pub, reason = "the other modules of this test program use it")]

use std::process::Command;
use std::sync::{Arc, Mutex};

use sqlx::migrate::Migrator;
use sqlx::postgres::PgPoolOptions;

use super::client::{Ledger, Receipt};
use super::{Pool, connect, ledger, reach};
use crate::folder;
use crate::support::{self, Database};

/// A database with a ledger of its own, seen as the application's role.
pub struct World {
    pub database: Database,
    pub pool: Pool,
    pub ledger: Ledger,
    pub provider: Provider,
}

impl World {
    pub async fn new() -> World {
        let database = support::server(15).database().await;
        let emitted = emitted();
        let admin = PgPoolOptions::new().connect(&database.url(support::SUPERUSER)).await.unwrap();
        Migrator::new(emitted.path().join("migrations")).await.unwrap().run(&admin).await.unwrap();
        let login = "DO $$ BEGIN CREATE ROLE generated_app LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
                     GRANT onlyonce_app TO generated_app";
        database.run(login).await;
        let pool = connect(&reach(&database, "generated_app"), 16).await;
        World { ledger: ledger(&pool), database, pool, provider: Provider::default() }
    }

    /// What one column of the only action's row says.
    pub async fn row(&self, column: &str) -> Option<String> {
        let query = format!("SELECT {column}::text FROM onlyonce.actions");
        self.database.connect().await.query_one(&query, &[]).await.unwrap().get(0)
    }

    pub async fn rows(&self) -> i64 {
        self.database.connect().await.query_one("SELECT count(*) FROM onlyonce.actions", &[]).await.unwrap().get(0)
    }
}

fn emitted() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::copy(folder().join("onlyonce.toml"), place.path().join("onlyonce.toml")).unwrap();
    let emit = Command::new(env!("CARGO_BIN_EXE_onlyonce")).arg("emit").current_dir(place.path()).output().unwrap();
    assert!(emit.status.success(), "{}", String::from_utf8_lossy(&emit.stderr));
    place
}

/// Not idempotent: it takes whatever it is sent, and remembers it.
#[derive(Clone, Default)]
pub struct Provider(Arc<Mutex<Vec<String>>>);

impl Provider {
    /// Takes it and gives it an id.
    pub fn take(&self, text: impl Into<String>) -> Receipt {
        let mut taken = self.0.lock().unwrap();
        taken.push(text.into());
        Receipt::id(format!("m{}", taken.len()))
    }

    pub fn taken(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}
