//! The schema model: what a database holds, in ordered maps. Equal means equal to PostgreSQL: where a fact came from is
//! kept beside it and does not count.
//!
//! [`replay()`] makes it from statements; [`name`] gives constraints and indexes the names that PostgreSQL gives them,
//! and [`literal`] writes names and values in statements.

pub mod alike;
pub mod history;
pub mod literal;
pub mod name;
pub mod replay;
pub mod typed;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

pub use history::{Doubt, Loss, Lost, Note, Replayed, Setting, Write};
pub use replay::replay;

use crate::diagnostic::Label;
use crate::source::{Source, Span};
use crate::sql::ddl::{
    Enabled, Generated, IndexColumn, NewRoutine, NewRule, NewTrigger, NewView, ObjectKind, PartitionBy, Persistence,
};

/// An object's full name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    /// Its schema.
    pub schema: String,
    /// Its name in it.
    pub name: String,
}

/// Where a fact came from. All origins are equal, so that schemas compare by what they hold.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The file.
    pub source: Source,
    /// The clause in it.
    pub span: Span,
    /// Whether the statement is sure to run; see [`crate::sql::ddl::Act::certain`].
    pub certain: bool,
}

/// A database's definitions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    /// Schemas that were made; `public` is always there.
    pub schemas: BTreeMap<String, Origin>,
    /// Tables.
    pub tables: BTreeMap<Name, Table>,
    /// Views.
    pub views: BTreeMap<Name, View>,
    /// Functions and procedures.
    pub routines: BTreeMap<Signature, Routine>,
    /// Types and domains.
    pub types: BTreeMap<Name, Type>,
    /// Roles.
    pub roles: BTreeMap<String, Role>,
    /// Privileges that were given.
    pub grants: BTreeMap<Grant, Origin>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Where it was made.
    pub made: Origin,
    /// How long its rows last.
    pub persistence: Persistence,
    /// Where persistence was last set.
    pub persisted: Origin,
    /// Its columns, as far as they are known: see `from_query`.
    pub columns: BTreeMap<String, Column>,
    /// Whether a query made it: it may have columns that are not known here, and those that are may have no type.
    pub from_query: bool,
    /// Primary key, unique, check, foreign key and exclusion constraints.
    pub constraints: BTreeMap<String, Constraint>,
    /// Indexes that no constraint owns.
    pub indexes: BTreeMap<String, Index>,
    /// Triggers that people made.
    pub triggers: BTreeMap<String, Trigger>,
    /// Rewrite rules.
    pub rules: BTreeMap<String, Rule>,
    /// Policies of row-level security.
    pub policies: BTreeMap<String, Origin>,
    /// Whether row-level security is on, and where that was said.
    pub row_security: Option<Origin>,
    /// Whether it holds for the owner too.
    pub row_security_forced: bool,
    /// How it is partitioned.
    pub partition_by: Option<PartitionBy>,
    /// The table that it is a partition of.
    pub partition_of: Option<Name>,
    /// The tables that it inherits from, and where that was said.
    pub inherits: BTreeMap<Name, Origin>,
    /// Storage parameters.
    pub options: BTreeMap<String, String>,
    /// Its owner, when one was set.
    pub owner: Option<String>,
    /// Whether its rows are in another database: CREATE FOREIGN TABLE.
    pub foreign: bool,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Where it was made.
    pub made: Origin,
    /// Its type in PostgreSQL's own words; empty where only the query that made it knows.
    pub type_name: String,
    /// Whether it refuses NULL by itself, and where that was said. A primary key refuses NULL too: see [`Table::refuses_null`].
    pub not_null: Option<Origin>,
    /// DEFAULT, in normal form.
    pub default: Option<String>,
    /// COLLATE, when it is not the type's own.
    pub collation: Option<String>,
    /// GENERATED.
    pub generated: Option<Generated>,
}

