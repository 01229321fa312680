//! Columns.

use super::Player;
use super::constraint::{has_index, index_uses, mentions, merged, uses};
use crate::schema::{Column, Demand, Lost, Name, Origin, Table};
use crate::sql::ddl::{Generated, NewColumn, NewConstraint};
use crate::sql::tokens;

impl Player {
    pub(super) fn add_column(
        &mut self,
        table: &Name,
        new: &NewColumn,
        constraints: &[NewConstraint],
        if_not_exists: bool,
        at: &Origin,
    ) {
        let column = self.column(table, new, at);
        let Some(there) = self.on_table(table, |table| table.columns.get(&new.name).map(|one| one.made.clone())) else {
            return;
        };
        if let Some(made) = there {
            if if_not_exists {
                self.lose(table, Lost::Ignored, made, at);
            }
            return;
        }
        self.uses.add_type(&column.type_name, table);
        self.on_table(table, |table| table.columns.insert(new.name.clone(), column));
        for constraint in &merged(constraints) {
            self.add_constraint(table, constraint, at);
        }
    }

    /// With a column go the constraints and indexes that need it, those over several columns too.
    pub(super) fn drop_column(&mut self, name: &Name, column: &str, at: &Origin) {
        let mut lost = Vec::new();
        let dropped = self.on_table(name, |table| {
            let made = match table.columns.remove(column) {
                Some(one) => one.made,
                None if table.from_query => at.clone(),
                None => return None,
            };
            lost.push((Lost::Column(column.to_owned()), made));
            let gone: Vec<_> = table.constraints.extract_if(.., |_, one| uses(&one.demand, column)).collect();
            lost.extend(gone.into_iter().map(|(name, one)| {
                let made = one.made.clone();
                (Lost::Constraint(name, one), made)
            }));
            let gone: Vec<_> = table.indexes.extract_if(.., |_, one| index_uses(one, column)).collect();
            lost.extend(gone.into_iter().map(|(name, one)| {
                let made = one.made.clone();
                (Lost::Index(name, one), made)
            }));
            Some(())
        });
        if dropped.flatten().is_none() {
            return;
        }
        for (lost, made) in lost {
            match &lost {
                Lost::Constraint(gone, one) if has_index(&one.demand) => {
                    self.indexes.remove(&Name::new(&name.schema, gone));
                }
                Lost::Index(gone, _) => {
                    self.indexes.remove(&Name::new(&name.schema, gone));
                }
                _ => {}
            }
            self.lose(name, lost, made, at);
        }
    }

    pub(super) fn rename_column(&mut self, name: &Name, old: &str, new: &str) {
        self.on_table(name, |table| {
            if table.columns.contains_key(new) {
                return;
            }
            let column = table.columns.remove(old);
            if column.is_some() || table.from_query {
                table.columns.extend(column.map(|column| (new.to_owned(), column)));
                rename_uses(table, old, new);
            }
        });
    }

    /// A column that is named here, of a table that a query made.
    pub(super) fn know(&mut self, table: &Name, column: &str, at: &Origin) {
        self.on_table(table, |table| {
            if table.from_query && !table.columns.contains_key(column) {
                table.columns.insert(column.to_owned(), Column::unknown(at.clone()));
            }
        });
    }

    /// A type without a collation of its own has that of the type: the one before is lost.
    pub(super) fn set_type(
        &mut self,
        table: &Name,
        column: &str,
        type_name: &str,
        collation: Option<&str>,
        at: &Origin,
    ) {
        self.know(table, column, at);
        let type_name = self.resolved(type_name);
        self.uses.add_type(&type_name, table);
        let collation = collation.map(str::to_owned).or_else(|| self.collation_of(&type_name));
        let before = self.on_column(table, column, |one| {
            one.type_name = type_name;
            let new = collation.filter(|name| name != "default");
            let before = std::mem::replace(&mut one.collation, new);
            (before.filter(|old| one.collation.as_ref() != Some(old)), one.made.clone())
        });
        if let Some((Some(old), made)) = before {
            self.lose(table, Lost::Collation(column.to_owned(), old), made, at);
        }
    }
}

fn rename_uses(table: &mut Table, old: &str, new: &str) {
    let swap = |name: &mut String| {
        if name == old {
            new.clone_into(name);
        }
    };
    let rewrite = |text: &mut String| {
        if mentions(text, old) {
            *text = replaced(text, old, new);
        }
    };
    for constraint in table.constraints.values_mut() {
        match &mut constraint.demand {
            Demand::Primary(columns) | Demand::Unique { columns, .. } | Demand::Foreign { columns, .. } => {
                columns.iter_mut().for_each(swap);
            }
            Demand::Check(expression) => rewrite(expression),
            Demand::Exclude(elements) => elements.iter_mut().for_each(rewrite),
        }
    }
    for index in table.indexes.values_mut() {
        index.columns.iter_mut().for_each(|column| rewrite(&mut column.key));
        index.include.iter_mut().for_each(swap);
        index.predicate.iter_mut().for_each(rewrite);
    }
    for trigger in table.triggers.values_mut() {
        trigger.definition.condition.iter_mut().for_each(rewrite);
        if trigger.definition.columns.remove(old) {
            trigger.definition.columns.insert(new.to_owned());
        }
    }
    for column in table.columns.values_mut() {
        if let Some(Generated::Expression(expression)) = &mut column.generated {
            rewrite(expression);
        }
    }
    if let Some(partition) = &mut table.partition_by {
        partition.columns.iter_mut().for_each(rewrite);
    }
}

/// An expression with one name put in place of another.
fn replaced(expression: &str, old: &str, new: &str) -> String {
    let mut out = String::new();
    let mut at = 0;
    for token in tokens(expression) {
        if token.name(expression).as_deref() == Some(old) {
            out.push_str(expression.get(at..token.span.start).unwrap_or_default());
            out.push_str(new);
            at = token.span.end;
        }
    }
    out.push_str(expression.get(at..).unwrap_or_default());
    out
}
