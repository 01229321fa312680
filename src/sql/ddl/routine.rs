//! Functions and procedures.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::sql::cursor::Written;

/// A routine as DROP and ALTER name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// Its name.
    pub name: Written,
    /// The types of its arguments that a call gives, when they were named.
    pub arguments: Option<Vec<String>>,
}

/// A function or procedure to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRoutine {
    /// Whether it is a procedure.
    pub is_procedure: bool,
    /// Types of the arguments that a call gives, in normal form.
    pub arguments: Vec<String>,
    /// Their names; empty where one has none.
    pub names: Vec<String>,
    /// RETURNS, in normal form.
    pub returns: String,
    /// LANGUAGE.
    pub language: String,
    /// SECURITY DEFINER.
    pub definer: bool,
    /// SET clauses.
    pub settings: BTreeMap<String, Vec<String>>,
    /// `immutable`, `stable` or `volatile`.
    pub volatility: String,
    /// Its text, with the quotes of a literal taken off.
    pub body: Arc<str>,
    /// Whether that text may define something when it runs.
    pub defines: bool,
    /// Names, without their schemas, of what that text may call.
    pub calls: BTreeSet<String>,
}

/// An argument of a call, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Argument {
    /// Its text, where it is a literal.
    pub value: Option<String>,
    /// Its type in normal form, where it is written or the literal shows it. Of a text in quotes it is not known.
    pub type_name: Option<String>,
}

/// One action of ALTER FUNCTION.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoutineAction {
    /// RENAME TO.
    Rename(String),
    /// SET SCHEMA.
    SetSchema(String),
    /// OWNER TO.
    Owner(String),
    /// SECURITY DEFINER or INVOKER.
    Definer(bool),
    /// SET or RESET; no values is RESET, and the name `all` is every one.
    Setting { name: String, values: Vec<String> },
    /// IMMUTABLE, STABLE, VOLATILE.
    Volatility(String),
    /// Cost, rows, support, parallel, leakproof, strictness, extension.
    Harmless,
}
