//! Other names for the same things: aliases, re-exports, renamed variables.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

use super::text::{Code, Edits, range};

/// A path to something of another crate, up to the first name in upper case: `reqwest::Client`.
struct Outside {
    range: Range<usize>,
    names: Vec<String>,
    /// In the place of a type, without arguments.
    plain_type: bool,
}

#[derive(Default)]
struct Paths {
    found: Vec<Outside>,
    in_type: bool,
    in_bound: bool,
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let upper = names.iter().position(|name| name.starts_with(char::is_uppercase));
        let own = ["crate", "self", "super", "std", "core", "alloc"];
        if let Some(at) = upper.filter(|at| *at > 0 && !own.contains(&names[0].as_str())) {
            let (first, last) = (&path.segments[0], &path.segments[at]);
            self.found.push(Outside {
                range: range(&first.ident).start..range(&last.ident).end,
                names: names[..=at].to_vec(),
                plain_type: !self.in_bound && last.arguments.is_none() && (self.in_type || at + 1 < names.len()),
            });
        }
        visit::visit_path(self, path);
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_type_path(&mut self, ty: &'ast syn::TypePath) {
        // `<T as Trait>::x` names a trait.
        if ty.qself.is_none() {
            let before = std::mem::replace(&mut self.in_type, true);
            visit::visit_type_path(self, ty);
            self.in_type = before;
        }
    }

    fn visit_trait_bound(&mut self, bound: &'ast syn::TraitBound) {
        let before = std::mem::replace(&mut self.in_bound, true);
        visit::visit_trait_bound(self, bound);
        self.in_bound = before;
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let before = std::mem::replace(&mut self.in_bound, true);
        if let Some((path, _)) = &item.trait_ {
            self.visit_path(path);
        }
        self.in_bound = before;
        self.visit_type(&item.self_ty);
        item.items.iter().for_each(|member| self.visit_impl_item(member));
    }
}

