//! Items.

use quote::ToTokens;

use crate::scan::ir::{Body, FieldDef, Impl, Import, Item, ItemKind, TraitDef, Ty, Variant};
use crate::source::Span;

use super::Lowering;
use super::attributes::{self, Attributes, is_test};
use super::expressions::body;
use super::types;

/// What an item has beside its kind.
pub(super) struct Head<'s> {
    pub(super) attributes: &'s [syn::Attribute],
    pub(super) name: Option<&'s syn::Ident>,
    pub(super) vis: &'s syn::Visibility,
    /// First byte without attributes.
    pub(super) start: usize,
    /// One past the last byte.
    pub(super) end: usize,
}

impl<'a> Lowering<'a> {
    /// The items of a file or module.
    pub(super) fn items(&mut self, written: &[syn::Item]) -> Vec<Item> {
        written.iter().flat_map(|item| self.item(item)).collect()
    }

    /// One item; several where a macro makes them, or where `#[path]` depends on a `cfg`.
    pub(super) fn item(&mut self, written: &syn::Item) -> Vec<Item> {
        if !self.tests && (self.inside_test || is_test(item_attributes(written))) {
            return self.test_item(written);
        }
        match written {
            syn::Item::Fn(inner) => vec![self.function_item(inner)],
            syn::Item::Use(inner) => vec![self.import(inner)],
            syn::Item::Impl(inner) => vec![self.implementation(inner)],
            syn::Item::Mod(inner) => self.module(inner),
            syn::Item::Macro(inner) => self.item_macro(inner),
            syn::Item::Trait(inner) => vec![self.declaration(inner)],
            syn::Item::TraitAlias(inner) => {
                let supertraits = types::traits(inner.bounds.iter(), &self.places);
                let generics = types::generics(&inner.generics, &self.places);
                let start = self.first(&inner.vis, inner.trait_token.span);
                let end = self.places.end(inner.semi_token.spans[0]);
                let kind = ItemKind::Trait(TraitDef { supertraits, generics, items: Vec::new() });
                vec![self.named(&inner.attrs, &inner.ident, &inner.vis, start, end, kind)]
            }
            syn::Item::Verbatim(tokens) => self.unread_item(tokens),
            _ => self.data(written).into_iter().collect(),
        }
    }

    /// Of what only tests see, the modules that have files: the index must know whose they are.
    fn test_item(&mut self, written: &syn::Item) -> Vec<Item> {
        if let Some(left_out) = &mut self.left_out {
            left_out.push(self.places.tokens(&written.to_token_stream()));
        }
        let outside = std::mem::replace(&mut self.inside_test, true);
        let kept = match written {
            syn::Item::Mod(inner) => self.module(inner),
            syn::Item::Macro(inner) if inner.mac.path.is_ident("include") => self.item_macro(inner),
            _ => Vec::new(),
        };
        self.inside_test = outside;
        kept
    }

    /// Types, constants and `extern`.
    fn data(&mut self, written: &syn::Item) -> Option<Item> {
        let item = match written {
            syn::Item::Struct(inner) => {
                let kind = ItemKind::Struct(self.fields(&inner.fields));
                let start = self.first(&inner.vis, inner.struct_token.span);
                let end = match (&inner.semi_token, &inner.fields) {
                    (Some(token), _) => self.places.end(token.spans[0]),
                    (None, syn::Fields::Named(fields)) => self.places.end(fields.brace_token.span.close()),
                    (None, _) => self.places.end(inner.ident.span()),
                };
                self.named(&inner.attrs, &inner.ident, &inner.vis, start, end, kind)
            }
            syn::Item::Union(inner) => {
                let kind = ItemKind::Struct(self.named_fields(&inner.fields));
                let start = self.first(&inner.vis, inner.union_token.span);
                let end = self.places.end(inner.fields.brace_token.span.close());
                self.named(&inner.attrs, &inner.ident, &inner.vis, start, end, kind)
            }
            syn::Item::Enum(inner) => {
                let kind = ItemKind::Enum(self.variants(inner));
                let start = self.first(&inner.vis, inner.enum_token.span);
                let end = self.places.end(inner.brace_token.span.close());
                self.named(&inner.attrs, &inner.ident, &inner.vis, start, end, kind)
            }
            syn::Item::Type(inner) => {
                let kind = ItemKind::Alias(types::ty(&inner.ty, &self.places));
                let start = self.first(&inner.vis, inner.type_token.span);
                let end = self.places.end(inner.semi_token.spans[0]);
                self.named(&inner.attrs, &inner.ident, &inner.vis, start, end, kind)
            }
            syn::Item::Const(inner) => {
                let kind = self.constant(&inner.ty, Some(&inner.expr));
                let start = self.first(&inner.vis, inner.const_token.span);
                let end = self.places.end(inner.semi_token.spans[0]);
                self.named(&inner.attrs, &inner.ident, &inner.vis, start, end, kind)
            }
            syn::Item::Static(inner) => {
                let kind = self.constant(&inner.ty, Some(&inner.expr));
                let start = self.first(&inner.vis, inner.static_token.span);
                let end = self.places.end(inner.semi_token.spans[0]);
                self.named(&inner.attrs, &inner.ident, &inner.vis, start, end, kind)
            }
            syn::Item::ExternCrate(inner) => {
                let kind = ItemKind::ExternCrate(self.places.name(&inner.ident).0);
                let name = inner.rename.as_ref().map_or(&inner.ident, |(_, name)| name);
                let start = self.first(&inner.vis, inner.extern_token.span);
                let end = self.places.end(inner.semi_token.spans[0]);
                self.named(&inner.attrs, name, &inner.vis, start, end, kind)
            }
            // Declarations without bodies (`extern "C"`), and what a later parser may add.
            _ => return None,
        };
        Some(item)
    }

