//! Partitions and children: what they have from their parent, and what reaches them from it later.

use std::collections::BTreeSet;

use super::Player;
use super::constraint::has_index;
use crate::schema::{Constraint, Demand, Index, Lost, Name, Origin, Table, Trigger};
use crate::sql::ddl::Generated;

impl Player {
    /// A child or partition has its parent's columns and checks, but makes no identities of its own.
    pub(super) fn inherit_all(&mut self, name: &Name, parent: &Name) {
        let Some(from) = self.out.schema.tables.get(parent) else { return };
        let columns = from.columns.clone();
        let is_check = |demand: &Demand| matches!(demand, Demand::Check(_));
        let checks: Vec<_> = from.constraints.clone().into_iter().filter(|(_, one)| is_check(&one.demand)).collect();
        self.on_table(name, |table| {
            for (column, mut one) in columns {
                one.generated = one.generated.filter(|how| matches!(how, Generated::Expression(_)));
                table.columns.entry(column).or_insert(one);
            }
            for (check, one) in checks {
                table.constraints.entry(check).or_insert(one);
            }
        });
    }

    /// A partition has its parent's keys, indexes and row triggers; keys and indexes under names of its own. PostgreSQL
    /// refuses a table below itself.
    pub(super) fn attach(&mut self, name: &Name, parent: &Name) {
        if name == parent || self.below(name).iter().any(|(_, partition)| partition == parent) {
            return;
        }
        self.partitions.entry(parent.clone()).or_default().insert(name.clone());
        self.on_table(name, |table| table.partition_of = Some(parent.clone()));
        let Some(from) = self.out.schema.tables.get(parent).cloned() else { return };
        for constraint in from.constraints.values().filter(|one| !matches!(one.demand, Demand::Check(_))).cloned() {
            let same = |one: &Constraint| one.demand == constraint.demand;
            if !self.on_table(name, |table| table.constraints.values().any(same)).unwrap_or_default() {
                self.insert_constraint(name, None, Constraint { whole: true, ..constraint });
            }
        }
        // What has no part in others gets one here.
        let of_whole = from.indexes.keys().chain(from.constraints.keys());
        for index in of_whole.map(|index| Name::new(&parent.schema, index)) {
            self.parts.take_in(&index, name);
        }
        for (before, index) in from.indexes.values().enumerate() {
            let taken_in = from.indexes.values().take(before).filter(|one| one.is_part_of(index)).count();
            self.take_in(name, index, taken_in);
        }
        for (trigger, one) in from.triggers.into_iter().filter(|(_, one)| one.definition.each_row) {
            self.on_table(name, |table| table.triggers.entry(trigger).or_insert(one).enabled);
        }
        self.learn_uses(name);
    }

    /// A partition that is let go keeps its keys and indexes, and not the triggers that it had from the whole.
    pub(super) fn detach(&mut self, name: &Name, parent: &Name, at: &Origin) {
        let of_whole = self.out.schema.tables.get(parent).map(|table| table.triggers.clone()).unwrap_or_default();
        let made = self.on_table(name, |table| {
            table.partition_of = None;
            table.triggers.retain(|trigger, one| !one.definition.each_row || !of_whole.contains_key(trigger));
            table.made.clone()
        });
        if self.partitions.entry(parent.clone()).or_default().remove(name) {
            let lost = Lost::Partition(name.clone());
            self.lose(parent, lost, made.unwrap_or_else(|| at.clone()), at);
        }
    }

    pub(super) fn partitions_of(&self, name: &Name) -> Vec<Name> {
        self.partitions.get(name).into_iter().flatten().cloned().collect()
    }

    /// Every partition below a table, after the one that it is a partition of and beside its name; each once, even where
    /// a history that PostgreSQL would refuse has made a circle of them.
    pub(super) fn below(&self, name: &Name) -> Vec<(Name, Name)> {
        let (mut seen, mut found) = (BTreeSet::from([name]), Vec::new());
        let mut open = vec![name];
        while let Some(whole) = open.pop() {
            for partition in self.partitions.get(whole).into_iter().flatten() {
                if seen.insert(partition) {
                    found.push((whole.clone(), partition.clone()));
                    open.push(partition);
                }
            }
        }
        found
    }

    /// The name under which each partition has a constraint that the whole has lost.
    pub(super) fn constraints_of_partitions(
        &self,
        name: &Name,
        of_whole: &str,
        demand: &Demand,
    ) -> Vec<(Name, String)> {
        let under = |partition: Name| {
            let constraints = &self.out.schema.tables.get(&partition)?.constraints;
            let same = |(name, one): &(&String, &Constraint)| {
                one.demand == *demand && (has_index(demand) || name.as_str() == of_whole)
            };
            let name = constraints.iter().find(same)?.0.clone();
            Some((partition, name))
        };
        self.partitions_of(name).into_iter().filter_map(under).collect()
    }

