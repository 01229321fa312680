//! `select!` of tokio, futures and crossbeam.

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};
use syn::{Expr as Syntax, Ident, Pat as Pattern, Token, token};

use crate::scan::ir::{Arm, Expr, MacroShape, Pat};
use crate::source::Span;

use super::expressions::Bodies;
use super::patterns::pattern;

/// `select!` and its kin, by their last name.
const SELECTS: [&str; 5] = ["select", "select_all", "select_biased", "select_loop", "try_select"];

/// Whether a macro of this name has arms.
pub(super) fn is_select(name: &str) -> bool {
    SELECTS.contains(&name)
}

struct Written {
    /// `None` of `else`, `default` and `complete`.
    pat: Option<Pattern>,
    future: Option<Syntax>,
    guard: Option<Syntax>,
    handler: Syntax,
}

impl Bodies<'_, '_> {
    pub(super) fn select(&mut self, tokens: &TokenStream) -> Option<MacroShape> {
        let arms = arms.parse2(tokens.clone()).ok()?;
        let end = self.lowering.places.tokens(tokens).end;
        Some(MacroShape::Select(arms.iter().map(|arm| self.select_arm(arm, end)).collect()))
    }

    fn select_arm(&mut self, arm: &Written, end: usize) -> (crate::scan::ir::ExprId, Arm) {
        let future = arm.future.as_ref().map(|future| self.expr(future));
        let guard = arm.guard.as_ref().map(|guard| self.expr(guard).id);
        let body = self.expr(&arm.handler);
        let places = &self.lowering.places;
        let first = arm.pat.as_ref().map(|pat| super::patterns::pattern_start(pat, places));
        let start = first.into_iter().chain(future.map(|future| future.span.start)).min().unwrap_or(body.span.start);
        let pat = arm.pat.as_ref().map_or(Pat::Wild, |pat| pattern(pat, places));
        self.lowering.units.push(Span::new(start, body.span.end.min(end)));
        let future = future.map_or_else(|| self.push(Expr::Other, Span::new(start, start)).id, |future| future.id);
        (future, Arm { pat, guard, body: body.id })
    }
}

fn arms(input: ParseStream) -> syn::Result<Vec<Written>> {
    let word: Option<Ident> = input.fork().parse().ok();
    if word.is_some_and(|word| word == "biased") && input.peek2(Token![;]) {
        input.parse::<Ident>()?;
        input.parse::<Token![;]>()?;
    }
    let mut arms = Vec::new();
    while !input.is_empty() {
        arms.push(arm(input)?);
    }
    Ok(arms)
}

fn arm(input: ParseStream) -> syn::Result<Written> {
    let (pat, future) = head(input)?;
    let mut guard = None;
    if input.peek(Token![,]) {
        input.parse::<Token![,]>()?;
        input.parse::<Token![if]>()?;
        guard = Some(input.parse()?);
    }
    input.parse::<Token![=>]>()?;
    let handler = handler(input)?;
    Ok(Written { pat, future, guard, handler })
}

/// What stands before `=>`.
fn head(input: ParseStream) -> syn::Result<(Option<Pattern>, Option<Syntax>)> {
    if input.peek(Token![else]) {
        input.parse::<Token![else]>()?;
        return Ok((None, None));
    }
    if input.peek(Ident) && input.peek2(Token![=>]) {
        // `default =>`, `complete =>`
        input.parse::<Ident>()?;
        return Ok((None, None));
    }
    let fork = input.fork();
    if fork.parse::<syn::ExprCall>().is_ok() && (fork.peek(Token![->]) || fork.peek(Token![=>])) {
        // crossbeam: `recv(r) -> message`, `default(timeout)`
        let call = input.parse()?;
        let pat = match input.parse::<Option<Token![->]>>()? {
            Some(_) => Some(Pattern::parse_multi_with_leading_vert(input)?),
            None => None,
        };
        return Ok((pat, Some(call)));
    }
    let pat = Pattern::parse_multi_with_leading_vert(input)?;
    input.parse::<Token![=]>()?;
    Ok((Some(pat), Some(input.parse()?)))
}

/// A block needs no comma behind it.
fn handler(input: ParseStream) -> syn::Result<Syntax> {
    if input.peek(token::Brace) {
        let fork = input.fork();
        let block: syn::ExprBlock = fork.parse()?;
        // `{ .. }.await` goes on.
        if !fork.peek(Token![.]) && !fork.peek(Token![?]) {
            syn::parse::discouraged::Speculative::advance_to(input, &fork);
            input.parse::<Option<Token![,]>>()?;
            return Ok(Syntax::Block(block));
        }
    }
    let handler = Syntax::parse_with_earlier_boundary_rule(input)?;
    if input.peek(Token![,]) || input.is_empty() {
        input.parse::<Option<Token![,]>>()?;
    }
    Ok(handler)
}
