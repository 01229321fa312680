//! What a statement does to the schema, in PostgreSQL's own nouns. Made by `read`, played by the schema model.
#![allow(missing_docs, reason = "the fields of a variant are the words of its clause; the variant is documented")]

mod routine;

use std::collections::{BTreeMap, BTreeSet};

pub use super::cursor::Written;
use crate::source::Span;
pub use routine::{Argument, Called, NewRoutine, RoutineAction};

/// One thing that a statement does. A statement that does several makes several, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// Its bytes in the file: the clause, not the whole statement.
    pub span: Span,
    /// Whether it is done whenever the migration runs. Inside an IF, a loop or a block that catches errors it may not be.
    pub certain: bool,
    /// What is done.
    pub kind: ActKind,
}

/// What is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActKind {
    /// CREATE SCHEMA.
    CreateSchema { name: String, owner: Option<String>, if_not_exists: bool },
    /// ALTER SCHEMA .. RENAME TO.
    RenameSchema { name: String, to: String },
    /// DROP SCHEMA.
    DropSchema { name: String, cascade: bool },
    /// CREATE TABLE, and CREATE TABLE AS, which has no columns here.
    CreateTable { name: Written, if_not_exists: bool, table: Box<NewTable> },
    /// One action of ALTER TABLE, or a statement that amounts to one.
    AlterTable { name: Written, if_exists: bool, only: bool, action: TableAction },
    /// DROP TABLE, for one of its names.
    DropTable { name: Written, cascade: bool },
    /// CREATE INDEX.
    CreateIndex { table: Written, name: Option<String>, if_not_exists: bool, index: NewIndex },
    /// ALTER INDEX (or TABLE) .. RENAME TO.
    RenameRelation { name: Written, to: String },
    /// ALTER INDEX .. ATTACH PARTITION.
    AttachIndex { whole: Written, part: Written },
    /// DROP INDEX, for one of its names.
    DropIndex { name: Written, cascade: bool },
    /// CREATE TRIGGER.
    CreateTrigger { table: Written, name: String, or_replace: bool, trigger: NewTrigger },
    /// ALTER TRIGGER .. RENAME TO.
    RenameTrigger { table: Written, name: String, to: String },
    /// DROP TRIGGER.
    DropTrigger { table: Written, name: String },
    /// CREATE EVENT TRIGGER.
    CreateEventTrigger { name: String, function: Written },
    /// DROP EVENT TRIGGER.
    DropEventTrigger { name: String },
    /// CREATE RULE.
    CreateRule { table: Written, name: String, rule: NewRule },
    /// DROP RULE.
    DropRule { table: Written, name: String },
    /// CREATE POLICY.
    CreatePolicy { table: Written, name: String },
    /// DROP POLICY.
    DropPolicy { table: Written, name: String },
    /// CREATE FUNCTION or PROCEDURE.
    CreateRoutine { name: Written, or_replace: bool, routine: Box<NewRoutine> },
    /// One action of ALTER FUNCTION, PROCEDURE or ROUTINE.
    AlterRoutine { routine: Called, action: RoutineAction },
    /// DROP FUNCTION, PROCEDURE or ROUTINE.
    DropRoutine { routine: Called, cascade: bool },
    /// CREATE VIEW or MATERIALIZED VIEW.
    CreateView { name: Written, view: NewView },
    /// DROP VIEW or MATERIALIZED VIEW.
    DropView { name: Written },
    /// CREATE TYPE or DOMAIN.
    CreateType { name: Written, made: NewType },
    /// ALTER TYPE .. ADD VALUE.
    AddLabel { name: Written, label: String },
    /// ALTER TYPE .. RENAME VALUE.
    RenameLabel { name: Written, label: String, to: String },
    /// ALTER TYPE or DOMAIN .. RENAME TO.
    RenameType { name: Written, to: String },
    /// ALTER TYPE or DOMAIN .. SET SCHEMA.
    MoveType { name: Written, schema: String },
    /// ALTER DOMAIN that changes what the domain takes.
    AlterDomain { name: Written },
    /// DROP TYPE or DOMAIN; with CASCADE the columns of the type go too.
    DropType { name: Written, cascade: bool },
    /// CREATE or ALTER ROLE, USER or GROUP: the options that were named.
    Role { name: String, options: BTreeSet<String>, is_new: bool },
    /// DROP ROLE, USER or GROUP.
    DropRole { name: String },
    /// GRANT or REVOKE of privileges.
    Grant { give: bool, grant: Privileges },
    /// GRANT or REVOKE of roles.
    Membership { give: bool, roles: Vec<String>, to: Vec<String> },
    /// ALTER DEFAULT PRIVILEGES.
    DefaultPrivileges { give: bool, schemas: Vec<String>, owners: Vec<String>, grant: Privileges },
    /// DROP OWNED BY.
    DropOwned { roles: Vec<String> },
    /// SET or RESET of a setting; no values is RESET or DEFAULT. LOCAL ends with the transaction.
    Set { name: String, values: Vec<String>, local: bool },
    /// ALTER SYSTEM or DATABASE .. SET or RESET of a setting.
    Configure { name: String, values: Vec<String> },
    /// REASSIGN OWNED BY.
    Reassign { from: Vec<String>, to: String },
    /// TRUNCATE, for one of its names.
    Truncate { table: Written },
    /// INSERT, UPDATE, DELETE, MERGE or COPY .. FROM: rows of a table are written.
    Write { verb: Verb, table: Written },
    /// A routine is called, with what is known of its arguments.
    Call { routine: Written, arguments: Vec<Argument> },
    /// EXECUTE of text that is put together when the migration runs: what is known of it.
    Dynamic { text: String },
}

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// INSERT.
    Insert,
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
    /// MERGE.
    Merge,
    /// COPY .. FROM.
    Copy,
    /// TRUNCATE.
    Truncate,
}

