//! The legal changes of `sql/transitions.toml` as lists for the guard of the ledger's rows.

use super::template::Values;
use crate::diagnostic::Fault;
use crate::schema::literal::text;
use crate::states::{self, Attempt, Table};

/// As deep as the lists stand in `sql/ledger.sql`.
const INDENT: &str = "        ";

/// No line of the emitted SQL is longer.
const WIDTH: usize = 120;

/// `{changes_of_same_attempt}` and `{changes_of_next_attempt}`: texts like `'pending -> sent'`, on lines of their own,
/// a new one for each state that they lead away from.
///
/// # Errors
/// When the table is broken.
pub fn values() -> Result<Values, Fault> {
    let table = states::table()?;
    Ok([("changes_of_same_attempt", Attempt::Same), ("changes_of_next_attempt", Attempt::Next)]
        .map(|(name, attempt)| (name.to_owned(), list(table, attempt)))
        .into())
}

fn list(table: &Table, attempt: Attempt) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut last = None;
    for change in table.changes.iter().filter(|change| change.attempt == attempt) {
        let item = text(&change.to_string());
        match lines.last_mut() {
            // The comma and blank between them, and the comma or bracket behind.
            Some(line) if last == Some(change.from) && line.len() + item.len() + 3 <= WIDTH => {
                line.push_str(", ");
                line.push_str(&item);
            }
            _ => lines.push(format!("{INDENT}{item}")),
        }
        last = Some(change.from);
    }
    format!("\n{}", lines.join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_lines_of_one_state_each() {
        let values = values().unwrap();
        let next = "\n        'unknown -> pending',\n        'failed(not_attempted) -> pending',\n        \
            'failed(released) -> pending'";
        assert_eq!(values["changes_of_next_attempt"], next);
        let same = &values["changes_of_same_attempt"];
        assert!(same.starts_with("\n        'pending -> sent', 'pending -> unknown', "), "{same}");
        assert!(same.lines().all(|line| line.len() <= WIDTH), "{same}");
        assert!(same.lines().any(|line| line.len() > WIDTH - 30), "{same}");
    }

    #[test]
    fn every_change_is_in_one_list() {
        let values = values().unwrap();
        for change in &states::table().unwrap().changes {
            let quoted = format!("'{change}'");
            let lists: Vec<_> = values.values().filter(|list| list.contains(&quoted)).collect();
            assert_eq!(lists.len(), 1, "{change}");
        }
    }
}
