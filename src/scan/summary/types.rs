//! Types, paths and generics.

use syn::spanned::Spanned;

use crate::scan::ir::{Generic, Path, Segment, Ty};
use crate::source::Span;

use super::places::Places;

/// Traits that say nothing about what a value does: `Fn(A) -> R + Send` is `Fn(A) -> R`.
const MARKERS: [&str; 8] = ["Clone", "Copy", "RefUnwindSafe", "Send", "Sized", "Sync", "Unpin", "UnwindSafe"];

/// The traits of callables.
const CALLABLES: [&str; 6] = ["AsyncFn", "AsyncFnMut", "AsyncFnOnce", "Fn", "FnMut", "FnOnce"];

/// A path, and its bytes.
pub(super) fn path(qself: Option<&syn::QSelf>, path: &syn::Path, places: &Places) -> (Path, Span) {
    // `<T as a::Trait>::f` keeps the trait's segments in front, `<T>::f` has none.
    let mut span = path_start(qself, path, places);
    let mut segments = Vec::with_capacity(path.segments.len());
    for segment in &path.segments {
        let (name, at) = match segments.last() {
            Some(Segment { args, .. }) if args.is_empty() => places.name_behind(span.end, "::", &segment.ident),
            _ => places.name(&segment.ident),
        };
        span.end = at.end;
        segments.push(Segment { name, args: arguments(&segment.arguments, places) });
    }
    if let Some(last) = path.segments.last() {
        span.end = arguments_end(&last.arguments, places).unwrap_or(span.end);
    }
    let qself = qself.map(|qself| Box::new(ty(&qself.ty, places)));
    (Path { qself, global: path.leading_colon.is_some(), segments }, span)
}

fn path_start(qself: Option<&syn::QSelf>, path: &syn::Path, places: &Places) -> Span {
    let first = match (qself, path.leading_colon, path.segments.first()) {
        (Some(qself), ..) => places.start(qself.lt_token.spans[0]),
        (None, Some(colon), _) => places.start(colon.spans[0]),
        (None, None, Some(segment)) => places.start(segment.ident.span()),
        (None, None, None) => 0,
    };
    Span::new(first, first)
}

fn arguments(arguments: &syn::PathArguments, places: &Places) -> Vec<Ty> {
    match arguments {
        syn::PathArguments::None => Vec::new(),
        syn::PathArguments::AngleBracketed(list) => generic_arguments(list, places),
        syn::PathArguments::Parenthesized(list) => list.inputs.iter().map(|input| ty(&input.ty, places)).collect(),
    }
}

/// Type arguments in order; `Output = T` counts as one.
pub(super) fn generic_arguments(list: &syn::AngleBracketedGenericArguments, places: &Places) -> Vec<Ty> {
    list.args
        .iter()
        .filter_map(|argument| match argument {
            syn::GenericArgument::Type(inner) => Some(ty(inner, places)),
            syn::GenericArgument::AssocType(inner) => Some(ty(&inner.ty, places)),
            _ => None,
        })
        .collect()
}

fn arguments_end(arguments: &syn::PathArguments, places: &Places) -> Option<usize> {
    match arguments {
        syn::PathArguments::None => None,
        syn::PathArguments::AngleBracketed(list) => Some(places.end(list.gt_token.spans[0])),
        syn::PathArguments::Parenthesized(list) => Some(places.end(list.paren_token.span.close())),
    }
}

/// A type as written.
pub(super) fn ty(written: &syn::Type, places: &Places) -> Ty {
    let at = || {
        let start = places.start(written.span());
        Span::new(start, start)
    };
    places.deeper(at, || in_type(written, places)).unwrap_or(Ty::Other)
}

fn in_type(written: &syn::Type, places: &Places) -> Ty {
    match written {
        syn::Type::Path(inner) => Ty::Path(path(inner.qself.as_ref(), &inner.path, places).0),
        syn::Type::Reference(inner) => Ty::Ref(Box::new(ty(&inner.elem, places))),
        syn::Type::Ptr(inner) => Ty::Ref(Box::new(ty(&inner.elem, places))),
        syn::Type::Tuple(inner) => Ty::Tuple(inner.elems.iter().map(|elem| ty(elem, places)).collect()),
        syn::Type::Slice(inner) => Ty::Slice(Box::new(ty(&inner.elem, places))),
        syn::Type::Array(inner) => Ty::Slice(Box::new(ty(&inner.elem, places))),
        syn::Type::Group(inner) => ty(&inner.elem, places),
        syn::Type::Paren(inner) => ty(&inner.elem, places),
        syn::Type::ImplTrait(inner) => bounds_type(inner.bounds.iter(), places),
        syn::Type::TraitObject(inner) => bounds_type(inner.bounds.iter(), places),
        syn::Type::FnPtr(inner) => Ty::Fn(
            inner.inputs.iter().map(|input| ty(&input.ty, places)).collect(),
            Box::new(returns(&inner.output, places)),
        ),
        _ => Ty::Other,
    }
}

