//! Macros in item place: what makes items becomes items, what holds calls becomes a function.

use proc_macro2::{Delimiter, Punct, Spacing, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};

use crate::scan::ir::{Body, Expr, Function, Item, ItemKind, MacroCall, MacroShape, Ty};

use super::Lowering;
use super::attributes::{is_test, path_text, tokens_imply_test};
use super::expressions::body;
use super::items::Head;
use super::macros::{group, is_punct};
use super::types;

/// Macros that declare statics, some as `static ref`.
const STATICS: [&str; 3] = ["lazy_static", "task_local", "thread_local"];

/// Macros that include what a build script makes, by their last name.
const MADE_INCLUDES: [&str; 4] = ["include_file_descriptor_set", "include_modules", "include_proto", "lalrpop_mod"];

impl Lowering<'_> {
    pub(super) fn item_macro(&mut self, inner: &syn::ItemMacro) -> Vec<Item> {
        let call = &inner.mac;
        let name = call.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        let end = inner.semi_token.as_ref().map_or(call.delimiter.span().close(), |token| token.spans[0]);
        let start = self.places.start(call.path.segments.first().map_or(end, |first| first.ident.span()));
        let end = self.places.end(end);
        let head = |name| Head { attributes: &inner.attrs, name, vis: &syn::Visibility::Inherited, start, end };
        match (name.as_str(), &inner.ident) {
            ("macro_rules", Some(ident)) => {
                let arms = self.arms(&call.tokens);
                vec![self.finish(head(Some(ident)), ItemKind::MacroRules(arms)).0]
            }
            ("include", _) => {
                let file = syn::parse2::<syn::LitStr>(call.tokens.clone()).ok().map(|file| file.value());
                self.made_includes += usize::from(file.is_none() && !self.inside_test);
                vec![self.finish(head(None), ItemKind::Include(file)).0]
            }
            _ => {
                self.made_includes += usize::from(MADE_INCLUDES.contains(&name.as_str()));
                let made = self.made(&name, call, is_test(&inner.attrs));
                let tokens =
                    if made.is_empty() { self.text(self.places.within(*call.delimiter.span())) } else { String::new() };
                let kind = ItemKind::MacroCall { path: path_text(&call.path), tokens };
                let item = self.finish(head(None), kind).0;
                std::iter::once(item).chain(made).collect()
            }
        }
    }

    /// The items that a macro makes, as far as its tokens are items.
    fn made(&mut self, name: &str, call: &syn::Macro, test: bool) -> Vec<Item> {
        let mut items = if name == "cfg_if" {
            self.conditional_items(&call.tokens)
        } else {
            let tokens = if STATICS.contains(&name) { statics(&call.tokens) } else { call.tokens.clone() };
            items.parse2(tokens).map(|items| self.items(&items)).ok()
        }
        .unwrap_or_else(|| self.as_function(call).into_iter().collect());
        items.iter_mut().for_each(|item| item.test |= test);
        items
    }

    /// `if #[cfg(a)] { items } else { items }`.
    fn conditional_items(&mut self, tokens: &TokenStream) -> Option<Vec<Item>> {
        let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
        let mut made = Vec::new();
        let mut test = false;
        for (at, tree) in trees.iter().enumerate() {
            if let Some(attribute) = group(tree, Delimiter::Bracket) {
                test = at > 0 && is_punct(&trees[at - 1], '#') && tokens_imply_test(attribute);
            } else if let Some(branch) = group(tree, Delimiter::Brace) {
                let mut branch = self.items(&items.parse2(branch).ok()?);
                branch.iter_mut().for_each(|item| item.test |= test);
                made.extend(branch);
                test = false;
            }
        }
        Some(made)
    }

    /// A macro in an impl or trait.
    pub(super) fn member_macro(&mut self, attributes: &[syn::Attribute], call: &syn::Macro) -> Vec<Item> {
        let members = |input: ParseStream| {
            let mut members = Vec::new();
            while !input.is_empty() {
                members.push(input.parse::<syn::ImplItem>()?);
            }
            Ok(members)
        };
        let mut made: Vec<Item> = match members.parse2(call.tokens.clone()) {
            Ok(members) => members.iter().flat_map(|member| self.impl_item(member)).collect(),
            Err(_) => self.as_function(call).into_iter().collect(),
        };
        let test = is_test(attributes);
        made.iter_mut().for_each(|item| item.test |= test);
        made
    }

    /// Tokens in item place that the parser kept as they are.
    pub(super) fn unread_item(&mut self, tokens: &TokenStream) -> Vec<Item> {
        let value = body(self, |bodies| Some(bodies.unread_tokens(tokens).id));
        let span = self.places.tokens(tokens);
        self.holder(String::new(), value, span).into_iter().collect()
    }

    /// What a macro in item place holds, as a function named `path!`, so that calls in it are seen; `None`
    /// when it holds none.
    fn as_function(&mut self, call: &syn::Macro) -> Option<Item> {
        let path = types::path(None, &call.path, &self.places).0;
        let name = format!("{}!", path.names().join("::"));
        let span = self.places.range(call.delimiter.span().join());
        let before = self.as_tokens;
        let value = body(self, |bodies| {
            let shape = bodies.ladder(&call.tokens);
            let call = MacroCall { path, shape, tokens: String::new() };
            Some(bodies.push(Expr::Macro(call), span).id)
        });
        let item = self.holder(name, value, span);
        if item.is_none() {
            // Nothing that runs was lost.
            self.as_tokens = before;
        }
        item
    }

    /// The statements of a file that is no list of items.
    pub(super) fn fragment(&mut self, stmts: &[syn::Stmt]) -> Vec<Item> {
        let mut value = body(self, |bodies| Some(bodies.statements_block(stmts, &TokenStream::new()).id));
        let root = value.root;
        let inside = value.nodes.iter().filter(|node| node.parent.is_some()).map(|node| node.span);
        let span = inside.reduce(crate::source::Span::to).unwrap_or_default();
        if let Some(node) = root.and_then(|root| value.nodes.get_mut(root.0 as usize)) {
            node.span = span;
        }
        self.holder("include!".to_owned(), value, span).into_iter().collect()
    }

    fn holder(&mut self, name: String, value: Body, span: crate::source::Span) -> Option<Item> {
        let calls = |expr: &Expr| matches!(expr, Expr::Call { .. } | Expr::Method { .. } | Expr::Await(_));
        let nested = |expr: &Expr| match expr {
            Expr::Macro(call) => !matches!(call.shape, MacroShape::Inert),
            _ => false,
        };
        let inside = value.nodes.iter().filter(|node| node.parent.is_some());
        let holds =
            value.nodes.iter().any(|node| calls(&node.expr)) || inside.into_iter().any(|node| nested(&node.expr));
        let kind = ItemKind::Fn(Function {
            is_async: false,
            has_self: false,
            generics: Vec::new(),
            params: Vec::new(),
            returns: Ty::Other,
            body: Some(value),
        });
        holds.then(|| Item {
            name,
            name_span: span,
            span,
            public: false,
            exported: false,
            test: false,
            attributes: Vec::new(),
            docs: Vec::new(),
            kind,
        })
    }
}

/// Items up to the end.
pub(super) fn items(input: ParseStream) -> syn::Result<Vec<syn::Item>> {
    input.call(syn::Attribute::parse_inner)?;
    let mut items = Vec::new();
    while !input.is_empty() {
        items.push(input.parse()?);
    }
    Ok(items)
}

/// `static ref A: B = c` as `static A: B = c;`.
fn statics(tokens: &TokenStream) -> TokenStream {
    let mut trees: Vec<TokenTree> = Vec::new();
    for tree in tokens.clone() {
        let behind_static = matches!(trees.last(), Some(TokenTree::Ident(word)) if word == "static");
        if !(behind_static && matches!(&tree, TokenTree::Ident(word) if word == "ref")) {
            trees.push(tree);
        }
    }
    if trees.last().is_some_and(|last| !is_punct(last, ';')) {
        trees.push(TokenTree::Punct(Punct::new(';', Spacing::Alone)));
    }
    trees.into_iter().collect()
}
