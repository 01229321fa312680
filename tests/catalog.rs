//! Holds `lints/crates` against the published source of the crates.
//!
//! Without a network the record of the last check is compared with the entries. `.ci/catalog` checks anew, and notes
//! what it checked.

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

/// A look at the first name of a path spares looking for it: nothing that is known may be passed over by it.
#[test]
fn what_is_known_is_spoken_of() {
    let catalog = Catalog::embedded();
    for krate in crates() {
        let entries = krate.call.iter().map(|call| &call.path).chain(krate.returns.iter().map(|returns| &returns.path));
        let others = krate.aliases.values().chain(krate.implementors.values()).flatten();
        for path in entries.chain(others).chain(&krate.local_only) {
            let path = path.replace('*', "some");
            assert!(catalog.speaks_of(&path), "{path}");
        }
    }
    for unknown in ["String", "Vec", "nobody_knows::Client", "crate"] {
        assert!(!catalog.speaks_of(unknown), "{unknown}");
    }
}

fn manifest(text: &str) -> Result<onlyonce::manifest::Manifest, onlyonce::diagnostic::Faults> {
    let source = onlyonce::source::Source::new("onlyonce.toml", format!("version = 1\n{text}"));
    onlyonce::manifest::check::check(&source, ".".into(), &[])
}

#[test]
fn a_team_adds_calls_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    write("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n[dependencies]\nacme_pay = \"1\"\n");
    write("src/lib.rs", "pub async fn pay(pay: &acme_pay::Client) {\n    let _ = pay.settle(5, 7).await;\n}\n");
    let own = "[[scan.call]]\npath = \"acme_pay::Client\"\nmethod = \"settle\"\narity = 2\neffect = \"charge\"\n";
    let found = |text: &str| {
        let settings = onlyonce::scan::Settings::of(&manifest(text).unwrap());
        let scan = onlyonce::scan::scan(folder.path(), &settings.catalog(), &settings, &|_| {}).unwrap();
        scan.sinks.iter().map(|sink| (sink.api.clone(), sink.effect)).collect::<Vec<_>>()
    };
    let charge = onlyonce::catalog::call::Effect::Charge;
    assert_eq!(found(own), [("acme_pay::Client::settle".to_owned(), charge)]);
    assert!(found("").iter().all(|(_, effect)| *effect != charge));
}

#[test]
fn wrong_calls_of_a_team_are_told_at_their_place() {
    let right = "path = \"acme_pay::Client\"\nmethod = \"settle\"\neffect = \"charge\"\n";
    let fault = |text: &str| {
        let faults = manifest(text).unwrap_err().0;
        let place = faults[0].place.as_ref().unwrap();
        (place.source.position(place.span.start).line, faults[0].message.clone(), faults[0].help.clone().unwrap())
    };
    let wrong = [
        ("effect = \"charg\"", 5, "`effect` in [[scan.call]] cannot be `charg`", "did you mean `charge`?"),
        ("effect = \"send\"\ntriger = \"await\"", 6, "[[scan.call]] has no field `triger`", "did you mean `trigger`?"),
        (
            "effect = \"send\"\nkey_door = \"Idempotency-Key\"",
            6,
            "`key_door` in [[scan.call]] cannot be",
            "write it like",
        ),
        ("effect = \"send\"\narity = 99", 6, "`arity` in [[scan.call]] is out of range", "write a number"),
    ];
    for (line, at, message, help) in wrong {
        let told = fault(&format!("[[scan.call]]\npath = \"acme_pay::Client\"\nmethod = \"settle\"\n{line}\n"));
        assert!(told.0 == at && told.1.starts_with(message) && told.2.starts_with(help), "{line}: {told:?}");
    }
    let told = fault(&format!("[[scan.call]]\n{right}[[scan.call]]\n{right}"));
    assert_eq!((told.0, told.1.as_str()), (6, "`acme_pay::Client::settle` has two entries"));
    let told = fault("[[scan.call]]\npath = \"*::Client\"\nmethod = \"settle\"\neffect = \"send\"\n");
    assert_eq!((told.0, told.1.as_str()), (3, "`path` in [[scan.call]] cannot be `*::Client`"));
}
