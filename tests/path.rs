//! A user's path, as the README tells it: from an agent that sends twice to one that stands the acceptance run. Each of
//! the README's commands runs where it stands there, and what the user does between them is done here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The agent before, and what its team has made of it afterwards.
const BEFORE: &str = "tests/agents/sales-unguarded";
const AFTER: &str = "tests/agents/sales";

/// So that what nobody recorded is over soon; nobody would set them like this.
const SHORTENED: [(&str, &str); 4] = [
    ("send_budget = \"20s\"", "send_budget = \"1s\""),
    ("send_budget = \"1m\"", "send_budget = \"1s\"\npending_timeout = \"2s\""),
    ("pending_timeout = \"2m\"", "pending_timeout = \"2s\""),
    ("claim_timeout = \"5m\"", "claim_timeout = \"2s\""),
];

fn at(place: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(place)
}

#[test]
fn an_agent_that_sends_twice_becomes_one_that_stands_the_acceptance_run() {
    let place = tempfile::tempdir().unwrap();
    let agent = place.path();
    fs::create_dir(agent.join("src")).unwrap();
    lay(BEFORE, agent, &["Cargo.toml", "Cargo.lock"]);
    let mut walked = Vec::new();
    for line in guide().lines() {
        let command = line.split('#').next().unwrap().trim();
        walked.push(command.to_owned());
        match command {
            "cargo build" => build(agent),
            "onlyonce check" => {
                let first = run(command, agent);
                assert_eq!(first.status.code(), Some(1), "{}", said(&first));
                assert!(said(&first).contains("unguarded-send"), "{}", said(&first));
                wrapped_as_it_suggests(agent);
                // What is left to people: to pass the ledger and the ids down, and to claim deliveries.
                lay(AFTER, agent, &["Cargo.toml", "Cargo.lock", "chaos.toml", "message.json"]);
                let second = run("onlyonce check --fail-on note", agent);
                assert!(second.status.success() && said(&second).contains("no findings"), "{}", said(&second));
            }
            _ => {
                let done = run(command, agent);
                assert!(done.status.success(), "{command}\n{}", said(&done));
                if command == "onlyonce init" {
                    fill_in(agent);
                } else if command.starts_with("onlyonce chaos") {
                    let clean = "0 duplicates, 0 contradictions, 0 lost, 0 misrecorded";
                    assert!(said(&done).contains(clean), "{}", said(&done));
                }
            }
        }
    }
    let kinds = ["init", "emit", "generate", "check", "chaos run"];
    assert!(kinds.iter().all(|kind| walked.iter().any(|line| line.starts_with(&format!("onlyonce {kind}")))));
}

/// The README's block of commands that leads from `init` to the acceptance run.
fn guide() -> String {
    let readme = fs::read_to_string(at("README.md")).unwrap();
    let blocks = readme.split("```sh\n").skip(1).filter_map(|block| block.split_once("```"));
    let guide = blocks.map(|(block, _)| block).find(|block| block.contains("init") && block.contains("chaos"));
    guide.expect("the README has a guide").to_owned()
}

/// Puts in the place of each call what `check` suggests for it, and declares what it says has to be declared: then each
/// of these calls is guarded. In a copy that is not compiled: its callers do not hand the ledger down yet.
fn wrapped_as_it_suggests(agent: &Path) {
    let place = tempfile::tempdir().unwrap();
    let copy = place.path();
    fs::create_dir(copy.join("src")).unwrap();
    for file in ["Cargo.toml", "onlyonce.toml"] {
        fs::copy(agent.join(file), copy.join(file)).unwrap();
    }
    for source in fs::read_dir(agent.join("src")).unwrap() {
        let source = source.unwrap();
        fs::copy(source.path(), copy.join("src").join(source.file_name())).unwrap();
    }
    let mut suggested = suggestions(copy);
    assert!(suggested.len() >= 6, "{suggested:#?}");
    // From the last to the first, so that what is before keeps its place.
    suggested.sort_by_key(|one| (one.file.clone(), std::cmp::Reverse(one.bytes.start)));
    let mut manifest = fs::read_to_string(copy.join("onlyonce.toml")).unwrap();
    for Suggestion { file, bytes, declared, form } in suggested {
        let path = copy.join(file);
        let mut text = fs::read_to_string(&path).unwrap();
        text.replace_range(bytes, &form);
        fs::write(path, text).unwrap();
        manifest.push_str(&declared);
    }
    // The names that it suggests are brought in, and the ledger is handed to whoever sends.
    for source in fs::read_dir(copy.join("src")).unwrap() {
        let path = source.unwrap().path();
        let mut text = fs::read_to_string(&path).unwrap();
        if text.contains(".once(&keys::") {
            text = text.replacen("\nuse ", "\nuse crate::onlyonce::{Ledger, Receipt, SendError, keys};\nuse ", 1);
            text = text.replace("(&self, ", "(&self, ledger: &Ledger, ");
        }
        fs::write(path, text.replacen("\nmod ", "\nmod onlyonce;\nmod ", 1)).unwrap();
    }
    fs::write(copy.join("onlyonce.toml"), manifest).unwrap();
    let generated = run("onlyonce generate", copy);
    assert!(generated.status.success(), "{}", said(&generated));
    let left = suggestions(copy);
    assert!(left.is_empty(), "{left:#?}");
}

