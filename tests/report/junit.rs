//! JUnit XML: the schema of Jenkins' xUnit plug-in (`junit-10.xsd`, as pytest 9.2.0 carries it), and what GitLab and
//! Jenkins read.

use std::collections::BTreeSet;

use uppsala::{Document, NodeId, XsdValidator, parse};

use super::sample::Sample;

#[track_caller]
fn is_valid(text: &str) {
    let schema = parse(include_str!("junit-10.xsd")).unwrap();
    let errors = XsdValidator::from_schema(&schema).unwrap().validate(&parse(text).unwrap());
    assert!(errors.is_empty(), "{errors:?}\n{text}");
}

fn attribute(document: &Document<'_>, node: NodeId, name: &str) -> String {
    document.get_attribute(node, name).unwrap_or_else(|| panic!("no {name}")).to_owned()
}

#[test]
fn every_report_fits_the_schema() {
    let sample = Sample::new();
    is_valid(&sample.check(&["--format", "junit"]));
    is_valid(&sample.check(&["--format", "junit", "--fail-on", "never"]));
    sample.empty();
    let clean = sample.check(&["--format", "junit"]);
    is_valid(&clean);
    assert!(clean.contains(r#"tests="1" failures="0""#), "{clean}");
    // The validator bites.
    let schema = parse(include_str!("junit-10.xsd")).unwrap();
    let broken = clean.replace(" name=\"check\"", "");
    assert!(!XsdValidator::from_schema(&schema).unwrap().validate(&parse(&broken).unwrap()).is_empty());
}

#[test]
fn a_test_a_finding_and_a_failure_where_it_fails_the_check() {
    let sample = Sample::new();
    let findings = sample.findings();
    for (level, fails) in [("error", 1), ("warning", 2), ("note", 3), ("never", 0)] {
        let weight = |level: &str| ["error", "warning", "note"].iter().position(|one| *one == level).unwrap();
        let text = sample.check(&["--format", "junit", "--fail-on", level]);
        let document = parse(&text).unwrap();
        let cases = document.get_elements_by_tag_name("testcase");
        assert_eq!(cases.len(), findings.len());
        let wanted = findings.iter().filter(|one| weight(one["level"].as_str().unwrap()) < fails).count();
        assert_eq!(document.get_elements_by_tag_name("failure").len(), wanted, "{level}");
        let root = document.document_element().unwrap();
        assert_eq!(attribute(&document, root, "failures"), wanted.to_string());
        let suites = document.get_elements_by_tag_name("testsuite");
        let of_suites = suites.iter().map(|suite| attribute(&document, *suite, "failures").parse::<usize>().unwrap());
        assert_eq!(of_suites.sum::<usize>(), wanted);
        // GitLab takes two tests of one class and name for one.
        let names: BTreeSet<(String, String)> = cases
            .iter()
            .map(|case| (attribute(&document, *case, "classname"), attribute(&document, *case, "name")))
            .collect();
        assert_eq!(names.len(), findings.len(), "{names:?}");
    }
}

#[test]
fn messages_come_back_whole() {
    let sample = Sample::new();
    let text = sample.check(&["--format", "junit", "--fail-on", "note"]);
    let document = parse(&text).unwrap();
    let told: BTreeSet<String> = document
        .get_elements_by_tag_name("failure")
        .iter()
        .map(|failure| attribute(&document, *failure, "message"))
        .collect();
    let wanted: BTreeSet<String> =
        sample.findings().iter().map(|one| one["message"].as_str().unwrap().to_owned()).collect();
    assert_eq!(told, wanted);
    assert!(told.iter().any(|message| message.contains("<&")), "the sample has nothing to escape: {told:?}");
}
