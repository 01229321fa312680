//! What makes a key unique, and what only seems to.

use std::collections::BTreeSet;

use crate::schema::{Constraint, Demand, Index, Lost, Origin, Replayed, Table};
use crate::sql::computed::{Computed, computed};
use crate::sql::ddl::IndexColumn;
use crate::sql::tokens;

use super::Keyed;

/// A constraint or index that has to do with a key.
#[derive(Clone, Debug)]
pub struct Unique<'s> {
    /// Its name.
    pub name: &'s str,
    /// Where it was made.
    pub made: &'s Origin,
    /// Why it does not make the key unique; `None` when it does.
    pub weakness: Option<Weakness>,
    /// Whether it is the primary key or a constraint, not an index alone.
    pub is_constraint: bool,
    /// Columns of the key in which two NULLs are the same for it.
    pub nulls_same: BTreeSet<&'s str>,
}

/// Why something unique does not make the key unique.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Weakness {
    /// Only rows that meet this.
    Partial(String),
    /// Checked when the transaction ends; cannot serve ON CONFLICT.
    Deferrable,
    /// Unique only together with these columns.
    Extra(Vec<String>),
    /// Over this, which may be NULL for a key, and two NULLs differ.
    Null(String),
    /// Made ONLY for the whole, while a partition has no part of it.
    Parts,
}

/// Everything unique of `table` that has to do with the key, the primary key first.
#[must_use]
pub fn candidates<'s>(table: &'s Table, key: &'s [String]) -> Vec<Unique<'s>> {
    let constraints = table.constraints.iter().filter_map(|(name, one)| constraint(name, one, key));
    let indexes = table.indexes.iter().filter_map(|(name, one)| index(name, one, key));
    constraints.chain(indexes).collect()
}

fn constraint<'s>(name: &'s str, one: &'s Constraint, key: &'s [String]) -> Option<Unique<'s>> {
    let (columns, nulls_same) = match &one.demand {
        Demand::Primary(columns) => (columns, false),
        Demand::Unique { columns, nulls_distinct } => (columns, !nulls_distinct),
        Demand::Check(_) | Demand::Foreign { .. } | Demand::Exclude(_) => return None,
    };
    let extra = extra(&columns.iter().map(String::as_str).collect(), key)?;
    let parts = (!one.whole).then_some(Weakness::Parts);
    let weakness = extra.or(one.deferrable.then_some(Weakness::Deferrable)).or(parts);
    let nulls_same = key.iter().map(String::as_str).filter(|_| nulls_same).collect();
    Some(Unique { name, made: &one.made, weakness, is_constraint: true, nulls_same })
}

fn index<'s>(name: &'s str, one: &'s Index, key: &'s [String]) -> Option<Unique<'s>> {
    if !one.unique {
        return None;
    }
    let elements: Vec<Computed> = one.columns.iter().map(element).collect();
    // Equal keys have equal values of any function of them, so that a unique one is as strong, unless it makes NULL.
    let columns = elements.iter().flat_map(|element| &element.columns).map(String::as_str).collect();
    let extra = extra(&columns, key)?;
    let null = one.columns.iter().zip(&elements).find(|(_, element)| one.nulls_distinct && element.may_be_null);
    let null = null.map(|(column, _)| Weakness::Null(column.key.clone()));
    let partial = one.predicate.clone().filter(|predicate| !always(predicate, key)).map(Weakness::Partial);
    let weakness = partial.or(extra).or(null).or((!one.whole).then_some(Weakness::Parts));
    let is_same = |part: &&str| {
        let there = elements.iter().any(|element| element.columns.contains(*part));
        one.predicate.is_none()
            && there
            && !(one.nulls_distinct && elements.iter().any(|one| one.strict.contains(*part)))
    };
    let nulls_same = key.iter().map(String::as_str).filter(is_same).collect();
    Some(Unique { name, made: &one.made, weakness, is_constraint: false, nulls_same })
}

fn element(column: &IndexColumn) -> Computed {
    if column.is_expression {
        return computed(&column.key);
    }
    let only = BTreeSet::from([column.key.clone()]);
    Computed { columns: only.clone(), strict: only, may_be_null: false }
}

/// `None` when the columns have nothing to do with the key; `Some(None)` when they make it unique.
fn extra(columns: &BTreeSet<&str>, key: &[String]) -> Option<Option<Weakness>> {
    let (inside, outside): (Vec<&str>, Vec<&str>) =
        columns.iter().partition(|column| key.iter().any(|part| part == **column));
    if outside.is_empty() && !inside.is_empty() {
        return Some(None);
    }
    let covers = key.iter().all(|part| inside.contains(&part.as_str()));
    covers.then(|| Some(Weakness::Extra(outside.into_iter().map(str::to_owned).collect())))
}

/// `key IS NOT NULL` leaves out no row that has a key.
fn always(predicate: &str, key: &[String]) -> bool {
    predicate
        .split(" and ")
        .all(|part| part.strip_suffix(" is not null").is_some_and(|name| key.iter().any(|one| one == name)))
}

/// Whether an expression names something.
#[must_use]
pub fn names(expression: &str, name: &str) -> bool {
    tokens(expression).iter().any(|token| token.name(expression).as_deref() == Some(name))
}

/// The last thing that made the key unique and was lost.
#[must_use]
pub fn lost<'s>(replayed: &'s Replayed, keyed: &'s Keyed) -> Option<(&'s Origin, &'s Origin)> {
    let was_unique = |lost: &'s Lost| match lost {
        Lost::Constraint(name, one) => constraint(name, one, &keyed.key),
        Lost::Index(name, one) => index(name, one, &keyed.key),
        Lost::Table
        | Lost::Partition(_)
        | Lost::Column(_)
        | Lost::NotNull(_)
        | Lost::Trigger(..)
        | Lost::Fires(..)
        | Lost::Collation(..)
        | Lost::Ignored => None,
    };
    let mut found = replayed.losses.iter().rev().filter(|loss| loss.table == keyed.table);
    found
        .find(|loss| was_unique(&loss.lost).is_some_and(|one| one.weakness.is_none()))
        .map(|loss| (&loss.made, &loss.at))
}
