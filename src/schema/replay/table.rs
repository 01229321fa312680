//! Tables as a whole: made, copied, dropped, renamed, moved.

use super::constraint::merged;
use super::{Player, TEMPORARY};
use crate::schema::{Column, Demand, Lost, Name, Origin, Table};
use crate::sql::ddl::{Like, NewColumn, NewTable, ObjectKind, Persistence, Written};

impl Player {
    pub(super) fn create_table(&mut self, written: &Written, if_not_exists: bool, new: &NewTable, at: &Origin) {
        let mut name = self.new_name(written);
        if new.persistence == Persistence::Temporary {
            name.schema = TEMPORARY.to_owned();
            self.temporary.push(name.clone());
        }
        if let Some(table) = self.out.schema.tables.get(&name) {
            let made = table.made.clone();
            if if_not_exists {
                self.lose(&name, Lost::Ignored, made, at);
            }
            return;
        }
        let mut table = Table::new(at.clone());
        table.persistence = new.persistence;
        table.from_query = new.from_query;
        table.foreign = new.foreign;
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
            self.inherit_all(&name, &parent);
            self.points(&name, &parent);
            self.on_table(&name, |table| table.inherits.insert(parent, at.clone()));
        }
        if let Some(parent) = new.partition_of.as_ref().map(|parent| self.find(parent)) {
            self.inherit_all(&name, &parent);
            self.attach(&name, &parent);
        }
        for constraint in &merged(&new.constraints) {
            self.add_constraint(&name, constraint, at);
        }
        self.learn_uses(&name);
        self.give_defaults(ObjectKind::Table, &name, &[], at);
    }

    /// Temporary tables go with the session. That one goes on in the next file is not for migrations to rely on.
    pub(super) fn end_session(&mut self) {
        for name in std::mem::take(&mut self.temporary) {
            if let Some(at) = self.out.schema.tables.get(&name).map(|table| table.made.clone()) {
                self.remove_table(&name, &at);
            }
        }
    }

    pub(super) fn on_table<T>(&mut self, name: &Name, change: impl FnOnce(&mut Table) -> T) -> Option<T> {
        self.out.schema.tables.get_mut(name).map(change)
    }

    pub(super) fn column(&self, table: &Name, new: &NewColumn, at: &Origin) -> Column {
        let made = Origin { span: new.span, ..at.clone() };
        let type_name = self.resolved(stored_type(&new.type_name));
        let collation = new.collation.clone().or_else(|| self.collation_of(&type_name));
        Column {
            not_null: new.not_null.then(|| made.clone()),
            made,
            type_name,
            default: new.default.clone().or_else(|| serial_default(table, new)),
            collation: collation.filter(|name| name != "default"),
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

    pub(super) fn drop_table(&mut self, written: &Written, at: &Origin) {
        let name = self.find(written);
        self.remove_table(&name, at);
    }

    /// With a table go its partitions.
    pub(super) fn remove_table(&mut self, name: &Name, at: &Origin) {
        if !self.out.schema.tables.contains_key(name) {
            return;
        }
        for (_, partition) in self.below(name).into_iter().rev() {
            self.remove_alone(&partition, at);
        }
        self.remove_alone(name, at);
    }

    fn remove_alone(&mut self, name: &Name, at: &Origin) {
        let Some(table) = self.out.schema.tables.remove(name) else { return };
        for index in table.indexes.keys().chain(table.constraints.keys()) {
            self.indexes.remove(&Name::new(&name.schema, index));
        }
        self.take_grants(ObjectKind::Table, name);
        self.drop_references(name, None);
        if let Some(whole) = &table.partition_of {
            self.detach(name, whole, at);
        }
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
            self.move_grants(name, new);
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
        self.rename_in_family(old, new);
        self.point_anew(old, new);
        let Some(table) = self.out.schema.tables.get(new) else { return };
        for index in table.indexes.keys().chain(table.constraints.keys()) {
            let before = Name::new(&old.schema, index);
            if self.indexes.get(&before) == Some(old) {
                let after = Name::new(&new.schema, index);
                self.indexes.remove(&before);
                self.parts.rename(&before, &after);
                self.indexes.insert(after, new.clone());
            }
        }
        self.parts.rename_table(old, new);
        self.learn_uses(new);
        self.move_grants(old, new);
    }

    fn move_grants(&mut self, old: &Name, new: &Name) {
        for (mut grant, at) in self.take_grants(ObjectKind::Table, old) {
            grant.object = new.clone();
            self.out.schema.grants.insert(grant, at);
        }
    }

    pub(super) fn rename_schema(&mut self, old: &str, new: &str) {
        if let Some(at) = self.out.schema.schemas.remove(old) {
            self.out.schema.schemas.insert(new.to_owned(), at);
        }
        let views = self.out.schema.views.keys().filter(|name| name.schema == old).cloned();
        for name in self.tables_in(old).into_iter().chain(views.collect::<Vec<_>>()) {
            self.move_table(&name, &Name::new(new, &name.name));
        }
        let routines: Vec<_> = self.out.schema.routines.keys().filter(|one| one.name.schema == old).cloned().collect();
        for signature in routines {
            self.move_routine(&signature, Name::new(new, &signature.name.name));
        }
        let types: Vec<_> = self.out.schema.types.extract_if(.., |name, _| name.schema == old).collect();
        self.out.schema.types.extend(types.into_iter().map(|(name, one)| (Name::new(new, name.name), one)));
        let rest: Vec<_> = self.out.schema.grants.extract_if(.., |grant, _| grant.object.schema == old).collect();
        for (mut grant, at) in rest {
            let name = if grant.kind == ObjectKind::Schema { new } else { &grant.object.name };
            grant.object = Name::new(new, name);
            self.out.schema.grants.insert(grant, at);
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

/// A serial is an integer with a sequence for its default.
fn stored_type(written: &str) -> &str {
    match written {
        "serial" | "serial4" => "integer",
        "bigserial" | "serial8" => "bigint",
        "smallserial" | "serial2" => "smallint",
        other => other,
    }
}

fn serial_default(table: &Name, column: &NewColumn) -> Option<String> {
    column.type_name.contains("serial").then(|| format!("nextval('{}_{}_seq'::regclass)", table.name, column.name))
}
