//! `onlyonce`: an agent acts at most once per key, unless a person authorises another.
//!
//! Everything here is *read, then a pure function, then one of two results*: findings or files.
//!
//! ```text
//! onlyonce.toml -> Manifest -+- emit ------> migrations -> files
//!                            +- codegen ---> Rust keys and client -> files
//! migrations folder -> statements -> replay -> Schema -+
//! emitted migrations -> replay -> Schema (expected) ---+- lint rules -> findings
//! *.rs -> FileSummary -> Index -> Types -> Graph -> Guards -> Sites -> rules -> findings
//! Manifest + Sites -> docs -> Markdown, HTML, JSON
//! live database -> live -> what waits for a person, upkeep, numbers to watch
//! plan of faults -> chaos -> the worker under test, what the provider accepted, the ledger -> verdict
//! findings -> gate: exceptions, baseline, diff -> report::{human, json, sarif, github, junit, cargo}
//! files -> write | --check | --diff
//! ```
//!
//! Who may import whom: a module uses only modules listed above it; `tests/house.rs` holds the table.
//! Only [`cli`] touches arguments, the environment, the terminal and exit codes.

#![cfg_attr(
    not(test),
    deny(
        clippy::dbg_macro,
        clippy::disallowed_methods,
        clippy::expect_used,
        clippy::panic,
        clippy::print_stderr,
        clippy::print_stdout,
        clippy::todo,
        clippy::unimplemented,
        clippy::unwrap_used
    )
)]

pub mod source;
pub mod diagnostic;
pub mod rule;
pub mod files;
pub mod key;
pub mod states;
pub mod duration;
pub mod escape;
pub mod catalog;
pub mod manifest;
pub mod sql;
pub mod schema;
pub mod migration;
pub mod lint;
pub mod emit;
pub mod scan;
pub mod docs;
pub mod codegen;
pub mod init;
pub mod live;
pub mod chaos;
pub mod gate;
pub mod report;
pub mod cli;
