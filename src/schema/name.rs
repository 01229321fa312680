//! The names that PostgreSQL gives constraints and indexes when a migration gives none.

/// Longest name, in bytes.
const LONGEST: usize = 63;

/// `table_column_label`, with the longer of table and column shortened until all of it fits; then a number after the label
/// while `taken` knows the name.
#[must_use]
pub fn choose(table: &str, column: &str, label: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut number = 0usize;
    loop {
        let labelled = if number == 0 { label.to_owned() } else { format!("{label}{number}") };
        let name = join(table, column, &labelled);
        if !taken(&name) {
            return name;
        }
        number += 1;
    }
}

fn join(table: &str, column: &str, label: &str) -> String {
    let marks = usize::from(!column.is_empty()) + usize::from(!label.is_empty());
    let room = LONGEST.saturating_sub(label.len() + marks);
    let (mut first, mut second) = (table.len(), column.len());
    while first + second > room {
        if first > second {
            first -= 1;
        } else {
            second = second.saturating_sub(1);
        }
    }
    let parts = [cut(table, first), cut(column, second), label];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_")
}

/// A name as PostgreSQL keeps it: at most 63 bytes.
#[must_use]
pub fn truncated(name: &str) -> &str {
    cut(name, LONGEST)
}

fn cut(text: &str, length: usize) -> &str {
    let mut end = length.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_postgres_gives() {
        let free = |_: &str| false;
        assert_eq!(choose("actions", "tenant_key", "key", free), "actions_tenant_key_key");
        assert_eq!(choose("actions", "", "pkey", free), "actions_pkey");
        assert_eq!(choose("actions", "", "check", |name| name == "actions_check"), "actions_check1");
        let long = "a".repeat(60);
        assert_eq!(choose(&long, "status", "check", free), format!("{}_status_check", "a".repeat(50)));
        assert_eq!(choose(&long, &long, "key", free).len(), 63);
        assert_eq!(truncated("ééé").len(), 6);
    }
}