/// How long a table's rows last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Persistence {
    /// Written ahead to the log.
    #[default]
    Permanent,
    /// Emptied by a crash.
    Unlogged,
    /// Gone with the session.
    Temporary,
}

/// A table to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewTable {
    /// How long its rows last.
    pub persistence: Persistence,
    /// Its columns.
    pub columns: Vec<NewColumn>,
    /// Its constraints, those written with a column included.
    pub constraints: Vec<NewConstraint>,
    /// LIKE clauses.
    pub like: Vec<Like>,
    /// INHERITS.
    pub inherits: Vec<Written>,
    /// PARTITION OF.
    pub partition_of: Option<Written>,
    /// PARTITION BY.
    pub partition_by: Option<PartitionBy>,
    /// WITH (..).
    pub options: BTreeMap<String, String>,
    /// Whether it is CREATE TABLE .. AS: its columns are those of a query.
    pub from_query: bool,
    /// Whether it is CREATE FOREIGN TABLE.
    pub foreign: bool,
}

/// A LIKE clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Like {
    /// Whose columns are copied.
    pub table: Written,
    /// What is copied beside names, types and NOT NULL: `defaults`, `constraints`, `indexes`, `generated`, `storage`, ..
    pub including: BTreeSet<String>,
}

/// PARTITION BY.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionBy {
    /// `hash`, `list` or `range`.
    pub strategy: String,
    /// Columns or expressions.
    pub columns: Vec<String>,
}

/// A column to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewColumn {
    /// Its name.
    pub name: String,
    /// Its type in normal form.
    pub type_name: String,
    /// NOT NULL, or what brings it: a serial or identity column.
    pub not_null: bool,
    /// DEFAULT.
    pub default: Option<String>,
    /// COLLATE.
    pub collation: Option<String>,
    /// GENERATED.
    pub generated: Option<Generated>,
    /// Its bytes in the file.
    pub span: Span,
}

/// GENERATED.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Generated {
    /// AS (..): the expression.
    Expression(String),
    /// ALWAYS AS IDENTITY.
    IdentityAlways,
    /// BY DEFAULT AS IDENTITY.
    IdentityByDefault,
}

/// A constraint to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewConstraint {
    /// The name that was given.
    pub name: Option<String>,
    /// What it demands.
    pub kind: ConstraintKind,
    /// DEFERRABLE.
    pub deferrable: bool,
    /// False with NOT VALID, and with NOT ENFORCED.
    pub valid: bool,
    /// Its bytes in the file.
    pub span: Span,
}

/// What a constraint demands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    /// PRIMARY KEY.
    Primary { columns: Vec<String> },
    /// UNIQUE.
    Unique { columns: Vec<String>, nulls_distinct: bool },
    /// PRIMARY KEY or UNIQUE USING INDEX.
    UsingIndex { index: String, primary: bool },
    /// CHECK, its expression in normal form.
    Check { expression: String, column: Option<String> },
    /// NOT NULL as a table constraint.
    NotNull { column: String },
    /// FOREIGN KEY.
    Foreign { columns: Vec<String>, table: Written, referred: Vec<String>, on_delete: String, on_update: String },
    /// EXCLUDE.
    Exclude { elements: Vec<String> },
}

