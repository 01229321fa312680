//! Macro calls in bodies, by what their tokens parse as.
//!
//! The ladder: what the name promises (`select!`, `json!`, format strings), a list of expressions, statements,
//! a list with labels and sigils (`status = ?x`, `k => v`), and what is left is searched for calls.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use syn::buffer::Cursor;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr as Syntax, Token};

use crate::scan::ir::{BlockKind, Expr, ExprId, MacroCall, MacroShape, Path};
use crate::source::Span;

use super::Lowering;
use super::expressions::{Bodies, Placed};
use super::{format, maps, select, types};

/// Tokens are kept as text up to here.
const MOST_TEXT: usize = 4096;

/// Macros whose tokens do not run where they stand.
const INERT: [&str; 12] = [
    "asm",
    "cfg",
    "compile_error",
    "global_asm",
    "html_doc",
    "naked_asm",
    "parse_quote",
    "parse_quote_spanned",
    "quote",
    "quote_spanned",
    "stringify",
    "syn_str",
];

/// `matches!(value, pattern if guard)`.
const PATTERN_MACROS: [&str; 3] = ["assert_matches", "debug_assert_matches", "matches"];

impl Bodies<'_, '_> {
    /// A macro call in a body.
    pub(super) fn macro_call(&mut self, call: &syn::Macro) -> Placed {
        let (path, span) = types::path(None, &call.path, &self.lowering.places);
        let span = Span::new(span.start, self.lowering.places.end(call.delimiter.span().close()));
        let name = path.segments.last().map(|last| last.name.clone()).unwrap_or_default();
        if name == "vec"
            && let Some(list) = self.array(&call.tokens)
        {
            return self.push(Expr::Array(list), span);
        }
        let text = self.lowering.text(self.lowering.places.within(*call.delimiter.span()));
        let shape = self.shape(&path, &name, &call.tokens);
        self.push(Expr::Macro(MacroCall { path, shape, tokens: text }), span)
    }

    fn shape(&mut self, path: &Path, name: &str, tokens: &TokenStream) -> MacroShape {
        if INERT.contains(&name) {
            return MacroShape::Inert;
        }
        let literal = |tree| matches!(tree, Some(TokenTree::Literal(_)));
        self.lowering.made_includes += usize::from(name == "include" && !literal(tokens.clone().into_iter().next()));
        let promised = if format::is_format(name) {
            self.format(tokens)
        } else if select::is_select(name) {
            self.select(tokens)
        } else if maps::is_map(name) {
            self.map(path, tokens)
        } else if PATTERN_MACROS.contains(&name) {
            self.pattern_macro(tokens)
        } else {
            None
        };
        promised.unwrap_or_else(|| self.ladder(tokens))
    }

    /// What the tokens of an unknown macro parse as.
    pub(super) fn ladder(&mut self, tokens: &TokenStream) -> MacroShape {
        if let Some(list) = expressions(tokens) {
            return MacroShape::Exprs(list.iter().map(|expr| self.argument(expr)).collect());
        }
        if let Ok(stmts) = syn::Block::parse_within.parse2(tokens.clone()) {
            return MacroShape::Block(self.statements_block(&stmts, tokens).id);
        }
        if let Some(list) = labelled(tokens) {
            return MacroShape::Exprs(list.iter().map(|expr| self.argument(expr)).collect());
        }
        self.lowering.as_tokens += 1;
        MacroShape::Tokens(self.search(tokens))
    }

    /// An argument; of `name = value` the value.
    pub(super) fn argument(&mut self, expr: &Syntax) -> ExprId {
        match label(expr) {
            Some((_, value)) => self.expr(value).id,
            None => self.expr(expr).id,
        }
    }

    /// Statements without braces of their own.
    pub(super) fn statements_block(&mut self, stmts: &[syn::Stmt], tokens: &TokenStream) -> Placed {
        let span = self.lowering.places.tokens(tokens);
        let stmts = self.statements(stmts);
        self.push(Expr::Block { kind: BlockKind::Plain, stmts }, span)
    }

    /// `a, b` and `a; n`.
    fn array(&mut self, tokens: &TokenStream) -> Option<Vec<ExprId>> {
        let repeated = |input: ParseStream| {
            let value: Syntax = input.parse()?;
            input.parse::<Token![;]>()?;
            Ok((value, input.parse::<Syntax>()?))
        };
        if let Some(list) = expressions(tokens) {
            return Some(self.list(&list));
        }
        let (value, count) = repeated.parse2(tokens.clone()).ok()?;
        Some(self.list([&value, &count]))
    }

    /// `value, pattern if guard`: as `let pattern = value`, then the guard and what else is there.
    fn pattern_macro(&mut self, tokens: &TokenStream) -> Option<MacroShape> {
        let parser = |input: ParseStream| {
            let value: Syntax = input.parse()?;
            input.parse::<Token![,]>()?;
            let pat = syn::Pat::parse_multi_with_leading_vert(input)?;
            let mut rest = Vec::new();
            if input.peek(Token![if]) {
                input.parse::<Token![if]>()?;
                rest.push(input.parse::<Syntax>()?);
            }
            while !input.is_empty() {
                input.parse::<Token![,]>()?;
                if !input.is_empty() {
                    rest.push(input.parse()?);
                }
            }
            Ok((value, pat, rest))
        };
        let (value, pat, rest) = parser.parse2(tokens.clone()).ok()?;
        let value = self.expr(&value);
        let pat = super::patterns::pattern(&pat, &self.lowering.places);
        let span = self.lowering.places.tokens(tokens);
        let test = self.push(Expr::Let(pat, value.id), span).id;
        Some(MacroShape::Exprs(std::iter::once(test).chain(self.list(&rest)).collect()))
    }

