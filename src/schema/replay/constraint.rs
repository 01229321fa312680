//! Constraints.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::Player;
use crate::schema::{Column, Constraint, Demand, Index, Lost, Name, Origin, Table, name};
use crate::sql::ddl::{ConstraintKind, IndexColumn, NewConstraint};
use crate::sql::tokens;

impl Player {
    /// Adds a constraint under its own name or the one that PostgreSQL gives it, to partitions too.
    pub(super) fn add_constraint(&mut self, table: &Name, new: &NewConstraint, at: &Origin) {
        self.add(table, false, new, at);
    }

    /// The same with ONLY: a key is not whole while there are partitions without it.
    pub(super) fn add_only(&mut self, table: &Name, new: &NewConstraint, at: &Origin) {
        self.add(table, true, new, at);
    }

    fn add(&mut self, table: &Name, only: bool, new: &NewConstraint, at: &Origin) {
        let made = Origin { span: new.span, ..at.clone() };
        let demand = match &new.kind {
            ConstraintKind::NotNull { column } => {
                self.set_not_null(table, column, &made);
                let name = new.name.clone().unwrap_or_else(|| name::choose(&table.name, column, "not_null", |_| false));
                self.not_nulls.insert((table.clone(), name), column.clone());
                return;
            }
            ConstraintKind::UsingIndex { index, primary } => {
                self.adopt_index(table, index, *primary, new, made);
                return;
            }
            ConstraintKind::Primary { columns } => Demand::Primary(columns.clone()),
            ConstraintKind::Unique { columns, nulls_distinct } => {
                Demand::Unique { columns: columns.clone(), nulls_distinct: *nulls_distinct }
            }
            ConstraintKind::Check { expression, .. } => Demand::Check(expression.clone()),
            ConstraintKind::Foreign { columns, table, referred, on_delete, on_update } => Demand::Foreign {
                columns: columns.clone(),
                table: self.find(table),
                referred: referred.clone(),
                on_delete: on_delete.clone(),
                on_update: on_update.clone(),
            },
            ConstraintKind::Exclude { elements } => Demand::Exclude(elements.clone()),
        };
        let whole = !only || !has_index(&demand) || self.partitions_of(table).is_empty();
        let constraint = Constraint { made, demand, deferrable: new.deferrable, valid: new.valid, whole };
        self.insert_constraint(table, new.name.clone(), constraint.clone());
        if !whole {
            return;
        }
        for partition in self.partitions_of(table) {
            // The index of a partition has a name of its own.
            let name = new.name.clone().filter(|_| !has_index(&constraint.demand));
            self.insert_constraint(&partition, name, constraint.clone());
        }
    }

    pub(super) fn insert_constraint(&mut self, table: &Name, given: Option<String>, constraint: Constraint) {
        let Some(holder) = self.out.schema.tables.get(table) else { return };
        let primary = matches!(constraint.demand, Demand::Primary(_));
        if primary && !holder.primary_key().is_empty() {
            return;
        }
        let name = given
            .map_or_else(|| self.implicit(table, holder, &constraint.demand), |name| name::truncated(&name).to_owned());
        let made = constraint.made.clone();
        if let Demand::Primary(columns) = &constraint.demand {
            for column in columns {
                self.set_not_null(table, column, &made);
            }
        }
        if let Demand::Foreign { table: referred, .. } = &constraint.demand {
            self.points(table, referred);
        }
        if has_index(&constraint.demand) {
            let index = Name::new(&table.schema, &name);
            if !constraint.whole {
                self.parts.begin(index.clone());
            }
            self.indexes.entry(index).or_insert_with(|| table.clone());
        }
        self.on_table(table, |table| {
            table.constraints.entry(name).or_insert(constraint);
        });
    }

