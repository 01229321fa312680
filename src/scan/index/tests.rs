//! Where paths lead.

use std::collections::HashMap;

use crate::scan::index::{Def, FnId, Index, ModuleId, Package};
use crate::scan::ir::{Path, Segment};
use crate::scan::summary::summarise;
use crate::source::Source;

fn package(folder: &str, name: &str, roots: &[&str], dependencies: &[(&str, &str)]) -> Package {
    Package {
        name: name.to_owned(),
        library: name.replace('-', "_"),
        folder: folder.to_owned(),
        dependencies: dependencies.iter().map(|(code, name)| ((*code).to_owned(), (*name).to_owned())).collect(),
        local: HashMap::new(),
        roots: roots.iter().map(|root| (*root).to_owned()).collect(),
        has_library: roots.iter().any(|root| root.ends_with("lib.rs")),
    }
}

fn build(packages: Vec<Package>, files: &[(&str, &str)]) -> Index {
    let summaries = files.iter().map(|(name, text)| {
        let summary = summarise(Source::new(*name, *text));
        assert_eq!(summary.unread, None, "{name}");
        summary
    });
    Index::build(packages, summaries.collect())
}

/// One library `acme` that knows reqwest and lettre.
fn acme(files: &[(&str, &str)]) -> Index {
    let dependencies =
        [("reqwest", "reqwest"), ("lettre", "lettre"), ("reqwest_0_12", "reqwest"), ("anyhow", "anyhow")];
    build(vec![package("", "acme", &["src/lib.rs"], &dependencies)], files)
}

fn path(text: &str) -> Path {
    let global = text.starts_with("::");
    let names = text.trim_start_matches("::").split("::");
    let segments = names.map(|name| Segment { name: name.to_owned(), args: Vec::new() }).collect();
    Path { qself: None, global, segments }
}

fn module(index: &Index, name: &str) -> ModuleId {
    let at = index.modules.iter().position(|module| module.path.join("::") == name);
    ModuleId(u32::try_from(at.unwrap_or_else(|| panic!("no {name} in {:#?}", index.modules))).unwrap())
}

/// Where a path leads from a module, as text.
fn leads(index: &Index, from: &str, to: &str) -> String {
    show(index, index.resolve(module(index, from), &path(to)))
}

fn show(index: &Index, def: Option<Def>) -> String {
    match def {
        None => "nowhere".to_owned(),
        Some(Def::Module(id)) => format!("mod {}", index.module(id).path.join("::")),
        Some(Def::Fn(id)) => format!("fn {}", index.function(id).path),
        Some(Def::Type(id)) => format!("type {}", index.ty(id).path),
        Some(Def::Variant(id, at)) => format!("variant {} {at}", index.ty(id).path),
        Some(Def::Trait(id)) => format!("trait {}", index.trait_entry(id).path),
        Some(Def::Const(id)) => format!("const {}", index.consts[id.0 as usize].name),
        Some(Def::Macro(id)) => format!("macro {}", index.macros[id.0 as usize].name),
        Some(Def::External(path)) => path.to_string(),
    }
}

fn function(index: &Index, path: &str) -> FnId {
    let found = index.function_ids().find(|id| index.function(*id).path == path);
    found.unwrap_or_else(|| panic!("no {path} in {:?}", index.functions.iter().map(|f| &f.path).collect::<Vec<_>>()))
}

