//! ALTER TABLE.

use super::Player;
use crate::schema::{Lost, Name, Origin, Write};
use crate::sql::ddl::{Enabled, Persistence, TableAction, Verb, Which, Written};

impl Player {
    pub(super) fn alter_table(&mut self, written: &Written, only: bool, action: &TableAction, at: &Origin) {
        let name = self.find(written);
        if let (true, TableAction::AddConstraint(constraint)) = (only, action) {
            return self.add_only(&name, constraint, at);
        }
        let partitions = if reaches_partitions(action) { self.partitions_of(&name) } else { Vec::new() };
        self.alter(&name, action, at);
        for partition in partitions {
            self.alter(&partition, action, at);
        }
    }

    fn alter(&mut self, name: &Name, action: &TableAction, at: &Origin) {
        match action {
            TableAction::AddColumn { column, constraints, if_not_exists } => {
                self.add_column(name, column, constraints, *if_not_exists, at);
            }
            TableAction::DropColumn { name: column } => self.drop_column(name, column, at),
            TableAction::RenameColumn { name: column, to } => self.rename_column(name, column, to),
            TableAction::SetType { column, type_name, collation, rewrites } => {
                if *rewrites {
                    let column = Some(column.clone());
                    let (table, at) = (name.clone(), at.clone());
                    self.out.writes.push(Write { verb: Verb::Update, table, column, at });
                }
                self.set_type(name, column, type_name, collation.as_deref(), at);
            }
            TableAction::NotNull { column, holds: true } => self.set_not_null(name, column, at),
            TableAction::NotNull { column, holds: false } => self.drop_not_null(name, column, at),
            TableAction::Default { column, default } => {
                self.on_column(name, column, |one| one.default.clone_from(default));
            }
            TableAction::Generated { column, generated } => {
                self.on_column(name, column, |one| one.generated.clone_from(generated));
            }
            TableAction::AddConstraint(constraint) => self.add_constraint(name, constraint, at),
            TableAction::DropConstraint { name: constraint, cascade } => {
                self.drop_constraint(name, constraint, *cascade, at);
            }
            TableAction::RenameConstraint { name: constraint, to } => self.rename_constraint(name, constraint, to),
            TableAction::Validate { name: constraint } => {
                self.on_table(name, |table| table.constraints.get_mut(constraint).map(|one| one.valid = true));
            }
            TableAction::AlterConstraint { name: constraint, deferrable, enforced } => {
                self.alter_constraint(name, constraint, *deferrable, *enforced, at);
            }
            TableAction::Triggers { which, enabled } => self.switch_triggers(name, which, *enabled, at),
            TableAction::Rule { name: rule, enabled } => {
                self.on_table(name, |table| table.rules.get_mut(rule).map(|one| one.enabled = *enabled));
            }
            TableAction::RowSecurity { enabled, forced } => self.row_security(name, *enabled, *forced, at),
            TableAction::Persistence(persistence) => self.persist(name, *persistence, at),
            TableAction::Inherit { parent, holds } => self.inherit(name, parent, *holds, at),
            TableAction::Attach { partition } => {
                let child = self.find(partition);
                self.attach(&child, name);
            }
            TableAction::Detach { partition } => {
                let child = self.find(partition);
                self.detach(&child, name, at);
            }
            TableAction::SetSchema { schema } => {
                self.move_table(name, &Name::new(schema, &name.name));
            }
            TableAction::Owner { role } => {
                self.on_table(name, |table| table.owner = Some(role.clone()));
            }
            TableAction::Options(options) => {
                self.on_table(name, |table| {
                    for (option, value) in options {
                        match value {
                            Some(value) => table.options.insert(option.clone(), value.clone()),
                            None => table.options.remove(option),
                        };
                    }
                });
            }
            TableAction::Harmless => {}
        }
    }

