//! Calls in tokens that no parser takes.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::parse::Parser;

use crate::scan::ir::ExprId;

use super::expressions::Bodies;
use super::macros::is_punct;

/// Words that start no call.
const WORDS: [&str; 25] = [
    "as", "async", "become", "break", "const", "continue", "else", "enum", "fn", "for", "if", "impl", "in", "let",
    "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "struct", "trait", "while",
];

/// Words after which a name is declared, not called.
const DECLARING: [&str; 5] = ["enum", "fn", "mod", "struct", "trait"];

impl Bodies<'_, '_> {
    /// What can be read of the tokens: chains that hold a call, and braces that hold statements.
    pub(super) fn search(&mut self, tokens: &TokenStream) -> Vec<ExprId> {
        let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(tree) = trees.get(at) {
            at = match tree {
                // An attribute.
                TokenTree::Punct(sign) if sign.as_char() == '#' => {
                    let bang = usize::from(trees.get(at + 1).is_some_and(|tree| is_punct(tree, '!')));
                    let bracket = trees.get(at + 1 + bang);
                    let attribute = bracket.is_some_and(|tree| is_group(tree, Delimiter::Bracket));
                    if attribute { at + 2 + bang } else { at + 1 }
                }
                TokenTree::Punct(_) => at + 1,
                TokenTree::Ident(_) if declares(&trees, at) => at + 1,
                TokenTree::Ident(word) if WORDS.iter().any(|known| word == known) => at + 1,
                TokenTree::Ident(_) | TokenTree::Literal(_) | TokenTree::Group(_) => {
                    self.chain_at(&trees, at, &mut found)
                }
            };
        }
        found
    }

    /// Reads the chain that starts at `at`; returns where to go on.
    fn chain_at(&mut self, trees: &[TokenTree], at: usize, found: &mut Vec<ExprId>) -> usize {
        let (end, calls) = chain(trees, at);
        // What the parser takes and does not read would come back here as the same tokens.
        if calls
            && let Ok(expr) = syn::parse2::<syn::Expr>(trees[at..end].iter().cloned().collect())
            && !matches!(expr, syn::Expr::Verbatim(_))
        {
            found.push(self.expr(&expr).id);
            return end;
        }
        for tree in &trees[at..end] {
            if let TokenTree::Group(group) = tree {
                found.extend(self.group(group.delimiter(), &group.stream()));
            }
        }
        end
    }

    fn group(&mut self, delimiter: Delimiter, tokens: &TokenStream) -> Vec<ExprId> {
        if delimiter == Delimiter::Brace
            && let Ok(stmts) = syn::Block::parse_within.parse2(tokens.clone())
            && !stmts.is_empty()
        {
            return vec![self.statements_block(&stmts, tokens).id];
        }
        self.search(tokens)
    }
}

fn declares(trees: &[TokenTree], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| trees.get(before));
    matches!(before, Some(TokenTree::Ident(word)) if DECLARING.iter().any(|known| word == known))
}

fn is_group(tree: &TokenTree, delimiter: Delimiter) -> bool {
    matches!(tree, TokenTree::Group(group) if group.delimiter() == delimiter)
}

/// One past the last token of `a::b.c(..)?.await`, and whether something is called in it.
fn chain(trees: &[TokenTree], start: usize) -> (usize, bool) {
    let (mut at, mut calls) = (start + 1, false);
    let sign = |at: usize, sign: char| trees.get(at).is_some_and(|tree| is_punct(tree, sign));
    loop {
        let next = trees.get(at);
        let step = if sign(at, ':') && sign(at + 1, ':') {
            match trees.get(at + 2) {
                Some(TokenTree::Ident(_)) => 3,
                Some(tree) if is_punct(tree, '<') => generic_length(&trees[at + 2..]).map_or(0, |length| length + 2),
                _ => 0,
            }
        } else if sign(at, '.') && matches!(trees.get(at + 1), Some(TokenTree::Ident(_) | TokenTree::Literal(_))) {
            2
        } else if sign(at, '!') && matches!(trees.get(at + 1), Some(TokenTree::Group(_))) {
            calls = true;
            2
        } else if sign(at, '?') {
            1
        } else if next.is_some_and(|tree| is_group(tree, Delimiter::Parenthesis)) && !is_punct_before(trees, at) {
            calls = true;
            1
        } else {
            0
        };
        if step == 0 {
            return (at.min(trees.len()), calls);
        }
        at += step;
    }
}

/// `(a)(b)` and `x (b)` are calls; `= (b)` is not.
fn is_punct_before(trees: &[TokenTree], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| trees.get(before));
    matches!(before, Some(TokenTree::Punct(sign)) if !matches!(sign.as_char(), '>' | '?'))
}

/// How many tokens `<..>` has.
fn generic_length(trees: &[TokenTree]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Punct(sign) if sign.as_char() == '<' => depth += 1,
            TokenTree::Punct(sign) if sign.as_char() == '>' => depth = depth.checked_sub(1)?,
            TokenTree::Punct(sign) if sign.as_char() == ';' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}