    /// First byte of an item without attributes: its visibility or its first word.
    pub(super) fn first(&self, vis: &syn::Visibility, word: proc_macro2::Span) -> usize {
        match vis {
            syn::Visibility::Public(token) => self.places.start(token.span),
            syn::Visibility::Restricted(inner) => self.places.start(inner.pub_token.span),
            syn::Visibility::Inherited => self.places.start(word),
        }
    }

    fn named(
        &mut self,
        attributes: &[syn::Attribute],
        name: &syn::Ident,
        vis: &syn::Visibility,
        start: usize,
        end: usize,
        kind: ItemKind,
    ) -> Item {
        self.finish(Head { attributes, name: Some(name), vis, start, end }, kind).0
    }

    /// Puts an item together; its attributes as read come along.
    pub(super) fn finish(&mut self, head: Head, kind: ItemKind) -> (Item, Attributes) {
        let mut read = attributes::read(head.attributes, &self.places);
        let outer = head.attributes.iter().find(|attribute| matches!(attribute.style, syn::AttrStyle::Outer));
        let start = outer.map_or(head.start, |first| self.places.start(first.pound_token.spans[0]));
        let span = Span::new(start, head.end);
        self.units.push(span);
        let (name, name_span) = match head.name {
            Some(name) => self.places.name(name),
            None => (String::new(), span),
        };
        let starts = head.attributes.iter().map(|attribute| self.places.start(attribute.pound_token.spans[0]));
        let mut docs = self.docs.of(starts.chain([head.start]));
        docs.append(&mut read.docs);
        let attributes = std::mem::take(&mut read.list);
        let (public, exported) = (is_public(head.vis), matches!(head.vis, syn::Visibility::Public(_)));
        let item = Item { name, name_span, span, public, exported, test: read.test, attributes, docs, kind };
        (item, read)
    }

    /// A constant's type and value.
    pub(super) fn constant(&mut self, ty: &syn::Type, value: Option<&syn::Expr>) -> ItemKind {
        let ty = types::ty(ty, &self.places);
        let value = value.map_or_else(Body::default, |value| body(self, |bodies| Some(bodies.expr(value).id)));
        ItemKind::Const { ty, value }
    }

    fn fields(&mut self, fields: &syn::Fields) -> Vec<FieldDef> {
        match fields {
            syn::Fields::Named(named) => self.named_fields(named),
            syn::Fields::Unnamed(list) => {
                let fields = list.unnamed.iter().enumerate();
                fields
                    .map(|(at, field)| FieldDef { name: at.to_string(), ty: types::ty(&field.ty, &self.places) })
                    .collect()
            }
            syn::Fields::Unit => Vec::new(),
        }
    }

    fn named_fields(&mut self, fields: &syn::FieldsNamed) -> Vec<FieldDef> {
        let places = &self.places;
        let name = |field: &syn::Field| field.ident.as_ref().map(|name| places.name(name).0).unwrap_or_default();
        fields.named.iter().map(|field| FieldDef { name: name(field), ty: types::ty(&field.ty, places) }).collect()
    }

