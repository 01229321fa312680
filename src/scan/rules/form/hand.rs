//! What a function has at hand for the parts of a key: its parameters, their fields, and what it bound before the call.

use crate::key::PartType;
use crate::scan::guards::Act;
use crate::scan::guards::attempt::is_counter;
use crate::scan::index::{Def, FnEntry, Index, TypeKind};
use crate::scan::ir::{Expr, FieldDef, Pat, Stmt, Ty};

/// Names of what is said and to whom, and not of what it is about: worded anew it is another text, the same words can be
/// meant twice, and whoever is written to once is written to again. Sorted.
const SAID: [&str; 26] = [
    "address",
    "answer",
    "body",
    "caption",
    "channel",
    "chat",
    "content",
    "contents",
    "customer",
    "draft",
    "email",
    "html",
    "input",
    "markdown",
    "phone",
    "phone_number",
    "prompt",
    "question",
    "recipient",
    "subject",
    "text",
    "title",
    "to",
    "url",
    "user",
    "username",
];

/// A value that may tell the act from others.
pub(super) struct Part {
    /// Its name in the manifest.
    pub(super) name: String,
    /// Its type there.
    pub(super) part_type: PartType,
    /// How the key type's field is given it.
    pub(super) given: String,
}

/// Whether a name is of an id.
pub(super) fn is_id(part: &Part) -> bool {
    part.part_type == PartType::Uuid || part.name == "id" || part.name.ends_with("_id") || part.name.ends_with("_key")
}

/// Parameters and their ids, in order. What the request carries, what is said and what counts attempts is none of them.
pub(super) fn parts(index: &Index, entry: &FnEntry, carried: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    for param in &entry.function.params {
        let Pat::Bind { name, inner: None, .. } = &param.pat else { continue };
        if name == "self" || name.starts_with('_') || is_counter(name) {
            continue;
        }
        // An id in what is carried tells the act from others all the same.
        parts.extend(field(index, entry, &param.ty, "id").and_then(|id| {
            let (part_type, given) = held(&format!("{name}.id"), &id.ty)?;
            Some(Part { given: format!("{name}_id: {given}"), name: format!("{name}_id"), part_type })
        }));
        if name != carried && !SAID.contains(&name.as_str()) {
            parts.extend(part(name, &param.ty));
        }
    }
    parts
}

/// How the field of the key type for a declared part is given its value; a blank that compiles where nothing of that name
/// is at hand.
pub(super) fn given(index: &Index, act: &Act, entry: &FnEntry, name: &str, part_type: PartType) -> String {
    let text = !matches!(part_type, PartType::Integer | PartType::Uuid | PartType::Date);
    let fits = |ty: &&Ty| held(name, ty).is_some_and(|(held, _)| (held == PartType::Text) == text);
    if let Some(ty) = super::param(entry, name).filter(fits) {
        return match ty {
            // A `String` is lent as a `&str`.
            Ty::Path(_) if text => format!("{name}: &{name}"),
            Ty::Ref(_) if !text => format!("{name}: *{name}"),
            _ => name.to_owned(),
        };
    }
    if is_bound(entry, act, name) {
        return if text { format!("{name}: &{name}") } else { name.to_owned() };
    }
    let of_param = entry.function.params.iter().find_map(|param| {
        let Pat::Bind { name: holder, inner: None, .. } = &param.pat else { return None };
        // `inbound_message_id` is the id of `inbound_message`, and of `message`.
        let of = name.strip_suffix("_id").unwrap_or(name);
        let own = of == holder || of.ends_with(&format!("_{holder}"));
        let field =
            field(index, entry, &param.ty, name).or_else(|| field(index, entry, &param.ty, "id").filter(|_| own))?;
        held(&format!("{holder}.{}", field.name), &field.ty).filter(|(held, _)| (*held == PartType::Text) == text)
    });
    match of_param {
        Some((_, value)) => format!("{name}: {value}"),
        None => format!("{name}: todo!()"),
    }
}

/// Whether a `let` before the act binds the name.
fn is_bound(entry: &FnEntry, act: &Act, wanted: &str) -> bool {
    let Some(body) = &entry.function.body else { return false };
    let here = body.node(act.expr).span.start;
    let before = body.nodes.iter().filter_map(|node| match &node.expr {
        Expr::Block { stmts, .. } if node.span.start <= here && here < node.span.end => Some(stmts),
        _ => None,
    });
    before.flatten().any(|stmt| match stmt {
        Stmt::Let { pat, value: Some(value), .. } => body.node(*value).span.end <= here && pat.binds(wanted),
        _ => false,
    })
}

/// A field of a parameter whose type is a struct of the workspace.
fn field<'i>(index: &'i Index, entry: &FnEntry, ty: &Ty, wanted: &str) -> Option<&'i FieldDef> {
    let Ty::Path(path) = bare(ty) else { return None };
    let Def::Type(id) = index.resolve(entry.module, path)? else { return None };
    let TypeKind::Struct(fields) = &index.types.get(id.0 as usize)?.kind else { return None };
    fields.iter().find(|field| field.name == wanted)
}

fn bare(ty: &Ty) -> &Ty {
    match ty {
        Ty::Ref(inner) => bare(inner),
        other => other,
    }
}

/// A parameter as a part of a key.
fn part(name: &str, ty: &Ty) -> Option<Part> {
    let (part_type, value) = held(name, ty)?;
    let lent = matches!(ty, Ty::Ref(_));
    let value = match part_type {
        PartType::Text if lent => name.to_owned(),
        _ if lent && value == name => format!("*{name}"),
        _ if lent => value.replace(name, &format!("*{name}")),
        _ => value,
    };
    let given = if value == name { value } else { format!("{name}: {value}") };
    Some(Part { name: name.to_owned(), part_type, given })
}

/// The type that a value of this Rust type has in a key, and how it is written there.
fn held(place: &str, ty: &Ty) -> Option<(PartType, String)> {
    let Ty::Path(path) = bare(ty) else { return None };
    Some(match path.segments.last()?.name.as_str() {
        "str" => (PartType::Text, place.to_owned()),
        "String" => (PartType::Text, format!("&{place}")),
        "i64" => (PartType::Integer, place.to_owned()),
        "i8" | "i16" | "i32" | "u8" | "u16" | "u32" => (PartType::Integer, format!("i64::from({place})")),
        "Uuid" => (PartType::Uuid, place.to_owned()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_sorted() {
        assert!(SAID.is_sorted());
    }
}
