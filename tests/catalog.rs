//! Holds `lints/crates` against the published source of the crates.
//!
//! Without a network the record of the last check is compared with the entries. `.ci/catalog` checks anew, and notes
//! what it checked; `.ci/test --full` checks all of them.

#[path = "catalog/api.rs"]
mod api;
#[path = "catalog/check.rs"]
mod check;
#[path = "catalog/published.rs"]
mod published;
#[path = "catalog/record.rs"]
mod record;
#[path = "catalog/resolve.rs"]
mod resolve;

use std::collections::BTreeSet;

use onlyonce::catalog::Catalog;
use onlyonce::catalog::call::CrateCalls;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::record::Checked;

fn crates() -> impl Iterator<Item = &'static CrateCalls> {
    Catalog::embedded().crates.iter().filter(|krate| krate.unpublished.is_none())
}

#[test]
fn every_entry_was_held_against_published_source() {
    let record = record::load();
    let stale = |krate: &&CrateCalls| {
        record.get(&krate.package).is_none_or(|checked| checked.entries != record::entries(krate))
    };
    let stale: Vec<&str> = crates().filter(stale).map(|krate| krate.package.as_str()).collect();
    assert!(stale.is_empty(), "entries have changed since they were checked: run .ci/catalog {}", stale.join(" "));
    let known: BTreeSet<&str> = crates().map(|krate| krate.package.as_str()).collect();
    let orphans: Vec<&String> = record.keys().filter(|name| !known.contains(name.as_str())).collect();
    assert!(
        orphans.is_empty(),
        "tests/catalog/checked.toml holds {orphans:?}, of which there are no entries: run .ci/catalog"
    );
}

/// Fetches, so it does nothing unless it is asked to: `ONLYONCE_CRATES` names the crates, or is `all`.
#[test]
fn entries_are_what_published_source_says() {
    let Ok(asked) = std::env::var("ONLYONCE_CRATES") else { return };
    let asked: BTreeSet<&str> = asked.split_whitespace().collect();
    let chosen: Vec<_> =
        crates().filter(|krate| asked.contains("all") || asked.contains(krate.package.as_str())).collect();
    assert!(!chosen.is_empty(), "no crate of lints/crates is one of {asked:?}");
    for package in chosen.iter().flat_map(|krate| check::packages(krate)).flat_map(|(_, packages)| packages) {
        // One after the other: cargo holds a lock on its cache. What cannot be had is told by the check.
        let _ = published::source(&package);
    }
    // Parsing nests as deep as the source does.
    let pool = rayon::ThreadPoolBuilder::new().stack_size(64 << 20).build().unwrap();
    let checked: Vec<_> = pool.install(|| chosen.par_iter().map(|krate| (*krate, check::check(krate))).collect());
    let told = checked.iter().flat_map(|(krate, outcome)| {
        outcome.problems.iter().map(|problem| format!("lints/crates, {}: {problem}", krate.package))
    });
    let problems: Vec<String> = told.collect();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
    let mut record = record::load();
    record.retain(|name, _| crates().any(|krate| krate.package == *name));
    let before = record.clone();
    for (krate, outcome) in checked {
        let entries = record::entries(krate);
        record.insert(krate.package.clone(), Checked { entries, packages: outcome.packages });
    }
    match std::env::var_os("BLESS") {
        Some(_) => record::save(&record),
        None => assert!(record == before, "published archives are not those that were checked: run .ci/catalog"),
    }
}

/// The check itself sees what it is there for.
#[test]
fn wrong_entries_are_seen() {
    let problems = |text: &str| {
        let krate = Catalog::load(&[("sample", text)]).unwrap().crates.remove(0);
        let mut api = api::Api::default();
        let place = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/catalog/sample");
        let library = api.add(&place).unwrap();
        api.link();
        let public = api.public(&[library]);
        check::compare(&krate, &check::Interface { api, public })
    };
    let head = "crate = \"sample\"\nversion = \"1.0.0\"\n";
    let call = |path: &str, method: &str, more: &str| {
        format!(
            "{head}[[call]]\npath = \"{path}\"\nmethod = \"{method}\"\neffect = \"send\"\nsource = \"https://example.com\"\n{more}"
        )
    };
    let right = [
        call("sample::Client", "send_mail", "arity = 2"),
        call("sample::prelude::Client", "send_mail", "arity = 2"),
        call("sample::Client", "message", "trigger = \"await\"\narity = 1"),
        call("sample::Client", "send_*", ""),
        call("sample::Socket", "feed", "arity = 1"),
        call("sample", "fetch", "arity = 1"),
        call("sample::Client", "by_macro", "made_by = \"methods! in src/lib.rs\""),
        call("sample::Sender", "publish", "is_trait = true\narity = 1"),
        call("sample::Wrapped", "send_mail", "arity = 2"),
        format!("{head}[aliases]\n\"sample::Client\" = [\"sample::prelude::Client\"]"),
        format!("{head}[[returns]]\npath = \"sample::Client\"\nmethod = \"message\"\nreturns = \"sample::Message\""),
    ];
    for text in &right {
        assert_eq!(problems(text), Vec::<String>::new(), "{text}");
    }
    let wrong = [
        (call("sample::Client", "send_mail", "arity = 3"), "takes {2} arguments, not 3"),
        (call("sample::Client", "send_mail", ""), "arity = 2 is missing"),
        (call("sample::Client", "send_male", ""), "no such public method"),
        (call("sample::Client", "hidden", ""), "no such public method"),
        (call("sample::inner::Client", "send_mail", ""), "no public sample::inner::Client, but [\"sample::Client\""),
        (call("sample::Client", "message", ""), "call, and the result {\"Message\"} is a builder"),
        (call("sample::Client", "count", "trigger = \"await\""), "await, and the result {\"usize\"} is no builder"),
        (
            call("sample::Client", "send_mail", "made_by = \"methods! in src/lib.rs\""),
            "made_by, and yet it is written out",
        ),
        (call("sample::Client", "other", "made_by = \"methods! in src/lib.rs\""), "no macro names it"),
        (call("sample::Client", "only_tests", ""), "no such public method"),
        (format!("{head}[aliases]\n\"sample::Client\" = [\"sample::Socket\"]"), "two things"),
        (
            format!("{head}[[returns]]\npath = \"sample::Client\"\nmethod = \"message\"\nreturns = \"sample::Socket\""),
            "it returns {\"Message\"}",
        ),
    ];
    for (text, said) in &wrong {
        let problems = problems(text);
        assert!(problems.iter().any(|problem| problem.contains(said)), "{text}\n{problems:?} should say {said}");
    }
}
