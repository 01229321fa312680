//! The sample agents: every line that is marked has its finding, and no other has one.

use std::fs;
use std::path::Path;

use onlyonce::catalog::Catalog;
use onlyonce::manifest;
use onlyonce::scan::{self, Settings};

/// The rule and the file of a finding or mark, with its lines.
type Told = (String, String, std::ops::RangeInclusive<usize>);

fn found(folder: &Path) -> Vec<Told> {
    let manifest = manifest::load(&folder.join("onlyonce.toml"), "onlyonce.toml", &scan::rules::names()).unwrap();
    let scan = scan::scan(folder, Catalog::embedded(), &Settings::of(&manifest), &|_| {}).unwrap();
    let judged = scan.judge(Catalog::embedded(), Some(&manifest), jiff::civil::date(2026, 11, 29));
    let told = judged.outcome.findings.iter().map(|finding| {
        let (source, span) = (&finding.place.source, finding.place.span);
        let lines = source.position(span.start).line..=source.position(span.end).line;
        (finding.rule.to_owned(), source.name().to_owned(), lines)
    });
    told.collect()
}

fn marked(folder: &Path) -> Vec<Told> {
    let mut marks = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let path = entry.unwrap().into_path();
        let Some(extension) = path.extension().and_then(|extension| extension.to_str()) else { continue };
        let mark = if extension == "rs" { "//~ " } else { "#~ " };
        if !matches!(extension, "rs" | "toml") || path.components().any(|part| part.as_os_str() == "target") {
            continue;
        }
        let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
        for (at, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            if let Some((_, rule)) = line.split_once(mark) {
                marks.push((rule.trim().to_owned(), name.clone(), at + 1..=at + 1));
            }
        }
    }
    marks
}

#[test]
fn every_marked_line_has_its_finding_and_no_other_has_one() {
    let agents = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents");
    for agent in ["sales", "sales-unguarded"] {
        let (found, marked) = (found(&agents.join(agent)), marked(&agents.join(agent)));
        // A formatter moves a mark to the end of the statement, or below a brace.
        let answers = |told: &Told, mark: &Told| {
            told.0 == mark.0
                && told.1 == mark.1
                && *told.2.start() <= *mark.2.end()
                && *mark.2.start() <= *told.2.end() + 1
        };
        let missing: Vec<_> = marked.iter().filter(|mark| !found.iter().any(|told| answers(told, mark))).collect();
        let more: Vec<_> = found.iter().filter(|told| !marked.iter().any(|mark| answers(told, mark))).collect();
        assert!(missing.is_empty() && more.is_empty(), "{agent}: missing {missing:#?}, more {more:#?}");
    }
}
