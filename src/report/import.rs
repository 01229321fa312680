//! What became of imports, as text for people and tools.

use serde::Serialize;

use crate::escape::shown;
use crate::live::import::Import;
use crate::report::human::plural;
use crate::report::json;

/// A line that was not taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Left {
    /// Its number, from 1.
    pub line: u64,
    /// Why.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// What became of the lines of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    imported: usize,
    already: usize,
    left: Vec<Left>,
}

impl Count {
    /// Counts one that is in the ledger now, under its answer.
    pub fn add(&mut self, answer: &str) {
        if answer == "already" { self.already += 1 } else { self.imported += 1 }
    }

    /// Notes one that is not.
    pub fn leave(&mut self, left: Left) {
        self.left.push(left);
    }

    /// Whether every line was taken.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.left.is_empty()
    }

    /// A line for people.
    #[must_use]
    pub fn text(&self) -> String {
        let left = match self.left.len() {
            0 => String::new(),
            number => format!(", {} not taken", plural(number, "line")),
        };
        format!("{} imported, {} already sent{left}\n", plural(self.imported, "action"), self.already)
    }

    /// The same for tools, with the lines that were not taken.
    #[must_use]
    pub fn document(&self) -> String {
        let summary = Summary { imported: self.imported, already: self.already, left: self.left.len() };
        json::pretty(&Document { version: 1, left: &self.left, summary })
    }
}

#[derive(Serialize)]
struct Document<'a> {
    version: u8,
    left: &'a [Left],
    summary: Summary,
}

#[derive(Serialize)]
struct Summary {
    imported: usize,
    already: usize,
    left: usize,
}

/// What became of a single one.
#[must_use]
pub fn single(import: &Import, answer: &str) -> String {
    let meaning = if answer == "already" { "already sent" } else { "imported as sent" };
    format!("{} {} is {meaning}: nothing sends it any more\n", shown(&import.action_type), shown(&import.key))
}