#[test]
fn uses_aliases_and_re_exports_lead_to_the_crate() {
    let index = acme(&[(
        "src/lib.rs",
        "use reqwest::{Client as Web, RequestBuilder as Rb, self};
         mod net { pub use reqwest::Client; pub mod prelude { pub use super::Client as HttpClient; } }
         use net::prelude::HttpClient; use anyhow::anyhow; mod deep { use super::*; }",
    )]);
    assert_eq!(leads(&index, "acme", "Web"), "reqwest::Client");
    assert_eq!(leads(&index, "acme", "Rb::send"), "reqwest::RequestBuilder::send");
    assert_eq!(leads(&index, "acme", "HttpClient"), "reqwest::Client");
    assert_eq!(leads(&index, "acme::deep", "HttpClient::new"), "reqwest::Client::new");
    assert_eq!(leads(&index, "acme", "reqwest::Client::post"), "reqwest::Client::post");
    assert_eq!(leads(&index, "acme", "reqwest_0_12::Client"), "reqwest::Client");
    assert_eq!(leads(&index, "acme", "anyhow::Result"), "anyhow::Result");
    assert_eq!(leads(&index, "acme", "ureq::post"), "ureq::post");
    assert_eq!(leads(&index, "acme", "::lettre::Message"), "lettre::Message");
    assert_eq!(leads(&index, "acme", "crate::net::prelude::HttpClient"), "reqwest::Client");
    assert_eq!(leads(&index, "acme", "unknown"), "nowhere");
    assert_eq!(leads(&index, "acme", "T::new"), "nowhere");
}

#[test]
fn of_several_imports_of_one_name_the_first_that_leads_somewhere_wins() {
    let text = "#[cfg(a)] use reqwest::Client; #[cfg(b)] use lettre::Client; #[cfg(c)] use anyhow::Client;
         mod own { pub fn send() {} } mod other { pub struct send; }
         use own::send; use other::send;";
    let index = acme(&[("src/lib.rs", text)]);
    assert_eq!(leads(&index, "acme", "Client"), "reqwest::Client");
    assert_eq!(leads(&index, "acme", "send"), "fn acme::own::send");
    assert_eq!(index.imports(module(&index, "acme")).filter(|import| import.name == "Client").count(), 3);
}

#[test]
fn a_local_definition_wins_over_a_glob_and_globs_from_outside_are_told() {
    let index = acme(&[(
        "src/lib.rs",
        "use reqwest::*; use crate::prelude::*; pub struct RequestBuilder;
         mod prelude { pub use lettre::*; pub use crate::kinds::Kind::*; fn hidden() {} pub fn shown() {} }
         mod kinds { pub enum Kind { Plain, Loud } pub type Sort = Kind; }
         fn f() { use teloxide::prelude::*; fn g() {} g() }",
    )]);
    assert_eq!(leads(&index, "acme", "RequestBuilder"), "type acme::RequestBuilder");
    assert_eq!(leads(&index, "acme", "Loud"), "variant acme::kinds::Kind 1");
    assert_eq!(leads(&index, "acme", "kinds::Sort::Plain"), "variant acme::kinds::Kind 0");
    assert_eq!(leads(&index, "acme", "shown"), "fn acme::prelude::shown");
    assert_eq!(leads(&index, "acme", "hidden"), "nowhere");
    let globs =
        |name: &str| index.external_globs(module(&index, name)).iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(globs("acme"), ["lettre", "reqwest"]);
    assert_eq!(globs("acme::f"), ["lettre", "reqwest", "teloxide::prelude"]);
    let inner = index.function(function(&index, "acme::f::g"));
    assert_eq!(inner.outer, Some(function(&index, "acme::f")));
    assert_eq!(leads(&index, "acme", "g"), "nowhere");
    assert_eq!(leads(&index, "acme::f", "g"), "fn acme::f::g");
    assert_eq!(leads(&index, "acme::f", "self::RequestBuilder"), "type acme::RequestBuilder");
}

#[test]
fn cycles_end() {
    let index = acme(&[(
        "src/lib.rs",
        "pub use a::*; mod a { pub use super::*; pub use crate::b::x as y; pub type T = U; pub type U = T; }
         mod b { pub use crate::a::y as x; pub use self::*; } use loop_a as loop_b; use loop_b as loop_a;
         impl a::T { fn m(&self) {} }",
    )]);
    assert_eq!(leads(&index, "acme", "y"), "nowhere");
    assert_eq!(leads(&index, "acme", "nothing"), "nowhere");
    assert_eq!(leads(&index, "acme", "a::T::Missing"), "nowhere");
}

