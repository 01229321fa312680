//! Triggers and rewrite rules.

use super::Player;
use crate::schema::{Lost, Name, Origin, Rule, Trigger};
use crate::sql::ddl::{Enabled, NewRule, NewTrigger, Written};

impl Player {
    pub(super) fn create_trigger(
        &mut self,
        written: &Written,
        name: &str,
        or_replace: bool,
        new: &NewTrigger,
        at: &Origin,
    ) {
        let function = self.find_routine(&new.function);
        let trigger =
            Trigger { made: at.clone(), definition: new.clone(), function, enabled: Enabled::Origin, switched: None };
        let table = self.find(written);
        self.uses.add_function(&trigger.function, &table);
        self.trigger_partitions(&table, name, &trigger);
        self.on_table(&table, |table| {
            if or_replace {
                table.triggers.insert(name.to_owned(), trigger);
            } else {
                table.triggers.entry(name.to_owned()).or_insert(trigger);
            }
        });
    }

    pub(super) fn rename_trigger(&mut self, table: &Written, name: &str, to: &str) {
        self.with_table(table, |table| {
            if let Some(trigger) = table.triggers.remove(name) {
                table.triggers.insert(to.to_owned(), trigger);
            }
        });
    }

    pub(super) fn drop_trigger(&mut self, written: &Written, name: &str, at: &Origin) {
        let table = self.find(written);
        self.remove_trigger(&table, name, at);
    }

    /// With a row trigger of the whole go those of its partitions; one of a statement is each table's own.
    fn remove_trigger(&mut self, table: &Name, name: &str, at: &Origin) {
        let (mut open, mut lost) = (vec![table.clone()], Vec::new());
        while let Some(table) = open.pop() {
            let trigger = self.on_table(&table, |table| table.triggers.remove(name)).flatten();
            let Some(trigger) = trigger else { continue };
            if trigger.definition.each_row {
                open.extend(self.partitions_of(&table));
            }
            lost.push((table, trigger));
        }
        for (table, trigger) in lost.into_iter().rev() {
            let made = trigger.made.clone();
            self.lose(&table, Lost::Trigger(name.to_owned(), Box::new(trigger)), made, at);
        }
    }

    pub(super) fn create_rule(&mut self, table: &Written, name: &str, new: &NewRule, at: Origin) {
        let rule = Rule { made: at, definition: new.clone(), enabled: Enabled::Origin };
        self.with_table(table, |table| table.rules.insert(name.to_owned(), rule));
    }
}
