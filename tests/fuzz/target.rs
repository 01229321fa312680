//! What must hold for every text; a panic is a find.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use onlyonce::catalog::Catalog;
use onlyonce::cli::{self, Page};
use onlyonce::report::human;
use onlyonce::scan::index::{Index, Package};
use onlyonce::scan::summary::summarise;
use onlyonce::scan::{Judged, Scan, sinks};
use onlyonce::source::{Source, Span};

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
    let thread = std::thread::Builder::new().stack_size(STACK);
    std::thread::scope(|scope| {
        let thread = thread.spawn_scoped(scope, || {
            let said = scanned(text);
            if text.len().is_multiple_of(4) {
                assert_eq!(said, scanned(text), "a second scan says something else");
            }
        });
        thread.unwrap().join().unwrap();
    });
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
