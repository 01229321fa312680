//! The statements that bring what is missing, in the order in which a table in use can take them.

use std::collections::BTreeSet;

use super::rows::refusal;
use crate::emit::changes::Statements;
use crate::emit::upgrade::Step;
use crate::lint::missing::Missing;
use crate::lint::rows::{Offence, listed as list};
use crate::lint::{Keyed, Ledger};
use crate::manifest::Adopt;
use crate::migration::Kind;
use crate::schema::name::choose;
use crate::schema::{Name, Replayed, Table, literal};

/// The files, in order, and what a person has to do besides.
pub(super) struct Steps {
    pub(super) files: Vec<Step>,
    pub(super) notes: Vec<String>,
}

/// What goes into which file, while it is gathered.
struct Gathered<'a> {
    replayed: &'a Replayed,
    ledger: &'a Ledger,
    adopt: &'a Adopt,
    offences: Vec<Offence>,
    first: Statements,
    indexes: Vec<Step>,
    /// Before the rest of the last file: no other lock than these take is held while rows are read.
    validated: Vec<String>,
    last: Statements,
    notes: Vec<String>,
    /// What indexes are called here, each by its whole name, and constraints, each below its table.
    named: BTreeSet<Name>,
    checks: BTreeSet<(Name, String)>,
    can_build: bool,
}

