//! Routines that are called: what their bodies define is defined then, as far as it can be told without running them.

use std::collections::{BTreeMap, BTreeSet};

use super::Player;
use crate::schema::{Doubt, Name, Note, Origin, Signature};
use crate::source::Source;
use crate::sql::ddl::{ActKind, Argument, NewRoutine, Written};

/// Calls within calls that are followed.
const DEEPEST: usize = 8;

/// The most bytes of bodies that are read in one history; a replay stays linear with that.
const MOST_READ: usize = 4 << 20;

/// Which routines may define something, and how far calls were followed.
#[derive(Default)]
pub(super) struct Calls {
    depth: usize,
    read: usize,
    /// Names, without schemas, of routines that may define something, or call one that may. None is ever taken out.
    pub(super) defining: BTreeSet<String>,
    /// Who may call a routine of this name.
    callers: BTreeMap<String, BTreeSet<String>>,
    /// Routines whose text was told of as not followed, or run later.
    pub(super) told: BTreeSet<Signature>,
}

impl Calls {
    /// A routine of this name is there from now on.
    pub(super) fn learn(&mut self, name: &str, routine: &NewRoutine) {
        let mut defines = routine.defines;
        for called in &routine.calls {
            self.callers.entry(called.clone()).or_default().insert(name.to_owned());
            defines |= self.defining.contains(called);
        }
        let mut open: Vec<String> = defines.then(|| name.to_owned()).into_iter().collect();
        while let Some(name) = open.pop() {
            if self.defining.insert(name.clone()) {
                open.extend(self.callers.get(&name).into_iter().flatten().cloned());
            }
        }
    }
}

impl Player {
    /// What it does to rows is its own affair: rules look at routines for that.
    pub(super) fn call(&mut self, source: &Source, written: &Written, given: &[Argument], at: &Origin) {
        let name = self.find_routine(written);
        if self.signatures(&name).next().is_none() {
            return self.given_statements(written, given, at);
        }
        if !self.calls.defining.contains(&written.name) {
            return;
        }
        let meant = self.meant(written, given);
        let at = Origin { certain: at.certain && meant.len() == 1, ..at.clone() };
        for signature in meant {
            self.run(source, &signature, given, &at);
        }
    }

    /// Text that begins as a statement does, given to a routine that is not here: another database, a schedule, a queue.
    fn given_statements(&mut self, written: &Written, given: &[Argument], at: &Origin) {
        const VERBS: [&str; 7] = ["alter", "create", "delete", "drop", "grant", "truncate", "update"];
        for text in given.iter().filter_map(|argument| argument.value.as_deref()) {
            let first = text.split_whitespace().next().unwrap_or_default();
            if VERBS.iter().any(|verb| first.eq_ignore_ascii_case(verb)) {
                let reason = format!("it is given to {}, which is not in these migrations", written.name);
                self.out.notes.push(Note { at: at.clone(), reason, text: text.into(), doubt: Doubt::Unread });
            }
        }
    }

    fn run(&mut self, source: &Source, signature: &Signature, given: &[Argument], at: &Origin) {
        let Some(routine) = self.out.schema.routines.get(signature) else { return };
        let definition = &routine.definition;
        self.calls.read += definition.body.len();
        if self.calls.depth >= DEEPEST || self.calls.read > MOST_READ {
            return self.not_followed(&signature.name, at);
        }
        let values = definition.names.iter().zip(given).filter(|(name, _)| !name.is_empty());
        let known: BTreeMap<String, String> =
            values.filter_map(|(name, argument)| Some((name.clone(), argument.value.clone()?))).collect();
        let own_path = definition.settings.get("search_path").cloned();
        let Some(acts) = crate::sql::called(&definition.language, &definition.body, &known) else {
            return self.unread(signature, at);
        };
        let path = own_path.map(|own| {
            let before = self.path.clone();
            self.search(&own);
            before
        });
        self.calls.depth += 1;
        for mut act in acts {
            if !matches!(act.kind, ActKind::Write { .. }) {
                act.span = at.span;
                act.certain &= at.certain;
                self.play(source, &act);
            }
        }
        self.calls.depth -= 1;
        // A path that a body sets stays set, unless the routine has one of its own.
        if let Some(before) = path {
            self.path = before;
        }
    }

    /// The routines that a call may mean, by their arguments as far as those are known.
    fn meant(&self, written: &Written, given: &[Argument]) -> Vec<Signature> {
        let name: Name = self.find_routine(written);
        let all: Vec<&Signature> = self.signatures(&name).collect();
        let exact = all.iter().filter(|one| one.arguments.len() == given.len());
        let mut fitting: Vec<&Signature> = exact.copied().collect();
        if fitting.is_empty() {
            // Arguments with a default may be left out.
            fitting = all.iter().filter(|one| one.arguments.len() > given.len()).copied().collect();
        }
        if fitting.is_empty() {
            fitting = all;
        }
        let best = fitting.iter().map(|one| weight(one, given)).max().unwrap_or_default();
        fitting.into_iter().filter(|one| weight(one, given) == best).cloned().collect()
    }
}

/// How well arguments fit: a text in quotes is one, unless it is told to be something else.
fn weight(signature: &Signature, given: &[Argument]) -> usize {
    let fits = |(wanted, argument): (&String, &Argument)| match &argument.type_name {
        Some(type_name) if type_name == wanted => 2,
        Some(type_name) if is_number(type_name) && is_number(wanted) => 1,
        None if argument.value.is_some() && wanted == "text" => 1,
        Some(_) | None => 0,
    };
    signature.arguments.iter().zip(given).map(fits).sum()
}

fn is_number(type_name: &str) -> bool {
    matches!(type_name, "bigint" | "double precision" | "integer" | "numeric" | "real" | "smallint")
}
