//! A small package on the disk, in git or not, and checks of it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use onlyonce::cli::{self, Page};
use serde_json::Value;

const CARGO: &str =
    "[package]\nname = \"acme\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nreqwest = \"0.13\"\n";

/// A function that posts to each of these paths.
pub(super) fn function(name: &str, paths: &[&str]) -> String {
    let call = |path: &&str| format!("    let _ = http.post(\"https://api.example.com/{path}/send\").send().await;\n");
    format!("pub async fn {name}(http: &reqwest::Client) {{\n{}}}\n", paths.iter().map(call).collect::<String>())
}

/// A folder with a package, removed when it is dropped.
pub(super) struct Bench {
    folder: tempfile::TempDir,
}

/// What a check said.
pub(super) struct Said {
    pub(super) exit: u8,
    pub(super) out: String,
    pub(super) err: String,
}

impl Said {
    /// Function and line of every finding.
    #[track_caller]
    pub(super) fn told(&self) -> Vec<String> {
        let report: Value = serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{}{}", self.out, self.err));
        let findings = report["findings"].as_array().unwrap().iter();
        findings.map(|one| format!("{} {}", one["file"].as_str().unwrap(), one["start"]["line"])).collect()
    }

    /// The report's numbers.
    pub(super) fn summary(&self) -> Value {
        serde_json::from_str::<Value>(&self.out).unwrap()["summary"].take()
    }

    /// Demands a fault with these words.
    #[track_caller]
    pub(super) fn is_fault(&self, words: &[&str]) {
        assert_eq!(self.exit, 2, "{}{}", self.out, self.err);
        // People are shown it in lines of some width.
        let said = self.err.replace("│", " ").split_whitespace().collect::<Vec<_>>().join(" ");
        for word in words {
            assert!(said.contains(word), "{word:?} is missing in {said}");
        }
    }
}

impl Bench {
    pub(super) fn new(files: &[(&str, &str)]) -> Bench {
        let bench = Bench { folder: tempfile::tempdir().unwrap() };
        bench.write("Cargo.toml", CARGO);
        files.iter().for_each(|(name, text)| bench.write(name, text));
        bench
    }

    pub(super) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(super) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.root().join(name)).unwrap()
    }

    pub(super) fn remove(&self, name: &str) {
        fs::remove_file(self.root().join(name)).unwrap();
    }

    /// `check` with these words, in the folder.
    pub(super) fn run(&self, words: &[&str]) -> Said {
        run(&self.root(), words)
    }

    /// The same with `--format json`.
    pub(super) fn check(&self, words: &[&str]) -> Said {
        self.run(&[words, &["--format", "json"]].concat())
    }

    /// Makes a repository and its first commit.
    pub(super) fn commit_first(&self) {
        self.git(&["init", "-q", "-b", "main"]);
        self.commit();
    }

    pub(super) fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "x"]);
    }

    pub(super) fn git(&self, words: &[&str]) -> String {
        git(&self.root(), words)
    }
}

pub(super) fn run(folder: &Path, words: &[&str]) -> Said {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let now = jiff::Timestamp::from_second(1_796_000_000).unwrap();
    let words = ["onlyonce", "check"].iter().chain(words).map(OsString::from);
    let exit = cli::run(words, &mut Page::new(folder.to_owned(), now, &mut out, &mut err)) as u8;
    Said { exit, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

/// Git with settings of nobody's own.
pub(super) fn git(folder: &Path, words: &[&str]) -> String {
    let mut git = Command::new("git");
    git.current_dir(folder).args(["-c", "protocol.file.allow=always", "-c", "commit.gpgsign=false"]).args(words);
    for name in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{name}_NAME"), "a").env(format!("GIT_{name}_EMAIL"), "a@example.com");
    }
    let output = git.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
