//! The generated client over each driver: it is what the manifest gives, rustfmt and clippy leave it as it is, and
//! against a real server it does what it promises, by the same scenarios.
//!
//! `BLESS=1 cargo test --test generated` writes `tests/generated/*_client.rs` anew.

#![allow(clippy::duplicate_mod, reason = "the scenarios are compiled once for each driver")]

#[path = "generated/compiled.rs"]
mod compiled;
#[path = "generated/converted.rs"]
mod converted;
#[path = "generated/misused.rs"]
mod misused;
#[path = "generated/over_sqlx.rs"]
mod over_sqlx;
#[path = "generated/over_sqlx_unprepared.rs"]
mod over_sqlx_unprepared;
#[path = "generated/over_tokio_postgres.rs"]
mod over_tokio_postgres;
mod support;

/// The folder of the manifests and the clients.
fn folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/generated")
}
