//! `json!` and other macros that write a map.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr as Syntax, Ident, Lit as Literal, Token, token};

use crate::scan::ir::{Expr, ExprId, Lit, MacroCall, MacroShape, Path};
use crate::source::Span;

use super::expressions::{Bodies, Placed};

/// Macros whose tokens are keys and values, by their last name.
const MAPS: [&str; 12] = [
    "bson",
    "btreemap",
    "convert_args",
    "doc",
    "hashmap",
    "indexmap",
    "json",
    "json_internal",
    "object",
    "params",
    "rawdoc",
    "value",
];

/// Whether a macro of this name writes a map.
pub(super) fn is_map(name: &str) -> bool {
    MAPS.contains(&name)
}

enum Value {
    Object(Vec<Pair>, Span),
    Array(Vec<Value>, proc_macro2::extra::DelimSpan),
    Null(proc_macro2::Span),
    Expr(Box<Syntax>),
}

struct Pair {
    /// The key's text: of a literal its value, else as written.
    key: String,
    /// A key that is computed.
    computed: Option<Syntax>,
    value: Value,
}

impl Bodies<'_, '_> {
    pub(super) fn map(&mut self, path: &Path, tokens: &TokenStream) -> Option<MacroShape> {
        let mut places = |span: proc_macro2::Span| self.lowering.places.range(span);
        if let Ok(value) = (|input: ParseStream| value(input, &mut places)).parse2(tokens.clone()) {
            return Some(match value {
                Value::Object(pairs, _) => MacroShape::Map(self.pairs(path, pairs)),
                other => MacroShape::Exprs(vec![self.value(path, other).id]),
            });
        }
        let pairs = (|input: ParseStream| pairs(input, &mut places)).parse2(tokens.clone()).ok()?;
        Some(MacroShape::Map(self.pairs(path, pairs)))
    }

    fn pairs(&mut self, path: &Path, pairs: Vec<Pair>) -> Vec<(String, ExprId)> {
        let mut list = Vec::with_capacity(pairs.len());
        for pair in pairs {
            if let Some(computed) = &pair.computed {
                list.push((String::new(), self.expr(computed).id));
            }
            let value = self.value(path, pair.value);
            list.push((pair.key, value.id));
        }
        list
    }

    fn value(&mut self, path: &Path, value: Value) -> Placed {
        match value {
            Value::Expr(expr) => self.expr(&expr),
            Value::Null(span) => {
                let span = self.lowering.places.range(span);
                self.push(Expr::Lit(Lit::Other), span)
            }
            Value::Array(values, span) => {
                let list = values.into_iter().map(|value| self.value(path, value).id).collect();
                let span = self.lowering.places.range(span.join());
                self.push(Expr::Array(list), span)
            }
            Value::Object(pairs, span) => {
                let shape = MacroShape::Map(self.pairs(path, pairs));
                // The text is the outer call's.
                self.push(Expr::Macro(MacroCall { path: path.clone(), shape, tokens: String::new() }), span)
            }
        }
    }
}

type Ranges<'r> = &'r mut dyn FnMut(proc_macro2::Span) -> Span;

fn value(input: ParseStream, places: Ranges) -> syn::Result<Value> {
    if input.peek(token::Brace) {
        let content;
        let brace = syn::braced!(content in input);
        let span = places(brace.span.join());
        return Ok(Value::Object(pairs(&content, places)?, span));
    }
    if input.peek(token::Bracket) && is_whole(input) {
        let content;
        let bracket = syn::bracketed!(content in input);
        let mut values = Vec::new();
        while !content.is_empty() {
            values.push(value(&content, places)?);
            if !content.is_empty() {
                content.parse::<Token![,]>()?;
            }
        }
        return Ok(Value::Array(values, bracket.span));
    }
    let word: Option<Ident> = input.fork().call(Ident::parse_any).ok();
    if word.as_ref().is_some_and(|word| word == "null") && (input.peek2(Token![,]) || is_whole(input)) {
        return Ok(Value::Null(input.call(Ident::parse_any)?.span()));
    }
    Ok(Value::Expr(Box::new(input.parse()?)))
}

/// Whether a single token stands before the next comma or the end.
fn is_whole(input: ParseStream) -> bool {
    let fork = input.fork();
    fork.parse::<proc_macro2::TokenTree>().is_ok() && (fork.is_empty() || fork.peek(Token![,]))
}

fn pairs(input: ParseStream, places: Ranges) -> syn::Result<Vec<Pair>> {
    let mut list = Vec::new();
    while !input.is_empty() {
        let (key, computed) = key(input)?;
        if input.peek(Token![=>]) {
            input.parse::<Token![=>]>()?;
        } else {
            input.parse::<Token![:]>()?;
        }
        list.push(Pair { key, computed, value: value(input, places)? });
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(list)
}

fn key(input: ParseStream) -> syn::Result<(String, Option<Syntax>)> {
    let ends = |fork: ParseStream| fork.peek(Token![:]) && !fork.peek(Token![::]) || fork.peek(Token![=>]);
    let fork = input.fork();
    if let Ok(lit) = fork.parse::<Literal>()
        && ends(&fork)
    {
        input.parse::<Literal>()?;
        return Ok((text(&lit), None));
    }
    let fork = input.fork();
    if let Ok(name) = fork.call(Ident::parse_any)
        && ends(&fork)
    {
        input.call(Ident::parse_any)?;
        return Ok((name.to_string(), None));
    }
    let computed: Syntax = input.parse()?;
    Ok((String::new(), Some(computed)))
}

fn text(lit: &Literal) -> String {
    match lit {
        Literal::Str(text) => text.value(),
        Literal::Int(number) => number.base10_digits().to_owned(),
        other => {
            use quote::ToTokens;
            other.to_token_stream().to_string()
        }
    }
}