    fn implicit(&self, table: &Name, holder: &Table, demand: &Demand) -> String {
        let index_taken = |name: &str| {
            let full = Name::new(&table.schema, name);
            self.indexes.contains_key(&full)
                || self.out.schema.tables.contains_key(&full)
                || holder.constraints.contains_key(name)
        };
        let taken = |name: &str| holder.constraints.contains_key(name);
        match demand {
            Demand::Primary(_) => name::choose(&table.name, "", "pkey", index_taken),
            Demand::Unique { columns, .. } => name::choose(&table.name, &columns.join("_"), "key", index_taken),
            Demand::Check(expression) => {
                let used = columns_in(expression, holder);
                let column = if used.len() == 1 { used.first().cloned().unwrap_or_default() } else { String::new() };
                name::choose(&table.name, &column, "check", taken)
            }
            Demand::Foreign { columns, .. } => name::choose(&table.name, &columns.join("_"), "fkey", taken),
            Demand::Exclude(elements) => {
                let first = |element: &String| element.split_whitespace().next().unwrap_or_default().to_owned();
                let columns: Vec<_> = elements.iter().map(first).collect();
                name::choose(&table.name, &columns.join("_"), "excl", index_taken)
            }
        }
    }

    /// PRIMARY KEY or UNIQUE USING INDEX: the index takes the constraint's name. Partial and expression indexes are refused.
    fn adopt_index(&mut self, table: &Name, index: &str, primary: bool, new: &NewConstraint, made: Origin) {
        let found = self.on_table(table, |table| table.indexes.get(index).cloned()).flatten();
        let Some(found) = found.filter(|one| one.unique && one.predicate.is_none()) else { return };
        if found.columns.iter().any(|column| column.is_expression) {
            return;
        }
        let columns: Vec<String> = found.columns.iter().map(|column| column.key.clone()).collect();
        self.on_table(table, |table| table.indexes.remove(index));
        self.indexes.remove(&Name::new(&table.schema, index));
        self.parts
            .rename(&Name::new(&table.schema, index), &Name::new(&table.schema, new.name.as_deref().unwrap_or(index)));
        let demand = if primary {
            Demand::Primary(columns)
        } else {
            Demand::Unique { columns, nulls_distinct: found.nulls_distinct }
        };
        let constraint = Constraint { made, demand, deferrable: new.deferrable, valid: true, whole: found.whole };
        let name = new.name.clone().unwrap_or_else(|| index.to_owned());
        self.insert_constraint(table, Some(name), constraint);
    }

    pub(super) fn drop_constraint(&mut self, table: &Name, name: &str, cascade: bool, at: &Origin) {
        let (mut open, mut lost) = (vec![(table.clone(), name.to_owned())], Vec::new());
        while let Some((table, name)) = open.pop() {
            if let Some(column) = self.not_nulls.remove(&(table.clone(), name.clone())) {
                self.drop_not_null(&table, &column, at);
                continue;
            }
            let constraint = self.on_table(&table, |table| table.constraints.remove(&name)).flatten();
            let Some(constraint) = constraint else { continue };
            if has_index(&constraint.demand) {
                let index = Name::new(&table.schema, &name);
                self.indexes.remove(&index);
                self.parts.forget(&index);
            }
            if let Demand::Primary(columns) | Demand::Unique { columns, .. } = &constraint.demand
                && cascade
            {
                self.drop_references(&table, Some(columns));
            }
            open.extend(self.constraints_of_partitions(&table, &name, &constraint.demand));
            lost.push((table, name, constraint));
        }
        for (table, name, constraint) in lost.into_iter().rev() {
            let made = constraint.made.clone();
            self.lose(&table, Lost::Constraint(name, constraint), made, at);
        }
    }

    pub(super) fn rename_constraint(&mut self, table: &Name, name: &str, to: &str) {
        if let Some(column) = self.not_nulls.remove(&(table.clone(), name.to_owned())) {
            self.not_nulls.insert((table.clone(), to.to_owned()), column);
            return;
        }
        let Some(constraint) = self.on_table(table, |table| table.constraints.remove(name)).flatten() else { return };
        let (old, new) = (Name::new(&table.schema, name), Name::new(&table.schema, to));
        if self.indexes.remove(&old).is_some() {
            self.parts.rename(&old, &new);
            self.indexes.insert(new, table.clone());
        }
        self.on_table(table, |table| table.constraints.insert(to.to_owned(), constraint));
    }

