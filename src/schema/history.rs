//! What a replay tells beside the schema: what was there once, what was not understood, what was done to rows.

use std::sync::Arc;

use super::{Constraint, Index, Name, Origin, Schema, Trigger};
use crate::sql::ddl::{Enabled, Verb};

/// A history played to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// The schema at the end.
    pub schema: Schema,
    /// What was made and later dropped or loosened, in order.
    pub losses: Vec<Loss>,
    /// What was not understood, in order.
    pub notes: Vec<Note>,
    /// Rows that migrations write, in order.
    pub writes: Vec<Write>,
    /// Settings that migrations change, in order.
    pub settings: Vec<Setting>,
}

/// Something that held once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The table, by the name that it had then.
    pub table: Name,
    /// What was lost.
    pub lost: Lost,
    /// Where it had been made.
    pub made: Origin,
    /// Where it was lost.
    pub at: Origin,
}

/// What was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lost {
    /// The table itself.
    Table,
    /// A partition of the table, detached or dropped.
    Partition(Name),
    /// A column.
    Column(String),
    /// A constraint.
    Constraint(String, Constraint),
    /// An index.
    Index(String, Index),
    /// NOT NULL of a column.
    NotNull(String),
    /// A trigger.
    Trigger(String, Box<Trigger>),
    /// A trigger fires more seldom than it did: how it fired before.
    Fires(String, Enabled),
    /// The collation of a column.
    Collation(String, String),
    /// Another definition was asked for with IF NOT EXISTS, and the first one stayed.
    Ignored,
}

/// A statement that was not understood, or text that is put together when the migration runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The statement.
    pub at: Origin,
    /// Why it was not understood.
    pub reason: String,
    /// What is known of its text: the statement itself, or the literals of a dynamic one.
    pub text: Arc<str>,
    /// What is not known of it.
    pub doubt: Doubt,
}

/// What is not known of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// What it means.
    Unread,
    /// Its text, which is put together when the migration runs.
    PutTogether,
    /// When it runs: what the migrations set up does it.
    Deferred,
}

/// A statement that writes rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// How.
    pub verb: Verb,
    /// To what.
    pub table: Name,
    /// The column that ALTER COLUMN .. TYPE .. USING writes.
    pub column: Option<String>,
    /// The statement, from its verb on.
    pub at: Origin,
}

/// A setting that a migration changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its values; none for RESET and DEFAULT.
    pub values: Vec<String>,
    /// Whether every later session begins with it, and not this one alone.
    pub lasting: bool,
    /// Where.
    pub at: Origin,
}
