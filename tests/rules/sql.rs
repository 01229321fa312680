//! Pages of rules over migrations: each block is the whole history of the manifest above it.

use std::path::PathBuf;

use onlyonce::lint::{self, Subject};
use onlyonce::manifest;
use onlyonce::source::Source;
use onlyonce::sql::SourceStatements;

use super::page::{Block, Section, sections};

/// The lines on which the rule finds something.
fn places(rule: &str, manifest: &Block, program: &Block) -> Vec<usize> {
    let source = Source::new("onlyonce.toml", manifest.text.as_str());
    let manifest =
        manifest::check::check(&source, PathBuf::from("/x"), &[]).unwrap_or_else(|faults| panic!("{faults:?}"));
    let file = SourceStatements::read(&Source::new("0001_ledger.sql", program.text.as_str()));
    let findings = lint::run(&[file], &Subject::of(&manifest, false));
    let stale = findings.iter().find(|finding| finding.rule.ends_with("-allow"));
    assert_eq!(stale, None, "{rule}: an exception on its own page does nothing");
    let of_rule = findings.iter().filter(|finding| finding.rule == rule);
    let mut lines: Vec<usize> = of_rule.map(|one| one.place.source.position(one.place.span.start).line).collect();
    lines.dedup();
    lines
}

fn faults_of(rule: &str, page: &str) -> Vec<String> {
    let [_, _, example, instead, allow] = sections(rule, page);
    let told = |title: &str, section: &Section| -> Vec<String> {
        let programs = section.programs("sql");
        assert!(!programs.is_empty(), "{rule}: nothing under {title}");
        let one = |(manifest, program): (Option<&Block>, &Block)| {
            assert_eq!(
                !program.marked.is_empty(),
                title == "Example",
                "{rule}: marks stand in the example, and nowhere else"
            );
            let found =
                places(rule, manifest.unwrap_or_else(|| panic!("{rule}: no manifest above the block")), program);
            (found != program.marked)
                .then(|| format!("{rule}, {title}: found {found:?}, marked {:?} in\n{}", program.marked, program.text))
        };
        programs.into_iter().filter_map(one).collect()
    };
    [told("Example", &example), told("Use instead", &instead), told("Allow", &allow)].concat()
}

#[test]
fn examples_fire_where_they_are_marked_and_nothing_else_does() {
    let wrong: Vec<String> =
        lint::rules::ALL.iter().flat_map(|lint| faults_of(lint.rule.name, lint.rule.page)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
