//! The rules beside the guard: every file of `companions/` is a crate of its own, and what the rule of its folder
//! finds in it must be what its lines mark with `//~ rule-name`. A marker stands on the first line of the finding.
//!
//! Files that are named after a number are the cases of the specification.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use onlyonce::catalog::{Catalog, retries};
use onlyonce::manifest::{Manifest, check};
use onlyonce::scan::index::{Index, Package};
use onlyonce::scan::summary::summarise;
use onlyonce::scan::{Scan, rules, sinks};
use onlyonce::source::Source;

/// That of the rules' pages, with a guard of the team's own.
const MANIFEST: &str = concat!(
    include_str!("rules/manifest.toml"),
    r#"
[[scan.guard]]
path = "case::Once::run"
key = 0
body = 1
"#
);

/// The rule that a folder is about.
const FOLDERS: [(&str, &[&str]); 5] = [
    ("keys", &["attempt-derived-key", "model-derived-key"]),
    (
        "ledger",
        &["ignored-verdict", "reserve-in-transaction", "shared-key", "stored-payload-ignored", "unrecorded-send"],
    ),
    ("retry", &["retried-send"]),
    ("timeout", &["timeout-as-failure"]),
    ("webhook", &["model-before-dedupe"]),
];

fn manifest() -> Manifest {
    let source = Source::new("onlyonce.toml", MANIFEST);
    check::check(&source, PathBuf::from("."), &rules::names()).unwrap_or_else(|faults| panic!("{faults:?}"))
}

/// A crate that depends on everything that the catalog knows.
fn package() -> Package {
    let known = Catalog::embedded().crates.iter().flat_map(|entry| entry.library_names());
    let repeating = retries::all().iter().map(|entry| entry.package.replace('-', "_"));
    let dependencies: HashMap<String, String> =
        known.chain(repeating).map(|library| (library.clone(), library)).collect();
    let roots = vec!["src/main.rs".into()];
    Package { name: "case".into(), library: "case".into(), dependencies, roots, ..Package::default() }
}

/// Rule and line of what is found.
fn found(text: &str, of: &[&str]) -> BTreeSet<(String, usize)> {
    let summary = summarise(Source::new("src/main.rs", text));
    assert_eq!(summary.unread, None);
    let index = Index::build(vec![package()], vec![summary]);
    let scan = Scan::of(index, Catalog::embedded(), &sinks::Settings::default(), &|_| {});
    let judged = scan.judge(Catalog::embedded(), Some(&manifest()), jiff::civil::date(2026, 11, 29));
    let findings = judged.outcome.findings.iter().filter(|finding| of.contains(&finding.rule));
    findings
        .map(|finding| {
            let place = &finding.place;
            (finding.rule.to_owned(), place.source.position(place.span.start).line)
        })
        .collect()
}

fn marked(text: &str) -> BTreeSet<(String, usize)> {
    let lines = text.lines().enumerate().filter_map(|(at, line)| Some((line.split_once("//~")?.1, at + 1)));
    let rules = lines.flat_map(|(rules, line)| rules.split(',').map(move |rule| (rule.trim().to_owned(), line)));
    rules.collect()
}

#[test]
fn each_rule_finds_what_is_marked_and_nothing_else() {
    let mut faults = Vec::new();
    for (folder, of) in FOLDERS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/companions").join(folder);
        let mut files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        assert!(!files.is_empty(), "no case in {}", folder.display());
        for path in files {
            let text = fs::read_to_string(&path).unwrap();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let (found, marked) = (found(&text, of), marked(&text));
            faults.extend(marked.difference(&found).map(|(rule, line)| format!("{name}:{line}: {rule} was not found")));
            faults.extend(found.difference(&marked).map(|(rule, line)| format!("{name}:{line}: {rule} is not marked")));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