/// A call, and what is to stand in its place.
#[derive(Debug)]
struct Suggestion {
    file: String,
    bytes: std::ops::Range<usize>,
    /// Lines of the manifest that it says have to be there first.
    declared: String,
    form: String,
}

/// Every call of `once` that `check` suggests.
fn suggestions(agent: &Path) -> Vec<Suggestion> {
    let told: serde_json::Value =
        serde_json::from_slice(&run("onlyonce check --only code --format json", agent).stdout).unwrap();
    let with_form = told["findings"].as_array().unwrap().iter().filter_map(|finding| {
        let help = finding["help"].as_str().filter(|help| help.contains(".once(&keys::"))?;
        let (declared, rest) = match help.split_once("\nthen ") {
            Some((declared, rest)) => (format!("\n{}\n", declared.split_once('\n').unwrap().1), rest),
            None => (String::new(), help),
        };
        let form = rest.split_once('\n').unwrap().1.to_owned();
        let file = finding["file"].as_str().unwrap().to_owned();
        let text = fs::read_to_string(agent.join(&file)).unwrap();
        let at = |place: &str| {
            let number = |name: &str| usize::try_from(finding[place][name].as_u64().unwrap()).unwrap() - 1;
            let lines: usize = text.split_inclusive('\n').take(number("line")).map(str::len).sum();
            lines + number("column")
        };
        Some(Suggestion { bytes: at("start")..at("end"), file, declared, form })
    });
    with_form.collect()
}

/// Lays these files and the sources of an agent, without what is generated, over what is there.
fn lay(agent: &str, place: &Path, files: &[&str]) {
    for file in files {
        fs::copy(at(agent).join(file), place.join(file)).unwrap();
    }
    for source in fs::read_dir(at(agent).join("src")).unwrap() {
        let source = source.unwrap();
        if source.file_name() != "onlyonce.rs" {
            fs::copy(source.path(), place.join("src").join(source.file_name())).unwrap();
        }
    }
}

/// What makes two acts the same, and their keys: the blanks of the drafted manifest.
fn fill_in(agent: &Path) {
    let drafted = fs::read_to_string(agent.join("onlyonce.toml")).unwrap();
    assert!(drafted.matches("[action.").count() >= 4, "{drafted}");
    let mut filled = fs::read_to_string(at(AFTER).join("onlyonce.toml")).unwrap();
    for (from, to) in SHORTENED {
        assert!(filled.contains(from), "{from}");
        filled = filled.replace(from, to);
    }
    fs::write(agent.join("onlyonce.toml"), filled).unwrap();
    fs::create_dir_all(agent.join("migrations")).unwrap();
    let own = "migrations/20260105090000_shop.sql";
    fs::copy(at(AFTER).join(own), agent.join(own)).unwrap();
}

/// The program of what stands there: the sample's, since it is the same sources and the same client.
fn build(agent: &Path) {
    let client = |place: &Path| fs::read_to_string(place.join("src/onlyonce.rs")).unwrap();
    assert_eq!(client(agent), client(&at(AFTER)));
    let target = at("target/agents");
    let mut build = Command::new("cargo");
    build.args(["build", "--quiet", "--locked"]).current_dir(at(AFTER)).env("CARGO_TARGET_DIR", &target);
    let built = build.output().unwrap();
    assert!(built.status.success(), "{}", said(&built));
    fs::create_dir_all(agent.join("target/debug")).unwrap();
    fs::copy(target.join("debug/sales"), agent.join("target/debug/sales")).unwrap();
}

fn run(command: &str, agent: &Path) -> Output {
    let words: Vec<&str> = command.split_whitespace().collect();
    assert_eq!(words[0], "onlyonce");
    let mut program = Command::new(env!("CARGO_BIN_EXE_onlyonce"));
    program.args(&words[1..]).current_dir(agent).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), output.stderr.as_slice()].concat()).into_owned()
}
