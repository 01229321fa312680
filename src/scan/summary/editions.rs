//! Code of the edition of 2015, as far as the parser does not know it.

use proc_macro2::{Delimiter, Group, Ident, Spacing, TokenStream, TokenTree};

/// Trait objects of functions that are written without `dyn`: `&Fn(u8) -> X`, `Box<FnMut()>`. Every other token keeps
/// its place; nothing where there is none of them.
pub(super) fn with_dyn(text: &str) -> Option<TokenStream> {
    let mut found = false;
    let tokens = named(text.parse().ok()?, &mut found);
    found.then_some(tokens)
}

fn named(tokens: TokenStream, found: &mut bool) -> TokenStream {
    let mut out: Vec<TokenTree> = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let object = matches!(&token, TokenTree::Ident(name) if ["Fn", "FnMut", "FnOnce"].iter().any(|of| name == of))
            && matches!(tokens.peek(), Some(TokenTree::Group(args)) if args.delimiter() == Delimiter::Parenthesis)
            && begins_a_type(&out);
        if object {
            *found = true;
            out.push(TokenTree::Ident(Ident::new("dyn", token.span())));
        }
        out.push(match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), named(group.stream(), found));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            other => other,
        });
    }
    out.into_iter().collect()
}

/// Whether a type that is no bound begins behind these tokens: `Box<`, `&`, `&'a mut`, `,`.
fn begins_a_type(before: &[TokenTree]) -> bool {
    match before {
        [.., TokenTree::Punct(last)] => match last.as_char() {
            '&' | '<' | ',' => last.spacing() == Spacing::Alone || last.as_char() != ',',
            _ => false,
        },
        [.., TokenTree::Punct(mark), TokenTree::Ident(_)] if mark.as_char() == '\'' => {
            // `&'a Fn()`.
            matches!(before.len().checked_sub(3).map(|at| &before[at]), Some(TokenTree::Punct(of)) if of.as_char() == '&')
        }
        [.., TokenTree::Ident(last)] => last == "mut",
        _ => false,
    }
}
