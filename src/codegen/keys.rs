//! What the manifest alone determines: a type for every action, and the names of the inbound sources.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

use crate::diagnostic::{Fault, Faults, Label};
use crate::key::PartType;
use crate::manifest::{Action, InboundMode, KeyPart, Manifest};
use crate::source::Span;

/// The modules `keys` and `sources` as Rust text.
///
/// # Errors
/// Every name that is none in Rust, or that two of them share there.
pub(super) fn keys(manifest: &Manifest) -> Result<String, Faults> {
    let mut faults = Vec::new();
    let mut taken = BTreeMap::new();
    let mut types = Vec::new();
    for action in manifest.actions.values() {
        match key_type(action) {
            Ok(tokens) => types.push(tokens),
            Err(name) => faults.push(no_name(manifest, action.span, &name)),
        }
        if let Some(other) = taken.insert(type_name(&action.name), &action.name) {
            faults.push(same_name(manifest, action, other));
        }
    }
    let mut names = Vec::new();
    for source in manifest.inbound.values() {
        match source_name(&source.name) {
            Ok(tokens) => names.push(tokens),
            Err(name) => faults.push(no_name(manifest, source.span, &name)),
        }
    }
    if !faults.is_empty() {
        return Err(Faults(faults));
    }
    Ok(unparse(&types, &sources(manifest, &names)))
}

