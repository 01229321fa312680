//! The sample agents: the one that goes through the ledger is clean, its twin shows what the rules find, and all
//! compile without a warning. The courier is what `onlyonce chaos run` is tried on (tests/chaos.rs).
//!
//! `BLESS=1 cargo test --test agents` writes the samples' clients and migrations anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use onlyonce::catalog::Catalog;
use onlyonce::codegen::generate;
use onlyonce::manifest::{Manifest, check};
use onlyonce::scan::site::Verdict;
use onlyonce::scan::{Judged, Scan, Settings, rules, scan};

/// So that the migration's name and bytes are the same whenever it is written.
const EMITTED_AT: &str = "1767700000";

/// The samples that have a ledger, and the migration that the team of each wrote itself.
const WITH_LEDGER: [(&str, &str); 2] =
    [("courier", "migrations/20260105090000_replies.sql"), ("sales", "migrations/20260105090000_shop.sql")];

fn agent(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents").join(name)
}

/// The agent without a ledger has none of its own, so that `init` drafts it; what its rules need stands beside it.
fn manifest_name(agent: &Path) -> &'static str {
    if agent.join("onlyonce.toml").exists() { "onlyonce.toml" } else { "rules.toml" }
}

fn manifest(agent: &Path) -> Manifest {
    let name = manifest_name(agent);
    check::load(&agent.join(name), name, &rules::names()).unwrap()
}

fn judged(name: &str) -> (Scan, Judged) {
    let agent = agent(name);
    let manifest = manifest(&agent);
    let catalog = Catalog::embedded();
    let scan = scan(&agent, catalog, &Settings::of(&manifest), &|_| {}).unwrap();
    let judged = scan.judge(catalog, Some(&manifest), jiff::civil::date(2026, 1, 6));
    (scan, judged)
}

/// Rule, file and line of every finding.
fn findings(judged: &Judged) -> BTreeSet<(String, String, usize)> {
    let findings = judged.outcome.findings.iter().map(|finding| {
        let place = &finding.place;
        (finding.rule.to_owned(), place.source.name().to_owned(), place.source.position(place.span.start).line)
    });
    findings.collect()
}

/// Rule, file and line of every marker: `//~ rule, rule` in Rust, `//~^ rule` below the line, `#~ rule` in the manifest.
fn markers(agent: &Path) -> BTreeSet<(String, String, usize)> {
    let sources = fs::read_dir(agent.join("src")).unwrap().map(|entry| entry.unwrap().path());
    let mut markers = BTreeSet::new();
    for path in sources.chain([agent.join(manifest_name(agent))]) {
        let name = path.strip_prefix(agent).unwrap().display().to_string();
        for (at, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            let Some((_, rule)) = line.split_once("//~").or_else(|| line.split_once("#~")) else { continue };
            let (rule, line) = rule.strip_prefix('^').map_or((rule, at + 1), |rule| (rule, at));
            markers.extend(rule.split(',').map(|rule| (rule.trim().to_owned(), name.clone(), line)));
        }
    }
    markers
}

#[test]
fn the_agent_that_goes_through_the_ledger_is_clean() {
    let (_, judged) = judged("sales");
    assert_eq!(findings(&judged), BTreeSet::new(), "{:#?}", judged.outcome.findings);
    let guarded = judged.sites.iter().map(|site| {
        assert_eq!(site.verdict, Verdict::Guarded, "{}", site.function);
        site.guard.as_ref().and_then(|guard| guard.action.as_deref()).unwrap_or_default()
    });
    let guarded: BTreeSet<&str> = guarded.collect();
    assert_eq!(
        guarded.into_iter().collect::<Vec<_>>(),
        ["charge_order", "draft_reply", "outreach_email", "send_reply"]
    );
}

#[test]
fn its_twin_shows_what_the_rules_find_where_it_says_so() {
    let (_, judged) = judged("sales-unguarded");
    let (found, marked) = (findings(&judged), markers(&agent("sales-unguarded")));
    let missing: Vec<_> = marked.difference(&found).collect();
    let more: Vec<_> = found.difference(&marked).collect();
    assert!(
        missing.is_empty() && more.is_empty(),
        "marked and not found: {missing:#?}\nfound and not marked: {more:#?}"
    );
}

/// What the twin cannot show: a file that does not parse is in no crate that compiles, and an agent without a ledger
/// and a database cannot misuse them.
const NOT_SHOWN: [&str; 5] =
    ["ignored-verdict", "reserve-in-transaction", "stored-payload-ignored", "unread-file", "unrecorded-send"];

#[test]
fn its_twin_shows_every_rule() {
    let marked = markers(&agent("sales-unguarded"));
    let shown: BTreeSet<&str> = marked.iter().map(|(rule, _, _)| rule.as_str()).collect();
    let rules: BTreeSet<&str> = rules::names().into_iter().filter(|rule| !NOT_SHOWN.contains(rule)).collect();
    assert_eq!(shown, rules);
}

#[test]
fn the_samples_clients_are_what_their_manifests_give() {
    for (name, _) in WITH_LEDGER {
        let file = generate(&manifest(&agent(name)));
        if blesses() {
            onlyonce::files::write_all(std::slice::from_ref(&file)).unwrap();
        }
        assert_eq!(file.difference("src/onlyonce.rs").unwrap(), "", "run BLESS=1 cargo test --test agents");
    }
}

#[test]
fn the_samples_migrations_are_what_their_manifests_give() {
    for (name, teams_own) in WITH_LEDGER {
        are_what_the_manifest_gives(&agent(name), teams_own);
    }
}

fn are_what_the_manifest_gives(agent: &Path, teams_own: &str) {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("migrations")).unwrap();
    for file in ["onlyonce.toml", teams_own] {
        fs::copy(agent.join(file), place.path().join(file)).unwrap();
    }
    quiet(
        Command::new(env!("CARGO_BIN_EXE_onlyonce"))
            .args(["--quiet", "emit"])
            .current_dir(place.path())
            .env("SOURCE_DATE_EPOCH", EMITTED_AT),
    );
    let emitted = fs::read_dir(place.path().join("migrations")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<PathBuf> = emitted.map(|name| Path::new("migrations").join(name)).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    names.push("onlyonce.lock".into());
    for name in names {
        let text = fs::read_to_string(place.path().join(&name)).unwrap();
        if blesses() {
            fs::write(agent.join(&name), &text).unwrap();
        }
        let committed = fs::read_to_string(agent.join(&name)).unwrap_or_default();
        assert!(committed == text, "{} is stale: run BLESS=1 cargo test --test agents", name.display());
    }
}

#[test]
fn all_compile_without_a_warning() {
    for name in ["courier", "sales", "sales-unguarded"] {
        let mut clippy = Command::new("cargo");
        clippy.args(["clippy", "--quiet", "--offline", "--locked", "--", "-D", "warnings"]).current_dir(agent(name));
        quiet(clippy.env("CARGO_TARGET_DIR", Path::new(env!("CARGO_MANIFEST_DIR")).join("target/agents")));
        quiet(Command::new("cargo").args(["fmt", "--check"]).current_dir(agent(name)));
    }
}

fn blesses() -> bool {
    std::env::var_os("BLESS").is_some()
}

fn quiet(command: &mut Command) {
    let output = command.output().unwrap();
    let said = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    assert!(output.status.success() && said.is_empty(), "{command:?}\n{}", String::from_utf8_lossy(&said));
}
