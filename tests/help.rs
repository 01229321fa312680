//! What `check` shows as help for a call that is not guarded takes the call's place, compiles, and is guarded.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use onlyonce::catalog::Catalog;
use onlyonce::codegen::generate;
use onlyonce::diagnostic::Finding;
use onlyonce::manifest;
use onlyonce::scan::{self, Settings};

const MANIFEST: &str = r#"
version = 1

[action.reply]
summary = "Answers a message"
same_when = "it answers the same message at the same step"
key = ["message: text", "step: integer"]

[action.plan]
kind = "model"
summary = "Plans an answer"
same_when = "it plans the same message"
key = ["message: text"]
when_unknown = "retry"
"#;

const PROGRAM: &str = r#"
mod onlyonce;

use crate::onlyonce::{Ledger, Receipt, SendError, keys};
use serde::{Deserialize, Serialize};

pub type Fallible = Result<(), Box<dyn std::error::Error + Send + Sync>>;

#[derive(Clone, Serialize, Deserialize)]
pub struct Reply {
    pub text: String,
}

pub struct Agent {
    store: Ledger,
    http: reqwest::Client,
}

pub async fn owned(ledger: &Ledger, http: &reqwest::Client, message: &str, step: i64, reply: Reply) -> Fallible {
    http.post("https://api.example.com/send").json(&reply).send().await?;
    Ok(())
}

pub async fn borrowed(ledger: &Ledger, http: &reqwest::Client, message: &str, step: i64, reply: &Reply) -> Fallible {
    let _ = http.post("https://api.example.com/send").json(reply).send().await?;
    Ok(())
}

pub async fn text(ledger: &Ledger, http: &reqwest::Client, message: String, step: &i64, words: &str) -> Fallible {
    http.post("https://api.example.com/send").json(words).send().await?;
    Ok(())
}

pub async fn bytes(ledger: Ledger, http: reqwest::Client, message: &str, step: i64, words: String) -> Fallible {
    if words.is_empty() {
        return Ok(());
    }
    http.post("https://api.example.com/send").body(words).send().await?;
    Ok(())
}

pub async fn inline(ledger: &Ledger, http: &reqwest::Client, message: &str, step: i64, name: &str) -> Fallible {
    http.post(format!("https://api.example.com/{name}/send"))
        .header("x-one", "1")
        .json(&serde_json::json!({
            "name": name,
            "text": "Dear \"you\", (hello"
        }))
        .send()
        .await?;
    Ok(())
}

pub async fn nothing(ledger: &Ledger, http: &reqwest::Client, message: &str, step: i64) -> Fallible {
    http.post("https://api.example.com/orders/send").send().await?;
    Ok(())
}

pub async fn bound(ledger: &Ledger, http: &reqwest::Client, message: &str, step: i64, reply: Reply) -> Fallible {
    let request = http.post("https://api.example.com/send").json(&reply);
    request.send().await?;
    Ok(())
}

pub async fn planned(ledger: &Ledger, http: &reqwest::Client, message: &str) -> Fallible {
    let body = serde_json::json!({ "messages": [{ "role": "user", "content": message }] });
    http.post("https://api.openai.com/v1/chat/completions").json(&body).send().await?;
    Ok(())
}

pub struct Message {
    pub id: String,
    pub text: String,
}

pub async fn of_a_struct(ledger: &Ledger, http: &reqwest::Client, message: &Message, step: i64, text: &str) -> Fallible {
    http.post("https://api.example.com/send").json(text).send().await?;
    Ok(())
}

pub async fn of_a_local(ledger: &Ledger, http: &reqwest::Client, sent: &Message) -> Fallible {
    let (message, step) = (sent.id.clone(), 1_i64);
    http.post("https://api.example.com/send").send().await?;
    Ok(())
}

pub async fn of_nothing(ledger: &Ledger, http: &reqwest::Client, text: &str) -> Fallible {
    http.post("https://api.example.com/send").send().await?;
    Ok(())
}

impl Agent {
    pub async fn own(&self, message: &str, step: i64, reply: &Reply) -> Fallible {
        self.http.post("https://api.example.com/send").json(&reply).send().await?;
        Ok(())
    }
}
"#;

fn findings(place: &Path) -> Vec<Finding> {
    let manifest = manifest::load(&place.join("onlyonce.toml"), "onlyonce.toml", &scan::rules::names()).unwrap();
    let (catalog, settings) = (Catalog::embedded(), Settings::of(&manifest));
    let scan = scan::scan(place, catalog, &settings, &|_| {}).unwrap();
    let found = scan.judge(catalog, Some(&manifest), jiff::civil::date(2026, 11, 29)).outcome.findings;
    found.into_iter().filter(|one| one.place.source.name() == "src/lib.rs").collect()
}

