//! Texts: formatted, joined, in JSON; as far as they are written out.

use std::sync::Arc;

use crate::scan::ir::{Body, Expr, ExprId};
use crate::scan::types::binding::is_name;
use crate::scan::types::eval::Eval;
use crate::scan::types::ty::Type;
use crate::scan::types::value::{Part, Request, Scope, Text, Value, product, shown};

impl Eval<'_, '_> {
    /// What the expression may be as a text; a hole when nothing is known.
    #[must_use]
    pub fn texts(&self, scope: Scope, id: ExprId) -> Vec<Text> {
        self.value(scope, id).texts_or_hole()
    }

    /// `format!("{}/x", base)`: literal parts, with the arguments between them.
    pub(super) fn formatted(&self, scope: Scope, args: &[ExprId]) -> Value {
        let Some((first, rest)) = args.split_first() else { return Value::default() };
        let template = self.value(scope, *first);
        let Some(text) = template.texts.first() else { return Value::of(Type::external("String")) };
        let Some(body) = self.types.body(scope) else { return Value::default() };
        // Names that the string captures stand inside its own bytes; the others are given in order.
        let template_span = body.node(*first).span;
        let is_captured = |arg: &ExprId| template_span.contains(body.node(*arg).span);
        let mut given = rest.iter().filter(|arg| !is_captured(arg));
        let mut out: Vec<Text> = vec![Vec::new()];
        for piece in pieces(&shown(text)) {
            let choices = match piece {
                Piece::Lit(lit) => vec![vec![Part::Lit(Arc::from(lit))]],
                Piece::Argument("") => self.texts_of(scope, given.next()),
                Piece::Argument(name) => {
                    let named = rest.iter().find(|arg| is_captured(arg) && is_name(body, **arg, name));
                    self.texts_of(scope, named.or_else(|| name.parse().ok().and_then(|at: usize| rest.get(at))))
                }
            };
            out = product(out, &choices);
        }
        Value { texts: out, ..Value::of(Type::external("String")) }
    }

    fn texts_of(&self, scope: Scope, arg: Option<&ExprId>) -> Vec<Text> {
        arg.map_or_else(|| vec![vec![Part::Hole]], |arg| self.texts(scope, *arg))
    }

    /// `a + b`.
    pub(super) fn concatenated(&self, scope: Scope, items: &[ExprId]) -> Value {
        let mut out: Vec<Text> = vec![Vec::new()];
        for item in items {
            out = product(out, &self.texts(scope, *item));
        }
        Value { texts: out, ..Value::of(Type::external("String")) }
    }

    /// What a text is after `push_str` or `Url::set_path`.
    pub(super) fn extended(&self, scope: Scope, body: &Body, value: Value, id: ExprId) -> Value {
        let Expr::Method { name, args, .. } = body.expr(id) else { return value };
        let [more] = args.as_slice() else { return value };
        let between = match name.as_str() {
            "push_str" => "",
            "set_path" => "/",
            _ => "?",
        };
        let heads: Vec<Text> = match between {
            "/" => value.texts_or_hole().iter().map(|text| origin(text)).collect(),
            _ => value.texts_or_hole(),
        };
        let joint = vec![vec![Part::Lit(Arc::from(between))]];
        let texts = product(product(heads, &joint), &self.texts(scope, *more));
        Value { texts, param: None, ..value }
    }

    /// `json!({..})`: the GraphQL document under `query`, the method under `method`.
    pub(super) fn json(&self, scope: Scope, pairs: &[(String, ExprId)]) -> Value {
        let bodies = pairs
            .iter()
            .filter(|(key, _)| matches!(key.as_str(), "query" | "mutation"))
            .flat_map(|(_, value)| self.texts(scope, *value))
            .collect();
        let request = Request { bodies, ..Request::default() };
        let mut value = Value::of(Type::external("serde_json::Value"));
        if !request.bodies.is_empty() {
            value.texts = request.bodies;
        }
        value
    }
}

/// A URL without its path, as far as it is written out.
fn origin(text: &[Part]) -> Text {
    match text {
        [Part::Lit(lit)] => {
            let after = lit.find("://").map_or(0, |at| at + 3);
            let end = lit[after..].find('/').map_or(lit.len(), |at| after + at);
            vec![Part::Lit(Arc::from(&lit[..end]))]
        }
        other => other.to_vec(),
    }
}

/// A field's URL without a host of this machine: what stands there at first is what a configuration replaces.
#[must_use]
pub fn settable(text: &[Part]) -> Text {
    const HERE: [&str; 4] = ["0.0.0.0", "127.0.0.1", "[::1]", "localhost"];
    if let [Part::Lit(first), rest @ ..] = text
        && let Some((_, after)) = first.split_once("://")
        && HERE.iter().any(|host| after.starts_with(host))
    {
        let path = after.find('/').map_or("", |at| &after[at..]);
        return [Part::Hole, Part::Lit(Arc::from(path))].into_iter().chain(rest.iter().cloned()).collect();
    }
    text.to_vec()
}

enum Piece<'a> {
    Lit(&'a str),
    /// What stands in the braces before the colon.
    Argument(&'a str),
}

/// The pieces of a format string; `{{` and `}}` are left as they are.
fn pieces(template: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        if rest[open..].starts_with("{{") {
            out.push(Piece::Lit(&rest[..open + 1]));
            rest = &rest[open + 2..];
            continue;
        }
        out.push(Piece::Lit(&rest[..open]));
        let (inside, after) = rest[open + 1..].split_once('}').unwrap_or((&rest[open + 1..], ""));
        out.push(Piece::Argument(inside.split(':').next().unwrap_or(inside).trim()));
        rest = after;
    }
    out.push(Piece::Lit(rest));
    out
}
