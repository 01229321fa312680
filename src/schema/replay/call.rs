//! Routines that are called: what their bodies define is defined then, as far as it can be told without running them.

use std::collections::BTreeMap;

use super::Player;
use crate::schema::{Origin, Routine};
use crate::source::Source;
use crate::sql::ddl::{ActKind, Written};

/// Calls within calls that are followed.
const DEEPEST: usize = 8;

/// The most bytes of bodies that are read in one history; a replay stays linear with that.
const MOST_READ: usize = 4 << 20;

/// How far calls were followed.
#[derive(Default)]
pub(super) struct Calls {
    depth: usize,
    read: usize,
}

impl Player {
    /// What it does to rows is its own affair: rules look at routines for that.
    pub(super) fn call(&mut self, source: &Source, written: &Written, given: &[Option<String>], at: &Origin) {
        let Some(routine) = self.called_with(written, given.len()).filter(|one| one.definition.defines) else { return };
        let definition = routine.definition.clone();
        self.calls.read += definition.body.len();
        if self.calls.depth >= DEEPEST || self.calls.read > MOST_READ {
            return self.not_followed(written, &definition.body, at);
        }
        let values = definition.names.iter().zip(given).filter(|(name, _)| !name.is_empty());
        let known: BTreeMap<String, String> =
            values.filter_map(|(name, value)| Some((name.clone(), value.clone()?))).collect();
        let Some(acts) = crate::sql::called(&definition.language, &definition.body, &known) else {
            return self.not_followed(written, &definition.body, at);
        };
        let path = self.path.clone();
        if let Some(own) = definition.settings.get("search_path") {
            self.search(own);
        }
        self.calls.depth += 1;
        for mut act in acts {
            if !matches!(act.kind, ActKind::Write { .. } | ActKind::Set { .. }) {
                act.span = at.span;
                act.certain &= at.certain;
                self.play(source, &act);
            }
        }
        self.calls.depth -= 1;
        self.path = path;
    }

    /// The routine of this name that takes as many arguments, or one of its name.
    fn called_with(&self, written: &Written, count: usize) -> Option<&Routine> {
        let name = self.find_routine(written);
        let mut best = None;
        for signature in self.signatures(&name) {
            let fits = signature.arguments.len() == count;
            if fits || best.is_none() {
                best = Some(signature);
            }
            if fits {
                break;
            }
        }
        self.out.schema.routines.get(best?)
    }

    fn not_followed(&mut self, written: &Written, body: &str, at: &Origin) {
        let reason = format!("what {} does when it is called was not read", written.name);
        let note = crate::schema::Note { at: at.clone(), reason, text: body.to_owned(), dynamic: false };
        self.out.notes.push(note);
    }
}