#[test]
fn members_have_a_holder() {
    let index = acme(&[(
        "src/lib.rs",
        "use reqwest::Client; pub struct S; pub trait Go { fn go(&self); fn twice(&self) { self.go() } }
         impl S { pub fn new() -> S { S } fn low(&self) {} } impl Go for S { fn go(&self) {} }
         impl Go for std::sync::Arc<Client> { fn go(&self) {} } pub type Alias = S; impl std::fmt::Display for S {}",
    )]);
    let root = module(&index, "acme");
    let member = |text: &str| {
        index.resolve_member(root, &path(text)).map(|(def, name)| format!("{} . {name}", show(&index, Some(def))))
    };
    assert_eq!(member("S::new").as_deref(), Some("type acme::S . new"));
    assert_eq!(member("Client::post").as_deref(), Some("reqwest::Client . post"));
    assert_eq!(member("Go::go").as_deref(), Some("trait acme::Go . go"));
    assert_eq!(member("crate::S"), None);
    let of = |text: &str, name: &str| {
        let def = index.resolve(root, &path(text)).unwrap();
        index.methods_named(&def, name).into_iter().map(|id| index.function(id).path.clone()).collect::<Vec<_>>()
    };
    assert_eq!(of("S", "new"), ["acme::S::new"]);
    assert_eq!(of("Alias", "go"), ["<acme::S as acme::Go>::go"]);
    assert_eq!(of("S", "twice"), ["acme::Go::twice"]);
    assert_eq!(of("Go", "go"), ["acme::Go::go"]);
    assert_eq!(of("Client", "go"), ["<reqwest::Client as acme::Go>::go"]);
    let Some(Def::Trait(go)) = index.resolve(root, &path("Go")) else { panic!() };
    assert_eq!(index.impls_of_trait(go).len(), 2);
    let Some(Def::Type(s)) = index.resolve(root, &path("S")) else { panic!() };
    assert_eq!(index.impls_of_type(s).len(), 3);
    let qualified = Path { qself: Some(Box::new(crate::scan::ir::Ty::Path(path("S")))), ..path("new") };
    assert_eq!(index.resolve_member(root, &qualified), Some((Def::Type(s), "new".to_owned())));
    assert!(index.function(function(&index, "acme::S::new")).exported);
    assert!(!index.function(function(&index, "acme::S::low")).exported);
}

#[test]
fn only_what_another_crate_can_name_is_exported() {
    let index = acme(&[(
        "src/lib.rs",
        "mod a { pub fn inner() {} pub fn shown() {} pub(crate) fn near() {} pub trait T { fn t(&self) {} } }
         pub use a::shown; pub mod b { pub fn open() {} fn closed() {} pub use super::a::near as also; }",
    )]);
    let exported = |name: &str| index.function(function(&index, name)).exported;
    assert!(exported("acme::a::shown") && exported("acme::b::open"));
    assert!(!exported("acme::a::inner") && !exported("acme::b::closed") && !exported("acme::a::T::t"));
}

