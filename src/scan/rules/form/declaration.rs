//! The lines of the manifest for an act that none of its actions is, drafted from the function that holds it.

use crate::catalog::call::Effect;
use crate::key::PartType;
use crate::manifest::{plain_name, type_name};
use crate::scan::guards::Act;
use crate::scan::index::{FnEntry, Index};
use crate::scan::rules::form::hand::{self, Part};

/// How many parts are drafted at most.
const PARTS: usize = 3;

/// An act that has to be declared.
pub(super) struct Declaration {
    name: String,
    model: bool,
    parts: Vec<Part>,
}

impl Declaration {
    /// Drafts it: ids where there are some at hand, else whatever may tell the act from others.
    pub(super) fn of(index: &Index, act: &Act, entry: &FnEntry, carried: &str) -> Declaration {
        let mut parts = hand::parts(index, entry, carried);
        if parts.iter().any(hand::is_id) {
            parts.retain(|part| hand::is_id(part) || part.part_type == PartType::Integer);
        }
        parts.truncate(PARTS);
        let name = plain_name(&entry.name);
        let name = if name.is_empty() { "act".to_owned() } else { name };
        Declaration { name, model: act.effect == Effect::Model, parts }
    }

    /// `keys::Notify { order }`; with nothing at hand that tells the act from others, a blank that compiles.
    pub(super) fn key(&self) -> String {
        let parts: Vec<&str> = self.parts.iter().map(|part| part.given.as_str()).collect();
        let parts = if parts.is_empty() { vec!["id: todo!()"] } else { parts };
        format!("keys::{} {{ {} }}", type_name(&self.name), parts.join(", "))
    }

    /// The table.
    pub(super) fn lines(&self) -> String {
        let mut summary = self.name.replace('_', " ");
        if let Some(first) = summary.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let names: Vec<&str> = self.parts.iter().map(|part| part.name.as_str()).collect();
        let names = if names.is_empty() { vec!["id"] } else { names };
        let key: Vec<String> =
            self.parts.iter().map(|part| format!("\"{}: {}\"", part.name, part.part_type.name())).collect();
        let key = if key.is_empty() { "\"id: text\"".to_owned() } else { key.join(", ") };
        let (kind, unknown) = match self.model {
            true => ("\nkind = \"model\"", "\nwhen_unknown = \"retry\""),
            false => ("", ""),
        };
        format!(
            "\n[action.{}]{kind}\nsummary = \"{summary}\"\nsame_when = \"it has the same {}\"\nkey = [{key}]{unknown}",
            self.name,
            names.join(" and ")
        )
    }
}
