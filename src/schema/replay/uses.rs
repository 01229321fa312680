//! Which tables have columns of a type, or triggers that run a function, so that neither is looked for in all of them.

use std::collections::{BTreeMap, BTreeSet};

use super::Player;
use crate::schema::typed::named;
use crate::schema::{Name, Table};

/// Tables by what they use; some may not any more.
#[derive(Default)]
pub(super) struct Uses {
    types: BTreeMap<Name, BTreeSet<Name>>,
    functions: BTreeMap<Name, BTreeSet<Name>>,
}

impl Uses {
    pub(super) fn add_type(&mut self, type_name: &str, table: &Name) {
        if let Some((name, _)) = named(type_name) {
            self.types.entry(name).or_default().insert(table.clone());
        }
    }

    pub(super) fn add_function(&mut self, function: &Name, table: &Name) {
        self.functions.entry(function.clone()).or_default().insert(table.clone());
    }

    pub(super) fn of_type(&self, name: &Name) -> Vec<Name> {
        self.types.get(name).into_iter().flatten().cloned().collect()
    }

    pub(super) fn of_function(&self, name: &Name) -> Vec<Name> {
        self.functions.get(name).into_iter().flatten().cloned().collect()
    }

    /// All that a table uses.
    fn add(&mut self, name: &Name, table: &Table) {
        table.columns.values().for_each(|column| self.add_type(&column.type_name, name));
        table.triggers.values().for_each(|trigger| self.add_function(&trigger.function, name));
    }

    pub(super) fn rename_type(&mut self, old: &Name, new: &Name) {
        let tables = self.types.remove(old).unwrap_or_default();
        self.types.entry(new.clone()).or_default().extend(tables);
    }

    pub(super) fn rename_function(&mut self, old: &Name, new: &Name) {
        let tables = self.functions.remove(old).unwrap_or_default();
        self.functions.entry(new.clone()).or_default().extend(tables);
    }
}

impl Player {
    /// What a table uses by now, under the name that it has by now.
    pub(super) fn learn_uses(&mut self, name: &Name) {
        if let Some(table) = self.out.schema.tables.get(name) {
            self.uses.add(name, table);
        }
    }
}