#[test]
fn modules_find_their_files() {
    let index = acme(&[
        (
            "src/lib.rs",
            "mod a; pub mod inline { mod b; } #[path = \"../shared/outbox.rs\"] mod outbox; include!(\"made/client.rs\"); #[cfg_attr(windows, path = \"net_win.rs\")] mod net; #[cfg(test)] mod tests;",
        ),
        ("src/a.rs", "mod c; pub fn a() {}"),
        ("src/a/c.rs", "pub fn c() { super::a(); }"),
        ("src/inline/b.rs", "pub fn b() {}"),
        ("shared/outbox.rs", "mod beside; pub fn push() {}"),
        ("shared/beside.rs", ""),
        ("src/made/client.rs", "pub fn call() {}"),
        ("src/net.rs", "pub fn send() {}"),
        ("src/net_win.rs", "pub fn win() {}"),
        ("src/tests.rs", "mod more; fn t() {}"),
        ("src/tests/more.rs", "fn m() {}"),
        ("src/alone.rs", "mod child; fn alone() { crate::call() }"),
        ("src/alone/child.rs", "fn c() {}"),
    ]);
    assert_eq!(leads(&index, "acme::a::c", "super::a"), "fn acme::a::a");
    assert_eq!(leads(&index, "acme", "inline::b::b"), "fn acme::inline::b::b");
    assert_eq!(leads(&index, "acme", "outbox::push"), "fn acme::outbox::push");
    assert_eq!(leads(&index, "acme", "outbox::beside"), "mod acme::outbox::beside");
    assert_eq!(leads(&index, "acme", "net::send"), "fn acme::net::send");
    assert_eq!(leads(&index, "acme::alone", "crate::call"), "fn acme::call");
    let call = index.function(function(&index, "acme::call"));
    assert_eq!(index.files[call.file].source.name(), "src/made/client.rs");
    function(&index, "acme::net::win");
    assert!(index.module(module(&index, "acme::tests::more")).test);
    assert!(index.function(function(&index, "acme::tests::more::m")).test);
    assert!(!index.module(module(&index, "acme::alone::child")).reached);
    assert!(index.module(module(&index, "acme::a::c")).reached);
}

#[test]
fn a_workspace_is_one_table() {
    let mut bot =
        package("crates/bot", "bot", &["crates/bot/src/main.rs"], &[("acme_http", "acme-http"), ("web", "acme-http")]);
    for code in ["acme_http", "web"] {
        bot.local.insert(code.to_owned(), "crates/http".to_owned());
    }
    let mut http = package("crates/http", "acme-http", &["crates/http/src/lib.rs"], &[("reqwest", "reqwest")]);
    http.library = "http_of_acme".to_owned();
    let index = build(
        vec![bot, http],
        &[
            ("crates/bot/src/main.rs", "use acme_http::Http; extern crate web as w; mod x; fn main() {}"),
            ("crates/bot/src/x.rs", "pub fn x() {}"),
            (
                "crates/http/src/lib.rs",
                "pub struct Http; pub use reqwest::Client; pub fn hello() {} impl Http { pub fn post(&self) {} }",
            ),
        ],
    );
    assert_eq!(leads(&index, "bot", "Http"), "type http_of_acme::Http");
    assert_eq!(leads(&index, "bot", "http_of_acme::Client"), "reqwest::Client");
    assert_eq!(leads(&index, "bot", "web::hello"), "fn http_of_acme::hello");
    assert_eq!(leads(&index, "bot", "w::hello"), "fn http_of_acme::hello");
    assert_eq!(leads(&index, "bot::x", "crate::main"), "fn bot::main");
    assert!(index.function(function(&index, "http_of_acme::Http::post")).exported);
    assert!(!index.function(function(&index, "bot::x::x")).exported);
}

#[test]
fn code_wins_over_tests_and_values_over_modules() {
    let index = acme(&[(
        "src/lib.rs",
        "#[cfg(test)] fn send() {} #[cfg(not(test))] pub fn send() {} pub mod handler { pub fn handler() {} } pub use handler::handler;
         #[cfg(test)] mod tests { use super::*; fn t() {} }",
    )]);
    let Some(Def::Fn(send)) = index.resolve(module(&index, "acme"), &path("send")) else { panic!() };
    assert!(!index.function(send).test);
    assert_eq!(leads(&index, "acme", "handler"), "fn acme::handler::handler");
    assert_eq!(leads(&index, "acme", "handler::handler"), "fn acme::handler::handler");
    assert!(index.function(function(&index, "acme::tests::t")).test);
}
