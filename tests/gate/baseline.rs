//! `--baseline` and `--write-baseline`.

use serde_json::Value;

use super::bench::{Bench, function};

const FILE: &str = "onlyonce-baseline.json";
const WITH: [&str; 2] = ["--baseline", FILE];

fn bench(text: &str) -> Bench {
    Bench::new(&[("src/lib.rs", text)])
}

fn entries(bench: &Bench) -> Vec<String> {
    let written: Value = serde_json::from_str(&bench.read(FILE)).unwrap();
    let entries = written["findings"].as_array().unwrap().iter();
    entries.map(|one| format!("{} {}", one["function"].as_str().unwrap(), one["ordinal"])).collect()
}

#[test]
fn it_hides_what_was_there_and_nothing_else() {
    let bench = bench(&(function("b", &["x", "y"]) + &function("a", &["x"])));
    assert_eq!(bench.check(&[]).exit, 1);
    let written = bench.run(&["--write-baseline"]);
    assert_eq!((written.exit, written.err.contains("wrote onlyonce-baseline.json: 3 findings")), (0, true));
    assert_eq!(entries(&bench), ["acme::a 1", "acme::b 1", "acme::b 2"]);
    assert!(!bench.read(FILE).contains("line"));
    let hidden = bench.check(&WITH);
    assert_eq!((hidden.exit, hidden.told()), (0, vec![]));
    assert_eq!(hidden.summary()["baseline"], serde_json::json!({"hidden": 3, "stale": []}));
    bench.write("src/lib.rs", &(function("b", &["x", "y"]) + &function("a", &["x"]) + &function("c", &["x"])));
    let added = bench.check(&WITH);
    assert_eq!((added.exit, added.told()), (1, vec!["src/lib.rs 9".to_owned()]));
    assert_eq!(bench.check(&[]).told().len(), 4, "without it everything is told");
}

#[test]
fn written_again_it_only_shrinks() {
    let bench = bench(&(function("a", &["x"]) + &function("b", &["x"])));
    bench.run(&["--write-baseline"]);
    bench.write("src/lib.rs", &(function("a", &["x"]) + &function("c", &["x"])));
    let stale = bench.run(&WITH);
    assert!(stale.err.contains("stale in the baseline") && stale.err.contains("acme::b"), "{}", stale.err);
    let again = bench.run(&["--write-baseline", "--baseline", FILE]);
    assert_eq!(entries(&bench), ["acme::a 1"]);
    assert!(again.exit == 1 && again.err.contains("1 finding, 1 taken out"), "{}", again.err);
    bench.remove(FILE);
    assert_eq!(bench.run(&["--write-baseline"]).exit, 0);
    assert_eq!(entries(&bench), ["acme::a 1", "acme::c 1"]);
}

#[test]
fn lines_order_and_files_may_change_and_paths_may_not() {
    let (a, b) = (function("a", &["x"]), function("b", &["x"]));
    let bench = bench("mod m;\n");
    bench.write("src/m.rs", &format!("{a}{b}"));
    bench.run(&["--write-baseline"]);
    bench.write("src/m.rs", &format!("// one\n\n{b}\n// two\n{a}"));
    assert_eq!(bench.check(&WITH).told(), [""; 0], "lines and order");
    bench.remove("src/m.rs");
    bench.write("src/m/mod.rs", &format!("{a}{b}"));
    assert_eq!(bench.check(&WITH).told(), [""; 0], "a file of the same module");
    bench.remove("src/m/mod.rs");
    bench.write("src/n.rs", &format!("{a}{b}"));
    bench.write("src/lib.rs", "mod n;\n");
    let renamed = bench.check(&WITH);
    assert_eq!(renamed.told().len(), 2, "another module");
    assert_eq!(renamed.summary()["baseline"]["stale"].as_array().unwrap().len(), 2);
}

#[test]
fn what_has_become_worse_is_told() {
    let put = |url: &str| {
        format!("pub async fn a(http: &reqwest::Client, id: &str) {{ let _ = http.put({url}).send().await; }}\n")
    };
    // The same call with the same effect: by its own id a note, without one a warning.
    let bench = bench(&put("format!(\"https://api.example.com/settings/{id}\")"));
    bench.run(&["--write-baseline"]);
    assert!(bench.read(FILE).contains("\"note\""), "{}", bench.read(FILE));
    assert_eq!(bench.check(&WITH).told(), [""; 0]);
    bench.write("src/lib.rs", &put("\"https://api.example.com/settings/1\""));
    assert_eq!(bench.check(&WITH).told(), ["src/lib.rs 1"]);
}

#[test]
fn an_exception_for_one_of_several_leaves_the_others_hidden() {
    let bench = bench(&function("a", &["x", "y"]));
    bench.run(&["--write-baseline"]);
    let allow =
        "// onlyonce: allow(unguarded-send, reason = \"x\")\n    let _ = http.post(\"https://api.example.com/x/send\"";
    let text = function("a", &["x", "y"]).replacen("let _ = http.post(\"https://api.example.com/x/send\"", allow, 1);
    bench.write("src/lib.rs", &text);
    let said = bench.check(&WITH);
    assert_eq!(said.told(), [""; 0]);
    assert_eq!(said.summary()["baseline"]["stale"][0]["ordinal"], 1);
}

#[test]
fn a_part_that_is_not_checked_keeps_its_entries() {
    let bench = bench(&function("a", &["x"]));
    bench.write("onlyonce.toml", "version = 1\n");
    std::fs::create_dir(bench.root().join("migrations")).unwrap();
    bench.run(&["--write-baseline"]);
    let before = entries(&bench);
    assert!(!before.is_empty());
    let said = bench.check(&["--only", "sql", "--write-baseline"]);
    assert_eq!((entries(&bench), said.summary()["baseline"]["stale"].as_array().unwrap().len()), (before, 0));
}

#[test]
fn what_cannot_be_used_is_a_fault() {
    let bench = bench("");
    bench.run(&WITH).is_fault(&["there is no baseline onlyonce-baseline.json", "--write-baseline"]);
    bench.write(FILE, "{\n  \"version\": 1,\n");
    bench.run(&WITH).is_fault(&["this is no baseline", "onlyonce-baseline.json:"]);
    bench.run(&["--write-baseline"]).is_fault(&["this is no baseline"]);
    bench.write(FILE, "{\"version\": 9, \"findings\": []}\n");
    bench.run(&WITH).is_fault(&["is a baseline of version 9"]);
    bench.run(&["--write-baseline", "--diff", "HEAD"]).is_fault(&["cannot be used with"]);
}