    fn variants(&mut self, inner: &syn::ItemEnum) -> Vec<Variant> {
        let mut variants = Vec::with_capacity(inner.variants.len());
        for variant in &inner.variants {
            variants.push(Variant { name: self.places.name(&variant.ident).0, fields: self.fields(&variant.fields) });
        }
        variants
    }

    fn module(&mut self, inner: &syn::ItemMod) -> Vec<Item> {
        let items = inner.content.as_ref().map(|(_, items)| self.items(items));
        let end = match (&inner.content, &inner.semi) {
            (Some((brace, _)), _) => self.places.end(brace.span.close()),
            (None, Some(token)) => self.places.end(token.spans[0]),
            (None, None) => self.places.end(inner.ident.span()),
        };
        let start = self.first(&inner.vis, inner.mod_token.span);
        let head = Head { attributes: &inner.attrs, name: Some(&inner.ident), vis: &inner.vis, start, end };
        let (mut item, read) = self.finish(head, ItemKind::Mod { items, path: None });
        if let ItemKind::Mod { path, .. } = &mut item.kind {
            path.clone_from(&read.path);
        }
        let others = if inner.content.is_none() { read.other_paths } else { Vec::new() };
        let others = others.into_iter().map(|path| {
            let kind = ItemKind::Mod { items: None, path: Some(path) };
            Item { kind, ..item.clone() }
        });
        let others: Vec<_> = others.collect();
        std::iter::once(item).chain(others).collect()
    }

    fn import(&mut self, inner: &syn::ItemUse) -> Item {
        let mut imports = Vec::new();
        flatten(&inner.tree, &mut Vec::new(), inner.leading_colon.is_some(), &mut imports);
        let start = self.first(&inner.vis, inner.use_token.span);
        let end = self.places.end(inner.semi_token.spans[0]);
        let head = Head { attributes: &inner.attrs, name: None, vis: &inner.vis, start, end };
        self.finish(head, ItemKind::Use(imports)).0
    }

    fn implementation(&mut self, inner: &syn::ItemImpl) -> Item {
        let self_ty = types::ty(&inner.self_ty, &self.places);
        let trait_path = inner.trait_.as_ref().map(|(path, _)| types::path(None, path, &self.places).0);
        let generics = types::generics(&inner.generics, &self.places);
        let items = inner.items.iter().flat_map(|item| self.impl_item(item)).collect();
        let end = self.places.end(inner.brace_token.span.close());
        let start = match (&inner.modifiers.defaultness, &inner.unsafety) {
            (Some(token), _) => self.places.start(token.span),
            (None, Some(token)) => self.places.start(token.span),
            (None, None) => self.places.start(inner.impl_token.span),
        };
        let head = Head { attributes: &inner.attrs, name: None, vis: &syn::Visibility::Inherited, start, end };
        self.finish(head, ItemKind::Impl(Impl { self_ty, trait_path, generics, items })).0
    }

    fn declaration(&mut self, inner: &syn::ItemTrait) -> Item {
        let supertraits = types::traits(inner.supertraits.iter(), &self.places);
        let generics = types::generics(&inner.generics, &self.places);
        let items = inner.items.iter().flat_map(|item| self.trait_item(item)).collect();
        let word = inner.unsafety.as_ref().map_or(inner.trait_token.span, |token| token.span);
        let start = self.first(&inner.vis, word);
        let end = self.places.end(inner.brace_token.span.close());
        let kind = ItemKind::Trait(TraitDef { supertraits, generics, items });
        self.named(&inner.attrs, &inner.ident, &inner.vis, start, end, kind)
    }

    pub(super) fn impl_item(&mut self, item: &syn::ImplItem) -> Vec<Item> {
        match item {
            syn::ImplItem::Fn(inner) if !self.tests && is_test(&inner.attrs) => Vec::new(),
            syn::ImplItem::Fn(inner) => vec![self.method_item(inner)],
            syn::ImplItem::Const(inner) => {
                let kind = self.constant(&inner.ty, Some(&inner.expr));
                let start = self.first(&inner.vis, inner.const_token.span);
                let end = self.places.end(inner.semi_token.spans[0]);
                vec![self.named(&inner.attrs, &inner.ident, &inner.vis, start, end, kind)]
            }
            syn::ImplItem::Type(inner) => {
                let kind = ItemKind::Alias(types::ty(&inner.ty, &self.places));
                let start = self.first(&inner.vis, inner.type_token.span);
                let end = self.places.end(inner.semi_token.spans[0]);
                vec![self.named(&inner.attrs, &inner.ident, &inner.vis, start, end, kind)]
            }
            syn::ImplItem::Macro(inner) => self.member_macro(&inner.attrs, &inner.mac),
            syn::ImplItem::Verbatim(tokens) => self.unread_item(tokens),
            _ => Vec::new(),
        }
    }

