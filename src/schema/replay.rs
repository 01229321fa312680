//! Plays statements in order and keeps what PostgreSQL would have kept.
//!
//! Linear in the number of statements, renames of tables and CASCADE apart. A statement that PostgreSQL would refuse
//! changes nothing here either. To teach it a new act: an arm in `play` and a method in the file of its object.

mod access;
mod alter;
mod call;
mod column;
mod constraint;
mod deferred;
mod family;
mod index;
mod parts;
mod routine;
mod table;
mod trigger;
mod types;
mod uses;

use std::collections::{BTreeMap, BTreeSet};

use super::{Doubt, Loss, Lost, Name, Note, Origin, Replayed, Setting, Table, Write};
use crate::source::{Source, Span};
use crate::sql::ddl::{Act, ActKind, ObjectKind, Written};
use crate::sql::{Parsed, SourceStatements, Statement};

/// Plays files in the order in which they run. Each file starts with the default search path.
#[must_use]
pub fn replay(history: &[SourceStatements]) -> Replayed {
    let mut player = Player::default();
    for file in history {
        player.path = default_path();
        player.role = None;
        for statement in &file.statements {
            player.statement(&file.source, statement);
        }
        player.end_session();
    }
    player.deferred();
    player.out
}

/// The schema of temporary tables, by the name that a session has for its own.
const TEMPORARY: &str = "pg_temp";

fn default_path() -> Vec<String> {
    vec!["public".to_owned()]
}

#[derive(Default)]
struct Player {
    out: Replayed,
    /// Where names without a schema are looked for; never empty.
    path: Vec<String>,
    /// SET ROLE: who owns what is made.
    role: Option<String>,
    /// The table of every index, those of constraints included.
    indexes: BTreeMap<Name, Name>,
    /// The partitions of every table that has had some.
    partitions: BTreeMap<Name, BTreeSet<Name>>,
    /// What tables use.
    uses: uses::Uses,
    /// The tables that refer to a table or inherit from it, or did.
    pointing: BTreeMap<Name, BTreeSet<Name>>,
    /// Indexes of partitioned tables that are not whole: the partitions that have a part of each, and the part's name
    /// where a statement attached it.
    parts: parts::Parts,
    /// Names of NOT NULL constraints, by table and name: the column.
    not_nulls: BTreeMap<(Name, String), String>,
    /// ALTER DEFAULT PRIVILEGES so far.
    defaults: Vec<DefaultGrant>,
    /// Temporary tables of the file that is played.
    temporary: Vec<Name>,
    /// Which routines may define something, and how far calls of them were followed.
    calls: call::Calls,
    /// Event triggers: what they run, and where they were made.
    events: BTreeMap<String, (Name, Origin)>,
}

/// A privilege that new objects get, or that PUBLIC no longer gets.
struct DefaultGrant {
    /// `None` is every schema.
    schema: Option<String>,
    kind: ObjectKind,
    role: String,
    privileges: Vec<String>,
    give: bool,
}

impl Player {
    fn statement(&mut self, source: &Source, statement: &Statement) {
        match &statement.parsed {
            Parsed::Read(acts) => {
                for act in acts {
                    self.play(source, act);
                }
            }
            Parsed::Opaque { reason } => {
                let at = Origin { source: source.clone(), span: statement.span, certain: true };
                let text = statement.text.as_str().into();
                self.out.notes.push(Note { at, reason: reason.clone(), text, doubt: Doubt::Unread });
            }
        }
    }

