//! `# Idempotency key` in doc comments: which action a key is of, and which parts it is derived from.

use crate::scan::index::{FnEntry, TypeEntry, TypeKind};
use crate::scan::ir::{Body, Expr, ExprId};

/// What a doc comment says of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// `Action: send_reply`.
    pub action: Option<String>,
    /// The names of the parts, in order.
    pub parts: Vec<String>,
}

/// Reads the section of that name; `None` when the doc comment has none.
#[must_use]
pub fn read(docs: &[String]) -> Option<Derivation> {
    let start = docs.iter().position(|line| heading(line).is_some_and(|text| text == "idempotency key"))?;
    let section = docs[start + 1..].iter().take_while(|line| heading(line).is_none());
    let mut found = Derivation { action: None, parts: Vec::new() };
    for line in section {
        let line = line.trim();
        if let Some(action) = line.strip_prefix("Action:") {
            found.action = Some(bare(action)).filter(|action| !action.is_empty());
        } else if let Some(part) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
            let name = part.split_once(':').map_or(part, |(name, _)| name);
            found.parts.push(bare(name));
        }
    }
    Some(found)
}

fn heading(line: &str) -> Option<String> {
    let line = line.trim();
    let text = line.trim_start_matches('#');
    (text.len() < line.len()).then(|| text.trim().to_lowercase())
}

fn bare(text: &str) -> String {
    text.trim().trim_matches('`').trim().to_owned()
}

/// Why what a function's doc comment says is not what its code does; `None` when both agree.
#[must_use]
pub fn disagrees_with_function(derivation: &Derivation, entry: &FnEntry) -> Option<String> {
    if let Some(lack) = lack(derivation) {
        return Some(lack);
    }
    let body = entry.function.body.as_ref()?;
    let used = fields_used(body);
    let mut params: Vec<&str> = Vec::new();
    for param in &entry.function.params {
        param.pat.bindings(&mut |name, _| params.push(name));
    }
    let is_there = |part: &str| params.contains(&part) || used.iter().any(|(_, field)| *field == part);
    if let Some(part) = derivation.parts.iter().find(|part| !is_there(part)) {
        return Some(format!("it names `{part}`, which is no parameter or field that the code uses"));
    }
    let silent = params.into_iter().filter(|name| *name != "self").find(|name| {
        let named = derivation.parts.iter().any(|part| part == name);
        let by_field = used.iter().any(|(of, field)| of == name && derivation.parts.iter().any(|part| part == field));
        !named && !by_field && is_used(body, name)
    });
    silent.map(|name| format!("it does not name `{name}`, which the code uses"))
}

/// The same of a struct: every part is a field and every field is a part.
#[must_use]
pub fn disagrees_with_type(derivation: &Derivation, entry: &TypeEntry) -> Option<String> {
    if let Some(lack) = lack(derivation) {
        return Some(lack);
    }
    let TypeKind::Struct(fields) = &entry.kind else { return Some("it does not stand at a struct".to_owned()) };
    let missing = derivation.parts.iter().find(|part| !fields.iter().any(|field| field.name == **part));
    let silent = fields.iter().find(|field| !derivation.parts.contains(&field.name));
    missing
        .map(|part| format!("it names `{part}`, which is no field"))
        .or_else(|| silent.map(|field| format!("it does not name the field `{}`", field.name)))
}

fn lack(derivation: &Derivation) -> Option<String> {
    match derivation {
        Derivation { action: None, .. } => Some("it has no line `Action: <name>`".to_owned()),
        Derivation { parts, .. } if parts.is_empty() => Some("it names no parts".to_owned()),
        Derivation { .. } => None,
    }
}

/// `order.id` as the variable and the field.
fn fields_used(body: &Body) -> Vec<(&str, &str)> {
    let used = body.ids().filter_map(|id| match body.expr(id) {
        Expr::Field(of, name) => Some((root_name(body, *of).unwrap_or_default(), name.as_str())),
        _ => None,
    });
    used.collect()
}

fn root_name(body: &Body, id: ExprId) -> Option<&str> {
    match body.expr(id) {
        Expr::Path(path) => path.ident(),
        Expr::Ref(inner) | Expr::Field(inner, _) => root_name(body, *inner),
        _ => None,
    }
}

fn is_used(body: &Body, name: &str) -> bool {
    body.ids().any(|id| matches!(body.expr(id), Expr::Path(path) if path.ident() == Some(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn docs(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_section_is_read_up_to_the_next_heading() {
        let found =
            read(&docs("The key.\n\n# Idempotency key\nAction: send_reply\n- `id`: the id\n- step\n# Errors\n- no"));
        let found = found.unwrap();
        assert_eq!(found.action.as_deref(), Some("send_reply"));
        assert_eq!(found.parts, ["id", "step"]);
        assert_eq!(read(&docs("A key\n- id: x")), None);
    }

    #[test]
    fn a_section_without_action_or_parts_lacks_something() {
        assert!(lack(&read(&docs("# Idempotency key\n- id")).unwrap()).unwrap().contains("Action"));
        assert!(lack(&read(&docs("# Idempotency key\nAction: a")).unwrap()).unwrap().contains("no parts"));
    }
}