    fn trait_item(&mut self, item: &syn::TraitItem) -> Vec<Item> {
        let vis = syn::Visibility::Inherited;
        match item {
            syn::TraitItem::Fn(inner) if !self.tests && is_test(&inner.attrs) => Vec::new(),
            syn::TraitItem::Fn(inner) => vec![self.trait_method(inner)],
            syn::TraitItem::Const(inner) => {
                let kind = self.constant(&inner.ty, inner.default.as_ref().map(|(_, value)| value));
                let start = self.places.start(inner.const_token.span);
                let end = self.places.end(inner.semi_token.spans[0]);
                vec![self.named(&inner.attrs, &inner.ident, &vis, start, end, kind)]
            }
            syn::TraitItem::Type(inner) => {
                let ty = match &inner.default {
                    Some((_, ty)) => types::ty(ty, &self.places),
                    None => Ty::Bounds(types::traits(inner.bounds.iter(), &self.places)),
                };
                let start = self.places.start(inner.type_token.span);
                let end = self.places.end(inner.semi_token.spans[0]);
                vec![self.named(&inner.attrs, &inner.ident, &vis, start, end, ItemKind::Alias(ty))]
            }
            syn::TraitItem::Macro(inner) => self.member_macro(&inner.attrs, &inner.mac),
            syn::TraitItem::Verbatim(tokens) => self.unread_item(tokens),
            _ => Vec::new(),
        }
    }
}

fn item_attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(inner) => &inner.attrs,
        syn::Item::Enum(inner) => &inner.attrs,
        syn::Item::ExternCrate(inner) => &inner.attrs,
        syn::Item::Fn(inner) => &inner.attrs,
        syn::Item::ForeignMod(inner) => &inner.attrs,
        syn::Item::Impl(inner) => &inner.attrs,
        syn::Item::Macro(inner) => &inner.attrs,
        syn::Item::Mod(inner) => &inner.attrs,
        syn::Item::Static(inner) => &inner.attrs,
        syn::Item::Struct(inner) => &inner.attrs,
        syn::Item::Trait(inner) => &inner.attrs,
        syn::Item::TraitAlias(inner) => &inner.attrs,
        syn::Item::Type(inner) => &inner.attrs,
        syn::Item::Union(inner) => &inner.attrs,
        syn::Item::Use(inner) => &inner.attrs,
        _ => &[],
    }
}

/// `pub` in any form but `pub(self)`.
fn is_public(vis: &syn::Visibility) -> bool {
    match vis {
        syn::Visibility::Public(_) => true,
        syn::Visibility::Restricted(inner) => !inner.path.is_ident("self"),
        syn::Visibility::Inherited => false,
    }
}

fn flatten(tree: &syn::UseTree, prefix: &mut Vec<String>, global: bool, imports: &mut Vec<Import>) {
    let mut add = |path: Vec<String>, name: String, glob: bool| imports.push(Import { path, global, name, glob });
    match tree {
        syn::UseTree::Path(inner) => {
            prefix.push(plain(&inner.ident));
            flatten(&inner.tree, prefix, global, imports);
            prefix.pop();
        }
        syn::UseTree::Name(inner) => {
            let path = with_last(prefix, &inner.ident);
            let name = path.last().cloned().unwrap_or_default();
            add(path, name, false);
        }
        syn::UseTree::Rename(inner) => add(with_last(prefix, &inner.ident), plain(&inner.rename), false),
        syn::UseTree::Glob(_) => add(prefix.clone(), String::new(), true),
        syn::UseTree::Group(inner) => {
            for tree in &inner.items {
                flatten(tree, prefix, global, imports);
            }
        }
    }
}

/// `use a::{self}` is `use a`.
fn with_last(prefix: &[String], last: &syn::Ident) -> Vec<String> {
    let mut path = prefix.to_vec();
    if last != "self" || path.is_empty() {
        path.push(plain(last));
    }
    path
}

/// A name without `r#`.
fn plain(ident: &syn::Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").map(str::to_owned).unwrap_or(name)
}
