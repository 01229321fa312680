//! `--diff REV`: only what is new is told.

use super::bench::{Bench, function, git, run};

fn bench(files: &[(&str, &str)]) -> Bench {
    let bench = Bench::new(files);
    bench.commit_first();
    bench
}

#[test]
fn what_was_there_is_not_told_wherever_its_lines_went() {
    let bench = bench(&[("src/lib.rs", &function("a", &["x"]))]);
    bench.write("src/lib.rs", &format!("// one\n\n{}{}", function("b", &["x"]), function("a", &["x"])));
    let said = bench.check(&["--diff", "HEAD"]);
    assert_eq!((said.exit, said.told()), (1, vec!["src/lib.rs 4".to_owned()]));
    assert_eq!(said.summary()["diff"]["old"], 1);
    bench.commit();
    assert_eq!(bench.check(&["--diff", "HEAD"]).exit, 0);
    assert_eq!(bench.check(&["--diff", "HEAD~1"]).told(), ["src/lib.rs 4"]);
    assert_eq!(bench.check(&["--diff", "main", "--fail-on", "never"]).exit, 0);
}

#[test]
fn the_call_that_was_added_is_told_among_others_like_it() {
    let bench = bench(&[("src/lib.rs", &function("a", &["x", "y"]))]);
    bench.write("src/lib.rs", &function("a", &["new", "x", "y"]));
    assert_eq!(bench.check(&["--diff", "HEAD"]).told(), ["src/lib.rs 2"]);
}

#[test]
fn a_renamed_file_takes_what_was_in_it_along() {
    let bench = bench(&[("src/lib.rs", "mod m;\n"), ("src/m.rs", &function("a", &["x"]))]);
    bench.remove("src/m.rs");
    bench.write("src/lib.rs", "mod n;\n");
    bench.write("src/n.rs", &format!("\n{}{}", function("a", &["x"]), function("b", &["x"])));
    assert_eq!(bench.check(&["--diff", "HEAD"]).told(), ["src/n.rs 6"]);
}

#[test]
fn an_exception_that_was_taken_out_is_told() {
    let allow = "// onlyonce: allow(unguarded-send, reason = \"x\")\n";
    let bench = bench(&[("src/lib.rs", &format!("{allow}{}", function("a", &["x"])))]);
    assert_eq!(bench.check(&["--diff", "HEAD"]).told(), [""; 0]);
    bench.write("src/lib.rs", &function("a", &["x"]));
    assert_eq!(bench.check(&["--diff", "HEAD"]).told(), ["src/lib.rs 2"]);
}

#[test]
fn a_branch_is_compared_with_where_it_began() {
    let (a, b) = (function("a", &["x"]), function("b", &["x"]));
    let bench = bench(&[("src/lib.rs", &a)]);
    bench.git(&["checkout", "-q", "-b", "topic"]);
    bench.write("src/lib.rs", &format!("{a}{b}"));
    bench.commit();
    bench.git(&["checkout", "-q", "main"]);
    bench.write("src/lib.rs", "");
    bench.commit();
    bench.git(&["checkout", "-q", "topic"]);
    assert_eq!(bench.check(&["--diff", "main"]).told(), ["src/lib.rs 5"], "main has mended `a` meanwhile");
}

#[test]
fn a_folder_of_a_repository_is_compared_with_itself() {
    let bench = bench(&[
        ("crates/bot/Cargo.toml", "[package]\nname = \"bot\"\n\n[dependencies]\nreqwest = \"0.13\"\n"),
        ("crates/bot/src/lib.rs", &function("a", &["x"])),
        ("onlyonce.toml", "version = 1\n[scan]\ninternal_hosts = [\"api.internal\"]\n"),
    ]);
    let more = function("b", &["x"]) + &function("c", &["y"]).replace("api.example.com", "api.internal");
    bench.write("crates/bot/src/lib.rs", &(function("a", &["x"]) + &more));
    std::fs::create_dir(bench.root().join("migrations")).unwrap();
    let words = ["--diff", "HEAD", "--format", "json", "--only", "code"];
    assert_eq!(run(&bench.root().join("crates/bot"), &words).told(), ["src/lib.rs 5"]);
    assert_eq!(run(&bench.root(), &[&["crates/bot"], &words[..]].concat()).told(), ["src/lib.rs 5"]);
    bench.git(&["mv", "crates/bot", "crates/agent"]);
    assert_eq!(run(&bench.root().join("crates/agent"), &words).told().len(), 2, "the revision has no such folder");
    assert_eq!(run(&bench.root(), &words).told(), ["crates/agent/src/lib.rs 5"]);
}

#[test]
fn a_submodule_is_compared_with_the_commit_that_it_had() {
    let inner = bench(&[
        ("Cargo.toml", "[package]\nname = \"inner\"\n\n[dependencies]\nreqwest = \"0.13\"\n"),
        ("src/lib.rs", &function("a", &["x"])),
    ]);
    let outer = bench(&[("src/lib.rs", "")]);
    outer.git(&["submodule", "add", "-q", inner.root().to_str().unwrap(), "inner"]);
    outer.commit();
    outer.write("inner/src/lib.rs", &(function("a", &["x"]) + &function("b", &["x"])));
    assert_eq!(outer.check(&["--diff", "HEAD"]).told(), ["inner/src/lib.rs 5"]);
    // Another repository stands there now, without that commit.
    outer.remove("inner/.git");
    git(&outer.root().join("inner"), &["init", "-q"]);
    let said = outer.check(&["--diff", "HEAD"]);
    assert_eq!(said.told().len(), 2);
    assert!(said.err.contains("inner as it was is not in this clone"), "{}", said.err);
}

#[test]
fn what_cannot_be_compared_is_a_fault_that_says_what_to_do() {
    let loose = Bench::new(&[("src/lib.rs", "")]);
    loose.run(&["--diff", "HEAD"]).is_fault(&["cannot be compared", "not a git repository", "leave --diff out"]);
    loose.git(&["init", "-q"]);
    loose.run(&["--diff", "HEAD"]).is_fault(&["no revision `HEAD`"]);
    let bench = bench(&[("src/lib.rs", "")]);
    for name in ["nowhere", "HEAD:src", "--output=/tmp/x", "", "HEAD~9"] {
        bench.run(&[&format!("--diff={name}")]).is_fault(&[&format!("no revision `{name}`"), "git rev-parse"]);
    }
    bench.write("src/lib.rs", "// two\n");
    bench.commit();
    let first = bench.git(&["rev-parse", "HEAD~1"]);
    let shallow = tempfile::tempdir().unwrap();
    let from = format!("file://{}", bench.root().display());
    git(shallow.path(), &["clone", "-q", "--depth=1", &from, "copy"]);
    run(&shallow.path().join("copy"), &["--diff", first.trim()]).is_fault(&["no revision", "fetch-depth: 0"]);
}

#[test]
fn the_older_manifest_may_be_broken() {
    let bench = bench(&[("src/lib.rs", &function("a", &["x"])), ("onlyonce.toml", "version = 7\n")]);
    bench.write("onlyonce.toml", "version = 1\n");
    std::fs::create_dir(bench.root().join("migrations")).unwrap();
    assert_eq!(bench.check(&["--diff", "HEAD", "--only", "code"]).told(), [""; 0]);
}
