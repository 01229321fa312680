//! A repository with a finding of every sort that a report has to carry, and checks of it.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use onlyonce::cli::{self, Page};
use serde_json::Value;

/// The package stands in a folder of the repository.
pub(super) const BELOW: &str = "crates/bot";

const FILES: [(&str, &str); 6] = [
    (
        "Cargo.toml",
        "[package]\nname = \"bot\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nreqwest = \"0.13\"\n",
    ),
    (
        "onlyonce.toml",
        "version = 1\n\n[[scan.allow]]\nrule = \"unguarded-send\"\npath = \"bot::ops\"\nreason = \"a doubled page is harmless\"\nuntil = 2099-06-30\n",
    ),
    ("src/lib.rs", "pub mod ops;\n#[path = \"a b/grüße.rs\"]\npub mod hello;\npub mod bad;\n"),
    (
        "src/ops.rs",
        "pub async fn page(http: &reqwest::Client) {\n    let _ = http.post(\"https://api.example.com/page\").send().await;\n}\n",
    ),
    (
        "src/a b/grüße.rs",
        r#"pub async fn hello(http: &reqwest::Client, id: &str) {
    /* é世界🙂 */ let _ = http.post("https://api.example.com/<&\"'>100%,:]]>").send().await;
    let _ = http
        .post("https://api.example.com/orders/cancel")
        .send()
        .await;
    let _ = http.put(format!("https://api.example.com/settings/{id}")).send().await;
    // onlyonce: allow(unguarded-send, reason = "nobody minds \"two\"")
    let _ = http.post("https://api.example.com/twice").send().await;
    // onlyonce: allow(undecided-send, reason = "is not needed")
    let _ = http.post("https://api.openai.com/v1/chat/completions").send().await;
}

async fn inner(http: &reqwest::Client) {
    let _ = http.post("https://api.example.com/inner").send().await;
}

pub async fn outer(http: &reqwest::Client) {
    inner(http).await;
}
"#,
    ),
    ("src/bad.rs", "pub fn bad( {\n"),
];

/// A copy on the disk, removed when it is dropped.
pub(super) struct Sample {
    folder: tempfile::TempDir,
}

impl Sample {
    pub(super) fn new() -> Sample {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".git")).unwrap();
        for (name, text) in FILES {
            let path = folder.path().join(BELOW).join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Sample { folder }
    }

    pub(super) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(BELOW)
    }

    pub(super) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.root().join(name)).unwrap()
    }

    /// Standard output and exit code of `check` in the package's folder, in GitHub Actions or not.
    pub(super) fn run(&self, words: &[&str], in_actions: bool) -> (String, u8) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let now = jiff::Timestamp::from_second(1_796_000_000).unwrap();
        let mut page = Page::new(self.root(), now, &mut out, &mut err);
        page.in_actions = in_actions;
        let exit = cli::run(["onlyonce", "check"].iter().chain(words).map(OsString::from), &mut page);
        drop(page);
        assert_ne!(exit as u8, 2, "{}", String::from_utf8_lossy(&err));
        (String::from_utf8(out).unwrap(), exit as u8)
    }

    pub(super) fn check(&self, words: &[&str]) -> String {
        self.run(words, false).0
    }

    /// What `--format json` finds, to compare others with.
    pub(super) fn findings(&self) -> Vec<Value> {
        let report: Value = serde_json::from_str(&self.check(&["--format", "json"])).unwrap();
        let findings = report["findings"].as_array().unwrap().clone();
        let rules: Vec<&str> = findings.iter().map(|one| one["rule"].as_str().unwrap()).collect();
        for rule in ["unguarded-send", "unguarded-model-call", "unread-file", "unused-allow"] {
            assert!(rules.contains(&rule), "the sample shows no {rule}: {rules:?}");
        }
        for level in ["error", "warning", "note"] {
            assert!(findings.iter().any(|one| one["level"] == level), "the sample shows no {level}");
        }
        findings
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Takes what does not parse out.
    pub(super) fn mend(&self) {
        fs::write(self.root().join("src/bad.rs"), "").unwrap();
    }

    /// Takes every outbound call out.
    pub(super) fn empty(&self) {
        self.mend();
        fs::write(self.root().join("src/lib.rs"), "").unwrap();
        fs::write(self.root().join("onlyonce.toml"), "version = 1\n").unwrap();
        fs::remove_file(self.root().join("src/ops.rs")).unwrap();
        fs::remove_dir_all(self.root().join("src/a b")).unwrap();
    }
}