    /// Tokens that the parser kept as they are.
    pub(super) fn unread_tokens(&mut self, tokens: &TokenStream) -> Placed {
        let span = self.lowering.places.tokens(tokens);
        self.lowering.as_tokens += 1;
        let shape = MacroShape::Tokens(self.search(tokens));
        let text = self.lowering.text(span);
        self.push(Expr::Macro(MacroCall { path: Path::default(), shape, tokens: text }), span)
    }
}

impl Lowering<'_> {
    /// Tokens as the user wrote them, cut to a size.
    pub(super) fn text(&self, span: Span) -> String {
        let text = self.places.slice(span);
        text.get(..text.floor_char_boundary(MOST_TEXT)).unwrap_or(text).to_owned()
    }
}

/// `a, b, c`, when all of it is that.
pub(super) fn expressions(tokens: &TokenStream) -> Option<Vec<Syntax>> {
    let list = Punctuated::<Syntax, Token![,]>::parse_terminated.parse2(tokens.clone()).ok()?;
    Some(list.into_iter().collect())
}

/// `name = value` of an argument list.
pub(super) fn label(expr: &Syntax) -> Option<(&syn::Ident, &Syntax)> {
    match expr {
        Syntax::Assign(inner) => match &*inner.left {
            Syntax::Path(left) => Some((left.path.get_ident()?, &inner.right)),
            _ => None,
        },
        _ => None,
    }
}

/// A list whose parts may carry labels and sigils, in one go: what a macro that logs is mostly given.
pub(super) fn fields(tokens: &TokenStream) -> Option<Vec<Syntax>> {
    let parser = |input: ParseStream| {
        let mut list = Vec::new();
        while !input.is_empty() {
            input.step(|cursor| Ok(((), behind_label(*cursor))))?;
            list.push(input.parse()?);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(list)
    };
    parser.parse2(tokens.clone()).ok()
}

/// Where the expression behind a label and a sigil begins; a label that the parser takes for an assignment stays.
fn behind_label(cursor: Cursor<'_>) -> Cursor<'_> {
    let (mut at, mut labelled) = (cursor, false);
    while let Some(next) = behind_label_token(at) {
        (at, labelled) = (next, true);
    }
    let found = match at.punct() {
        Some((sign, behind)) if labelled && sign.as_char() == '=' => without_sigil(behind),
        Some((sign, behind)) if labelled && sign.as_char() == ':' && sign.spacing() == Spacing::Alone => {
            Some(without_sigil(behind).unwrap_or(behind))
        }
        _ if labelled => None,
        _ => without_sigil(cursor),
    };
    found.unwrap_or(cursor)
}

fn without_sigil(at: Cursor<'_>) -> Option<Cursor<'_>> {
    at.punct().filter(|(sign, _)| matches!(sign.as_char(), '?' | '%')).map(|(_, behind)| behind)
}

fn behind_label_token(at: Cursor<'_>) -> Option<Cursor<'_>> {
    let dot = || at.punct().filter(|(sign, _)| sign.as_char() == '.').map(|(_, behind)| behind);
    at.ident().map(|(_, behind)| behind).or_else(|| at.literal().map(|(_, behind)| behind)).or_else(dot)
}

/// A list whose parts may carry labels and sigils; `None` when a part still does not parse.
pub(super) fn labelled(tokens: &TokenStream) -> Option<Vec<Syntax>> {
    let mut list = Vec::new();
    for part in split(tokens, ',') {
        let arrow = part.windows(2).position(|pair| is_punct(&pair[0], '=') && is_punct(&pair[1], '>'));
        match arrow {
            Some(at) => list.extend([bare(&part[..at])?, bare(&part[at + 2..])?]),
            None => list.push(bare(&part)?),
        }
    }
    Some(list)
}

/// The expression behind labels (`a.b =`, `target:`) and sigils (`?`, `%`).
fn bare(part: &[TokenTree]) -> Option<Syntax> {
    if let Ok(expr) = syn::parse2(part.iter().cloned().collect()) {
        return Some(expr);
    }
    let is_label = |tree: &TokenTree| match tree {
        TokenTree::Ident(_) | TokenTree::Literal(_) => true,
        TokenTree::Punct(punct) => punct.as_char() == '.',
        TokenTree::Group(_) => false,
    };
    let labels = part.iter().take_while(|tree| is_label(tree)).count();
    let behind = match part.get(labels) {
        Some(sign) if labels > 0 && (is_punct(sign, '=') || is_punct(sign, ':')) => &part[labels + 1..],
        _ => part,
    };
    let value = match behind.first() {
        Some(sigil) if is_punct(sigil, '?') || is_punct(sigil, '%') => &behind[1..],
        _ => behind,
    };
    syn::parse2(value.iter().cloned().collect()).ok()
}

/// The parts between separators; an empty last part is left out.
pub(super) fn split(tokens: &TokenStream, separator: char) -> Vec<Vec<TokenTree>> {
    let mut parts = vec![Vec::new()];
    for tree in tokens.clone() {
        if is_punct(&tree, separator) {
            parts.push(Vec::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(tree);
        }
    }
    if parts.last().is_some_and(Vec::is_empty) {
        parts.pop();
    }
    parts
}

pub(super) fn is_punct(tree: &TokenTree, sign: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == sign)
}

pub(super) fn group(tree: &TokenTree, delimiter: Delimiter) -> Option<TokenStream> {
    match tree {
        TokenTree::Group(group) if group.delimiter() == delimiter => Some(group.stream()),
        _ => None,
    }
}
