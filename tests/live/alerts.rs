//! The alert rules fit the numbers.

use std::collections::BTreeSet;

use yaml_rust2::{Yaml, YamlLoader};

use crate::ledger::Ledger;
use crate::program::{onlyonce, watcher};
use crate::stats::Exposition;

/// The rules, as `stats --alerts` prints them without any database.
fn rules() -> Vec<Yaml> {
    let printed = onlyonce("", &["stats", "--alerts"]).clean();
    let document = YamlLoader::load_from_str(&printed).unwrap().remove(0);
    let groups = document["groups"].as_vec().unwrap();
    groups.iter().flat_map(|group| group["rules"].as_vec().unwrap().clone()).collect()
}

/// What an expression asks for.
fn metrics(expression: &str) -> BTreeSet<&str> {
    let words = expression.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words.filter(|word| word.starts_with("onlyonce_")).collect()
}

#[test]
fn each_rule_says_what_for_how_long_how_bad_and_what_to_do() {
    let mut names = BTreeSet::new();
    for rule in rules() {
        let name = rule["alert"].as_str().unwrap().to_owned();
        assert!(names.insert(name.clone()), "{name} twice");
        assert!(!metrics(rule["expr"].as_str().unwrap()).is_empty(), "{name}");
        assert!(["warning", "critical"].contains(&rule["labels"]["severity"].as_str().unwrap()), "{name}");
        if !rule["for"].is_badvalue() {
            onlyonce::duration::parse(rule["for"].as_str().unwrap()).unwrap();
        }
        for said in ["summary", "description"] {
            let text = rule["annotations"][said].as_str().unwrap();
            assert!(!text.to_lowercase().contains("try again"), "{name}: {text}");
        }
    }
}

#[tokio::test]
async fn what_they_ask_for_is_there_and_what_needs_watching_is_asked_for() {
    let ledger = Ledger::on(crate::support::server(crate::support::majors()[0])).await;
    let read = Exposition::read(&watcher(&ledger, &["stats", "--format", "prometheus"]).clean());
    let rules = rules();
    let asked: BTreeSet<&str> = rules.iter().flat_map(|rule| metrics(rule["expr"].as_str().unwrap())).collect();
    for metric in &asked {
        assert!(read.types.contains_key(*metric), "{metric} is no number of ours");
    }
    let silent: BTreeSet<&str> = read.types.keys().map(String::as_str).filter(|name| !asked.contains(name)).collect();
    // A claim that is in time needs nobody.
    assert_eq!(silent, BTreeSet::from(["onlyonce_inbound_received"]));
}
