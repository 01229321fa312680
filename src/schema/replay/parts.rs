//! Indexes that were made ONLY for a partitioned table: PostgreSQL does not use them until each partition has a part.

use std::collections::BTreeMap;

use super::Player;
use crate::schema::Name;
use crate::sql::ddl::Written;

/// For each index that is not whole, the partitions that have a part of it; with the part's name where a statement
/// attached it.
#[derive(Default)]
pub(super) struct Parts(BTreeMap<Name, BTreeMap<Name, Option<Name>>>);

impl Parts {
    pub(super) fn begin(&mut self, index: Name) {
        self.0.entry(index).or_default();
    }

    pub(super) fn forget(&mut self, index: &Name) {
        self.0.remove(index);
    }

    /// A partition that is made or attached gets a part of each index.
    pub(super) fn take_in(&mut self, index: &Name, partition: &Name) {
        if let Some(parts) = self.0.get_mut(index) {
            parts.entry(partition.clone()).or_insert(None);
        }
    }

    pub(super) fn rename(&mut self, old: &Name, new: &Name) {
        if let Some(parts) = self.0.remove(old) {
            self.0.insert(new.clone(), parts);
        }
        for part in self.0.values_mut().flat_map(BTreeMap::values_mut).flatten().filter(|part| *part == old) {
            part.clone_from(new);
        }
    }

    pub(super) fn rename_table(&mut self, old: &Name, new: &Name) {
        for parts in self.0.values_mut() {
            if let Some(part) = parts.remove(old) {
                parts.insert(new.clone(), part);
            }
        }
    }

    /// Whether each of these partitions has a part that is whole itself.
    fn are_all(&self, index: &Name, partitions: &[Name]) -> bool {
        let Some(parts) = self.0.get(index) else { return false };
        let is_whole = |part: &Option<Name>| part.as_ref().is_none_or(|part| !self.0.contains_key(part));
        partitions.iter().all(|partition| parts.get(partition).is_some_and(is_whole))
    }

    /// The index that this one is a part of.
    fn whole_of(&self, part: &Name) -> Option<Name> {
        let holds = |parts: &BTreeMap<Name, Option<Name>>| parts.values().flatten().any(|one| one == part);
        self.0.iter().find(|(_, parts)| holds(parts)).map(|(index, _)| index.clone())
    }
}

impl Player {
    pub(super) fn attach_index(&mut self, whole: &Written, part: &Written) {
        let (whole, part) = (self.find_index(whole), self.find_index(part));
        let Some(partition) = self.indexes.get(&part).cloned() else { return };
        if let Some(parts) = self.parts.0.get_mut(&whole) {
            parts.insert(partition, Some(part));
        }
        let mut open = Some(whole);
        while let Some(index) = open.take() {
            let Some(table) = self.indexes.get(&index).cloned() else { return };
            if !self.parts.are_all(&index, &self.partitions_of(&table)) {
                return;
            }
            self.parts.forget(&index);
            self.on_table(&table, |table| {
                if let Some(one) = table.indexes.get_mut(&index.name) {
                    one.whole = true;
                }
                if let Some(one) = table.constraints.get_mut(&index.name) {
                    one.whole = true;
                }
            });
            open = self.parts.whole_of(&index);
        }
    }

    pub(super) fn find_index(&self, written: &Written) -> Name {
        self.find_where(written, |name| self.indexes.contains_key(name))
    }
}