    /// An index of a partitioned table is made on each partition too, and on theirs, unless there is the same already that
    /// none of the whole's has taken in. The whole has it by now.
    pub(super) fn index_partitions(&mut self, name: &Name, index: &Index) {
        for (whole, partition) in self.below(name) {
            let all = self.out.schema.tables.get(&whole).map(|table| table.indexes.values());
            let before = all.map_or(0, |all| all.filter(|one| one.is_part_of(index)).count().saturating_sub(1));
            self.take_in(&partition, index, before);
        }
    }

    /// Makes an index of the whole on a partition, where only so many of the same are there, which are taken in.
    fn take_in(&mut self, partition: &Name, index: &Index, taken_in: usize) {
        let same = |table: &mut Table| table.indexes.values().filter(|one| one.is_part_of(index)).count();
        if self.on_table(partition, same).is_some_and(|there| there <= taken_in) {
            self.insert_index(partition, None, Index { whole: true, ..index.clone() });
        }
    }

    /// A row trigger of a partitioned table fires on each partition, and on theirs.
    pub(super) fn trigger_partitions(&mut self, name: &Name, trigger: &str, one: &Trigger) {
        if !one.definition.each_row {
            return;
        }
        for (_, partition) in self.below(name) {
            self.uses.add_function(&one.function, &partition);
            self.on_table(&partition, |table| table.triggers.insert(trigger.to_owned(), one.clone()));
        }
    }

    pub(super) fn rename_in_family(&mut self, old: &Name, new: &Name) {
        if let Some(partitions) = self.partitions.remove(old) {
            for partition in &partitions {
                self.on_table(partition, |table| table.partition_of = Some(new.clone()));
            }
            self.partitions.insert(new.clone(), partitions);
        }
        let whole = self.out.schema.tables.get(new).and_then(|table| table.partition_of.as_ref());
        if let Some(partitions) = whole.and_then(|whole| self.partitions.get_mut(whole))
            && partitions.remove(old)
        {
            partitions.insert(new.clone());
        }
    }

    /// One table refers to another, or inherits from it.
    pub(super) fn points(&mut self, from: &Name, to: &Name) {
        self.pointing.entry(to.clone()).or_default().insert(from.clone());
    }

    /// A table has another name, under which it stands by now: those that point at it go on doing so, and so does it.
    pub(super) fn point_anew(&mut self, old: &Name, new: &Name) {
        let rename = |name: Name| if name == *old { new.clone() } else { name };
        if let Some(from) = self.pointing.remove(old) {
            let from: BTreeSet<Name> = from.into_iter().map(rename).collect();
            for table in &from {
                self.on_table(table, |table| point(table, old, new));
            }
            self.pointing.insert(new.clone(), from);
        }
        let Some(table) = self.out.schema.tables.get(new) else { return };
        let referred = table.constraints.values().filter_map(|one| match &one.demand {
            Demand::Foreign { table, .. } => Some(table),
            Demand::Primary(_) | Demand::Unique { .. } | Demand::Check(_) | Demand::Exclude(_) => None,
        });
        for to in referred.chain(table.inherits.keys()) {
            if let Some(from) = self.pointing.get_mut(to)
                && from.remove(old)
            {
                from.insert(new.clone());
            }
        }
    }

    /// Foreign keys to a table, or to these columns of it, go with what they refer to.
    pub(super) fn drop_references(&mut self, name: &Name, columns: Option<&[String]>) {
        let refers = |demand: &Demand| match demand {
            Demand::Foreign { table, referred, .. } => {
                table == name && columns.is_none_or(|key| referred.is_empty() || referred == key)
            }
            Demand::Primary(_) | Demand::Unique { .. } | Demand::Check(_) | Demand::Exclude(_) => false,
        };
        for from in self.pointing.get(name).into_iter().flatten() {
            if let Some(table) = self.out.schema.tables.get_mut(from) {
                table.constraints.retain(|_, one| !refers(&one.demand));
            }
        }
    }
}

fn point(table: &mut Table, old: &Name, new: &Name) {
    for constraint in table.constraints.values_mut() {
        if let Demand::Foreign { table, .. } = &mut constraint.demand
            && table == old
        {
            table.clone_from(new);
        }
    }
    if let Some(at) = table.inherits.remove(old) {
        table.inherits.insert(new.clone(), at);
    }
}
