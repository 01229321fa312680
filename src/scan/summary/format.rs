//! Macros that take a format string: names that it captures are uses of variables.

use proc_macro2::TokenStream;
use syn::Expr as Syntax;

use crate::scan::ir::{Expr, ExprId, MacroShape, Path, Segment};
use crate::source::Span;

use super::expressions::Bodies;
use super::macros::{fields, label, labelled};

/// Macros whose string literal is a format string, by their last name.
const FORMATS: [&str; 42] = [
    "anyhow",
    "assert",
    "assert_eq",
    "assert_ne",
    "bail",
    "debug",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "debug_span",
    "ensure",
    "eprint",
    "eprintln",
    "error",
    "error_span",
    "event",
    "eyre",
    "format",
    "format_args",
    "format_err",
    "format_smolstr",
    "info",
    "info_span",
    "log",
    "miette",
    "panic",
    "print",
    "println",
    "span",
    "todo",
    "trace",
    "trace_span",
    "unimplemented",
    "unreachable",
    "uwrite",
    "uwriteln",
    "warn",
    "warn_span",
    "whatever",
    "wrap_err",
    "write",
    "writeln",
];

/// Whether a macro of this name takes a format string.
pub(super) fn is_format(name: &str) -> bool {
    FORMATS.binary_search(&name).is_ok()
}

impl Bodies<'_, '_> {
    /// The string first, then the names that it captures, then the other arguments in their order.
    pub(super) fn format(&mut self, tokens: &TokenStream) -> Option<MacroShape> {
        let list = fields(tokens).or_else(|| labelled(tokens))?;
        let string = list.iter().position(|expr| string(expr).is_some());
        let mut ids = Vec::with_capacity(list.len());
        if let Some(expr) = string.and_then(|at| list.get(at)) {
            let placed = self.expr(expr);
            ids.push(placed.id);
            let labels: Vec<String> =
                list.iter().filter_map(|expr| label(expr)).map(|(name, _)| name.to_string()).collect();
            let names = string_names(expr).into_iter().filter(|name| !labels.contains(name));
            ids.extend(names.map(|name| self.captured(name, placed.span)).collect::<Vec<ExprId>>());
        }
        let others = list.iter().enumerate().filter(|(at, _)| Some(*at) != string);
        ids.extend(others.map(|(_, expr)| self.expr(value(expr)).id).collect::<Vec<ExprId>>());
        Some(MacroShape::Exprs(ids))
    }

    /// A captured name, with its bytes in the literal where they can be found.
    fn captured(&mut self, name: String, literal: Span) -> ExprId {
        let text = self.lowering.places.slice(literal);
        let at = text
            .match_indices(&format!("{{{name}"))
            .map(|(at, _)| at + 1)
            .find(|at| text[at + name.len()..].starts_with(['}', ':']));
        let span = at.map_or(literal, |at| Span::new(literal.start + at, literal.start + at + name.len()));
        let segments = vec![Segment { name, args: Vec::new() }];
        self.push(Expr::Path(Path { segments, ..Path::default() }), span).id
    }
}

/// Of `name = value` the value; tracing's names may be dotted.
fn value(expr: &Syntax) -> &Syntax {
    match expr {
        Syntax::Assign(inner) => &inner.right,
        other => other,
    }
}

fn string(expr: &Syntax) -> Option<&syn::LitStr> {
    match expr {
        Syntax::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text),
        _ => None,
    }
}

fn string_names(expr: &Syntax) -> Vec<String> {
    string(expr).map(|text| captures(&text.value())).unwrap_or_default()
}

/// The names in `{name}`, `{name:?}` and `{:width$}`, each once, in order.
fn captures(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        rest = &rest[open + 1..];
        if let Some(behind) = rest.strip_prefix('{') {
            rest = behind;
            continue;
        }
        let Some(close) = rest.find('}') else { break };
        let (name, spec) = rest[..close].split_once(':').unwrap_or((&rest[..close], ""));
        // `{:>width$.precision$}`
        let counts = spec.split('$').rev().skip(1).map(|part| {
            let start = part.rfind(|sign: char| !is_name_char(sign)).map_or(0, |at| at + 1);
            part.get(start..).unwrap_or_default()
        });
        for name in std::iter::once(name.trim()).chain(counts) {
            let is_name = name.chars().all(is_name_char) && !name.starts_with(|first: char| first.is_ascii_digit());
            if is_name && !name.is_empty() && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        rest = &rest[close + 1..];
    }
    names
}

fn is_name_char(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_format_string() {
        assert_eq!(
            captures("mail-{id} {{no}} {} {0} {who:?} {x:>width$.prec$} {id}{é}{"),
            ["id", "who", "x", "prec", "width", "é"]
        );
        assert!(captures("{\"a\": {}}").is_empty());
        assert!(FORMATS.is_sorted());
    }
}
