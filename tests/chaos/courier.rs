//! The courier, built once, and plans for it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use serde_json::Value;
use tempfile::TempDir;

/// Its folder.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/courier")
}

/// Its program.
pub(crate) fn program() -> &'static Path {
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/agents");
        let mut build = Command::new("cargo");
        build.args(["build", "--quiet", "--offline", "--locked"]).current_dir(folder());
        let built = build.env("CARGO_TARGET_DIR", &target).output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        target.join("debug/courier")
    });
    &PROGRAM
}

/// A copy of its folder, with its program where its plan expects it.
pub(crate) struct Place(pub(crate) TempDir);

impl Place {
    pub(crate) fn new() -> Place {
        let place = tempfile::tempdir().unwrap();
        let from = folder();
        fs::create_dir_all(place.path().join("target/debug")).unwrap();
        fs::create_dir(place.path().join("migrations")).unwrap();
        fs::hard_link(program(), place.path().join("target/debug/courier"))
            .or_else(|_| fs::copy(program(), place.path().join("target/debug/courier")).map(drop))
            .unwrap();
        let migrations = fs::read_dir(from.join("migrations")).unwrap().map(|entry| entry.unwrap().path());
        for path in migrations.chain(["chaos.toml", "message.json", "onlyonce.toml"].map(|name| from.join(name))) {
            fs::copy(&path, place.path().join(path.strip_prefix(&from).unwrap())).unwrap();
        }
        Place(place)
    }

    /// Changes the plan: everything from `[faults]` on is replaced, and the texts before it.
    pub(crate) fn plan(&self, changes: &[(&str, &str)], faults: &str) {
        let path = self.0.path().join("chaos.toml");
        let written = fs::read_to_string(&path).unwrap();
        let mut plan = written.split("[faults]").next().unwrap().to_owned();
        for (from, to) in changes {
            assert!(plan.contains(from), "the plan has no {from:?}");
            plan = plan.replace(from, to);
        }
        fs::write(path, format!("{plan}{faults}\n")).unwrap();
    }

    /// `onlyonce chaos run chaos.toml` with these arguments.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onlyonce"));
        command.args(["chaos", "run", "chaos.toml"]).args(arguments).current_dir(self.0.path());
        // Nothing of ours is to get through to a worker: these addresses lead nowhere.
        command.env("DATABASE_URL", "postgres://nobody@192.0.2.1/none").env("PROVIDER_URL", "http://127.0.0.1:9");
        command
    }
}

/// What a run printed as JSON.
pub(crate) fn report(output: &Output) -> Value {
    let said = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said}{}", String::from_utf8_lossy(&output.stderr)))
}

/// Kind, action and fault of every finding.
pub(crate) fn findings(report: &Value) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let findings = report["findings"].as_array().unwrap().iter();
    findings.map(|found| (text(&found["kind"]), text(&found["action"]), text(&found["fault"]))).collect()
}
