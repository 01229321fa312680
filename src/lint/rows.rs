//! Rows of a live ledger: what is asked of a server, and what its answers mean.
//!
//! What a table lacks, its rows may break already: those are named, few of them and how many there are. What emission
//! writes into our own ledger, action types and sources, is held against what stands there.

use std::collections::BTreeSet;

use super::missing::{Missing, missing};
use super::rules::{
    Context, found, inbound_not_unique, key_not_unique, key_nullable, key_partly_unique, ledger_missing,
    ledger_weakened, retention_too_short, status_unchecked,
};
use super::{Keyed, Subject};
use crate::diagnostic::{Finding, Level, Verdict};
use crate::escape::shown;
use crate::rule::Rule;
use crate::schema::{Name, Origin, Replayed, Table, literal};

/// How many rows are named.
const SHOWN: usize = 5;

/// Longest key that is named, in characters.
const LONGEST: usize = 200;

/// What is asked of a server.
#[derive(Clone, Debug)]
pub struct Question {
    /// The statement; every column of its answer is text.
    pub statement: String,
    table: Name,
    /// What it reads; none is the whole table.
    columns: Vec<String>,
    /// What cannot be told without an answer, after `whether`.
    about: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// One text that names rows, or NULL.
    Broken(&'static Rule),
    /// What differs from what was emitted: name, column, as it was emitted, as it is, whether that is less.
    Emitted {
        /// What a row is: `action type`.
        noun: &'static str,
    },
}

/// What a server answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Rows of text.
    Rows(Vec<Vec<Option<String>>>),
    /// This role may not read what was asked for.
    Denied {
        /// The role.
        role: String,
    },
    /// It could not answer, in its words.
    Failed(String),
}

/// What to ask about rows that break what is missing. `statuses` are the known ones, where no definition lists them.
#[must_use]
pub fn questions(replayed: &Replayed, subject: &Subject, statuses: &BTreeSet<String>) -> Vec<Question> {
    let ledger = &subject.ledger;
    let context = Context { replayed, schema: &replayed.schema, subject, ledger };
    let ask = |one: Missing| match one {
        Missing::NotNull { keyed, column } => {
            let table = context.table(&keyed)?;
            let offence = Offence::nulls(&keyed, &column, table);
            let columns = table.primary_key().iter().chain([&column]).cloned().collect();
            let columns = if table.primary_key().is_empty() { Vec::new() } else { columns };
            let about = format!("rows of {} have no {column}", keyed.table);
            Some(broken(null_rule(&context, &keyed, &column), &keyed, columns, about, &offence))
        }
        Missing::Unique(keyed) => {
            let table = context.table(&keyed)?;
            keyed.key.iter().all(|column| table.columns.contains_key(column)).then_some(())?;
            let about = format!("rows of {} share a key", keyed.table);
            let offence = Offence::duplicates(&keyed);
            Some(broken(unique_rule(&context, &keyed), &keyed, keyed.key.clone(), about, &offence))
        }
        Missing::Statuses => of_statuses(&context, statuses),
        Missing::Validation { statuses, .. } => of_statuses(&context, &statuses),
        Missing::Guard(_) | Missing::Part { .. } | Missing::Always { .. } => None,
    };
    missing(replayed, subject).into_iter().filter_map(ask).collect()
}

fn of_statuses(context: &Context<'_>, known: &BTreeSet<String>) -> Option<Question> {
    let (keyed, status) = (&context.ledger.actions, &context.ledger.status);
    (!known.is_empty()).then_some(())?;
    let offence = Offence::strangers(keyed, status, &listed(known));
    let about = format!("rows of {} have another {status}", keyed.table);
    Some(broken(&status_unchecked::RULE, keyed, vec![status.clone()], about, &offence))
}

/// Names as a list of literals.
#[must_use]
pub fn listed<'s>(names: impl IntoIterator<Item = &'s String>) -> String {
    names.into_iter().map(|name| literal::text(name)).collect::<Vec<_>>().join(", ")
}

fn broken(rule: &'static Rule, keyed: &Keyed, columns: Vec<String>, about: String, offence: &Offence) -> Question {
    let statement = format!("SELECT {}", offence.sql());
    Question { statement, table: keyed.table.clone(), columns, about, kind: Kind::Broken(rule) }
}

