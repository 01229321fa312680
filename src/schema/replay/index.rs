//! Indexes that no constraint owns.

use super::Player;
use super::constraint::has_index;
use crate::schema::{Index, Lost, Name, Origin, name};
use crate::sql::ddl::{NewIndex, Written};

impl Player {
    pub(super) fn create_index(
        &mut self,
        table: &Written,
        given: Option<&str>,
        if_not_exists: bool,
        new: &NewIndex,
        at: &Origin,
    ) {
        let table = self.find(table);
        if let Some(owner) = given.and_then(|given| self.indexes.get(&Name::new(&table.schema, name::truncated(given))))
        {
            let owner = owner.clone();
            if if_not_exists {
                self.lose(&owner, Lost::Ignored, at.clone(), at);
            }
            return;
        }
        let index = Index {
            made: at.clone(),
            unique: new.unique,
            columns: new.columns.clone(),
            include: new.include.clone(),
            predicate: new.predicate.clone(),
            nulls_distinct: new.nulls_distinct,
            method: new.method.clone(),
            whole: !new.only || self.partitions_of(&table).is_empty(),
        };
        self.insert_index(&table, given.map(str::to_owned), index.clone());
        if index.whole {
            self.index_partitions(&table, &index);
        }
    }

    pub(super) fn insert_index(&mut self, table: &Name, given: Option<String>, index: Index) {
        if !self.out.schema.tables.contains_key(table) {
            return;
        }
        let name = given.map_or_else(|| self.index_name(table, &index), |given| name::truncated(&given).to_owned());
        let full = Name::new(&table.schema, &name);
        if !index.whole {
            self.parts.begin(full.clone());
        }
        self.indexes.insert(full, table.clone());
        self.on_table(table, |table| table.indexes.insert(name, index));
    }

    fn index_name(&self, table: &Name, index: &Index) -> String {
        let part = |key: &str| match key.split_once('(') {
            Some((function, _)) if !function.is_empty() => function.rsplit('.').next().unwrap_or(function).to_owned(),
            _ if key.contains(' ') => "expr".to_owned(),
            _ => key.to_owned(),
        };
        let columns: Vec<_> = index.columns.iter().map(|column| part(&column.key)).collect();
        name::choose(&table.name, &columns.join("_"), "idx", |name| {
            let full = Name::new(&table.schema, name);
            self.indexes.contains_key(&full) || self.out.schema.tables.contains_key(&full)
        })
    }

    /// PostgreSQL refuses to drop the index of a constraint.
    pub(super) fn drop_index(&mut self, written: &Written, at: &Origin) {
        let name = self.find_index(written);
        self.remove_index(&name, at);
    }

    /// With an index of the whole go those of its partitions.
    fn remove_index(&mut self, name: &Name, at: &Origin) {
        let (mut open, mut lost) = (vec![name.clone()], Vec::new());
        while let Some(name) = open.pop() {
            let Some(table) = self.indexes.get(&name).cloned() else { continue };
            let index = self.on_table(&table, |table| table.indexes.remove(&name.name)).flatten();
            let Some(index) = index else { continue };
            self.indexes.remove(&name);
            self.parts.forget(&name);
            for partition in self.partitions_of(&table) {
                let indexes = self.out.schema.tables.get(&partition).map(|table| &table.indexes);
                let same = indexes.into_iter().flatten().find(|(_, one)| one.is_part_of(&index));
                open.extend(same.map(|(name, _)| Name::new(&partition.schema, name)));
            }
            lost.push((table, name.name, index));
        }
        for (table, name, index) in lost.into_iter().rev() {
            let made = index.made.clone();
            self.lose(&table, Lost::Index(name, index), made, at);
        }
    }

    /// Renaming the index of a constraint renames the constraint.
    pub(super) fn rename_index(&mut self, table: &Name, old: &Name, new: Name) {
        self.indexes.remove(old);
        self.indexes.insert(new.clone(), table.clone());
        self.parts.rename(old, &new);
        self.on_table(table, |table| {
            if let Some(index) = table.indexes.remove(&old.name) {
                table.indexes.insert(new.name, index);
            } else if table.constraints.get(&old.name).is_some_and(|one| has_index(&one.demand))
                && let Some(constraint) = table.constraints.remove(&old.name)
            {
                table.constraints.insert(new.name, constraint);
            }
        });
    }
}
