//! Patterns.

use syn::spanned::Spanned;

use crate::scan::ir::{Lit, Pat, Path, Segment};
use crate::source::Span;

use super::places::Places;
use super::types;

/// A pattern. Its guard, where it has one, is the caller's.
pub(super) fn pattern(written: &syn::Pat, places: &Places) -> Pat {
    let list = |pats: &syn::punctuated::Punctuated<syn::Pat, syn::Token![,]>| {
        pats.iter().map(|pat| pattern(pat, places)).collect()
    };
    match written {
        syn::Pat::Ident(inner) => bind(inner, places),
        syn::Pat::Wild(_) | syn::Pat::Rest(_) => Pat::Wild,
        syn::Pat::Tuple(inner) => Pat::Tuple(list(&inner.elems)),
        syn::Pat::TupleStruct(inner) => {
            Pat::TupleStruct(types::path(inner.qself.as_ref(), &inner.path, places).0, list(&inner.elems))
        }
        syn::Pat::Struct(inner) => fields(inner, places),
        syn::Pat::Path(inner) => Pat::Path(types::path(inner.qself.as_ref(), &inner.path, places).0),
        syn::Pat::Reference(inner) => Pat::Ref(Box::new(pattern(&inner.pat, places))),
        syn::Pat::Or(inner) => Pat::Or(inner.cases.iter().map(|case| pattern(case, places)).collect()),
        syn::Pat::Slice(inner) => Pat::Slice(list(&inner.elems)),
        syn::Pat::Type(inner) => Pat::Typed(Box::new(pattern(&inner.pat, places)), types::ty(&inner.ty, places)),
        syn::Pat::Paren(inner) => pattern(&inner.pat, places),
        syn::Pat::Guard(inner) => pattern(&inner.pat, places),
        syn::Pat::Lit(inner) => Pat::Lit(literal(&inner.lit)),
        syn::Pat::Range(_) => Pat::Lit(Lit::Other),
        syn::Pat::Const(_) | syn::Pat::Macro(_) | syn::Pat::Verbatim(_) => Pat::Other,
        _ => Pat::Other,
    }
}

/// A lone name with a capital is a constant or a variant by custom; the parser cannot tell.
fn bind(inner: &syn::PatIdent, places: &Places) -> Pat {
    let (name, span) = places.name(&inner.ident);
    let plain = inner.by_ref.is_none() && inner.mutability.is_none() && inner.subpat.is_none();
    if plain && name.starts_with(|first: char| first.is_uppercase()) {
        let segments = vec![Segment { name, args: Vec::new() }];
        return Pat::Path(Path { segments, ..Path::default() });
    }
    let behind = inner.subpat.as_ref().map(|(_, pat)| Box::new(pattern(pat, places)));
    Pat::Bind { name, span, inner: behind }
}

fn fields(inner: &syn::PatStruct, places: &Places) -> Pat {
    let path = types::path(inner.qself.as_ref(), &inner.path, places).0;
    let fields = inner.fields.iter().map(|field| (member(&field.member, places), pattern(&field.pat, places)));
    Pat::Struct(path, fields.collect())
}

/// A field's name or index.
pub(super) fn member(member: &syn::Member, places: &Places) -> String {
    match member {
        syn::Member::Named(name) => places.name(name).0,
        syn::Member::Unnamed(index) => index.index.to_string(),
    }
}

/// First byte of a pattern.
pub(super) fn pattern_start(written: &syn::Pat, places: &Places) -> usize {
    match written {
        syn::Pat::Ident(inner) => match (&inner.by_ref, &inner.mutability) {
            (Some(token), _) => places.start(token.span),
            (None, Some(token)) => places.start(token.span),
            (None, None) => places.start(inner.ident.span()),
        },
        syn::Pat::Type(inner) => pattern_start(&inner.pat, places),
        syn::Pat::Wild(inner) => places.start(inner.underscore_token.spans[0]),
        syn::Pat::Tuple(inner) => places.start(inner.paren_token.span.open()),
        syn::Pat::Reference(inner) => places.start(inner.and_token.spans[0]),
        syn::Pat::TupleStruct(inner) => types::path(inner.qself.as_ref(), &inner.path, places).1.start,
        syn::Pat::Struct(inner) => types::path(inner.qself.as_ref(), &inner.path, places).1.start,
        syn::Pat::Path(inner) => types::path(inner.qself.as_ref(), &inner.path, places).1.start,
        syn::Pat::Or(inner) => inner.cases.first().map_or(0, |first| pattern_start(first, places)),
        syn::Pat::Guard(inner) => pattern_start(&inner.pat, places),
        syn::Pat::Lit(inner) => places.start(inner.lit.span()),
        // Rare, and short enough to be asked token by token.
        _ => places.start(written.span()),
    }
}

/// All of a pattern.
pub(super) fn pattern_span(written: &syn::Pat, places: &Places) -> Span {
    let end = match written {
        syn::Pat::Ident(inner) if inner.subpat.is_none() => places.name(&inner.ident).1.end,
        syn::Pat::Type(inner) => types::type_end(&inner.ty, places),
        _ => places.end(written.span()),
    };
    Span::new(pattern_start(written, places), end)
}

/// A literal, its escapes undone.
pub(super) fn literal(lit: &syn::Lit) -> Lit {
    match lit {
        syn::Lit::Str(text) => Lit::Str(text.value()),
        syn::Lit::ByteStr(bytes) => String::from_utf8(bytes.value()).map_or(Lit::Other, Lit::Bytes),
        syn::Lit::Int(number) => Lit::Int(number.base10_digits().to_owned()),
        syn::Lit::Bool(value) => Lit::Bool(value.value),
        _ => Lit::Other,
    }
}
