//! Migrations without a tool, and every tool's folder. [`layout`] knows the tools; nothing else does.

pub mod layout;

/// A step of the schema's history, ready for any tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migration {
    /// What orders it: a `YYYYMMDDHHMMSS` stamp or a small number, as the tool likes.
    pub version: u64,
    /// Lower-case words joined by `_`.
    pub name: String,
    /// Statements that take the schema there, without final semicolons.
    pub up: Vec<String>,
    /// Statements that take it back; empty where there is no way back.
    pub down: Vec<String>,
    /// Whether each direction runs in one transaction.
    pub transactional: bool,
}
