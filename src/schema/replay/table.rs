//! Tables as a whole: made, copied, dropped, renamed, moved.

use super::Player;
use crate::schema::{Column, Demand, Lost, Name, Origin, Table};
use crate::sql::ddl::{Like, NewColumn, NewTable, Written};

impl Player {
    pub(super) fn create_table(&mut self, written: &Written, if_not_exists: bool, new: &NewTable, at: &Origin) {
        let name = self.new_name(written);
        if let Some(table) = self.out.schema.tables.get(&name) {
            let made = table.made.clone();
            if if_not_exists {
                self.lose(&name, Lost::Ignored, made, at);
            }
            return;
        }
        let mut table = Table::new(at.clone());
        table.persistence = new.persistence;
        table.partition_by.clone_from(&new.partition_by);
        table.options.clone_from(&new.options);
        table.owner.clone_from(&self.role);
        for column in &new.columns {
            table.columns.insert(column.name.clone(), self.column(&name, column, at));
        }
        self.out.schema.tables.insert(name.clone(), table);
        for like in &new.like {
            self.copy(&name, like, at);
        }
        for parent in new.inherits.iter().map(|parent| self.find(parent)).collect::<Vec<_>>() {
            self.take_over(&name, &parent);
            self.on_table(&name, |table| table.inherits.insert(parent, at.clone()));
        }
        if let Some(parent) = new.partition_of.as_ref().map(|parent| self.find(parent)) {
            self.take_over(&name, &parent);
            self.on_table(&name, |table| table.partition_of = Some(parent));
        }
        for constraint in &new.constraints {
            self.add_constraint(&name, constraint, at);
        }
        self.give_defaults(crate::sql::ddl::ObjectKind::Table, &name, &[], at);
    }

    pub(super) fn on_table<T>(&mut self, name: &Name, change: impl FnOnce(&mut Table) -> T) -> Option<T> {
        self.out.schema.tables.get_mut(name).map(change)
    }

    pub(super) fn column(&self, table: &Name, new: &NewColumn, at: &Origin) -> Column {
        let made = Origin { span: new.span, ..at.clone() };
        Column {
            not_null: new.not_null.then(|| made.clone()),
            made,
            type_name: new.type_name.clone(),
            default: new.default.clone().or_else(|| serial_default(table, new)),
            collation: new.collation.clone().filter(|name| name != "default"),
            generated: new.generated.clone(),
        }
    }

    /// LIKE copies names, types, collations and NOT NULL; the rest only where INCLUDING names it.
    fn copy(&mut self, name: &Name, like: &Like, at: &Origin) {
        let source = self.find(&like.table);
        let Some(from) = self.out.schema.tables.get(&source).cloned() else { return };
        let key = from.primary_key().to_vec();
        let has = |what: &str| like.including.contains(what);
        let columns = from.columns.into_iter().map(|(column, mut one)| {
            one.made = at.clone();
            one.not_null = (one.not_null.is_some() || key.contains(&column)).then(|| at.clone());
            one.default = one.default.filter(|_| has("defaults"));
            one.generated = one.generated.filter(|_| has("generated") || has("identity"));
            (column, one)
        });
        let constraints = from.constraints.into_iter().filter(|(_, one)| match one.demand {
            Demand::Check(_) => has("constraints"),
            Demand::Primary(_) | Demand::Unique { .. } | Demand::Exclude(_) => has("indexes"),
            Demand::Foreign { .. } => false,
        });
        let constraints: Vec<_> = constraints.collect();
        self.on_table(name, |table| table.columns.extend(columns));
        for (old, mut constraint) in constraints {
            constraint.made = at.clone();
            // A check keeps its name, an index gets a new one.
            let kept = matches!(constraint.demand, Demand::Check(_)).then_some(old);
            self.insert_constraint(name, kept, constraint);
        }
        if has("indexes") {
            for mut index in from.indexes.into_values() {
                index.made = at.clone();
                self.insert_index(name, None, index);
            }
        }
    }

    /// A child or partition has its parent's columns and checks; a partition its keys and row triggers too.
    fn take_over(&mut self, name: &Name, parent: &Name) {
        let Some(from) = self.out.schema.tables.get(parent) else { return };
        let columns = from.columns.clone();
        let checks: Vec<_> =
            from.constraints.iter().filter(|(_, one)| matches!(one.demand, Demand::Check(_))).map(pair).collect();
        self.on_table(name, |table| {
            for (column, one) in columns {
                table.columns.entry(column).or_insert(one);
            }
            for (check, one) in checks {
                table.constraints.entry(check).or_insert(one);
            }
        });
    }