    fn play(&mut self, source: &Source, act: &Act) {
        let at = Origin { source: source.clone(), span: act.span, certain: act.certain };
        match &act.kind {
            ActKind::CreateSchema { name, .. } => {
                self.out.schema.schemas.entry(name.clone()).or_insert(at);
            }
            ActKind::RenameSchema { name, to } => self.rename_schema(name, to),
            ActKind::DropSchema { name, cascade } => self.drop_schema(name, *cascade, &at),
            ActKind::CreateTable { name, if_not_exists, table } => self.create_table(name, *if_not_exists, table, &at),
            ActKind::AlterTable { name, only, action, .. } => self.alter_table(name, *only, action, &at),
            ActKind::DropTable { name, .. } => self.drop_table(name, &at),
            ActKind::CreateIndex { table, name, if_not_exists, index } => {
                self.create_index(table, name.as_deref(), *if_not_exists, index, &at);
            }
            ActKind::RenameRelation { name, to } => self.rename_relation(name, to),
            ActKind::AttachIndex { whole, part } => self.attach_index(whole, part),
            ActKind::DropIndex { name, .. } => self.drop_index(name, &at),
            ActKind::CreateTrigger { table, name, or_replace, trigger } => {
                self.create_trigger(table, name, *or_replace, trigger, &at);
            }
            ActKind::RenameTrigger { table, name, to } => self.rename_trigger(table, name, to),
            ActKind::DropTrigger { table, name } => self.drop_trigger(table, name, &at),
            ActKind::CreateEventTrigger { name, function } => {
                let function = self.find_routine(function);
                self.events.insert(name.clone(), (function, at));
            }
            ActKind::DropEventTrigger { name } => {
                self.events.remove(name);
            }
            ActKind::CreateRule { table, name, rule } => self.create_rule(table, name, rule, at),
            ActKind::DropRule { table, name } => {
                self.with_table(table, |table| table.rules.remove(name));
            }
            ActKind::CreatePolicy { table, name } => {
                self.with_table(table, |table| table.policies.insert(name.clone(), at));
            }
            ActKind::DropPolicy { table, name } => {
                self.with_table(table, |table| table.policies.remove(name));
            }
            ActKind::CreateRoutine { name, routine, .. } => self.create_routine(name, routine, at),
            ActKind::AlterRoutine { routine, action } => self.alter_routine(routine, action),
            ActKind::DropRoutine { routine, cascade } => self.drop_routine(routine, *cascade, &at),
            ActKind::CreateView { name, view } => self.create_view(name, view, at),
            ActKind::DropView { name } => self.drop_view(name),
            ActKind::CreateType { name, made } => self.create_type(name, made, at),
            ActKind::AddLabel { name, label } => self.add_label(name, label),
            ActKind::RenameLabel { name, label, to } => self.rename_label(name, label, to),
            ActKind::RenameType { name, to } => self.rename_type(name, to),
            ActKind::MoveType { name, schema } => self.set_type_schema(name, schema),
            ActKind::AlterDomain { name } => self.note(&at, format!("what {} refuses may have changed", name.name)),
            ActKind::DropType { name, cascade } => self.drop_type(name, *cascade, &at),
            ActKind::Role { name, options, .. } => self.set_role(name, options, at),
            ActKind::DropRole { name } => self.drop_role(name),
            ActKind::Grant { give, grant } => self.grant(*give, grant, &at),
            ActKind::Membership { give, roles, to } => self.membership(*give, roles, to, &at),
            ActKind::DefaultPrivileges { give, schemas, grant, .. } => self.default_privileges(*give, schemas, grant),
            ActKind::DropOwned { roles } => self.drop_owned(roles, &at),
            ActKind::Set { name, values, local } => self.set(name, values, *local, at),
            ActKind::Configure { name, values } => {
                let (name, values) = (name.clone(), values.clone());
                self.out.settings.push(Setting { name, values, lasting: true, at });
            }
            ActKind::Reassign { from, to } => self.reassign(from, to),
            ActKind::Truncate { table } => {
                let table = self.find(table);
                self.out.writes.push(Write { verb: crate::sql::ddl::Verb::Truncate, table, column: None, at });
            }
            ActKind::Write { verb, table } => {
                let table = self.find(table);
                self.out.writes.push(Write { verb: *verb, table, column: None, at });
            }
            ActKind::Call { routine, arguments } => self.call(source, routine, arguments, &at),
            ActKind::Dynamic { text } => {
                let reason = "the statement is put together when the migration runs".to_owned();
                let text = text.as_str().into();
                self.out.notes.push(Note { at, reason, text, doubt: Doubt::PutTogether });
            }
        }
    }

    fn note(&mut self, at: &Origin, reason: String) {
        let text = at.text().into();
        self.out.notes.push(Note { at: at.clone(), reason, text, doubt: Doubt::Unread });
    }

    fn lose(&mut self, table: &Name, lost: Lost, made: Origin, at: &Origin) {
        self.out.losses.push(Loss { table: table.clone(), lost, made, at: at.clone() });
    }

    fn set(&mut self, name: &str, values: &[String], _local: bool, at: Origin) {
        match name {
            "search_path" if at.certain => self.search(values),
            // It may be this path, or the one before.
            "search_path" => {
                let before = self.path.clone();
                self.search(values);
                let new = std::mem::replace(&mut self.path, before);
                self.path.extend(new);
            }
            "role" => self.role = values.first().cloned(),
            _ => {}
        }
        self.out.settings.push(Setting { name: name.to_owned(), values: values.to_vec(), lasting: false, at });
    }

    fn search(&mut self, path: &[String]) {
        let named =
            |value: &&String| !value.is_empty() && !matches!(value.as_str(), "$user" | "pg_catalog" | TEMPORARY);
        self.path = path.iter().filter(named).cloned().collect();
        if self.path.is_empty() {
            self.path = default_path();
        }
    }

    /// The full name of an object to be.
    fn new_name(&self, written: &Written) -> Name {
        let name = super::name::truncated(&written.name);
        match &written.schema {
            Some(schema) => Name::new(schema, name),
            None => Name::new(self.path.first().map_or("public", String::as_str), name),
        }
    }

    /// The full name of a table, view or index that is there; where none is, the name that it would have. A temporary table
    /// is found before any other.
    fn find(&self, written: &Written) -> Name {
        self.find_where(written, |name| {
            self.out.schema.tables.contains_key(name)
                || self.out.schema.views.contains_key(name)
                || self.indexes.contains_key(name)
        })
    }

    fn find_where(&self, written: &Written, is_there: impl Fn(&Name) -> bool) -> Name {
        let new = self.new_name(written);
        if written.schema.is_some() {
            return new;
        }
        let temporary = Name::new(TEMPORARY, &new.name);
        if !self.temporary.is_empty() && is_there(&temporary) {
            return temporary;
        }
        self.path.iter().map(|schema| Name::new(schema, &new.name)).find(|name| is_there(name)).unwrap_or(new)
    }

    fn with_table<T>(&mut self, written: &Written, change: impl FnOnce(&mut Table) -> T) -> Option<T> {
        let name = self.find(written);
        self.out.schema.tables.get_mut(&name).map(change)
    }
}

impl Origin {
    /// A place that stands for facts without one.
    #[must_use]
    pub fn nowhere() -> Origin {
        Origin { source: Source::new("", ""), span: Span::default(), certain: true }
    }
}

#[cfg(test)]
mod tests;
