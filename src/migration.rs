//! Migrations without a tool, and every tool's folder.
//!
//! [`layout`] knows the tools, from `sql/layouts.toml`; nothing else does. [`folder`] reads a folder into
//! migrations in the tool's own order, [`tell`] says whose folder it is, [`version`] finds the next version,
//! and [`mod@write`] spells a migration as that tool's files.

pub mod folder;
pub mod layout;
pub mod pattern;
pub mod sections;
pub mod tell;
pub mod version;
pub mod write;

/// A step of the schema's history, ready for any tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migration {
    /// What orders it, spelled as in the file name: `20261129120000`, `2026-11-29-120000`, `0008`.
    pub version: String,
    /// Lower-case words joined by `_`.
    pub name: String,
    /// Statements that take the schema there, without final semicolons; comments may stand before each.
    pub up: Vec<String>,
    /// Statements that take it back; empty where there is no way back.
    pub down: Vec<String>,
    /// Whose it is, and how it runs.
    pub kind: Kind,
}

/// Whose a migration is once it is written, and how it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Of our ledger; each direction runs in one transaction.
    #[default]
    Ledger,
    /// Of a team's own tables, and the team's from then on; each direction runs in one transaction.
    Adopted,
    /// The same, of one statement in each direction that runs outside any transaction.
    AdoptedAlone,
}