    fn alter_constraint(
        &mut self,
        table: &Name,
        name: &str,
        deferrable: Option<bool>,
        enforced: Option<bool>,
        at: &Origin,
    ) {
        let change = |table: &mut crate::schema::Table| {
            let constraint = table.constraints.get_mut(name)?;
            let before = constraint.clone();
            constraint.deferrable = deferrable.unwrap_or(constraint.deferrable);
            constraint.valid = enforced.unwrap_or(constraint.valid);
            let loosened = (constraint.deferrable && !before.deferrable) || (!constraint.valid && before.valid);
            loosened.then_some(before)
        };
        if let Some(before) = self.on_table(table, change).flatten() {
            let made = before.made.clone();
            self.lose(table, Lost::Constraint(name.to_owned(), before), made, at);
        }
    }

    /// What is switched of a whole's row triggers is switched on each partition too.
    fn switch_triggers(&mut self, table: &Name, which: &Which, enabled: Enabled, at: &Origin) {
        let of_rows = self.switch_own(table, which, enabled, at);
        for (_, partition) in self.below(table) {
            for trigger in &of_rows {
                self.switch_own(&partition, trigger, enabled, at);
            }
        }
    }

    /// Gives back the row triggers among those that it switched.
    fn switch_own(&mut self, table: &Name, which: &Which, enabled: Enabled, at: &Origin) -> Vec<Which> {
        let (mut lost, mut of_rows) = (Vec::new(), Vec::new());
        self.on_table(table, |table| {
            for (name, trigger) in &mut table.triggers {
                let meant = match which {
                    Which::All | Which::User => true,
                    Which::One(one) => one == name,
                };
                if meant {
                    if weight(enabled) < weight(trigger.enabled) {
                        lost.push((Lost::Fires(name.clone(), trigger.enabled), trigger.made.clone()));
                    }
                    trigger.enabled = enabled;
                    trigger.switched = Some(at.clone());
                    of_rows.extend(trigger.definition.each_row.then(|| Which::One(name.clone())));
                }
            }
        });
        for (lost, made) in lost {
            self.lose(table, lost, made, at);
        }
        of_rows
    }

    fn row_security(&mut self, table: &Name, enabled: Option<bool>, forced: Option<bool>, at: &Origin) {
        self.on_table(table, |table| {
            if let Some(enabled) = enabled {
                table.row_security = enabled.then(|| at.clone());
            }
            table.row_security_forced = forced.unwrap_or(table.row_security_forced);
        });
    }

    fn persist(&mut self, table: &Name, persistence: Persistence, at: &Origin) {
        self.on_table(table, |table| {
            table.persistence = persistence;
            table.persisted = at.clone();
        });
    }

    fn inherit(&mut self, table: &Name, parent: &Written, holds: bool, at: &Origin) {
        let parent = self.find(parent);
        self.points(table, &parent);
        self.on_table(table, |table| {
            if holds {
                table.inherits.insert(parent, at.clone());
            } else {
                table.inherits.remove(&parent);
            }
        });
    }
}

/// Whether PostgreSQL does to each partition what is done to the whole. Constraints and triggers see to it themselves:
/// a partition has some under another name.
fn reaches_partitions(action: &TableAction) -> bool {
    match action {
        TableAction::AddColumn { .. }
        | TableAction::DropColumn { .. }
        | TableAction::RenameColumn { .. }
        | TableAction::SetType { .. }
        | TableAction::NotNull { .. }
        | TableAction::Default { .. }
        | TableAction::Validate { .. } => true,
        TableAction::Generated { .. }
        | TableAction::AddConstraint(_)
        | TableAction::DropConstraint { .. }
        | TableAction::RenameConstraint { .. }
        | TableAction::AlterConstraint { .. }
        | TableAction::Triggers { .. }
        | TableAction::Rule { .. }
        | TableAction::RowSecurity { .. }
        | TableAction::Persistence(_)
        | TableAction::Inherit { .. }
        | TableAction::Attach { .. }
        | TableAction::Detach { .. }
        | TableAction::SetSchema { .. }
        | TableAction::Owner { .. }
        | TableAction::Options(_)
        | TableAction::Harmless => false,
    }
}

/// How often a trigger fires.
fn weight(enabled: Enabled) -> u8 {
    match enabled {
        Enabled::Never => 0,
        Enabled::Replica => 1,
        Enabled::Origin => 2,
        Enabled::Always => 3,
    }
}