fn unparse(types: &[TokenStream], sources: &TokenStream) -> String {
    let tokens = quote! {
        #[doc = " The keys of this program's actions: a type for every action in `onlyonce.toml`."]
        #[allow(clippy::doc_markdown, reason = "their docs say how a key is derived, in a form that tools read")]
        pub mod keys { #(#types)* }

        #[doc = " The inbound sources, as the ledger names them."]
        pub mod sources { #sources }
    };
    // Made of our own tokens and of names that parse as identifiers, so it is a file of Rust.
    syn::parse2(tokens).map(|file| blank_lines(&prettyplease::unparse(&file))).unwrap_or_default()
}

/// prettyplease sets items one below the other; a blank line between them reads better.
fn blank_lines(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    let mut previous = "";
    for line in text.lines() {
        let opens = previous.is_empty() || previous.ends_with('{') || previous.trim_start().starts_with("///");
        let item = ["/// ", "impl ", "fn "].iter().any(|start| line.trim_start().starts_with(start));
        if item && !opens && !previous.trim_start().starts_with("pub ") {
            spaced.push('\n');
        }
        spaced.push_str(line);
        spaced.push('\n');
        previous = line;
    }
    spaced
}

/// The type of one action, or the name in it that is none in Rust.
fn key_type(action: &Action) -> Result<TokenStream, String> {
    let name = identifier(&type_name(&action.name))?;
    let action_type = &action.name;
    let docs = lines(&docs(action));
    let borrows = action.key.iter().any(|part| is_borrowed(part.part_type));
    let (declared, used) = if borrows { (quote!(<'a>), quote!(<'_>)) } else { (quote!(), quote!()) };
    let mut fields = Vec::new();
    let mut pushes = Vec::new();
    for part in &action.key {
        let field = identifier(&part.name)?;
        let rust = rust_type(part.part_type);
        let doc = format!(" {}.", capitalised(part_doc(part)));
        let push = format_ident!("{}", part.part_type.name());
        fields.push(quote! { #[doc = #doc] pub #field: #rust });
        pushes.push(quote! { parts.#push(self.#field); });
    }
    Ok(quote! {
        #docs
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct #name #declared { #(#fields),* }

        impl super::Action for #name #used {
            const TYPE: &'static str = #action_type;
            fn key(&self) -> super::Key {
                let mut parts = super::Parts::new(Self::TYPE);
                #(#pushes)*
                parts.key()
            }
        }
    })
}

/// The derivation as `onlyonce check` and `onlyonce docs` read it.
fn docs(action: &Action) -> Vec<String> {
    let mut docs = vec![
        sentence(&action.summary),
        String::new(),
        format!("Two of them are the same when {}", sentence(&action.same_when)),
        String::new(),
        "# Idempotency key".to_owned(),
        format!("Action: {}", action.name),
    ];
    docs.extend(action.key.iter().map(|part| format!("- {}: {}", part.name, part_doc(part))));
    docs
}

fn part_doc(part: &KeyPart) -> &'static str {
    match part.part_type {
        PartType::Text => "text, byte for byte",
        PartType::Integer => "a whole number of 64 bits, in decimal",
        PartType::Uuid => "a UUID, in lower case with hyphens",
        PartType::Date => "a date, as YYYY-MM-DD",
        PartType::Email => "an email address, its domain in ASCII and lower case, hashed",
        PartType::Domain => "a domain, in ASCII and lower case",
    }
}

fn rust_type(part_type: PartType) -> TokenStream {
    match part_type {
        PartType::Text | PartType::Email | PartType::Domain => quote!(&'a str),
        PartType::Integer => quote!(i64),
        PartType::Uuid => quote!(uuid::Uuid),
        PartType::Date => quote!(chrono::NaiveDate),
    }
}

fn is_borrowed(part_type: PartType) -> bool {
    match part_type {
        PartType::Text | PartType::Email | PartType::Domain => true,
        PartType::Integer | PartType::Uuid | PartType::Date => false,
    }
}

/// The user's words on one line, closed by a full stop, with what rustdoc would read as links or tags escaped.
fn sentence(text: &str) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for special in ['[', ']', '<', '>'] {
        line = line.replace(special, &format!("\\{special}"));
    }
    if !line.ends_with(['.', '!', '?']) {
        line.push('.');
    }
    line
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn lines(docs: &[String]) -> TokenStream {
    let lines = docs.iter().map(|line| if line.is_empty() { String::new() } else { format!(" {line}") });
    quote! { #(#[doc = #lines])* }
}

/// A statement a source rather than one list: however long the names are, rustfmt leaves it as it is.
fn sources(manifest: &Manifest, names: &[TokenStream]) -> TokenStream {
    let with_effect = manifest.inbound.values().filter(|source| source.mode == InboundMode::Transaction);
    let tests = with_effect.map(|source| {
        let name = &source.name;
        quote! { if source == #name { return true; } }
    });
    let tests: Vec<TokenStream> = tests.collect();
    let source = if tests.is_empty() { quote!(_) } else { quote!(source) };
    quote! {
        #(#names)*

        #[doc = " Whether events of this source are accepted with the transaction of their effect."]
        pub(super) fn with_its_effect(#source: &str) -> bool {
            #(#tests)*
            false
        }
    }
}

fn source_name(name: &str) -> Result<TokenStream, String> {
    let constant = identifier(&name.to_uppercase())?;
    let doc = format!(" Events of `{name}`.");
    Ok(quote! { #[doc = #doc] pub const #constant: &str = #name; })
}

/// `send_reply` -> `SendReply`.
fn type_name(name: &str) -> String {
    name.split('_').map(capitalised).collect()
}

/// A Rust identifier, raw where the name is a keyword; the name itself when it cannot be one.
fn identifier(name: &str) -> Result<Ident, String> {
    syn::parse_str::<Ident>(name).or_else(|_| syn::parse_str(&format!("r#{name}"))).map_err(|_| name.to_owned())
}

fn no_name(manifest: &Manifest, span: Span, name: &str) -> Fault {
    Fault::new(format!("`{name}` is no name in Rust"))
        .at(Label::new(&manifest.source, span, "the client's type and its fields are named after this"))
        .with_help("name it otherwise")
}

fn same_name(manifest: &Manifest, action: &Action, other: &str) -> Fault {
    let name = type_name(&action.name);
    Fault::new(format!("`{}` and `{other}` are both `{name}` in Rust", action.name))
        .at(Label::new(&manifest.source, action.span, "the client's type is named after this"))
        .with_help("name one of them otherwise")
}
