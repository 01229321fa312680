//! What must hold for every text; a panic is a find.

#[path = "../support/adopted.rs"]
mod adopted;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::LazyLock;

use onlyonce::catalog::Catalog;
use onlyonce::cli::{self, Page};
use onlyonce::diagnostic::Label;
use onlyonce::lint::{self, Ledger, Subject};
use onlyonce::report::human;
use onlyonce::scan::index::{Index, Package};
use onlyonce::scan::summary::summarise;
use onlyonce::scan::{Judged, Scan, sinks};
use onlyonce::source::{Source, Span};
use onlyonce::sql::SourceStatements;

/// What the code of the seeds uses.
const DEPENDENCIES: [&str; 19] = [
    "reqwest",
    "lettre",
    "ureq",
    "hyper",
    "http",
    "hyper_util",
    "teloxide",
    "octocrab",
    "async_nats",
    "rmcp",
    "tonic",
    "tokio_tungstenite",
    "stripe",
    "backon",
    "backoff",
    "graphql_client",
    "curl",
    "matrix_sdk",
    "aws_sdk_sqs",
];

/// The stack of the threads of a scan.
const STACK: usize = 32 << 20;

/// Scans one file twice: the same text gives the same sites.
pub(crate) fn file(text: &str) {
    twice(text, scanned);
}

/// Reads a migration after those that made a ledger, and judges it twice: the same text gives the same findings.
pub(crate) fn sql(text: &str) {
    twice(text, linted);
}

fn twice(text: &str, say: fn(&str) -> String) {
    let thread = std::thread::Builder::new().stack_size(STACK);
    std::thread::scope(|scope| {
        let thread = thread.spawn_scoped(scope, || {
            let said = say(text);
            if text.len().is_multiple_of(4) {
                assert_eq!(said, say(text), "a second run says something else");
            }
        });
        thread.unwrap().join().unwrap();
    });
}

/// The migration that made our own ledger, read once.
static OURS: LazyLock<SourceStatements> =
    LazyLock::new(|| read(include_str!("../agents/sales/migrations/20260106114640_onlyonce_ledger.sql")));

/// The same for a team's.
static ADOPTED: LazyLock<SourceStatements> = LazyLock::new(|| read(include_str!("../sql/adopted.sql")));

fn read(ledger: &str) -> SourceStatements {
    SourceStatements::read(&Source::new("0001_ledger.sql", ledger))
}

fn linted(text: &str) -> String {
    let file = SourceStatements::read(&Source::new("0002_next.sql", text));
    for statement in &file.statements {
        holds(&file.source, statement.span);
        assert_eq!(file.source.slice(statement.span), statement.text, "a statement has another's place");
    }
    let apart = file.statements.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start);
    assert!(apart, "statements overlap: {:?}", file.statements);

    let (ledger, made) = match text.len() % 5 {
        0 => (Ledger::ours("onlyonce"), &*OURS),
        _ => (adopted::ledger(), &*ADOPTED),
    };
    let manifest = Source::new("onlyonce.toml", "[schema]\n");
    let place = Label::new(&manifest, Span::new(0, 8), "the ledger is named here");
    let subject =
        Subject { ledger, demanded: true, place, sources: Vec::new(), expected: None, edited: Vec::new(), live: false };
    let linted = lint::check(&[made.clone(), file], &subject, None);
    for finding in &linted.findings {
        for label in std::iter::once(&finding.place).chain(&finding.related) {
            holds(&label.source, label.span);
        }
    }
    human::findings(&linted.findings, human::Style::default())
}

fn scanned(text: &str) -> String {
    let summary = summarise(Source::new("src/main.rs", text));
    if let Some(unread) = &summary.unread {
        assert_ne!(unread.reason, "no stack to read it on", "the reader died");
        holds(&summary.source, unread.span);
    }
    let package = Package {
        name: "case".into(),
        library: "case".into(),
        dependencies: DEPENDENCIES.map(|name| (name.to_owned(), name.to_owned())).into(),
        roots: vec!["src/main.rs".into()],
        ..Package::default()
    };
    let catalog = Catalog::embedded();
    let index = Index::build(vec![package], vec![summary]);
    let scan = Scan::of(index, catalog, &sinks::Settings::default(), &|_| {});
    let judged = scan.judge(catalog, None, jiff::civil::date(2026, 1, 1));
    said(&scan, &judged)
}

fn said(scan: &Scan, judged: &Judged) -> String {
    assert_eq!(scan.sinks.len(), judged.sites.len());
    let mut said = String::new();
    for site in &judged.sites {
        holds(&scan.index.files[site.sink.file].source, site.sink.span);
        writeln!(said, "{site:?}").unwrap();
    }
    assert!(scan.sinks.is_sorted_by_key(|sink| (sink.file, sink.span.start)), "sites are not in order");
    said + &human::findings(&judged.outcome.findings, human::Style::default())
}

/// A place that is none would point people elsewhere.
fn holds(source: &Source, span: Span) {
    assert!(source.text().get(span.start..span.end).is_some(), "{span:?} is no place in {source:?}");
}

/// Names of the files of a tree; a line `//# 3` starts the fourth.
const NAMES: [&str; 8] = [
    "src/main.rs",
    "src/other.rs",
    "onlyonce.toml",
    "Cargo.toml",
    "other/src/lib.rs",
    "other/Cargo.toml",
    "migrations/0001_a.sql",
    "q.graphql",
];

/// Runs the commands that read over a folder.
pub(crate) fn tree(text: &str) {
    let folder = tempfile::tempdir().unwrap();
    for part in format!("\n{text}").split("\n//# ") {
        let (number, text) = part.split_once('\n').unwrap_or((part, ""));
        let name = number.trim().parse::<usize>().ok().and_then(|number| NAMES.get(number)).unwrap_or(&NAMES[0]);
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    for words in [&["check"][..], &["check", "--format", "json"], &["sites", "--format", "json"], &["sites"]] {
        run(folder.path(), words);
    }
}

fn run(folder: &Path, words: &[&str]) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = std::iter::once("onlyonce").chain(words.iter().copied()).map(OsString::from);
    let exit = cli::run(arguments, &mut Page::new(folder.to_owned(), jiff::Timestamp::UNIX_EPOCH, &mut out, &mut err));
    let (out, err) = (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap());
    assert!(!out.contains("no stack to read it on"), "the reader died");
    if exit == cli::Exit::Failed {
        assert!(!err.is_empty(), "it failed and does not say why");
    } else if words.contains(&"json") {
        serde_json::from_str::<serde_json::Value>(&out).unwrap();
    }
}
