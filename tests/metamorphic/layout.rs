//! The same code in other places of a workspace, in another order, in another layout.

use super::text::{Code, range};

/// Files by name.
pub(crate) type Files = Vec<(&'static str, String)>;

/// What it is called, and what becomes of a case where it applies.
pub(crate) type Rewrite = (&'static str, fn(&Code) -> Option<Files>);

/// Every rewrite by name.
pub(crate) const REWRITES: [Rewrite; 15] = [
    ("in another file", |code| {
        let inner = code.text.replace("crate::", "crate::inner::");
        Some(vec![("src/main.rs", "mod inner;".into()), ("src/inner.rs", inner)])
    }),
    ("in a folder's module", |code| {
        stays(code)?;
        let inner = code.text.replace("crate::", "crate::inner::");
        Some(vec![("src/main.rs", "mod inner;".into()), ("src/inner/mod.rs", inner)])
    }),
    ("in a file that #[path] names", |code| {
        stays(code)?;
        let inner = code.text.replace("crate::", "crate::inner::");
        Some(vec![("src/main.rs", "#[path = \"odd/place.rs\"] mod inner;".into()), ("src/odd/place.rs", inner)])
    }),
    ("in a file that is included", |code| {
        Some(vec![("src/main.rs", "include!(\"part.rs\");".into()), ("src/part.rs", code.text.clone())])
    }),
    ("in a module of the same file", |code| {
        one(format!("mod inner {{ {} }}", code.text.replace("crate::", "crate::inner::")))
    }),
    ("two modules deep", |code| {
        one(format!("pub mod a {{ pub mod b {{ {} }} }}", code.text.replace("crate::", "crate::a::b::")))
    }),
    ("functions in a file of their own", functions_elsewhere),
    ("items the other way round", reversed),
    ("as a program prints it", |code| one(prettyplease::unparse(&code.file))),
    ("in one line", |code| {
        let tokens: proc_macro2::TokenStream = code.text.parse().ok()?;
        one(tokens.to_string())
    }),
    ("a token a line", |code| {
        let tokens: proc_macro2::TokenStream = code.text.parse().ok()?;
        let mut out = String::new();
        lines(tokens, &mut out);
        one(out)
    }),
    ("with CRLF", |code| one(code.text.replace('\n', "\r\n"))),
    ("with a byte order mark and a #! line", |code| {
        one(format!("\u{feff}#!/usr/bin/env run-cargo-script\n{}", code.text))
    }),
    ("behind cfg", |code| {
        let items = code.file.items.iter().map(|item| &code.text[range(item)]);
        one(items.map(|item| format!("#[cfg(not(test))]\n{item}\n")).collect())
    }),
    ("inside a macro of items", |code| {
        let own = code.text.contains("macro_rules!");
        let items = "macro_rules! items { ($($it:item)*) => { $($it)* }; }";
        (!own).then(|| one(format!("{items} items! {{ {} }}", code.text))).flatten()
    }),
];

/// What it includes is found from another folder as well.
fn stays(code: &Code) -> Option<()> {
    (!code.text.contains("include_str!")).then_some(())
}

fn one(text: String) -> Option<Files> {
    Some(vec![("src/main.rs", text)])
}

fn lines(tokens: proc_macro2::TokenStream, out: &mut String) {
    use proc_macro2::{Delimiter, Spacing, TokenTree};
    for tree in tokens {
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(\n", ")\n"),
                    Delimiter::Brace => ("{\n", "}\n"),
                    Delimiter::Bracket => ("[\n", "]\n"),
                    Delimiter::None => ("", ""),
                };
                out.push_str(open);
                lines(group.stream(), out);
                out.push_str(close);
            }
            TokenTree::Punct(punct) if punct.spacing() == Spacing::Joint => out.push(punct.as_char()),
            other => out.push_str(&format!("{other} // {}\n", "send(")),
        }
    }
}

fn reversed(code: &Code) -> Option<Files> {
    let is_macro = |item: &&syn::Item| matches!(item, syn::Item::Macro(_));
    let (macros, others): (Vec<_>, Vec<_>) = code.file.items.iter().partition(is_macro);
    let items = macros.into_iter().chain(others.into_iter().rev());
    (code.file.items.len() > 1).then(|| one(items.map(|item| format!("{}\n", code.of(item))).collect())).flatten()
}

/// Every free function of the top moves into `src/moved.rs`, which sees what is here.
fn functions_elsewhere(code: &Code) -> Option<Files> {
    let (mut here, mut there) = (String::new(), "use super::*;\n".to_owned());
    for item in &code.file.items {
        match item {
            syn::Item::Fn(f) if f.sig.ident != "main" => {
                let text = code.of(item);
                let start = f.vis_start() - range(item).start;
                let public = if matches!(f.vis, syn::Visibility::Inherited) { "pub(super) " } else { "" };
                there.push_str(&format!("{}{public}{}\n", &text[..start], &text[start..]));
            }
            _ => here.push_str(&format!("{}\n", code.of(item))),
        }
    }
    let moved = there.lines().count() > 1;
    moved.then(|| vec![("src/main.rs", format!("{here}mod moved;\nuse moved::*;\n")), ("src/moved.rs", there)])
}

trait Start {
    /// Where the visibility stands, or would.
    fn vis_start(&self) -> usize;
}

impl Start for syn::ItemFn {
    fn vis_start(&self) -> usize {
        match &self.vis {
            syn::Visibility::Inherited => range(&self.sig).start,
            vis => range(vis).start,
        }
    }
}