fn null_rule(context: &Context<'_>, keyed: &Keyed, column: &String) -> &'static Rule {
    if *keyed != context.ledger.actions {
        &inbound_not_unique::RULE
    } else if keyed.key.contains(column) {
        &key_nullable::RULE
    } else {
        &status_unchecked::RULE
    }
}

fn unique_rule(context: &Context<'_>, keyed: &Keyed) -> &'static Rule {
    if *keyed != context.ledger.actions {
        &inbound_not_unique::RULE
    } else if key_not_unique::missing(context, keyed, &key_not_unique::RULE).is_some() {
        &key_not_unique::RULE
    } else {
        &key_partly_unique::RULE
    }
}

impl Question {
    /// About the rows of a table that emission fills: what differs, as name, column, as it was emitted, as it is, and
    /// whether that is less. `noun` says what a row is.
    #[must_use]
    pub fn emitted(table: Name, noun: &'static str, statement: String) -> Question {
        let about = format!("rows of {table} are those that were emitted");
        Question { statement, table, columns: Vec::new(), about, kind: Kind::Emitted { noun } }
    }

    /// The table whose rows it is about.
    #[must_use]
    pub fn table(&self) -> &Name {
        &self.table
    }

    /// What an answer means. Nothing, where the table is not there: that is told by its rule.
    #[must_use]
    pub fn judge(&self, answer: &Answer, replayed: &Replayed, subject: &Subject) -> Vec<Finding> {
        let context = Context { replayed, schema: &replayed.schema, subject, ledger: &subject.ledger };
        let Some(table) = context.schema.tables.get(&self.table) else { return Vec::new() };
        let rule = match self.kind {
            Kind::Broken(rule) => rule,
            Kind::Emitted { .. } => &ledger_weakened::RULE,
        };
        let untold = |why: String, help: String| {
            let message = format!("whether {} cannot be told", self.about);
            vec![found(rule, Verdict::Unproven, &table.made, message, why).with_help(help)]
        };
        match answer {
            Answer::Denied { role } => {
                untold(format!("{} may not read them", shown(role)), self.let_in(role, &context))
            }
            Answer::Failed(why) => untold(shown(why).into_owned(), format!("ask it by hand: {}", self.statement)),
            Answer::Rows(rows) => match self.kind {
                Kind::Broken(rule) => rows.iter().filter_map(|row| self.named(rule, row, &table.made)).collect(),
                Kind::Emitted { noun } => rows.iter().filter_map(|row| self.differs(noun, row, &table.made)).collect(),
            },
        }
    }

    /// The same for our own ledger: who works with it needs no table, and its monitor is there to look.
    fn let_in(&self, role: &str, context: &Context<'_>) -> String {
        let monitor = context.ledger.ours.as_ref().map(|schema| format!("{schema}_monitor"));
        match monitor.filter(|monitor| context.schema.grants.keys().any(|grant| grant.role == *monitor)) {
            Some(monitor) => {
                let table = literal::qualified(&self.table);
                let monitor = literal::name(&monitor);
                format!("GRANT SELECT ON {table} TO {monitor}; and run verify as a member of {monitor}")
            }
            None => self.grant(role),
        }
    }

    /// What lets a role read what is asked for.
    fn grant(&self, role: &str) -> String {
        let (schema, table, role) =
            (literal::name(&self.table.schema), literal::qualified(&self.table), literal::name(role));
        let columns = literal::names(&self.columns);
        let columns = if columns.is_empty() { columns } else { format!(" ({columns})") };
        let usage =
            if schema == "public" { String::new() } else { format!("GRANT USAGE ON SCHEMA {schema} TO {role}; ") };
        format!("{usage}GRANT SELECT{columns} ON {table} TO {role};")
    }

    fn named(&self, rule: &'static Rule, row: &[Option<String>], at: &Origin) -> Option<Finding> {
        let message = shown(row.first()?.as_ref()?).into_owned();
        let label = "these rows are there already".to_owned();
        let help = "decide what becomes of each of them: what is missing is refused while they are there";
        Some(found(rule, Verdict::Broken, at, message, label).with_subject(self.about.clone()).with_help(help))
    }

    fn differs(&self, noun: &str, row: &[Option<String>], at: &Origin) -> Option<Finding> {
        let [Some(name), column, wanted, has, less] = row else { return None };
        let (table, quoted) = (literal::qualified(&self.table), literal::text(name));
        let name = format!("{noun} {}", shown(name));
        let told = |value: &Option<String>| value.as_ref().map_or("nothing".to_owned(), |one| shown(one).into_owned());
        let Some(column) = column else {
            return Some(if wanted.is_some() {
                let message = format!("{name} is not in {}", self.table);
                found(&ledger_missing::RULE, Verdict::Broken, at, message, "it was emitted".to_owned())
                    .with_help("run the migrations that onlyonce emit wrote")
            } else {
                let message = format!("{name} in {} was not emitted", self.table);
                let label = "what it allows is in no manifest".to_owned();
                let mut finding = found(&ledger_weakened::RULE, Verdict::Broken, at, message, label).with_help(
                    format!("add it to onlyonce.toml, or UPDATE {table} SET retired = true WHERE name = {quoted};"),
                );
                finding.level = Level::Warning;
                finding
            });
        };
        let is_less = column == "retention" && less.as_deref() == Some("true");
        let rule = if is_less { &retention_too_short::RULE } else { &ledger_weakened::RULE };
        let message = format!("{column} of {name} is {} and was emitted as {}", told(has), told(wanted));
        let subject = format!("{column} of {name}");
        let value = literal::optional_text(wanted.as_deref());
        let column = literal::name(column);
        let help = format!(
            "run the migrations that onlyonce emit wrote and this database lacks; if it lacks none, UPDATE {table} SET \
             {column} = {value} WHERE name = {quoted};"
        );
        let label = "its rows are not as emitted".to_owned();
        Some(found(rule, Verdict::Broken, at, message, label).with_subject(subject).with_help(help))
    }
}

/// A query that gives one text that names offending rows, or NULL.
#[derive(Clone, Debug)]
pub struct Offence(String);

impl Offence {
    /// `what` says what the rows do; `from` are the grouped or bare rows, each with what names it.
    fn new(what: &str, named: &str, from: &str, order: &str) -> Offence {
        Offence(format!(
            "(SELECT {} || max(total) || ', such as ' || string_agg(named, '; ')\n     \
             FROM (SELECT {named} AS named, count(*) OVER () AS total\n           {from}\n           \
             ORDER BY {order} LIMIT {SHOWN}) AS few)",
            literal::text(&format!("{what}: "))
        ))
    }

    /// The query, in parentheses.
    #[must_use]
    pub fn sql(&self) -> &str {
        &self.0
    }

    /// Rows that share a key.
    #[must_use]
    pub fn duplicates(keyed: &Keyed) -> Offence {
        let (table, list) = (keyed.place(), keyed.columns());
        let present = |column: &String| format!("{} IS NOT NULL", literal::name(column));
        let present = keyed.key.iter().map(present).collect::<Vec<_>>().join(" AND ");
        Offence::new(
            &format!("keys ({}) that several rows of {} share", keyed.list(), keyed.table),
            &format!("format('(%s) in %s rows', left(concat_ws(', ', {list}), {LONGEST}), count(*))"),
            &format!("FROM {table} WHERE {present} GROUP BY {list} HAVING count(*) > 1"),
            &format!("count(*) DESC, {list}"),
        )
    }

    /// Rows without a value in a column.
    #[must_use]
    pub fn nulls(keyed: &Keyed, column: &str, table: &Table) -> Offence {
        let own = table.primary_key();
        // Of a partitioned table a place in it says nothing without the partition.
        let parted = own.is_empty() && table.partition_by.is_some();
        let row = if own.is_empty() { "ctid".to_owned() } else { literal::names(own) };
        let row = if parted { "tableoid::regclass, ctid".to_owned() } else { row };
        let label = if own.is_empty() { "ctid".to_owned() } else { own.join(", ") };
        let named = format!("{} || left(concat_ws(', ', {row}), {LONGEST})", literal::text(&format!("{label} ")));
        let named = if parted { "concat_ws(' ctid ', tableoid::regclass, ctid)".to_owned() } else { named };
        Offence::new(
            &format!("rows of {} without {column}", keyed.table),
            &named,
            &format!("FROM {} WHERE {} IS NULL", keyed.place(), literal::name(column)),
            &row,
        )
    }

    /// Rows whose status is none of the list.
    #[must_use]
    pub fn strangers(keyed: &Keyed, status: &str, list: &str) -> Offence {
        let (table, column) = (keyed.place(), literal::name(status));
        Offence::new(
            &format!("unknown values of {status} in {}", keyed.table),
            &format!(
                "format('%L in %s', left({column}::text, {LONGEST}), \
                 CASE count(*) WHEN 1 THEN '1 row' ELSE count(*) || ' rows' END)"
            ),
            &format!("FROM {table} WHERE {column}::text NOT IN ({list}) GROUP BY {column}"),
            &format!("count(*) DESC, {column}"),
        )
    }
}
