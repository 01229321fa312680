//! Kinds of outbound calls found by reading real code: every file of `kinds` is scanned, and its calls must have
//! exactly the effects that its lines mark with `//~ send`, `charge`, `mutate`, `model`, `read`, `auth`, `telemetry`
//! or `undecided`. A marker stands on any line of its call; reads need none. The first line may name the
//! packages that the code depends on, `//~ depends reqwest, poise`; without it there are all of the catalog. A line
//! `//~ crate notifier` names the crate itself.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use onlyonce::catalog::Catalog;
use onlyonce::catalog::call::Effect;
use onlyonce::scan::index::{Index, Package};
use onlyonce::scan::summary::summarise;
use onlyonce::scan::{Scan, sinks};
use onlyonce::source::Source;

fn dependencies(text: &str) -> HashMap<String, String> {
    let first = text.lines().next().unwrap_or_default();
    match first.strip_prefix("//~ depends") {
        Some(named) => named.split(',').map(|name| (name.trim().to_owned(), name.trim().to_owned())).collect(),
        None => {
            let libraries = Catalog::embedded().crates.iter().flat_map(|entry| entry.library_names());
            libraries.map(|library| (library.clone(), library)).collect()
        }
    }
}

fn scanned(text: &str) -> Scan {
    let named = text.lines().find_map(|line| line.strip_prefix("//~ crate")).map_or("case", str::trim);
    let package = Package {
        name: named.into(),
        library: named.into(),
        dependencies: dependencies(text),
        roots: vec!["src/main.rs".into()],
        ..Package::default()
    };
    let summary = summarise(Source::new("src/main.rs", text));
    assert_eq!(summary.unread, None);
    let index = Index::build(vec![package], vec![summary]);
    Scan::of(index, Catalog::embedded(), &sinks::Settings::default(), &|_| {})
}

/// What differs between the markers and what was found; nothing when the file is met.
fn differences(text: &str) -> Vec<String> {
    let scan = scanned(text);
    let source = &scan.index.files[0].source;
    let mut marks: Vec<(usize, &str)> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let words = line.split_once("//~").map_or("", |(_, words)| words.trim());
        if !words.starts_with("depends") && !words.starts_with("crate") {
            marks.extend(words.split(',').map(str::trim).filter(|word| !word.is_empty()).map(|word| (at + 1, word)));
        }
    }
    let mut out = Vec::new();
    for sink in &scan.sinks {
        let (start, end) = (source.position(sink.span.start).line, source.position(sink.span.end).line);
        let word = if sink.undecided.is_some() { "undecided" } else { sink.effect.name() };
        match marks.iter().position(|(line, mark)| (start..=end).contains(line) && *mark == word) {
            Some(at) => drop(marks.remove(at)),
            None if sink.effect == Effect::Read => {}
            None => out.push(format!("line {start}: {word} {} is not marked ({})", sink.api, sink.reason)),
        }
    }
    out.extend(marks.into_iter().map(|(line, mark)| format!("line {line}: {mark} was not found")));
    out
}

#[test]
fn every_kind_is_told_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kinds");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut faults = Vec::new();
    for file in &files {
        let name = file.file_name().unwrap().to_string_lossy();
        let differences = differences(&fs::read_to_string(file).unwrap());
        faults.extend(differences.iter().map(|difference| format!("{name} {difference}")));
    }
    assert!(!files.is_empty() && faults.is_empty(), "\n{}", faults.join("\n"));
}
