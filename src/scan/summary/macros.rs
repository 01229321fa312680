//! Macro calls, by what their tokens parse as.

use proc_macro2::TokenStream;

use crate::scan::ir::{Expr, Item, MacroCall, MacroShape};

use super::Lowering;
use super::expressions::{Bodies, Placed};
use super::types;

/// Tokens are kept as text up to here.
const MOST_TEXT: usize = 4096;

impl Bodies<'_, '_> {
    /// A macro call in a body.
    pub(super) fn macro_call(&mut self, call: &syn::Macro) -> Placed {
        let (path, span) = types::path(None, &call.path, &self.lowering.places);
        let span = crate::source::Span::new(span.start, self.lowering.places.end(call.delimiter.span().close()));
        let tokens = self.lowering.text(&call.tokens);
        let shape = MacroShape::Tokens(Vec::new());
        self.push(Expr::Macro(MacroCall { path, shape, tokens }), span)
    }

    /// Tokens that the parser kept as they are.
    pub(super) fn unread_tokens(&mut self, tokens: &TokenStream) -> Placed {
        let span = self.lowering.places.tokens(tokens);
        self.push(Expr::Other, span)
    }
}

impl Lowering<'_> {
    /// Tokens as the user wrote them, cut to a size.
    pub(super) fn text(&self, tokens: &TokenStream) -> String {
        let text = self.places.slice(self.places.tokens(tokens));
        text.get(..text.floor_char_boundary(MOST_TEXT)).unwrap_or(text).to_owned()
    }

    pub(super) fn item_macro(&mut self, inner: &syn::ItemMacro) -> Vec<Item> {
        if !inner.mac.path.is_ident("include") {
            return Vec::new();
        }
        let file = syn::parse2::<syn::LitStr>(inner.mac.tokens.clone()).ok().map(|file| file.value());
        let head = super::items::tokens_head(self, &inner.mac.tokens);
        vec![self.finish(head, crate::scan::ir::ItemKind::Include(file)).0]
    }

    pub(super) fn member_macro(&mut self, _attributes: &[syn::Attribute], _call: &syn::Macro) -> Vec<Item> {
        Vec::new()
    }

    pub(super) fn unread_item(&mut self, _tokens: &TokenStream) -> Vec<Item> {
        Vec::new()
    }
}
