//! `macro_rules!`: what its arms expand to, with `$x` read as a name `x`.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::parse::Parser;

use crate::scan::ir::{Body, Expr, MacroArm, MacroCall, MacroShape, Path};

use super::Lowering;
use super::declarations::items;
use super::expressions::body;
use super::macros::is_punct;

impl Lowering<'_> {
    /// The arms: `(matcher) => { transcriber };`.
    pub(super) fn arms(&mut self, tokens: &TokenStream) -> Vec<MacroArm> {
        let groups: Vec<Group> = tokens
            .clone()
            .into_iter()
            .filter_map(|tree| match tree {
                TokenTree::Group(group) => Some(group),
                TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => None,
            })
            .collect();
        let around = std::mem::replace(&mut self.places.thinned, true);
        let arms = groups.chunks_exact(2).map(|arm| self.macro_arm(&arm[0], &arm[1])).collect();
        self.places.thinned = around;
        arms
    }

    fn macro_arm(&mut self, matcher: &Group, transcriber: &Group) -> MacroArm {
        let mut parameters = Vec::new();
        names(&matcher.stream(), &mut parameters);
        let tokens = plain(transcriber.stream());
        let arm = |body, items| MacroArm { parameters, body, items };
        match syn::Block::parse_within.parse2(tokens.clone()) {
            Ok(stmts) if !stmts.is_empty() && stmts.iter().all(|stmt| matches!(stmt, syn::Stmt::Item(_))) => {
                let made = stmts.iter().flat_map(|stmt| match stmt {
                    syn::Stmt::Item(item) => self.item(item),
                    syn::Stmt::Local(_) | syn::Stmt::Expr(..) | syn::Stmt::Macro(_) => Vec::new(),
                });
                let made = made.collect();
                arm(Body::default(), made)
            }
            Ok(stmts) => arm(body(self, |bodies| Some(bodies.statements_block(&stmts, &tokens).id)), Vec::new()),
            Err(_) => match items.parse2(tokens.clone()) {
                Ok(made) => {
                    let made = self.items(&made);
                    arm(Body::default(), made)
                }
                Err(_) => arm(self.searched(&tokens), Vec::new()),
            },
        }
    }

    fn searched(&mut self, tokens: &TokenStream) -> Body {
        let span = self.places.tokens(tokens);
        let text = self.text(span);
        body(self, |bodies| {
            let shape = bodies.ladder(tokens);
            let shape = match shape {
                MacroShape::Exprs(list) | MacroShape::Tokens(list) => MacroShape::Tokens(list),
                other => other,
            };
            Some(bodies.push(Expr::Macro(MacroCall { path: Path::default(), shape, tokens: text }), span).id)
        })
    }
}

/// The names of a matcher's variables, in order.
fn names(matcher: &TokenStream, list: &mut Vec<String>) {
    let trees: Vec<TokenTree> = matcher.clone().into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => names(&group.stream(), list),
            TokenTree::Ident(name) if at > 0 && is_punct(&trees[at - 1], '$') => {
                let name = name.to_string();
                list.push(name.strip_prefix("r#").map(str::to_owned).unwrap_or(name));
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// `$x` as `x`, `$crate` as `crate`, `$( .. ),*` once.
fn plain(tokens: TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out: Vec<TokenTree> = Vec::with_capacity(trees.len());
    let mut at = 0;
    while let Some(tree) = trees.get(at) {
        at += 1;
        if !is_punct(tree, '$') {
            out.push(inside(tree));
            continue;
        }
        match trees.get(at) {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
                out.extend(plain(group.stream()));
                at += 1 + repetition(&trees[at + 1..]);
            }
            // `${count(x)}`
            Some(TokenTree::Group(_)) => at += 1,
            Some(TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_)) | None => {}
        }
    }
    out.into_iter().collect()
}

fn inside(tree: &TokenTree) -> TokenTree {
    match tree {
        TokenTree::Group(group) => {
            let mut made = Group::new(group.delimiter(), plain(group.stream()));
            made.set_span(group.span());
            TokenTree::Group(made)
        }
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => tree.clone(),
    }
}

/// How many tokens `,*` has: an operator, with a separator before it or without.
fn repetition(trees: &[TokenTree]) -> usize {
    let operator =
        |at: usize| trees.get(at).is_some_and(|tree| ['*', '+', '?'].iter().any(|sign| is_punct(tree, *sign)));
    if operator(0) {
        1
    } else if operator(1) {
        2
    } else {
        0
    }
}