/// What a finding's help says to declare first, and the form of the call.
fn parts(finding: &Finding) -> (Option<&str>, &str) {
    let help = finding.help.as_deref().unwrap();
    let form = |text: &'_ str| -> usize { text.find('\n').unwrap() + 1 };
    match help.split_once("\nthen ") {
        Some((declared, rest)) => (Some(&declared[form(declared)..]), &rest[form(rest)..]),
        None => (None, &help[form(help)..]),
    }
}

/// The program with the help in the place of each call.
fn helped(findings: &[Finding]) -> String {
    let mut text = PROGRAM.to_owned();
    for finding in findings.iter().rev() {
        let (_, form) = parts(finding);
        let span = finding.place.span;
        text.replace_range(span.start..span.end, form);
    }
    text
}

fn laid(name: &str, manifest: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/agents/help").join(name);
    fs::create_dir_all(place.join("src")).unwrap();
    // The crate of the generated clients, whose dependencies are compiled once for all.
    let lent = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/generated/crate");
    // Under a name of its own: cargo takes crates of one name in one target folder for one, and checks only the first.
    for file in ["Cargo.toml", "Cargo.lock"] {
        let text = fs::read_to_string(lent.join(file)).unwrap();
        let own = text.replace("name = \"generated\"", &format!("name = \"help_{name}\""));
        assert_ne!(own, text);
        fs::write(place.join(file), own).unwrap();
    }
    fs::write(place.join("onlyonce.toml"), manifest).unwrap();
    let loaded = manifest::load(&place.join("onlyonce.toml"), "onlyonce.toml", &scan::rules::names()).unwrap();
    fs::write(place.join("src/onlyonce.rs"), generate(&loaded).text).unwrap();
    fs::write(place.join("src/lib.rs"), PROGRAM).unwrap();
    place
}

#[test]
fn it_takes_the_place_of_the_call_and_compiles() {
    let errors = format!("{MANIFEST}\n[generate]\nerrors = [\"reqwest\"]\n");
    let tokio_postgres = format!("{MANIFEST}\n[generate]\nclient = \"tokio-postgres\"\n");
    let manifests = [("plain", MANIFEST), ("errors", errors.as_str()), ("tokio_postgres", tokio_postgres.as_str())];
    for (name, manifest) in manifests {
        let place = laid(name, manifest);
        let told = findings(&place);
        let rules: Vec<&str> = told.iter().map(|finding| finding.rule).collect();
        assert_eq!(rules.len(), 12, "{told:#?}");
        assert!(rules.iter().all(|rule| rule.starts_with("unguarded-")), "{rules:?}");
        let text = helped(&told);
        fs::write(place.join("src/lib.rs"), &text).unwrap();
        assert!(text.contains("self.store.once(&keys::Reply { message, step }, reply.clone()"), "{text}");
        for key in
            ["{ message: &message.id, step }", "{ message: &message, step }", "{ message: todo!(), step: todo!() }"]
        {
            assert!(text.contains(key), "{key}\n{text}");
        }
        compiles_and_is_guarded(&place, &text);
    }
}

fn compiles_and_is_guarded(place: &Path, text: &str) {
    let mut check = Command::new("cargo");
    check.args(["check", "--quiet", "--offline"]).current_dir(place);
    let check = check.env("CARGO_TARGET_DIR", Path::new(env!("CARGO_MANIFEST_DIR")).join("target/agents"));
    let output = check.output().unwrap();
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    let left: Vec<&str> = findings(place)
        .iter()
        .map(|one| one.rule)
        .filter(|rule| rule.starts_with("unguarded") || rule.starts_with("undecided"))
        .collect();
    assert_eq!(left, [""; 0], "{text}");
}

/// Where no action of the manifest is the act, the help says what to declare first, and with that it compiles.
#[test]
fn what_no_action_is_has_to_be_declared_first() {
    let place = laid("undeclared", "version = 1\n");
    let told = findings(&place);
    let declared: String =
        told.iter().map(|finding| parts(finding).0.expect("what to declare")).collect::<Vec<_>>().join("\n");
    assert!(declared.contains("[action.owned]") && declared.contains("kind = \"model\""), "{declared}");
    // An id that is at hand and not what is said; nothing where nothing is at hand.
    for key in ["key = [\"message_id: text\", \"step: integer\"]", "key = [\"sent_id: text\"]", "key = [\"id: text\"]"]
    {
        assert!(declared.contains(key), "{key}\n{declared}");
    }
    assert!(!declared.contains("\"text: text\""), "{declared}");
    let text = helped(&told);
    let place = laid("undeclared", &format!("version = 1\n\n{declared}\n"));
    fs::write(place.join("src/lib.rs"), &text).unwrap();
    compiles_and_is_guarded(&place, &text);
}