/// The steps that bring `lacking`; `can_build` says whether the tool can run a statement outside a transaction.
pub(super) fn steps(
    replayed: &Replayed,
    ledger: &Ledger,
    adopt: &Adopt,
    lacking: &[Missing],
    can_build: bool,
) -> Steps {
    let (first, last) = (Statements::default(), Statements::default());
    let (offences, indexes, validated, notes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (named, checks) = (BTreeSet::new(), BTreeSet::new());
    let mut all = Gathered {
        replayed,
        ledger,
        adopt,
        offences,
        first,
        indexes,
        validated,
        last,
        notes,
        named,
        checks,
        can_build,
    };
    for one in lacking {
        match one {
            Missing::NotNull { keyed, column } => all.not_null(keyed, column),
            Missing::Unique(keyed) => all.unique(keyed),
            Missing::Statuses => all.statuses(),
            Missing::Validation { constraint, statuses } => all.validation(constraint, statuses),
            Missing::Guard("update") => all.guard(),
            Missing::Guard(_) | Missing::Part { .. } | Missing::Always { .. } => {}
        }
    }
    all.keep(lacking);
    for one in lacking {
        if let Missing::Always { trigger } = one {
            all.always(trigger);
        }
    }
    all.parts(lacking);
    if !replayed.schema.leaves(&ledger.actions.table).is_empty()
        && lacking.iter().any(|one| matches!(one, Missing::Guard(_)))
    {
        all.notes.push(format!(
            "a partition of {} that is made later needs its own guard on TRUNCATE, and ENABLE ALWAYS for each of its \
             guards; rows move between partitions no more",
            ledger.actions.table
        ));
    }
    all.steps()
}

impl Gathered<'_> {
    fn not_null(&mut self, keyed: &Keyed, column: &str) {
        let Some(table) = self.replayed.schema.tables.get(&keyed.table) else { return };
        let check = self.free(table, &keyed.table, column, "present");
        let name = literal::qualified(&keyed.table);
        self.offences.push(Offence::nulls(keyed, column, table));
        let column = literal::name(column);
        self.first.up.push(format!("ALTER TABLE {name} ADD CONSTRAINT {check} CHECK ({column} IS NOT NULL) NOT VALID"));
        self.first.down.push(format!("ALTER TABLE {name} DROP CONSTRAINT IF EXISTS {check}"));
        self.validated.push(format!("ALTER TABLE {name} VALIDATE CONSTRAINT {check}"));
        self.last.up.push(format!("ALTER TABLE {name} ALTER COLUMN {column} SET NOT NULL"));
        self.last.up.push(format!("ALTER TABLE {name} DROP CONSTRAINT {check}"));
        self.last.down.push(format!("ALTER TABLE {name} ALTER COLUMN {column} DROP NOT NULL"));
    }

    fn unique(&mut self, keyed: &Keyed) {
        let name = &keyed.table;
        self.offences.push(Offence::duplicates(keyed));
        let leaves: Vec<Name> = self.replayed.schema.leaves(name).into_iter().map(|(leaf, _)| leaf.clone()).collect();
        if self.replayed.schema.tables.get(name).is_some_and(|table| table.partition_by.is_some()) {
            return self.unique_in_partitions(keyed, &leaves);
        }
        let index = self.index_name(name, keyed);
        let (quoted, place, list) = (literal::name(&index), keyed.place(), keyed.columns());
        if self.can_build {
            self.build(name, &index, &list);
        } else {
            let build = self.built_by_hand(name, &index, &list);
            self.last.up.push(format!(
                "-- Build it beforehand, beside reads and writes: psql -c {build}\n\
                 CREATE UNIQUE INDEX IF NOT EXISTS {quoted} ON {place} ({list})"
            ));
        }
        self.last.up.push(format!("ALTER TABLE {place} ADD CONSTRAINT {quoted} UNIQUE USING INDEX {quoted}"));
        self.last.down.push(format!("ALTER TABLE {place} DROP CONSTRAINT {quoted}"));
    }

    /// Nothing is built concurrently on the whole. Its index takes in those that its partitions have, and builds those of
    /// partitions that were made meanwhile.
    fn unique_in_partitions(&mut self, keyed: &Keyed, leaves: &[Name]) {
        let list = keyed.columns();
        for leaf in leaves {
            let index = self.index_name(leaf, keyed);
            if self.can_build {
                self.build(leaf, &index, &list);
            } else {
                self.built_by_hand(leaf, &index, &list);
            }
        }
        let index = self.index_name(&keyed.table, keyed);
        let whole = literal::qualified(&Name::new(&keyed.table.schema, &index));
        self.last.up.push(format!(
            "-- Takes in what its partitions have; a partition that was made meanwhile gets its own here.\n\
             CREATE UNIQUE INDEX {} ON {} ({list})",
            literal::name(&index),
            keyed.place()
        ));
        self.last.down.push(format!("DROP INDEX {whole}"));
    }

    /// A name that neither stands in the schema nor was given before.
    fn index_name(&mut self, table: &Name, keyed: &Keyed) -> String {
        let taken = |one: &str| {
            let name = Name::new(&table.schema, one);
            self.replayed.schema.is_taken(&name) || self.named.contains(&name)
        };
        let index = choose(&table.name, &keyed.key.join("_"), "key", taken);
        self.named.insert(Name::new(&table.schema, &index));
        index
    }

    /// A name for a constraint that the table does not have yet.
    fn free(&mut self, table: &Table, name: &Name, column: &str, label: &str) -> String {
        let given = |one: &str| self.checks.contains(&(name.clone(), one.to_owned()));
        // A check of the whole is made on every partition, under its name.
        let below = self.replayed.schema.below(name);
        let is_taken = |one: &str| below.iter().any(|(_, part)| part.constraints.contains_key(one));
        let check =
            choose(&name.name, column, label, |one| table.constraints.contains_key(one) || is_taken(one) || given(one));
        self.checks.insert((name.clone(), check.clone()));
        literal::name(&check).into_owned()
    }

    /// A file that builds an index beside reads and writes.
    fn build(&mut self, table: &Name, index: &str, list: &str) {
        let in_place = literal::qualified(&Name::new(&table.schema, index));
        let comment = format!(
            "-- Runs beside reads and writes. Should it fail, drop the index that it leaves behind\n\
             -- (DROP INDEX CONCURRENTLY {in_place}) before it runs again."
        );
        let (index, place) = (literal::name(index), literal::qualified(table));
        let up = vec![format!("{comment}\nCREATE UNIQUE INDEX CONCURRENTLY {index} ON {place} ({list})")];
        let down = vec![format!("DROP INDEX CONCURRENTLY IF EXISTS {in_place}")];
        let name = choose(&format!("adopt_{}", plain(&table.name)), "", "key", |one| {
            self.indexes.iter().any(|step| step.name.eq_ignore_ascii_case(one))
        });
        self.indexes.push(Step { name, statements: Statements { up, down }, kind: Kind::AdoptedAlone });
    }

    /// Says what to build by hand; what that is, as an argument of psql.
    fn built_by_hand(&mut self, table: &Name, index: &str, list: &str) -> String {
        let (index, place) = (literal::name(index), literal::qualified(table));
        let build = literal::argument(&format!("CREATE UNIQUE INDEX CONCURRENTLY {index} ON {place} ({list})"));
        self.notes.push(format!("before the last of these migrations runs where the table is in use: psql -c {build}"));
        build
    }

    fn statuses(&mut self) {
        let (name, status) = (&self.ledger.actions.table, &self.ledger.status);
        let Some(table) = self.replayed.schema.tables.get(name) else { return };
        let check = self.free(table, name, status, "check");
        let list = list(self.adopt.transitions.keys());
        self.offences.push(Offence::strangers(&self.ledger.actions, status, &list));
        let (name, status) = (literal::qualified(name), literal::name(status));
        self.first.up.push(format!("ALTER TABLE {name} ADD CONSTRAINT {check} CHECK ({status} IN ({list})) NOT VALID"));
        self.first.down.push(format!("ALTER TABLE {name} DROP CONSTRAINT IF EXISTS {check}"));
        self.validated.push(format!("ALTER TABLE {name} VALIDATE CONSTRAINT {check}"));
    }

    /// A constraint of the team's.
    fn validation(&mut self, constraint: &str, statuses: &BTreeSet<String>) {
        let (name, constraint) = (literal::qualified(&self.ledger.actions.table), literal::name(constraint));
        let list = list(statuses.iter());
        self.offences.push(Offence::strangers(&self.ledger.actions, &self.ledger.status, &list));
        self.validated.push(format!("ALTER TABLE {name} VALIDATE CONSTRAINT {constraint}"));
    }

    /// A status changes only as the manifest says.
    fn guard(&mut self) {
        let (name, status) = (&self.ledger.actions.table, &self.ledger.status);
        let column = literal::name(status);
        let after = |(from, next): (&String, &BTreeSet<String>)| {
            let (from, next) = (literal::text(from), list(next.iter()));
            format!("       OR (OLD.{column}::text = {from} AND NEW.{column}::text IN ({next}))\n")
        };
        let allowed: String = self.adopt.transitions.iter().filter(|(_, next)| !next.is_empty()).map(after).collect();
        let refusal = literal::raised(&[&format!("{status} of {name} may not go from "), " to ", ""]);
        let body = format!(
            "  IF NOT (NEW.{column}::text IS NOT DISTINCT FROM OLD.{column}::text\n{allowed}      ) THEN\n    \
             RAISE EXCEPTION {refusal}, OLD.{column}, NEW.{column}\n      \
             USING ERRCODE = 'check_violation';\n  END IF;\n  RETURN NEW;\n"
        );
        self.function("guard", &body, &[("guard", "UPDATE", "ROW")]);
    }

    /// No action is deleted or truncated: a key that is forgotten may be acted on again.
    fn keep(&mut self, lacking: &[Missing]) {
        let name = &self.ledger.actions.table;
        let guards = [("delete", "no_delete", "DELETE", "ROW"), ("truncate", "no_truncate", "TRUNCATE", "STATEMENT")];
        let wanted = guards.iter().filter(|(event, ..)| lacking.contains(&Missing::Guard(event)));
        let triggers: Vec<(&str, &str, &str)> = wanted.map(|(_, label, event, each)| (*label, *event, *each)).collect();
        if !triggers.is_empty() {
            let refusal = literal::raised(&[&format!("rows of {name} are kept: what is forgotten may be done again")]);
            let body = format!(
                "  RAISE EXCEPTION {refusal}\n    \
                 USING ERRCODE = 'restrict_violation';\n"
            );
            self.function("keep", &body, &triggers);
        }
    }

    /// A trigger function and the triggers that run it: label of the name, event, ROW or STATEMENT.
    fn function(&mut self, label: &str, body: &str, triggers: &[(&str, &str, &str)]) {
        let name = &self.ledger.actions.table;
        let schema = &self.replayed.schema;
        let Some(table) = schema.tables.get(name) else { return };
        let taken = |one: &str| schema.routines.keys().any(|other| other.name == Name::new(&name.schema, one));
        let function = literal::qualified(&Name::new(&name.schema, choose(&name.name, "", label, taken)));
        let on = literal::qualified(name);
        // A row trigger of the whole is made on every partition, under its name.
        let below = schema.below(name);
        let all = || std::iter::once(table).chain(below.iter().map(|(_, part)| *part));
        let is_taken = |one: &str| all().any(|table| table.triggers.contains_key(one));
        let named = |label: &str| literal::name(&choose(&name.name, "", label, is_taken)).into_owned();
        self.first.up.push(format!(
            "CREATE FUNCTION {function}() RETURNS trigger\nLANGUAGE plpgsql\nSET search_path = pg_catalog, pg_temp\n\
             AS {}",
            literal::dollars("guard", &format!("\nBEGIN\n{body}END\n"))
        ));
        for (label, event, each) in triggers {
            let trigger = named(label);
            self.first.up.push(format!(
                "CREATE TRIGGER {trigger} BEFORE {event} ON {on}\nFOR EACH {each} EXECUTE FUNCTION {function}()"
            ));
            self.first.up.push(format!("ALTER TABLE {on} ENABLE ALWAYS TRIGGER {trigger}"));
        }
        // A partition has the row triggers of the whole, and neither those of statements nor how they fire.
        let leaves: Vec<String> = schema.leaves(name).into_iter().map(|(leaf, _)| literal::qualified(leaf)).collect();
        for on in &leaves {
            for (label, event, each) in triggers {
                let trigger = named(label);
                if *each == "STATEMENT" {
                    self.first.up.push(format!(
                        "CREATE TRIGGER {trigger} BEFORE {event} ON {on}\nFOR EACH {each} EXECUTE FUNCTION {function}()"
                    ));
                }
                self.first.up.push(format!("ALTER TABLE {on} ENABLE ALWAYS TRIGGER {trigger}"));
            }
        }
        // The way back is read from its end: triggers go before the function that they run.
        self.first.down.push(format!("DROP FUNCTION {function}()"));
        for (label, _, each) in triggers {
            let trigger = named(label);
            self.first.down.push(format!("DROP TRIGGER {trigger} ON {on}"));
            for on in leaves.iter().filter(|_| *each == "STATEMENT") {
                self.first.down.push(format!("DROP TRIGGER {trigger} ON {on}"));
            }
        }
    }

    /// A partition's guards by the same function are switched with the whole's.
    fn always(&mut self, trigger: &str) {
        let (name, schema) = (&self.ledger.actions.table, &self.replayed.schema);
        let Some(table) = schema.tables.get(name) else { return };
        let function = table.triggers.get(trigger).map(|one| &one.function);
        let mut switched = vec![(name, trigger)];
        for (leaf, part) in schema.leaves(name) {
            let same = part.triggers.iter().filter(|(_, one)| Some(&one.function) == function);
            switched.extend(same.map(|(trigger, _)| (leaf, trigger.as_str())));
        }
        for (table, trigger) in switched {
            let (table, trigger) = (literal::qualified(table), literal::name(trigger));
            self.first.up.push(format!("ALTER TABLE {table} ENABLE ALWAYS TRIGGER {trigger}"));
            self.first.down.push(format!("ALTER TABLE {table} ENABLE TRIGGER {trigger}"));
        }
    }

    /// Guards that partitions lack which were made after that of the whole.
    fn parts(&mut self, lacking: &[Missing]) {
        for one in lacking {
            let Missing::Part { partition, event, trigger, function } = one else { continue };
            let Some(part) = self.replayed.schema.tables.get(partition) else { continue };
            let on = literal::qualified(partition);
            let there = part.triggers.get(trigger).is_some_and(|one| one.definition.events.contains(*event));
            let name =
                if there { trigger.clone() } else { choose(trigger, "", "", |one| part.triggers.contains_key(one)) };
            let trigger = literal::name(&name);
            if !there {
                let (upper, function) = (event.to_uppercase(), literal::qualified(function));
                let each = if *event == "truncate" { "STATEMENT" } else { "ROW" };
                self.first.up.push(format!(
                    "CREATE TRIGGER {trigger} BEFORE {upper} ON {on}\nFOR EACH {each} EXECUTE FUNCTION {function}()"
                ));
                self.first.down.push(format!("DROP TRIGGER {trigger} ON {on}"));
            }
            self.first.up.push(format!("ALTER TABLE {on} ENABLE ALWAYS TRIGGER {trigger}"));
        }
    }

    fn steps(mut self) -> Steps {
        self.first.up.splice(0..0, refusal(&self.offences));
        self.last.up.splice(0..0, self.validated);
        let step = |name: &str, Statements { up, mut down }: Statements| {
            down.reverse();
            Step { name: name.to_owned(), statements: Statements { up, down }, kind: Kind::Adopted }
        };
        let mut files = vec![step("adopt", self.first)];
        files.extend(self.indexes);
        files.push(step("adopt_validate", self.last));
        files.retain(|file| !file.statements.up.is_empty());
        Steps { files, notes: self.notes }
    }
}

/// A table's name as a part of a file's.
fn plain(name: &str) -> String {
    name.chars().map(|one| if one.is_ascii_alphanumeric() { one } else { '_' }).collect()
}
