//! An action type that is gone beside a new one: a ledger tells acts apart by the type's name too, so that a rename
//! forgets what was sent.

use crate::manifest::Manifest;
use crate::manifest::diff::Emitted;
use crate::source::Span;

/// A type that left the manifest since it was emitted, and those that came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// The type that is gone.
    pub before: String,
    /// New ones of its kind, sorted.
    pub after: Vec<String>,
    /// Where the first of them stands.
    pub place: Span,
}

impl Renamed {
    /// What is wrong, for people.
    #[must_use]
    pub fn message(&self) -> String {
        let (before, after) = (&self.before, self.after.join("`, `"));
        format!("`{before}` is retired and `{after}` added: what was sent as the one can be sent again as the other")
    }

    /// The smallest change that mends it.
    #[must_use]
    pub fn help(&self) -> String {
        format!("if they are the same act, keep the name `{}`", self.before)
    }
}

/// Every such type.
#[must_use]
pub fn renamed(emitted: &Emitted, manifest: &Manifest) -> Vec<Renamed> {
    let retired = emitted.actions.iter().filter(|(name, one)| !one.retired && !manifest.actions.contains_key(*name));
    let renamed = retired.filter_map(|(before, old)| {
        let is_new = |name: &String| !emitted.actions.contains_key(name);
        // Another key asks for a new type of such a name: that is meant.
        let is_meant = |name: &str| name.strip_prefix(before.as_str()).is_some_and(is_number);
        let after: Vec<String> = manifest
            .actions
            .iter()
            .filter(|(name, new)| new.kind == old.kind && is_new(name) && (new.key == old.key || !is_meant(name)))
            .map(|(name, _)| name.clone())
            .collect();
        let place = manifest.places.of(&format!("action.{}", after.first()?));
        Some(Renamed { before: before.clone(), after, place })
    });
    renamed.collect()
}

fn is_number(rest: &str) -> bool {
    rest.strip_prefix('_').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}
