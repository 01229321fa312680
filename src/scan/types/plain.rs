//! What is worth the same wherever it stands: literals, and constants of crates outside.

use crate::scan::ir::Lit;
use crate::scan::types::known::last_of;
use crate::scan::types::ty::Type;
use crate::scan::types::value::{Methods, Value};

/// A literal.
pub(super) fn literal(lit: &Lit) -> Value {
    match lit {
        Lit::Str(text) | Lit::Bytes(text) => Value::text(text),
        Lit::Int(digits) => Value { ty: Type::Unknown, ..Value::text(digits) },
        Lit::Bool(_) | Lit::Other => Value::default(),
    }
}

/// `http::Method::POST` and its kin.
pub(super) fn external_constant(path: &str) -> Value {
    let Some((holder, last)) = path.rsplit_once("::") else { return Value::default() };
    if holder.ends_with("Method") {
        const VERBS: [&str; 9] = ["GET", "HEAD", "OPTIONS", "TRACE", "CONNECT", "POST", "PUT", "PATCH", "DELETE"];
        let upper = last.to_ascii_uppercase();
        if VERBS.contains(&upper.as_str()) {
            let ty = Type::external(holder);
            return Value { methods: Some(Methods::one(&upper)), ..Value::of(ty) };
        }
    }
    if last_of(holder) == "header" {
        return Value::text(&last.to_ascii_lowercase().replace('_', "-"));
    }
    Value::default()
}