/// A constraint of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// Where it was made.
    pub made: Origin,
    /// What it demands.
    pub demand: Demand,
    /// DEFERRABLE.
    pub deferrable: bool,
    /// Whether rows that were there before are known to meet it.
    pub valid: bool,
    /// Whether each partition has its part of it. Of a key that was made ONLY for the whole, one lacks it until it is
    /// attached, and till then nothing is unique.
    pub whole: bool,
}

/// What a constraint demands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Demand {
    /// PRIMARY KEY over these columns, in order.
    Primary(Vec<String>),
    /// UNIQUE over these columns, in order.
    Unique {
        /// The columns.
        columns: Vec<String>,
        /// Whether two NULLs differ.
        nulls_distinct: bool,
    },
    /// CHECK: the expression in normal form.
    Check(String),
    /// FOREIGN KEY.
    Foreign {
        /// The columns.
        columns: Vec<String>,
        /// The table that is referred to.
        table: Name,
        /// Its columns; empty is its primary key.
        referred: Vec<String>,
        /// `no action`, `restrict`, `cascade`, `set null` or `set default`.
        on_delete: String,
        /// The same for updates.
        on_update: String,
    },
    /// EXCLUDE: its elements.
    Exclude(Vec<String>),
}

/// An index that no constraint owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// Where it was made.
    pub made: Origin,
    /// UNIQUE.
    pub unique: bool,
    /// Its columns and expressions, in order.
    pub columns: Vec<IndexColumn>,
    /// INCLUDE.
    pub include: Vec<String>,
    /// WHERE, in normal form.
    pub predicate: Option<String>,
    /// Whether two NULLs differ.
    pub nulls_distinct: bool,
    /// Its access method.
    pub method: String,
    /// Whether each partition has its part of it; see [`Constraint::whole`].
    pub whole: bool,
}

/// A trigger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// Where it was made.
    pub made: Origin,
    /// Its definition, as it was written.
    pub definition: NewTrigger,
    /// The function that it runs.
    pub function: Name,
    /// When it fires.
    pub enabled: Enabled,
    /// Where that was said, when it was.
    pub switched: Option<Origin>,
}

/// A rewrite rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Where it was made.
    pub made: Origin,
    /// Its definition.
    pub definition: NewRule,
    /// When it fires.
    pub enabled: Enabled,
}

/// What tells routines of one name apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signature {
    /// Its name.
    pub name: Name,
    /// Types of the arguments that a call gives.
    pub arguments: Vec<String>,
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name, self.arguments.join(", "))
    }
}

/// A function or procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routine {
    /// Where it was made or last replaced.
    pub made: Origin,
    /// Its definition, with later changes worked in.
    pub definition: NewRoutine,
    /// Its owner, when one was set.
    pub owner: Option<String>,
}

/// A view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Where it was made.
    pub made: Origin,
    /// Its definition.
    pub definition: NewView,
    /// Its owner, when one was set.
    pub owner: Option<String>,
}

/// A type or domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// Where it was made.
    pub made: Origin,
    /// Its definition.
    pub definition: crate::sql::ddl::NewType,
}

/// A role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    /// Where it was made or first changed.
    pub made: Origin,
    /// The options that were named, in lower case.
    pub options: BTreeSet<String>,
    /// The roles that it is a member of.
    pub member_of: BTreeSet<String>,
}

/// One privilege of one role on one object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Grant {
    /// What kind of object.
    pub kind: ObjectKind,
    /// Which; a schema stands under its own name in both places.
    pub object: Name,
    /// For routines, the types of the arguments.
    pub arguments: Vec<String>,
    /// The role; `public` is PUBLIC.
    pub role: String,
    /// The privilege in lower case, never `all`.
    pub privilege: String,
}

impl Name {
    /// A name in a schema.
    pub fn new(schema: impl Into<String>, name: impl Into<String>) -> Name {
        Name { schema: schema.into(), name: name.into() }
    }

    /// `schema.name`, or a name alone, which stands in `public`.
    #[must_use]
    pub fn parse(text: &str) -> Name {
        let (schema, name) = text.split_once('.').unwrap_or(("public", text));
        Name::new(schema, name)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.schema, self.name)
    }
}

