//! Manifest or changes into migrations.
//!
//! [`Ground`] is what stands on disk; [`plan`] is a pure function from manifest and ground to files: the whole
//! ledger the first time, then one small migration of what [`diff`](crate::manifest::diff) finds, or nothing.
//! [`template`] fills the SQL of `sql/`, [`changes`] says which template a change needs, [`vet`] judges the
//! result before a byte is written, and [`lock`] remembers it.

pub mod literal;
pub mod lock;
pub mod statements;
pub mod template;
pub mod vet;
