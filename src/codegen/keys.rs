//! What the manifest alone determines: a type for every action, and the names of the inbound sources.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

use crate::key::PartType;
use crate::manifest::name::type_name;
use crate::manifest::{Action, InboundMode, KeyPart, Manifest};

/// The modules `keys` and `sources` as Rust text.
pub(super) fn keys(manifest: &Manifest) -> String {
    let types = manifest.actions.values().map(key_type);
    let sources = sources(manifest);
    let tokens = quote! {
        #[doc = " The keys of this program's actions: a type for every action in `onlyonce.toml`."]
        #[allow(clippy::doc_markdown, reason = "their docs say how a key is derived, in a form that tools read")]
        pub mod keys { #(#types)* }

        #[doc = " The inbound sources, as the ledger names them."]
        pub mod sources { #sources }
    };
    // Made of our own tokens and of names that a valid manifest has checked, so it is a file of Rust.
    syn::parse2(tokens).map(|file| settle(&prettyplease::unparse(&file))).unwrap_or_default()
}

/// The widest line of a file as rustfmt writes it.
const WIDTH: usize = 100;

/// What prettyplease does otherwise than rustfmt: blank lines between items, and long constants.
fn settle(text: &str) -> String {
    let mut settled = String::with_capacity(text.len());
    let mut previous = "";
    for line in text.lines() {
        let start = line.trim_start();
        let before = previous.trim_start();
        let opens =
            before.is_empty() || before.ends_with('{') || before.starts_with("///") || before.starts_with("pub ");
        if !opens && ["/// ", "impl ", "fn "].iter().any(|item| start.starts_with(item)) {
            settled.push('\n');
        }
        match line.split_once(" = ").filter(|_| line.len() > WIDTH && start.contains("const ")) {
            Some((name, value)) => {
                let indent = " ".repeat(line.len() - start.len() + 4);
                settled.push_str(&format!("{name} =\n{indent}{value}\n"));
            }
            None => settled.push_str(&format!("{line}\n")),
        }
        previous = line;
    }
    settled
}

fn key_type(action: &Action) -> TokenStream {
    let name = identifier(&type_name(&action.name));
    let action_type = &action.name;
    let docs = lines(&docs(action));
    let borrows = action.key.iter().any(|part| is_borrowed(part.part_type));
    let (declared, used) = if borrows { (quote!(<'a>), quote!(<'_>)) } else { (quote!(), quote!()) };
    let fields = action.key.iter().map(|part| {
        let field = identifier(&part.name);
        let rust = rust_type(part.part_type);
        let doc = format!(" {}.", capitalised(part_doc(part)));
        quote! { #[doc = #doc] pub #field: #rust }
    });
    let pushes = action.key.iter().map(|part| {
        let field = identifier(&part.name);
        let push = identifier(part.part_type.name());
        quote! { parts.#push(self.#field); }
    });
    quote! {
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
    }
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
fn sources(manifest: &Manifest) -> TokenStream {
    let names = manifest.inbound.values().map(|source| {
        let name = &source.name;
        let constant = identifier(&name.to_uppercase());
        let doc = format!(" Events of `{name}`.");
        quote! { #[doc = #doc] pub const #constant: &str = #name; }
    });
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

/// A valid manifest names its actions, parts and sources so that they are identifiers.
fn identifier(name: &str) -> Ident {
    syn::parse_str(name).unwrap_or_else(|_| format_ident!("unnamed"))
}