/// One action of ALTER TABLE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableAction {
    /// ADD COLUMN, with the constraints written with it.
    AddColumn { column: NewColumn, constraints: Vec<NewConstraint>, if_not_exists: bool },
    /// DROP COLUMN.
    DropColumn { name: String },
    /// RENAME COLUMN.
    RenameColumn { name: String, to: String },
    /// ALTER COLUMN .. TYPE; whether USING makes other values than a cast does.
    SetType { column: String, type_name: String, collation: Option<String>, rewrites: bool },
    /// ALTER COLUMN .. SET or DROP NOT NULL.
    NotNull { column: String, holds: bool },
    /// ALTER COLUMN .. SET or DROP DEFAULT.
    Default { column: String, default: Option<String> },
    /// ALTER COLUMN .. ADD or SET GENERATED, DROP IDENTITY, DROP EXPRESSION.
    Generated { column: String, generated: Option<Generated> },
    /// ADD CONSTRAINT.
    AddConstraint(NewConstraint),
    /// DROP CONSTRAINT.
    DropConstraint { name: String, cascade: bool },
    /// RENAME CONSTRAINT.
    RenameConstraint { name: String, to: String },
    /// VALIDATE CONSTRAINT.
    Validate { name: String },
    /// ALTER CONSTRAINT: whether it is deferrable now, or enforced, when either was said.
    AlterConstraint { name: String, deferrable: Option<bool>, enforced: Option<bool> },
    /// ENABLE or DISABLE TRIGGER: which, and the new state.
    Triggers { which: Which, enabled: Enabled },
    /// ENABLE or DISABLE RULE.
    Rule { name: String, enabled: Enabled },
    /// ENABLE, DISABLE, FORCE or NO FORCE ROW LEVEL SECURITY.
    RowSecurity { enabled: Option<bool>, forced: Option<bool> },
    /// SET LOGGED or UNLOGGED.
    Persistence(Persistence),
    /// INHERIT or NO INHERIT.
    Inherit { parent: Written, holds: bool },
    /// ATTACH PARTITION.
    Attach { partition: Written },
    /// DETACH PARTITION.
    Detach { partition: Written },
    /// SET SCHEMA.
    SetSchema { schema: String },
    /// OWNER TO.
    Owner { role: String },
    /// SET (..) or RESET (..): values, or `None` for what is reset.
    Options(BTreeMap<String, Option<String>>),
    /// What changes no guarantee: statistics, storage, tablespace, clustering, replica identity.
    Harmless,
}

/// Which triggers are switched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// ALL, those of foreign keys included.
    All,
    /// USER: all that people made.
    User,
    /// One.
    One(String),
}

/// When a trigger or rule fires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Enabled {
    /// Unless the session plays a replica.
    #[default]
    Origin,
    /// In every session.
    Always,
    /// Only when the session plays a replica.
    Replica,
    /// Never.
    Never,
}

/// An index to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewIndex {
    /// UNIQUE.
    pub unique: bool,
    /// Columns and expressions, in order, without their order words.
    pub columns: Vec<IndexColumn>,
    /// INCLUDE.
    pub include: Vec<String>,
    /// WHERE, in normal form.
    pub predicate: Option<String>,
    /// False with NULLS NOT DISTINCT.
    pub nulls_distinct: bool,
    /// `btree` unless USING says otherwise.
    pub method: String,
    /// ON ONLY: not on the partitions; not valid until each has one attached.
    pub only: bool,
}

/// A column of an index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexColumn {
    /// A column's name, or an expression in normal form.
    pub key: String,
    /// COLLATE.
    pub collation: Option<String>,
    /// Whether `key` is an expression.
    pub is_expression: bool,
}

/// A trigger to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTrigger {
    /// `before`, `after` or `instead of`.
    pub timing: String,
    /// `insert`, `update`, `delete`, `truncate`.
    pub events: BTreeSet<String>,
    /// UPDATE OF.
    pub columns: BTreeSet<String>,
    /// FOR EACH ROW.
    pub each_row: bool,
    /// WHEN, in normal form.
    pub condition: Option<String>,
    /// The function that it runs.
    pub function: Written,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// CONSTRAINT TRIGGER.
    pub constraint: bool,
    /// DEFERRABLE.
    pub deferrable: bool,
}

/// A rewrite rule to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRule {
    /// `select`, `insert`, `update` or `delete`.
    pub event: String,
    /// INSTEAD.
    pub instead: bool,
    /// What it does, in normal form.
    pub action: String,
}

/// A view to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewView {
    /// MATERIALIZED.
    pub materialized: bool,
    /// Its query in normal form.
    pub query: String,
    /// WITH (..).
    pub options: BTreeMap<String, String>,
}

/// A type to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewType {
    /// AS ENUM.
    Enum(Vec<String>),
    /// A domain: its base type and collation, whether it refuses NULL, its checks.
    Domain { base: String, collation: Option<String>, not_null: bool, checks: Vec<String> },
    /// Composite, range, base or shell.
    Other,
}

/// The privileges of a GRANT or REVOKE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Privileges {
    /// In lower case; `all` stands for itself. Columns are left out, `by_column` says that there were some.
    pub privileges: BTreeSet<String>,
    /// Whether some were for columns only.
    pub by_column: bool,
    /// What kind of object.
    pub kind: ObjectKind,
    /// Which; for `InSchema` kinds the schemas.
    pub objects: Vec<Called>,
    /// Whether it is for all objects of that kind in the schemas `objects`.
    pub all_in_schema: bool,
    /// Of routines in a schema, whether only procedures or only functions are meant.
    pub only_procedures: Option<bool>,
    /// Roles; `public` is PUBLIC.
    pub roles: Vec<String>,
}

/// What a privilege is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObjectKind {
    /// Tables and views.
    Table,
    /// Sequences.
    Sequence,
    /// Functions, procedures.
    Routine,
    /// Schemas.
    Schema,
    /// Types and domains.
    Type,
    /// Databases, languages, servers, tablespaces, ..
    Other,
}
