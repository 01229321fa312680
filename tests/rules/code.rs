//! Pages of rules over code.

use std::fs;
use std::path::Path;

use onlyonce::catalog::Catalog;
use onlyonce::diagnostic::Finding;
use onlyonce::manifest;
use onlyonce::scan::{self, Settings};

use super::page::{Block, Section, sections};

/// What a page's programs have when they bring no manifest of their own.
const MANIFEST: &str = include_str!("manifest.toml");

const CARGO: &str = "[package]\nname = \"acme\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nreqwest = \"0.13\"\nuuid = \"1\"\n";

/// What the rule says of a program: the file and line of each finding.
fn places(rule: &str, manifest_text: &str, program: &Block) -> Vec<(String, usize)> {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("Cargo.toml", CARGO);
    write("onlyonce.toml", manifest_text);
    for (name, text) in files(&program.text) {
        write(&name, &text);
    }
    let findings = findings(folder.path());
    let of_rule = findings.iter().filter(|finding| finding.rule == rule);
    let at = of_rule.map(|finding| {
        let source = &finding.place.source;
        (source.name().to_owned(), source.position(finding.place.span.start).line)
    });
    at.collect()
}

fn findings(folder: &Path) -> Vec<Finding> {
    let manifest = manifest::load(&folder.join("onlyonce.toml"), "onlyonce.toml", &scan::rules::names());
    let manifest = manifest.unwrap_or_else(|faults| panic!("{faults:?}"));
    let scan = scan::scan(folder, Catalog::embedded(), &Settings::default(), &|_| {}).unwrap();
    scan.judge(Catalog::embedded(), Some(&manifest), jiff::civil::date(2026, 11, 29)).outcome.findings
}

/// `// file: src/x.rs` begins another file; what stands above the first is `src/lib.rs`.
fn files(text: &str) -> Vec<(String, String)> {
    let mut files = vec![("src/lib.rs".to_owned(), String::new())];
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("// file: ") {
            files.push((name.to_owned(), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    files.retain(|(_, text)| !text.is_empty());
    files
}

#[test]
fn examples_fire_where_they_are_marked_and_nothing_else_does() {
    let wrong: Vec<String> =
        scan::rules::ALL.iter().flat_map(|entry| faults_of(entry.rule.name, entry.rule.page)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn faults_of(rule: &str, page: &str) -> Vec<String> {
    let [_, _, example, instead, allow] = sections(rule, page);
    assert!(!example.programs("rust").is_empty(), "{rule}: no example");
    assert!(!instead.programs("rust").is_empty(), "{rule}: nothing to use instead");
    let told = |title: &str, manifest: Option<&Block>, program: &Block| {
        let marked = |file: &str, block: &Block| block.marked.iter().map(|line| (file.to_owned(), *line)).collect();
        let mut expected: Vec<_> = manifest.map_or_else(Vec::new, |block| marked("onlyonce.toml", block));
        expected.extend(marked("src/lib.rs", program));
        assert_eq!(!expected.is_empty(), title == "Example", "{rule}: marks stand in the example, and nowhere else");
        let found = places(rule, manifest.map_or(MANIFEST, |block| block.text.as_str()), program);
        (found != expected)
            .then(|| format!("{rule}, {title}: found {found:?}, marked {expected:?} in\n{}", program.text))
    };
    let of = |title: &'static str, section: &Section| -> Vec<String> {
        section.programs("rust").into_iter().filter_map(|(manifest, program)| told(title, manifest, program)).collect()
    };
    [of("Example", &example), of("Use instead", &instead), of("Allow", &allow)].concat()
}

#[test]
fn the_registry_is_sorted_and_every_page_is_in_one() {
    let names = scan::rules::names();
    assert!(names.is_sorted_by(|a, b| a < b), "sort scan::rules::ALL by name");
    for name in names {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("lints/rules/{name}.md"));
        assert!(page.exists(), "{name} has no page");
    }
}
