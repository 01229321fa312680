//! What migrations set up to run later: bodies of triggers, defaults, rules and views, and of routines that they call.
//! It changes nothing now, so that it is told and not played.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Player;
use crate::schema::{Doubt, Name, Note, Origin, Signature, Table};
use crate::sql::cursor::spelled;
use crate::sql::ddl::{ActKind, Enabled, ObjectKind, TableAction, Written};

impl Player {
    /// Told at the end, of what is there then.
    pub(super) fn deferred(&mut self) {
        if self.calls.defining.is_empty() {
            return;
        }
        let mut starts: Vec<(Name, Origin)> = self.events.values().cloned().collect();
        let mut expressions: Vec<(&str, &Origin)> = Vec::new();
        for table in self.out.schema.tables.values() {
            let fires = table.triggers.values().filter(|one| one.enabled != Enabled::Never);
            starts.extend(fires.map(|one| (one.function.clone(), one.made.clone())));
            let defaults = table.columns.values().filter_map(|one| Some((one.default.as_deref()?, &one.made)));
            expressions.extend(defaults.filter(|(default, _)| default.contains('(')));
            expressions.extend(table.rules.values().map(|one| (one.definition.action.as_str(), &one.made)));
        }
        expressions.extend(self.out.schema.views.values().map(|one| (one.definition.query.as_str(), &one.made)));
        for (text, made) in expressions {
            let called = crate::sql::calls(text).into_iter();
            let defining = called.filter(|one| self.calls.defining.contains(&one.name));
            starts.extend(defining.map(|one| (self.find_routine(&one), made.clone())));
        }
        let mut by_name: BTreeMap<String, Vec<Signature>> = BTreeMap::new();
        for signature in self.out.schema.routines.keys() {
            by_name.entry(signature.name.name.clone()).or_default().push(signature.clone());
        }
        for (name, made) in starts {
            self.tell_below(&name, true, &made, &by_name);
        }
    }

    /// Beyond what is followed.
    pub(super) fn not_followed(&mut self, name: &Name, at: &Origin) {
        if self.signatures(name).all(|signature| self.calls.told.contains(signature)) {
            return;
        }
        let mut by_name: BTreeMap<String, Vec<Signature>> = BTreeMap::new();
        for signature in self.out.schema.routines.keys() {
            by_name.entry(signature.name.name.clone()).or_default().push(signature.clone());
        }
        self.tell_below(name, false, at, &by_name);
    }

    /// Tells of every routine of this name and of those that it may call, each once in a history.
    fn tell_below(&mut self, name: &Name, later: bool, at: &Origin, by_name: &BTreeMap<String, Vec<Signature>>) {
        let mut open: Vec<Signature> = self.signatures(name).cloned().collect();
        while let Some(signature) = open.pop() {
            if !self.calls.defining.contains(&signature.name.name) || !self.calls.told.insert(signature.clone()) {
                continue;
            }
            let Some(routine) = self.out.schema.routines.get(&signature) else { continue };
            let calls = routine.definition.calls.iter();
            open.extend(calls.filter_map(|called| by_name.get(called)).flatten().cloned());
            self.tell(&signature, later, at);
        }
    }

    /// `later` says whether it is run by what is set up, or now and was not followed.
    fn tell(&mut self, signature: &Signature, later: bool, at: &Origin) {
        let Some(routine) = self.out.schema.routines.get(signature) else { return };
        let definition = &routine.definition;
        let Some(acts) = crate::sql::called(&definition.language, &definition.body, &BTreeMap::new()) else {
            return self.unread(signature, at);
        };
        let when = if later { "it runs" } else { "it is called, which was not followed" };
        let reason = format!("{} does it whenever {when}", signature.name);
        for act in acts {
            let (text, doubt): (Arc<str>, _) = match &act.kind {
                ActKind::Dynamic { text } if later && is_of_rows(text) => continue,
                ActKind::Dynamic { text } => (text.as_str().into(), Doubt::PutTogether),
                kind => {
                    let tables = self.changed(kind);
                    let spelled = |name: &Name| format!("{}.{}", spelled(&name.schema), spelled(&name.name));
                    (tables.iter().map(spelled).collect::<Vec<_>>().join(" ").into(), Doubt::Deferred)
                }
            };
            if !text.is_empty() || doubt == Doubt::PutTogether {
                self.out.notes.push(Note { at: at.clone(), reason: reason.clone(), text, doubt });
            }
        }
    }

    /// The tables of which an act would change what they guarantee.
    fn changed(&self, kind: &ActKind) -> Vec<Name> {
        let run_by = |routine: &Written| {
            let function = self.find_routine(routine);
            let runs = |(_, table): &(&Name, &Table)| table.triggers.values().any(|one| one.function == function);
            self.out.schema.tables.iter().filter(runs).map(|(name, _)| name.clone()).collect()
        };
        match kind {
            ActKind::AlterTable { action: TableAction::Harmless | TableAction::Options(_), .. } => Vec::new(),
            ActKind::AlterTable { name: table, .. }
            | ActKind::DropTable { name: table, .. }
            | ActKind::DropIndex { name: table, .. }
            | ActKind::RenameRelation { name: table, .. }
            | ActKind::CreateTrigger { table, .. }
            | ActKind::RenameTrigger { table, .. }
            | ActKind::DropTrigger { table, .. }
            | ActKind::CreateRule { table, .. }
            | ActKind::CreatePolicy { table, .. } => {
                let name = self.find(table);
                vec![self.indexes.get(&name).cloned().unwrap_or(name)]
            }
            ActKind::CreateTable { table, .. } => table.inherits.iter().map(|parent| self.find(parent)).collect(),
            ActKind::DropSchema { name, .. } | ActKind::RenameSchema { name, .. } => self.tables_in(name),
            ActKind::CreateRoutine { name, .. } => run_by(name),
            ActKind::AlterRoutine { routine, .. } | ActKind::DropRoutine { routine, .. } => run_by(&routine.name),
            ActKind::Grant { give: true, grant } if grant.kind == ObjectKind::Table => {
                grant.objects.iter().map(|one| self.find(&one.name)).collect()
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn unread(&mut self, signature: &Signature, at: &Origin) {
        let Some(routine) = self.out.schema.routines.get(signature) else { return };
        let reason = format!("what {} does when it is called was not read", signature.name.name);
        let text = routine.definition.body.clone();
        self.out.notes.push(Note { at: at.clone(), reason, text, doubt: Doubt::Unread });
    }
}

/// Text that is known to begin as a statement on rows does, or of which nothing is known.
fn is_of_rows(text: &str) -> bool {
    const VERBS: [&str; 10] =
        ["%", "analyze", "call", "delete", "insert", "merge", "notify", "select", "update", "with"];
    let text = text.trim_start().to_lowercase();
    VERBS.iter().any(|verb| text.starts_with(verb))
}
