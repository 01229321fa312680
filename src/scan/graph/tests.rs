//! Callers and callees are told from either end of a call: both have to tell the same.

use std::collections::BTreeSet;

use crate::catalog::Catalog;
use crate::scan::graph::CallKind;
use crate::scan::types::Types;
use crate::scan::{Settings, scan};

/// Calls by a name, a method, a variable, an import under another name, a macro, a trait; functions that are given away.
const CODE: &str = r#"
mod inner {
    pub fn send(to: &str) {
        drop(to);
    }
    pub mod api {
        pub use super::send as post;
    }
}
use inner::send as deliver;

macro_rules! twice {
    ($to:expr) => {{
        inner::send($to);
        deliver($to);
    }};
}

trait Mailer {
    fn mail(&self);
}
struct One;
struct Two;
impl Mailer for One {
    fn mail(&self) {
        deliver("one");
    }
}
impl Mailer for Two {
    fn mail(&self) {
        self.twice();
    }
}
impl Two {
    fn twice(&self) {
        twice!("two");
    }
}

fn by_name() {
    inner::send("a");
}
fn by_renamed_path() {
    inner::api::post("b");
}
fn by_variable() {
    let send_it = inner::send;
    send_it("c");
}
/// The variable has another function's name.
fn by_misnamed_variable() {
    let by_name = inner::send;
    by_name("d");
}
fn given_away(names: Vec<&str>) {
    names.into_iter().for_each(inner::send);
    names.iter().for_each(deliver);
}
fn dynamic(mailer: &dyn Mailer) {
    mailer.mail();
}
fn again(left: u32) {
    if left > 0 {
        again(left - 1);
    }
}
"#;

#[test]
fn both_ends_of_a_call_tell_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("src")).expect("src");
    std::fs::write(folder.path().join("Cargo.toml"), "[package]\nname = \"acme\"\nversion = \"0.1.0\"\n")
        .expect("a file");
    std::fs::write(folder.path().join("src/lib.rs"), CODE).expect("a file");
    let scan = scan(folder.path(), Catalog::embedded(), &Settings::default(), &|_| {}).expect("a scan");
    let types = Types::new(&scan.index, Catalog::embedded());
    let place = |call: &super::Call| (call.caller, call.expr, call.callee, call.kind == CallKind::Call);
    let ids = || scan.index.function_ids();
    let from_above: BTreeSet<_> = ids().flat_map(|id| scan.graph.callees(&types, id).map(place)).collect();
    let from_below: BTreeSet<_> = ids().flat_map(|id| scan.graph.callers(&types, id).map(place)).collect();
    assert_eq!(from_above, from_below);
    let name = |id| scan.index.function(id).name.as_str();
    let sends: BTreeSet<&str> =
        from_below.iter().filter(|call| name(call.2) == "send").map(|call| name(call.0)).collect();
    let expected = ["by_misnamed_variable", "by_name", "by_renamed_path", "by_variable", "given_away", "mail", "twice"];
    assert_eq!(sends, BTreeSet::from(expected));
    assert!(from_below.iter().any(|call| name(call.0) == "again" && name(call.2) == "again"));
    // The trait's own declaration and both that implement it.
    assert_eq!(from_below.iter().filter(|call| name(call.0) == "dynamic" && name(call.2) == "mail").count(), 3);
}
