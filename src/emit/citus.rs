//! The form of the ledger that Citus distributes: `sql/citus.sql` worked into `sql/ledger.sql`.

use super::statements::statements;
use super::template::{Values, fill};
use crate::diagnostic::Fault;
use crate::manifest::diff::Emitted;

const CITUS: &str = include_str!("../../sql/citus.sql");

/// The clock of the ledger's text. Citus takes no volatile function in an update.
const CLOCK: &str = "pg_catalog.clock_timestamp()";

/// What the ledger's text asks of the coordinator's setting, and the answer: it says nothing of the node of the row.
const DURABLE: (&str, &str) =
    ("pg_catalog.current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')", "true");

/// The ledger's statements with those of `sql/citus.sql`: one that makes an object of the ledger stands in its place,
/// each other before the next that does.
///
/// # Errors
/// When a statement has no place: a mistake of ours.
pub fn distributed(ledger: Vec<String>, emitted: &Emitted) -> Result<Vec<String>, Fault> {
    let mut out: Vec<String> = ledger.into_iter().map(|statement| reworded(&statement, emitted)).collect();
    let mut waiting = Vec::new();
    for statement in statements(&fill(CITUS, emitted, &Values::new())?.up) {
        let made = makes(&statement);
        match out.iter().position(|other| made.is_some() && makes(other) == made) {
            Some(at) => {
                waiting.push(statement);
                out.splice(at..=at, waiting.drain(..));
            }
            None => waiting.push(statement),
        }
    }
    match waiting.first() {
        None => Ok(out),
        Some(statement) => Err(Fault::new(format!("a template of onlyonce is broken: no place for {statement}"))
            .with_help("please report this")),
    }
}

/// A statement of the ledger in the words that Citus takes.
fn reworded(statement: &str, emitted: &Emitted) -> String {
    statement.replace(CLOCK, &format!("{}.moment()", emitted.schema)).replace(DURABLE.0, DURABLE.1)
}

/// The head of a statement that makes a function or a view, up to its name.
fn makes(statement: &str) -> Option<&str> {
    let head = statement.lines().find(|line| !line.starts_with("--"))?;
    let named = head.strip_prefix("CREATE FUNCTION ").or_else(|| head.strip_prefix("CREATE VIEW "))?;
    named.split(['(', ' ']).next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::changes;
    use crate::manifest::{Distribution, Roles};

    fn citus() -> Emitted {
        Emitted { roles: Roles::Existing, distribution: Distribution::Citus, ..Emitted::bare("keep") }
    }

    #[test]
    fn one_statement_stands_for_another_and_none_is_left_over() {
        let citus = citus();
        let plain = Emitted { distribution: Distribution::None, ..citus.clone() };
        let made = |emitted: &Emitted| -> Vec<String> {
            let statements = changes::ledger(emitted).unwrap().up;
            statements.iter().filter_map(|one| makes(one).map(str::to_owned)).collect()
        };
        let (plain, mut citus) = (made(&plain), made(&citus));
        let added = ["keep.moment", "keep.queued", "keep.measured", "keep.margins"];
        citus.retain(|name| !added.contains(&name.as_str()));
        assert_eq!(citus, plain, "the same functions and views in the same order");
    }

    #[test]
    fn the_worker_of_a_row_is_made_durable_whatever_the_coordinator_is_set_to() {
        assert!(changes::LEDGER.contains(DURABLE.0), "{}", DURABLE.0);
        let emitted = citus();
        for statement in changes::ledger(&emitted).unwrap().up {
            assert!(!statement.contains("IN ('on', 'remote_apply')"), "{statement}");
        }
    }

    #[test]
    fn what_replaces_nothing_at_the_end_is_a_mistake_of_ours() {
        assert!(distributed(vec!["CREATE TABLE keep.t ()".to_owned()], &citus()).is_err());
    }
}
