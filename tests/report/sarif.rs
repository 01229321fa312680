//! SARIF: the published schema, and what GitHub's code scanning demands beyond it.
//!
//! `sarif-schema-2.1.0.json` is OASIS's, as the crate serde-sarif 0.8.0 carries it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::sample::{BELOW, Sample};

fn schema() -> jsonschema::Validator {
    // One of its patterns has a bracket too many, which strict readers of regular expressions refuse.
    let schema = include_str!("sarif-schema-2.1.0.json").replace("{2}]?$", "{2}$");
    let schema: Value = serde_json::from_str(&schema).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

fn report(sample: &Sample, words: &[&str]) -> Value {
    serde_json::from_str(&sample.check(&[&["--format", "sarif"], words].concat())).unwrap()
}

fn results(report: &Value) -> &Vec<Value> {
    report["runs"][0]["results"].as_array().unwrap()
}

#[track_caller]
fn is_valid(report: &Value) {
    let errors: Vec<String> =
        schema().iter_errors(report).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn every_report_fits_the_schema() {
    let sample = Sample::new();
    let full = report(&sample, &[]);
    is_valid(&full);
    sample.check(&["--write-baseline"]);
    is_valid(&report(&sample, &["--baseline", "onlyonce-baseline.json"]));
    is_valid(&report(&sample, &["--only", "manifest"]));
    sample.empty();
    is_valid(&report(&sample, &[]));
    // The validator bites.
    let mut broken = full;
    broken["runs"][0]["results"][0]["level"] = json!("fatal");
    assert!(!schema().is_valid(&broken));
}

#[test]
fn results_are_the_findings_and_what_is_allowed() {
    let sample = Sample::new();
    let report = report(&sample, &[]);
    let told = results(&report).iter().filter(|result| result.get("suppressions").is_none());
    let told: Vec<(&Value, &Value, &Value)> = told
        .map(|result| {
            let region = &result["locations"][0]["physicalLocation"]["region"];
            (&result["ruleId"], &region["startLine"], &result["partialFingerprints"]["onlyonce/v1"])
        })
        .collect();
    let findings = sample.findings();
    let wanted: Vec<(&Value, &Value, &Value)> =
        findings.iter().map(|one| (&one["rule"], &one["start"]["line"], &one["fingerprint"])).collect();
    assert_eq!(told, wanted);
    let mut reasons: Vec<(&str, &str, bool)> = Vec::new();
    for suppression in results(&report).iter().filter_map(|result| result.get("suppressions")) {
        let [suppression] = suppression.as_array().unwrap().as_slice() else { panic!("{suppression}") };
        reasons.push((
            suppression["kind"].as_str().unwrap(),
            suppression["justification"].as_str().unwrap(),
            suppression.get("location").is_some(),
        ));
    }
    reasons.sort_unstable();
    assert_eq!(
        reasons,
        [
            ("external", "a doubled page is harmless (until 2099-06-30)", true),
            ("inSource", "nobody minds \"two\"", true),
        ]
    );
}

#[test]
fn the_baseline_suppresses_from_outside() {
    let sample = Sample::new();
    sample.check(&["--write-baseline"]);
    let report = report(&sample, &["--baseline", "onlyonce-baseline.json"]);
    let listed = results(&report).iter().filter(|result| {
        result["suppressions"][0]["justification"] == "it was there when onlyonce-baseline.json was written"
            && result["suppressions"][0]["kind"] == "external"
    });
    assert_eq!(listed.count(), sample.findings().len());
    assert_eq!(report["runs"][0]["invocations"][0]["exitCode"], 0);
}

/// docs.github.com, "SARIF support for code scanning": required properties, and limits of an upload.
#[test]
fn code_scanning_takes_it() {
    let sample = Sample::new();
    let report = report(&sample, &[]);
    let run = &report["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let ids: Vec<&str> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert!(ids.is_sorted() && ids.len() < 25_000);
    for rule in rules {
        for text in [&rule["shortDescription"]["text"], &rule["fullDescription"]["text"]] {
            assert!((1..1024).contains(&text.as_str().unwrap().chars().count()), "{rule}");
        }
        assert!(rule["help"]["text"].as_str().unwrap().len() > 100 && rule["help"]["markdown"].is_string(), "{rule}");
        assert!(rule["properties"]["tags"].as_array().unwrap().len() <= 10);
    }
    let mut fingerprints = BTreeSet::new();
    for result in results(&report) {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(ids[index], result["ruleId"].as_str().unwrap());
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        assert!(result["relatedLocations"].as_array().unwrap().len() <= 100);
        assert!(fingerprints.insert(result["partialFingerprints"]["onlyonce/v1"].as_str().unwrap()), "{result}");
    }
    assert_eq!(run["automationDetails"]["id"], format!("onlyonce/{BELOW}/"));
}

#[test]
fn places_are_relative_and_count_characters() {
    let sample = Sample::new();
    let report = report(&sample, &[]);
    let run = &report["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let mut quoted = 0;
    for result in results(&report) {
        let related = result["relatedLocations"].as_array().unwrap();
        for location in result["locations"].as_array().unwrap().iter().chain(related) {
            let artifact = &location["physicalLocation"]["artifactLocation"];
            let base = artifact["uriBaseId"].as_str().unwrap();
            assert!(run["originalUriBaseIds"].get(base).is_some());
            let uri = artifact["uri"].as_str().unwrap();
            assert!(uri.is_ascii() && !uri.contains(' ') && !uri.contains(':') && !uri.starts_with('/'), "{uri}");
            let name = percent_encoding::percent_decode_str(uri).decode_utf8().unwrap();
            let text = sample.text(name.strip_prefix(BELOW).unwrap().trim_start_matches('/'));
            let region = &location["physicalLocation"]["region"];
            if let Some(snippet) = region["snippet"]["text"].as_str() {
                quoted += 1;
                assert_eq!(between(&text, region), snippet);
            }
        }
    }
    assert!(quoted > 4);
    let call = |result: &&Value| {
        result["locations"][0]["physicalLocation"]["region"]["snippet"]["text"]
            .as_str()
            .is_some_and(|text| text.contains("100%"))
    };
    let result = results(&report).iter().find(call).unwrap();
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startColumn"], 24);
    assert_eq!(result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], "bot::hello::hello");
}

/// The text of a region, columns counted in characters.
fn between(text: &str, region: &Value) -> String {
    let number = |name: &str| usize::try_from(region[name].as_u64().unwrap()).unwrap();
    let at = |line: usize, column: usize| {
        let before: usize = text.split_inclusive('\n').take(line - 1).map(|line| line.chars().count()).sum();
        before + column - 1
    };
    let (start, end) = (at(number("startLine"), number("startColumn")), at(number("endLine"), number("endColumn")));
    text.chars().skip(start).take(end - start).collect()
}

#[test]
fn what_was_not_read_is_notified() {
    let sample = Sample::new();
    let invocation = |report: &Value| report["runs"][0]["invocations"][0].clone();
    let bad = invocation(&report(&sample, &[]));
    assert_eq!((&bad["executionSuccessful"], &bad["exitCode"]), (&json!(true), &json!(1)));
    let notification = &bad["toolExecutionNotifications"][0];
    let uri = &notification["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, &format!("{BELOW}/src/bad.rs"));
    sample.mend();
    assert_eq!(invocation(&report(&sample, &["--fail-on", "never"]))["toolExecutionNotifications"], json!([]));
}
