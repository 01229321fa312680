//! Functions, methods and their parameters.

use syn::spanned::Spanned;

use crate::scan::ir::{BlockKind, Function, Item, ItemKind, Param, Pat, Path, Segment, Ty};
use crate::source::Span;

use super::Lowering;
use super::expressions::body;
use super::items::Head;
use super::patterns::{pattern, pattern_start};
use super::types;

impl Lowering<'_> {
    pub(super) fn function_item(&mut self, inner: &syn::ItemFn) -> Item {
        let kind = ItemKind::Fn(self.function(&inner.sig, Some(&inner.block)));
        let start = self.first(&inner.vis, first_word(&inner.sig));
        let end = self.places.end(inner.block.brace_token.span.close());
        self.finish(Head { attributes: &inner.attrs, name: Some(&inner.sig.ident), vis: &inner.vis, start, end }, kind)
            .0
    }

    pub(super) fn method_item(&mut self, inner: &syn::ImplItemFn) -> Item {
        let kind = ItemKind::Fn(self.function(&inner.sig, Some(&inner.block)));
        let start = self.first(&inner.vis, first_word(&inner.sig));
        let end = self.places.end(inner.block.brace_token.span.close());
        self.finish(Head { attributes: &inner.attrs, name: Some(&inner.sig.ident), vis: &inner.vis, start, end }, kind)
            .0
    }

    pub(super) fn trait_method(&mut self, inner: &syn::TraitItemFn) -> Item {
        let kind = ItemKind::Fn(self.function(&inner.sig, inner.default.as_ref()));
        let start = self.places.start(first_word(&inner.sig));
        let end = match (&inner.default, &inner.semi_token) {
            (Some(block), _) => self.places.end(block.brace_token.span.close()),
            (None, Some(token)) => self.places.end(token.spans[0]),
            (None, None) => self.places.end(inner.sig.paren_token.span.close()),
        };
        let head = Head {
            attributes: &inner.attrs,
            name: Some(&inner.sig.ident),
            vis: &syn::Visibility::Inherited,
            start,
            end,
        };
        self.finish(head, kind).0
    }

    fn function(&mut self, sig: &syn::Signature, block: Option<&syn::Block>) -> Function {
        let params = sig.inputs.iter().map(|input| self.argument(input)).collect();
        let generics = types::generics(&sig.generics, &self.places);
        let returns = types::returns(&sig.output, &self.places);
        let body = block.map(|block| body(self, |bodies| Some(bodies.block(block, BlockKind::Plain, None).id)));
        let has_self = matches!(sig.inputs.first(), Some(syn::FnArg::Receiver(_)));
        Function { is_async: sig.asyncness.is_some(), has_self, generics, params, returns, body }
    }

    fn argument(&self, input: &syn::FnArg) -> Param {
        let places = &self.places;
        match input {
            syn::FnArg::Receiver(receiver) => self.receiver(receiver),
            syn::FnArg::Typed(typed) => {
                let span = Span::new(pattern_start(&typed.pat, places), types::type_end(&typed.ty, places));
                Param { pat: pattern(&typed.pat, places), ty: types::ty(&typed.ty, places), span }
            }
        }
    }

    fn receiver(&self, receiver: &syn::Receiver) -> Param {
        let places = &self.places;
        let itself =
            Ty::Path(Path { segments: vec![Segment { name: "Self".to_owned(), args: Vec::new() }], ..Path::default() });
        let word = places.range(receiver.self_token.span);
        let mut span = word;
        let ty = match &receiver.kind {
            syn::ReceiverKind::Reference(sign, ..) => {
                span.start = places.start(sign.spans[0]);
                Ty::Ref(Box::new(itself))
            }
            syn::ReceiverKind::Typed(_, ty) => {
                span.end = types::type_end(ty, places);
                types::ty(ty, places)
            }
            _ => itself,
        };
        Param { pat: Pat::Bind { name: "self".to_owned(), span: word, inner: None }, ty, span }
    }
}

/// The first word of a signature: `const`, `async`, `unsafe`, `extern` or `fn`.
fn first_word(sig: &syn::Signature) -> proc_macro2::Span {
    let unsafe_word = match &sig.safety {
        syn::Safety::Unsafe(token) => Some(token.span),
        syn::Safety::Safe(token) => Some(token.span()),
        syn::Safety::Default => None,
    };
    let constness = sig.constness.as_ref().map(|token| token.span);
    let asyncness = sig.asyncness.as_ref().map(|token| token.span);
    let abi = sig.abi.as_ref().map(|abi| abi.extern_token.span);
    constness.or(asyncness).or(unsafe_word).or(abi).unwrap_or(sig.fn_token.span)
}
