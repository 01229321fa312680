//! Functions, procedures, views.

use super::Player;
use crate::schema::{Lost, Name, Origin, Routine, Signature, View};
use crate::sql::ddl::{Called, NewRoutine, NewView, ObjectKind, RoutineAction, Written};

impl Player {
    pub(super) fn find_routine(&self, written: &Written) -> Name {
        self.find_where(written, |name| self.signatures(name).next().is_some())
    }

    pub(super) fn signatures<'a>(&'a self, name: &Name) -> impl Iterator<Item = &'a Signature> + use<'a> {
        let start = Signature { name: name.clone(), arguments: Vec::new() };
        let name = name.clone();
        self.out.schema.routines.range(start..).map(|(signature, _)| signature).take_while(move |one| one.name == name)
    }

    /// The routine that is meant: by its arguments, or the only one of its name. OUT arguments of a procedure may be
    /// named or left out.
    pub(super) fn called(&self, called: &Called) -> Option<Signature> {
        let name = self.find_routine(&called.name);
        let mut all = self.signatures(&name);
        match &called.arguments {
            None => all.next().cloned(),
            Some(arguments) => {
                let exact = self.signatures(&name).find(|one| one.arguments == *arguments).cloned();
                exact.or_else(|| all.find(|one| one.arguments.starts_with(arguments)).cloned())
            }
        }
    }

    pub(super) fn create_routine(&mut self, written: &Written, new: &NewRoutine, at: Origin) {
        let signature = Signature { name: self.new_name(written), arguments: new.arguments.clone() };
        let before = self.out.schema.routines.get(&signature);
        let is_new = before.is_none();
        let owner = before.map_or_else(|| self.role.clone(), |one| one.owner.clone());
        self.calls.learn(&signature.name.name, new);
        self.calls.told.remove(&signature);
        let routine = Routine { made: at.clone(), definition: new.clone(), owner };
        self.out.schema.routines.insert(signature.clone(), routine);
        if is_new {
            self.give_defaults(ObjectKind::Routine, &signature.name, &signature.arguments, &at);
        }
    }

    pub(super) fn alter_routine(&mut self, called: &Called, action: &RoutineAction) {
        let Some(signature) = self.called(called) else { return };
        match action {
            RoutineAction::Rename(to) => self.move_routine(&signature, Name::new(&signature.name.schema, to)),
            RoutineAction::SetSchema(schema) => self.move_routine(&signature, Name::new(schema, &signature.name.name)),
            RoutineAction::Owner(role) => self.on_routine(&signature, |one| one.owner = Some(role.clone())),
            RoutineAction::Definer(definer) => self.on_routine(&signature, |one| one.definition.definer = *definer),
            RoutineAction::Setting { name, values } => self.on_routine(&signature, |one| {
                let settings = &mut one.definition.settings;
                if name == "all" {
                    settings.clear();
                } else if values.is_empty() {
                    settings.remove(name);
                } else {
                    settings.insert(name.clone(), values.clone());
                }
            }),
            RoutineAction::Volatility(word) => {
                self.on_routine(&signature, |one| one.definition.volatility.clone_from(word));
            }
            RoutineAction::Harmless => {}
        }
    }

    fn on_routine(&mut self, signature: &Signature, change: impl FnOnce(&mut Routine)) {
        if let Some(routine) = self.out.schema.routines.get_mut(signature) {
            change(routine);
        }
    }

    pub(super) fn move_routine(&mut self, old: &Signature, name: Name) {
        for table in self.uses.of_function(&old.name) {
            self.on_table(&table, |table| {
                for trigger in table.triggers.values_mut().filter(|trigger| trigger.function == old.name) {
                    trigger.function = name.clone();
                }
            });
        }
        self.uses.rename_function(&old.name, &name);
        self.sign_anew(old, Signature { name, arguments: old.arguments.clone() });
    }

    /// Another name, or other names of the types of its arguments; with it go the privileges.
    pub(super) fn sign_anew(&mut self, old: &Signature, new: Signature) {
        let Some(mut routine) = self.out.schema.routines.remove(old) else { return };
        routine.definition.arguments.clone_from(&new.arguments);
        for (mut grant, at) in self.take_routine_grants(old) {
            grant.object = new.name.clone();
            grant.arguments.clone_from(&new.arguments);
            self.out.schema.grants.insert(grant, at);
        }
        self.calls.learn(&new.name.name, &routine.definition);
        self.out.schema.routines.insert(new, routine);
    }

    /// With CASCADE go the triggers that run it; without, PostgreSQL refuses while there are any.
    pub(super) fn drop_routine(&mut self, called: &Called, cascade: bool, at: &Origin) {
        let Some(signature) = self.called(called) else { return };
        self.out.schema.routines.remove(&signature);
        self.take_routine_grants(&signature);
        if !cascade {
            return;
        }
        let mut lost = Vec::new();
        for name in self.uses.of_function(&signature.name) {
            let Some(table) = self.out.schema.tables.get_mut(&name) else { continue };
            let gone: Vec<_> = table.triggers.extract_if(.., |_, one| one.function == signature.name).collect();
            lost.extend(gone.into_iter().map(|(trigger, one)| (name.clone(), trigger, one)));
        }
        for (table, name, trigger) in lost {
            let made = trigger.made.clone();
            self.lose(&table, Lost::Trigger(name, Box::new(trigger)), made, at);
        }
    }

    pub(super) fn create_view(&mut self, written: &Written, new: &NewView, at: Origin) {
        let name = self.new_name(written);
        let before = self.out.schema.views.get(&name);
        let is_new = before.is_none();
        let owner = before.map_or_else(|| self.role.clone(), |one| one.owner.clone());
        self.out.schema.views.insert(name.clone(), View { made: at.clone(), definition: new.clone(), owner });
        if is_new {
            self.give_defaults(ObjectKind::Table, &name, &[], &at);
        }
    }

    pub(super) fn drop_view(&mut self, written: &Written) {
        let name = self.find(written);
        if self.out.schema.views.remove(&name).is_some() {
            self.take_grants(ObjectKind::Table, &name);
        }
    }
}