    pub(super) fn drop_table(&mut self, written: &Written, at: &Origin) {
        let name = self.find(written);
        self.remove_table(&name, at);
    }

    pub(super) fn remove_table(&mut self, name: &Name, at: &Origin) {
        let Some(table) = self.out.schema.tables.remove(name) else { return };
        self.indexes.retain(|_, owner| owner != name);
        self.out.schema.grants.retain(|grant, _| grant.object != *name || !grant.arguments.is_empty());
        self.lose(name, Lost::Table, table.made, at);
    }

    /// ALTER TABLE or INDEX .. RENAME TO: constraints, indexes and triggers keep their names.
    pub(super) fn rename_relation(&mut self, written: &Written, to: &str) {
        let name = self.find(written);
        let new = Name::new(&name.schema, crate::schema::name::truncated(to));
        if let Some(owner) = self.indexes.get(&name).cloned() {
            self.rename_index(&owner, &name, new);
        } else {
            self.move_table(&name, &new);
        }
    }

    pub(super) fn move_table(&mut self, name: &Name, new: &Name) {
        if let Some(view) = self.out.schema.views.remove(name) {
            self.out.schema.views.insert(new.clone(), view);
        }
        if self.out.schema.tables.contains_key(new) {
            return;
        }
        let Some(table) = self.out.schema.tables.remove(name) else { return };
        self.out.schema.tables.insert(new.clone(), table);
        self.follow(name, new);
    }

    /// Everything that points at a table goes on pointing at it.
    fn follow(&mut self, old: &Name, new: &Name) {
        for table in self.out.schema.tables.values_mut() {
            for constraint in table.constraints.values_mut() {
                if let Demand::Foreign { table, .. } = &mut constraint.demand
                    && table == old
                {
                    table.clone_from(new);
                }
            }
            if table.partition_of.as_ref() == Some(old) {
                table.partition_of = Some(new.clone());
            }
            if let Some(at) = table.inherits.remove(old) {
                table.inherits.insert(new.clone(), at);
            }
        }
        let moved: Vec<_> =
            self.indexes.iter().filter(|(_, owner)| *owner == old).map(|(index, _)| index.clone()).collect();
        for index in moved {
            self.indexes.remove(&index);
            self.indexes.insert(Name::new(&new.schema, index.name), new.clone());
        }
        let grants: Vec<_> =
            self.out.schema.grants.iter().filter(|(grant, _)| grant.object == *old).map(pair).collect();
        for (mut grant, at) in grants {
            self.out.schema.grants.remove(&grant);
            grant.object = new.clone();
            self.out.schema.grants.insert(grant, at);
        }
    }

    pub(super) fn rename_schema(&mut self, old: &str, new: &str) {
        if let Some(at) = self.out.schema.schemas.remove(old) {
            self.out.schema.schemas.insert(new.to_owned(), at);
        }
        for name in self.tables_in(old) {
            self.move_table(&name, &Name::new(new, &name.name));
        }
    }

    pub(super) fn drop_schema(&mut self, schema: &str, cascade: bool, at: &Origin) {
        self.out.schema.schemas.remove(schema);
        if !cascade {
            return;
        }
        for name in self.tables_in(schema) {
            self.remove_table(&name, at);
        }
        self.out.schema.routines.retain(|signature, _| signature.name.schema != schema);
        self.out.schema.views.retain(|name, _| name.schema != schema);
        self.out.schema.types.retain(|name, _| name.schema != schema);
        self.out.schema.grants.retain(|grant, _| grant.object.schema != schema);
    }

    pub(super) fn tables_in(&self, schema: &str) -> Vec<Name> {
        let start = Name::new(schema, "");
        let tables = self.out.schema.tables.range(start..).take_while(|(name, _)| name.schema == schema);
        tables.map(|(name, _)| name.clone()).collect()
    }
}

fn pair<K: Clone, V: Clone>((key, value): (&K, &V)) -> (K, V) {
    (key.clone(), value.clone())
}

fn serial_default(table: &Name, column: &NewColumn) -> Option<String> {
    column.type_name.contains("serial").then(|| format!("nextval('{}_{}_seq'::regclass)", table.name, column.name))
}
