//! Faults as data: each file of `tests/sql/faults` breaks one thing of the ledger in `tests/sql/adopted.sql` and names in
//! its first line the rules that find it, no more and no fewer; each file of `tests/sql/harmless` looks like a fault and is
//! none. A second line `-- alone` leaves the ledger out: the file is the whole history.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use onlyonce::diagnostic::Label;
use onlyonce::lint::{self, Keyed, Ledger, Subject};
use onlyonce::schema::Name;
use onlyonce::source::{Source, Span};
use onlyonce::sql::SourceStatements;

const DAY: u64 = 86_400;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sql").join(name)
}

fn files(name: &str) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn read(path: &Path) -> SourceStatements {
    SourceStatements::read(&Source::new(path.file_name().unwrap().to_string_lossy(), fs::read_to_string(path).unwrap()))
}

fn keyed(table: &str, key: &[&str]) -> Keyed {
    Keyed { table: Name::parse(table), key: key.iter().map(|one| (*one).to_owned()).collect() }
}

fn subject() -> Subject {
    let ledger = Ledger {
        ours: None,
        actions: keyed("public.agent_actions", &["tenant", "idem_key"]),
        status: "state".to_owned(),
        inbound: Some(keyed("public.webhook_events", &["event_id"])),
        app_role: Some("agent".to_owned()),
    };
    let source = lint::Source {
        name: "whatsapp".to_owned(),
        retention: Duration::from_secs(14 * DAY),
        least: Some(Duration::from_secs(8 * DAY)),
    };
    let manifest = Source::new("onlyonce.toml", "[schema.adopt]\n");
    let place = Label::new(&manifest, Span::new(0, 14), "the ledger is named here");
    Subject { ledger, demanded: true, place, sources: vec![source], expected: None }
}

fn found(path: &Path, alone: bool) -> (BTreeSet<String>, String) {
    let base = read(&folder("adopted.sql"));
    let history = if alone { vec![read(path)] } else { vec![base, read(path)] };
    let mut subject = subject();
    if alone {
        subject.ledger.inbound = None;
    }
    let findings = lint::run(&history, &subject);
    let told: Vec<String> = findings
        .iter()
        .map(|one| {
            let at = one.place.source.position(one.place.span.start);
            format!(
                "{} {:?} {}:{}: {} ({})",
                one.rule,
                one.verdict,
                one.place.source.name(),
                at.line,
                one.message,
                one.place.text
            )
        })
        .collect();
    (findings.iter().map(|one| one.rule.to_owned()).collect(), told.join("\n"))
}

#[test]
fn every_fault_is_found_by_the_rules_that_it_names() {
    let mut wrong = Vec::new();
    for path in files("faults") {
        let text = fs::read_to_string(&path).unwrap();
        let mut lines = text.lines();
        let named = lines.next().unwrap().strip_prefix("-- finds: ").expect("the first line names the rules");
        let expected: BTreeSet<String> = named.split(' ').map(str::to_owned).collect();
        let (rules, told) = found(&path, lines.next() == Some("-- alone"));
        if rules != expected {
            wrong.push(format!("{}: expected {expected:?}, found\n{told}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn what_only_looks_like_a_fault_is_left_alone() {
    let base = folder("adopted.sql");
    let mut wrong = Vec::new();
    for path in std::iter::once(base).chain(files("harmless")) {
        let (rules, told) = found(&path, path.ends_with("adopted.sql"));
        if !rules.is_empty() {
            wrong.push(format!("{}:\n{told}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_folder_without_a_ledger_is_quiet() {
    let other =
        SourceStatements::read(&Source::new("a.sql", "CREATE TABLE t (k text); ALTER TABLE t FROB; TRUNCATE t;"));
    let quiet = Subject { ledger: Ledger::ours("onlyonce"), demanded: false, ..subject() };
    assert_eq!(lint::run(&[other], &quiet), []);
}

/// Every rule has a fault that it finds.
#[test]
fn every_rule_has_a_fault() {
    let named: BTreeSet<String> = files("faults")
        .iter()
        .flat_map(|path| {
            let text = fs::read_to_string(path).unwrap();
            text.lines()
                .next()
                .unwrap()
                .trim_start_matches("-- finds: ")
                .split(' ')
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect();
    let rules: BTreeSet<String> = lint::rules::ALL.iter().map(|lint| lint.rule.name.to_owned()).collect();
    assert_eq!(named, rules);
}