/// A return type; `()` when none is written.
pub(super) fn returns(output: &syn::ReturnType, places: &Places) -> Ty {
    match output {
        syn::ReturnType::Default => Ty::Tuple(Vec::new()),
        syn::ReturnType::Type(_, written) => ty(written, places),
    }
}

fn bounds_type<'a>(bounds: impl Iterator<Item = &'a syn::TypeParamBound>, places: &Places) -> Ty {
    let (paths, callable) = read_bounds(bounds, places);
    match callable {
        Some(callable) if paths.iter().all(is_marker) => callable,
        _ => Ty::Bounds(paths),
    }
}

fn is_marker(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| MARKERS.contains(&last.name.as_str()))
}

/// The traits of a list of bounds, and its `Fn` bound apart.
fn read_bounds<'a>(bounds: impl Iterator<Item = &'a syn::TypeParamBound>, places: &Places) -> (Vec<Path>, Option<Ty>) {
    let (mut paths, mut callable) = (Vec::new(), None);
    for bound in bounds {
        let syn::TypeParamBound::Trait(bound) = bound else { continue };
        match callable_type(&bound.path, places) {
            Some(found) => callable = Some(found),
            None => paths.push(path(None, &bound.path, places).0),
        }
    }
    (paths, callable)
}

fn callable_type(path: &syn::Path, places: &Places) -> Option<Ty> {
    let last = path.segments.last()?;
    let syn::PathArguments::Parenthesized(list) = &last.arguments else { return None };
    CALLABLES.iter().any(|name| last.ident == name).then(|| {
        let inputs = list.inputs.iter().map(|input| ty(&input.ty, places)).collect();
        Ty::Fn(inputs, Box::new(returns(&list.output, places)))
    })
}

/// The traits of a list of bounds; `Fn` bounds are left out.
pub(super) fn traits<'a>(bounds: impl Iterator<Item = &'a syn::TypeParamBound>, places: &Places) -> Vec<Path> {
    read_bounds(bounds, places).0
}

/// Generic type parameters with their bounds, those of the `where` clause added.
pub(super) fn generics(written: &syn::Generics, places: &Places) -> Vec<Generic> {
    let mut generics: Vec<Generic> = written
        .type_params()
        .map(|parameter| {
            let (bounds, function) = read_bounds(parameter.bounds.iter(), places);
            Generic { name: places.name(&parameter.ident).0, bounds, function }
        })
        .collect();
    for predicate in written.where_clause.iter().flat_map(|clause| &clause.predicates) {
        let syn::WherePredicate::Type(predicate) = predicate else { continue };
        let Ty::Path(bounded) = ty(&predicate.bounded_ty, places) else { continue };
        let (bounds, function) = read_bounds(predicate.bounds.iter(), places);
        add_bounds(&mut generics, bounded.names().join("::"), bounds, function);
    }
    generics
}

fn add_bounds(generics: &mut Vec<Generic>, name: String, bounds: Vec<Path>, function: Option<Ty>) {
    match generics.iter_mut().find(|generic| generic.name == name) {
        Some(generic) => {
            generic.bounds.extend(bounds);
            generic.function = generic.function.take().or(function);
        }
        None => generics.push(Generic { name, bounds, function }),
    }
}

/// One past the last byte of a type.
pub(super) fn type_end(written: &syn::Type, places: &Places) -> usize {
    match written {
        syn::Type::Path(inner) => path(inner.qself.as_ref(), &inner.path, places).1.end,
        syn::Type::Reference(inner) => type_end(&inner.elem, places),
        syn::Type::Paren(inner) => places.end(inner.paren_token.span.close()),
        syn::Type::Tuple(inner) => places.end(inner.paren_token.span.close()),
        syn::Type::Slice(inner) => places.end(inner.bracket_token.span.close()),
        syn::Type::Array(inner) => places.end(inner.bracket_token.span.close()),
        // Rare, and short enough to be asked token by token.
        _ => places.end(written.span()),
    }
}
