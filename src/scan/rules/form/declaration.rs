//! The lines of the manifest for an act that none of its actions is, drafted from the function that holds it.

use crate::catalog::call::Effect;
use crate::key::PartType;
use crate::manifest::{plain_name, type_name};
use crate::scan::guards::Act;
use crate::scan::guards::attempt::is_counter;
use crate::scan::index::FnEntry;
use crate::scan::ir::{Pat, Ty};

/// How many parts are drafted at most.
const PARTS: usize = 3;

/// An act that has to be declared.
pub(super) struct Declaration {
    name: String,
    model: bool,
    parts: Vec<Part>,
}

/// A parameter that may tell the act from others.
struct Part {
    name: String,
    part_type: PartType,
    /// How the key type's field is given it.
    given: String,
}

impl Declaration {
    /// Drafts it. What the request carries is no part of a key.
    pub(super) fn of(act: &Act, entry: &FnEntry, carried: &str) -> Declaration {
        let parts = entry.function.params.iter().filter_map(|param| match &param.pat {
            Pat::Bind { name, inner: None, .. }
                if name != carried && name != "self" && !name.starts_with('_') && !is_counter(name) =>
            {
                part(name, &param.ty)
            }
            _ => None,
        });
        let name = plain_name(&entry.name);
        let name = if name.is_empty() { "act".to_owned() } else { name };
        Declaration { name, model: act.effect == Effect::Model, parts: parts.take(PARTS).collect() }
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

fn part(name: &str, ty: &Ty) -> Option<Part> {
    let (held, lent) = match ty {
        Ty::Ref(inner) => (&**inner, true),
        other => (other, false),
    };
    let Ty::Path(path) = held else { return None };
    let part = |part_type, given: String| Some(Part { name: name.to_owned(), part_type, given });
    let value = || if lent { format!("*{name}") } else { name.to_owned() };
    match path.segments.last()?.name.as_str() {
        "str" => part(PartType::Text, name.to_owned()),
        "String" if lent => part(PartType::Text, name.to_owned()),
        "String" => part(PartType::Text, format!("{name}: &{name}")),
        "i64" if lent => part(PartType::Integer, format!("{name}: *{name}")),
        "i64" => part(PartType::Integer, name.to_owned()),
        "i8" | "i16" | "i32" | "u8" | "u16" | "u32" => {
            part(PartType::Integer, format!("{name}: i64::from({})", value()))
        }
        "Uuid" if lent => part(PartType::Uuid, format!("{name}: *{name}")),
        "Uuid" => part(PartType::Uuid, name.to_owned()),
        _ => None,
    }
}