impl PartialEq for Origin {
    fn eq(&self, _: &Origin) -> bool {
        true
    }
}

impl Eq for Origin {}

impl Origin {
    /// `file:line`, as a message names a place.
    #[must_use]
    pub fn place(&self) -> String {
        format!("{}:{}", self.source.name(), self.source.position(self.span.start).line)
    }

    /// A label here.
    pub fn label(&self, text: impl Into<String>) -> Label {
        Label::new(&self.source, self.span, text)
    }

    /// Its first line alone: of a routine, its name.
    #[must_use]
    pub fn head(&self) -> Origin {
        let end = self.span.start + self.text().find('\n').unwrap_or(self.text().len());
        Origin { span: Span::new(self.span.start, end), ..self.clone() }
    }

    /// The text of the clause.
    #[must_use]
    pub fn text(&self) -> &str {
        self.source.slice(self.span)
    }
}

impl Schema {
    /// Whether a table, view, index or constraint that has one is called so already.
    #[must_use]
    pub fn is_taken(&self, name: &Name) -> bool {
        let held = |table: &Table| table.indexes.contains_key(&name.name) || table.constraints.contains_key(&name.name);
        let mut here = self.tables.iter().filter(|(other, _)| other.schema == name.schema);
        self.views.contains_key(name) || here.any(|(other, table)| other == name || held(table))
    }
}

impl Schema {
    /// Every partition below a table, each once.
    #[must_use]
    pub fn below(&self, whole: &Name) -> Vec<(&Name, &Table)> {
        let mut parts: BTreeMap<&Name, Vec<(&Name, &Table)>> = BTreeMap::new();
        for (name, table) in &self.tables {
            if let Some(of) = &table.partition_of {
                parts.entry(of).or_default().push((name, table));
            }
        }
        let (mut found, mut open) = (Vec::new(), parts.remove(whole).unwrap_or_default());
        while let Some((name, table)) = open.pop() {
            found.push((name, table));
            open.extend(parts.remove(name).unwrap_or_default());
        }
        found.retain(|(name, _)| *name != whole);
        found
    }

    /// The partitions below a table that hold rows, in order.
    #[must_use]
    pub fn leaves(&self, whole: &Name) -> Vec<(&Name, &Table)> {
        let mut found = self.below(whole);
        found.retain(|(_, table)| table.partition_by.is_none());
        found.sort_by_key(|(name, _)| *name);
        found
    }
}

impl Column {
    /// A column of a query's, of which nothing is known but that it is there.
    #[must_use]
    pub fn unknown(made: Origin) -> Column {
        Column { made, type_name: String::new(), not_null: None, default: None, collation: None, generated: None }
    }
}

impl Table {
    /// A table without columns.
    #[must_use]
    pub fn new(made: Origin) -> Table {
        Table {
            persisted: made.clone(),
            made,
            persistence: Persistence::Permanent,
            columns: BTreeMap::new(),
            from_query: false,
            constraints: BTreeMap::new(),
            indexes: BTreeMap::new(),
            triggers: BTreeMap::new(),
            rules: BTreeMap::new(),
            policies: BTreeMap::new(),
            row_security: None,
            row_security_forced: false,
            partition_by: None,
            partition_of: None,
            inherits: BTreeMap::new(),
            options: BTreeMap::new(),
            owner: None,
            foreign: false,
        }
    }

    /// The columns of its primary key; empty when it has none.
    #[must_use]
    pub fn primary_key(&self) -> &[String] {
        let keys = self.constraints.values().filter_map(|one| match &one.demand {
            Demand::Primary(columns) => Some(columns.as_slice()),
            Demand::Unique { .. } | Demand::Check(_) | Demand::Foreign { .. } | Demand::Exclude(_) => None,
        });
        keys.into_iter().next().unwrap_or_default()
    }

    /// Whether a column refuses NULL, by itself or by the primary key.
    #[must_use]
    pub fn refuses_null(&self, column: &str) -> bool {
        self.columns.get(column).is_some_and(|one| one.not_null.is_some())
            || self.primary_key().iter().any(|key| key == column)
    }
}