/// What it is called, and what becomes of a case where it applies.
pub(crate) type Alias = (&'static str, fn(&Code) -> Option<String>);

/// Every rewrite by name: how a path is written instead, and what makes it so.
pub(crate) const ALIASES: [Alias; 12] = [
    ("use as", |code| aliased(code, false, "use PATH as ALIAS;\n", "", "crate::ALIAS")),
    ("use, then the bare name", bare_names),
    ("type alias", |code| aliased(code, true, "type ALIAS = PATH;\n", "", "crate::ALIAS")),
    ("alias of an alias", |code| {
        aliased(code, true, "type ALIASInner = PATH; type ALIAS = ALIASInner;\n", "", "crate::ALIAS")
    }),
    ("re-export through a module", |code| {
        aliased(code, false, "pub use PATH as ALIAS;\n", "mod reexported { LIST }\n", "crate::reexported::ALIAS")
    }),
    ("re-export through two modules", |code| {
        let wrap = "mod deep { pub mod er { LIST } }\npub mod reexported { pub use crate::deep::er::*; }\n";
        aliased(code, false, "pub use PATH as ALIAS;\n", wrap, "crate::reexported::ALIAS")
    }),
    ("re-export by a list", |code| {
        let wrap = "mod deep { LIST }\nmod reexported { pub use super::deep::{self, *}; }\n";
        aliased(code, false, "pub use PATH as ALIAS;\n", wrap, "crate::reexported::deep::ALIAS")
    }),
    ("leading colons", |code| crates(code, "", "LIST", "::CRATE")),
    ("extern crate", |code| crates(code, "extern crate CRATE as CRATE_here;\n", "LIST", "crate::CRATE_here")),
    ("crate re-exported", |code| crates(code, "pub use ::CRATE;\n", "mod outside { LIST }\n", "crate::outside::CRATE")),
    ("crate renamed", |code| crates(code, "use ::CRATE as CRATE_here;\n", "LIST", "crate::CRATE_here")),
    ("module's glob", |code| crates(code, "mod CRATE_all { pub use ::CRATE::*; }\n", "LIST", "crate::CRATE_all")),
];

fn paths(code: &Code) -> Vec<Outside> {
    let mut paths = Paths::default();
    paths.visit_file(&code.file);
    paths.found
}

/// `item` once a path, all of them inside `wrap` at its `LIST`, and `new` where the path stood.
fn aliased(code: &Code, only_types: bool, item: &str, wrap: &str, new: &str) -> Option<String> {
    let (mut edits, mut aliases) = (Edits::default(), BTreeMap::new());
    for path in paths(code).into_iter().filter(|path| !only_types || path.plain_type) {
        let count = aliases.len();
        let alias = aliases.entry(path.names.join("::")).or_insert_with(|| format!("Alias{count}"));
        edits.put(path.range, new.replace("ALIAS", alias));
    }
    let list: String = aliases.iter().map(|(path, alias)| item.replace("PATH", path).replace("ALIAS", alias)).collect();
    let text = edits.apply(&code.text)?;
    Some(if wrap.is_empty() { format!("{list}{text}") } else { format!("{}{text}", wrap.replace("LIST", &list)) })
}

/// `use a::B;` where no other `B` is meant, and `B` where `a::B` stood.
fn bare_names(code: &Code) -> Option<String> {
    let paths = paths(code);
    let mut by_name: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for path in &paths {
        by_name.entry(path.names.last()?).or_default().insert(path.names.join("::"));
    }
    let mut edits = Edits::default();
    let (mut list, modules) = (String::new(), code.file.items.iter().any(|item| matches!(item, syn::Item::Mod(_))));
    for path in paths.iter().filter(|_| !modules) {
        let name = path.names.last()?;
        let declared =
            [format!("struct {name}"), format!("enum {name}"), format!("trait {name}"), format!("::{name};")];
        let other = declared.iter().any(|text| code.text.contains(text))
            || code.text.contains(&format!("use {}", path.names[0]))
            || imports(code).any(|import| import.contains(&name.as_str()));
        if by_name[name.as_str()].len() == 1 && !other && !["Result", "Option"].contains(&name.as_str()) {
            edits.put(path.range.clone(), name.clone());
            let import = format!("use {};\n", path.names.join("::"));
            if !list.contains(&import) {
                list.push_str(&import);
            }
        }
    }
    Some(format!("{list}{}", edits.apply(&code.text)?))
}

/// The words of every `use`.
fn imports(code: &Code) -> impl Iterator<Item = Vec<&str>> {
    let uses = code.file.items.iter().filter(|item| matches!(item, syn::Item::Use(_)));
    uses.map(|item| code.of(item).split(|sign: char| !sign.is_alphanumeric() && sign != '_').collect())
}

/// `item` once a crate, all of them in `wrap` at its `LIST`, and `new` for its name at the head of a path.
fn crates(code: &Code, item: &str, wrap: &str, new: &str) -> Option<String> {
    let (mut edits, mut names) = (Edits::default(), BTreeSet::new());
    for path in paths(code) {
        let first = &path.names[0];
        let start = path.range.start;
        // A path that was brought in by `use` does not start with a crate, nor does one that a build script made.
        if first == "pb"
            || code.text[..start].ends_with("::")
            || code.text.contains(&format!("mod {first}"))
            || code.text.contains(&format!("::{first};"))
            || code.text.contains(&format!(" as {first};"))
        {
            continue;
        }
        edits.put(start..start + first.len(), new.replace("CRATE", first));
        names.insert(first.clone());
    }
    let list: String = names.iter().map(|name| item.replace("CRATE", name)).collect();
    Some(format!("{}{}", wrap.replace("LIST", &list), edits.apply(&code.text)?))
}

/// The variables of every function under other names.
pub(crate) fn renamed(code: &Code, new: fn(&str) -> String) -> Option<String> {
    let mut finder = Locals::default();
    finder.visit_file(&code.file);
    let in_strings =
        |name: &str| [format!("{{{name}}}"), format!("{{{name}:")].iter().any(|text| code.text.contains(text));
    let other = |name: &str| name.starts_with(char::is_uppercase) || finder.taken.contains(name) || in_strings(name);
    let names: BTreeSet<String> = finder.bound.iter().filter(|name| !other(name)).cloned().collect();
    let mut edits = Edits::default();
    for (range, name, short) in &finder.uses {
        if names.contains(name) {
            let label = if *short { format!("{name}: ") } else { String::new() };
            edits.put(range.clone(), label + &new(name));
        }
    }
    edits.apply(&code.text)
}

/// Names that are bound, and every place of them.
#[derive(Default)]
struct Locals {
    bound: BTreeSet<String>,
    /// Names that stand for more than a variable, or in tokens that are not understood.
    taken: BTreeSet<String>,
    /// With whether it is a field's short form.
    uses: Vec<(Range<usize>, String, bool)>,
}

impl Locals {
    fn tokens(&mut self, tokens: TokenStream) {
        let list: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, tree) in list.iter().enumerate() {
            match tree {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(ident) => {
                    let sign = |at: Option<usize>| match at.and_then(|at| list.get(at)) {
                        Some(TokenTree::Punct(punct)) => punct.as_char(),
                        _ => ' ',
                    };
                    let (before, after) = (sign(at.checked_sub(1)), sign(Some(at + 1)));
                    if before == '.' || before == ':' || after == ':' || after == '!' || before == '$' || after == '=' {
                        self.taken.insert(ident.to_string());
                    } else {
                        self.uses.push((ident.span().byte_range(), ident.to_string(), false));
                    }
                }
                _ => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Locals {
    fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
        self.bound.insert(pat.ident.to_string());
        self.uses.push((range(&pat.ident), pat.ident.to_string(), false));
        visit::visit_pat_ident(self, pat);
    }

    fn visit_field_pat(&mut self, field: &'ast syn::FieldPat) {
        match (&*field.pat, field.colon_token) {
            (syn::Pat::Ident(ident), None) => {
                self.bound.insert(ident.ident.to_string());
                self.uses.push((range(&ident.ident), ident.ident.to_string(), true));
            }
            _ => self.visit_pat(&field.pat),
        }
    }

    fn visit_field_value(&mut self, field: &'ast syn::FieldValue) {
        match (&field.expr, field.colon_token) {
            (syn::Expr::Path(path), None) => self.uses.push((range(path), self.text(path), true)),
            _ => self.visit_expr(&field.expr),
        }
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        if path.qself.is_none() && path.path.get_ident().is_some() {
            self.uses.push((range(path), self.text(path), false));
        }
        visit::visit_expr_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.tokens(call.tokens.clone());
    }

    fn visit_item(&mut self, item: &'ast syn::Item) {
        let name = match item {
            syn::Item::Fn(item) => Some(item.sig.ident.to_string()),
            syn::Item::Const(item) => Some(item.ident.to_string()),
            syn::Item::Static(item) => Some(item.ident.to_string()),
            syn::Item::Mod(item) => Some(item.ident.to_string()),
            syn::Item::Macro(_) => None,
            _ => None,
        };
        self.taken.extend(name);
        visit::visit_item(self, item);
    }
}

impl Locals {
    fn text(&self, path: &syn::ExprPath) -> String {
        path.path.get_ident().map(ToString::to_string).unwrap_or_default()
    }
}
