//! The hard cases of real code: every file of `scanner/cases` is scanned, and its outbound calls must be those
//! that its lines mark with `//~ SEND` (send, charge, mutate), `READ`, `MODEL`, `AUTH`, `TELEMETRY` or `UNKNOWN`.
//! `CHARGE`, `MUTATE` and `MESSAGE` are the exact effects behind `SEND`. A marker stands on any line of its call.
//! A line `// document name: text` is a GraphQL document beside the case.

#[path = "scanner/package.rs"]
#[allow(dead_code, reason = "each test program uses its part")]
mod package;

use std::fs;
use std::path::{Path, PathBuf};

use onlyonce::catalog::call::Effect;
use onlyonce::scan::site::Sink;

/// Cases that are not yet met, by their number; one that begins to pass must leave the list.
const NOT_YET: [&str; 0] = [];

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scanner/cases");
    let mut cases: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    cases
}

fn word(sink: &Sink) -> &'static str {
    if sink.undecided.is_some() {
        return "UNKNOWN";
    }
    match sink.effect {
        Effect::Send | Effect::Charge | Effect::Mutate => "SEND",
        Effect::Model => "MODEL",
        Effect::Read => "READ",
        Effect::Auth => "AUTH",
        Effect::Telemetry => "TELEMETRY",
    }
}

/// The effect alone, of those that `SEND` stands for.
fn exact(sink: &Sink) -> &'static str {
    match sink.effect {
        Effect::Send => "MESSAGE",
        Effect::Charge => "CHARGE",
        Effect::Mutate => "MUTATE",
        Effect::Model | Effect::Read | Effect::Auth | Effect::Telemetry => word(sink),
    }
}

/// What differs between the markers and what was found; nothing when the case is met.
fn differences(text: &str) -> Vec<String> {
    let scan = package::scanned(&[("src/main.rs", text.to_owned())]);
    let source = &scan.index.files[0].source;
    let mut marks: Vec<(usize, String)> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let words = line.split_once("//~").map_or("", |(_, words)| words);
        marks.extend(
            words.split(',').map(str::trim).filter(|word| !word.is_empty()).map(|word| (at + 1, word.to_owned())),
        );
    }
    let mut out = Vec::new();
    for sink in &scan.sinks {
        let (start, end) = (source.position(sink.span.start).line, source.position(sink.span.end).line);
        let fits = |mark: &str| mark == word(sink) || sink.undecided.is_none() && mark == exact(sink);
        let met = marks.iter().position(|(line, mark)| (start..=end).contains(line) && fits(mark));
        match met {
            Some(at) => drop(marks.remove(at)),
            None => out.push(format!("line {start}: {} {} is not marked ({})", word(sink), sink.api, sink.reason)),
        }
    }
    out.extend(marks.into_iter().map(|(line, mark)| format!("line {line}: {mark} was not found")));
    out
}

#[test]
fn every_case_is_met() {
    let mut faults = Vec::new();
    for case in cases() {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        let differences = differences(&fs::read_to_string(&case).unwrap());
        let listed = NOT_YET.iter().any(|number| name.starts_with(&format!("{number}-")));
        match (differences.is_empty(), listed) {
            (true, true) => faults.push(format!("{name} is met now: take it out of NOT_YET")),
            (false, false) => faults.extend(differences.iter().map(|difference| format!("{name} {difference}"))),
            (true, false) | (false, true) => {}
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
