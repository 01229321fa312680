//! Annotations, read as the runner of GitHub Actions reads them.

use super::sample::{BELOW, Sample};

/// Command, properties and message of a line, as the runner takes it apart.
fn read(line: &str) -> (String, Vec<(String, String)>, String) {
    let (head, message) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
    let (command, properties) = head.split_once(' ').unwrap();
    let properties = properties.split(',').map(|property| {
        let (name, value) = property.split_once('=').unwrap();
        (name.to_owned(), unescaped(value).replace("%3A", ":").replace("%2C", ",").replace("%25", "%"))
    });
    (command.to_owned(), properties.collect(), unescaped(message).replace("%25", "%"))
}

fn unescaped(text: &str) -> String {
    text.replace("%0D", "\r").replace("%0A", "\n")
}

#[test]
fn each_finding_is_a_line() {
    let sample = Sample::new();
    let said = sample.check(&["--format", "github"]);
    let findings = sample.findings();
    assert_eq!(said.lines().count(), findings.len());
    for (line, finding) in said.lines().zip(&findings) {
        let (command, properties, message) = read(line);
        let level = match finding["level"].as_str().unwrap() {
            "note" => "notice",
            level => level,
        };
        assert_eq!(command, level);
        let of = |name: &str| properties.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        assert_eq!(of("file").unwrap(), format!("{BELOW}/{}", finding["file"].as_str().unwrap()));
        assert_eq!(of("title"), finding["rule"].as_str());
        assert_eq!(of("line").unwrap(), finding["start"]["line"].to_string());
        assert_eq!(of("endLine").unwrap(), finding["end"]["line"].to_string());
        let one_line = finding["start"]["line"] == finding["end"]["line"];
        assert_eq!(of("col").map(str::to_owned), one_line.then(|| finding["start"]["column"].to_string()));
        let help = finding["help"].as_str().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
        assert_eq!(message, format!("{}{help}", finding["message"].as_str().unwrap()));
    }
    assert!(said.contains("100%25"), "the sample has nothing to escape");
}

#[test]
fn in_actions_they_stand_below_what_people_read_unless_a_format_is_named() {
    let sample = Sample::new();
    let (people, annotations) = (sample.check(&[]), sample.check(&["--format", "github"]));
    assert_eq!(sample.run(&[], true).0, format!("{people}{annotations}"));
    assert_eq!(sample.run(&["--format", "human"], true).0, people);
    assert!(!people.lines().any(|line| line.starts_with("::")));
}