    pub(super) fn set_not_null(&mut self, table: &Name, column: &str, at: &Origin) {
        self.know(table, column, at);
        self.on_column(table, column, |one| {
            one.not_null.get_or_insert_with(|| at.clone());
        });
    }

    pub(super) fn drop_not_null(&mut self, table: &Name, column: &str, at: &Origin) {
        let in_key =
            self.out.schema.tables.get(table).is_some_and(|one| one.primary_key().iter().any(|key| key == column));
        if in_key {
            return;
        }
        if let Some(made) = self.on_column(table, column, |one| one.not_null.take()).flatten() {
            self.lose(table, Lost::NotNull(column.to_owned()), made, at);
        }
    }

    pub(super) fn on_column<T>(
        &mut self,
        table: &Name,
        column: &str,
        change: impl FnOnce(&mut Column) -> T,
    ) -> Option<T> {
        self.on_table(table, |table| table.columns.get_mut(column).map(change)).flatten()
    }
}

/// The constraints of one statement: a UNIQUE that says again what the primary key or another UNIQUE says makes no index of
/// its own, and gives it its name where that one has none.
pub(super) fn merged(all: &[NewConstraint]) -> Vec<NewConstraint> {
    let key = |one: &NewConstraint| match &one.kind {
        ConstraintKind::Primary { columns } | ConstraintKind::Unique { columns, nulls_distinct: true } => {
            Some((columns.clone(), one.deferrable))
        }
        _ => None,
    };
    let is_primary = |one: &&NewConstraint| matches!(one.kind, ConstraintKind::Primary { .. });
    let (first, rest): (Vec<_>, Vec<_>) = all.iter().partition(is_primary);
    let mut kept: Vec<NewConstraint> = Vec::new();
    let mut places: BTreeMap<(Vec<String>, bool), usize> = BTreeMap::new();
    for one in first.into_iter().chain(rest) {
        match key(one).map(|key| places.entry(key)) {
            Some(Entry::Occupied(place)) => {
                if let Some(before) = kept.get_mut(*place.get()) {
                    before.name = before.name.take().or_else(|| one.name.clone());
                }
                continue;
            }
            Some(Entry::Vacant(place)) => {
                place.insert(kept.len());
            }
            None => {}
        }
        kept.push(one.clone());
    }
    kept
}

/// Whether PostgreSQL keeps an index for it, under its name.
pub(super) fn has_index(demand: &Demand) -> bool {
    matches!(demand, Demand::Primary(_) | Demand::Unique { .. } | Demand::Exclude(_))
}

/// The columns of a table that an expression names.
pub(super) fn columns_in(expression: &str, table: &Table) -> BTreeSet<String> {
    let names = tokens(expression).into_iter().filter_map(|token| token.name(expression));
    names.filter(|name| table.columns.contains_key(name)).collect()
}

/// Whether a constraint needs a column.
pub(super) fn uses(demand: &Demand, column: &str) -> bool {
    match demand {
        Demand::Primary(columns) | Demand::Unique { columns, .. } | Demand::Foreign { columns, .. } => {
            columns.iter().any(|one| one == column)
        }
        Demand::Check(expression) => mentions(expression, column),
        Demand::Exclude(elements) => elements.iter().any(|one| mentions(one, column)),
    }
}

/// Whether an index needs a column.
pub(super) fn index_uses(index: &Index, column: &str) -> bool {
    let key = |one: &IndexColumn| if one.is_expression { mentions(&one.key, column) } else { one.key == column };
    index.columns.iter().any(key)
        || index.include.iter().any(|one| one == column)
        || index.predicate.as_ref().is_some_and(|predicate| mentions(predicate, column))
}

pub(super) fn mentions(expression: &str, column: &str) -> bool {
    tokens(expression).iter().any(|token| token.name(expression).as_deref() == Some(column))
}
