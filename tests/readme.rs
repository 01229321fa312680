//! The README is kept true: its commands and its SQL run on a real server, its manifest loads, its Rust stands in the sample agent.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

const AGENT: &str = "tests/agents/sales";

/// The worker of the acceptance run.
const COURIER: &str = "tests/agents/courier";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The fenced blocks of a language, in order.
fn blocks(language: &str) -> Vec<String> {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let mut blocks = Vec::new();
    let mut open: Option<(bool, String)> = None;
    for line in readme.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => open = Some((info == language, String::new())),
            (Some(_), Some(_)) => blocks.extend(open.take().filter(|(wanted, _)| *wanted).map(|(_, text)| text)),
            (Some((_, text)), None) => *text += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    assert!(!blocks.is_empty(), "the README has no {language} block");
    blocks
}

fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from).into_iter().filter_entry(|entry| entry.file_name() != "target") {
        let entry = entry.unwrap();
        let place = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(place).unwrap();
        } else {
            fs::copy(entry.path(), place).unwrap();
        }
    }
}

#[test]
fn it_opens_with_two_commands_that_ci_runs() {
    let commands = blocks("sh");
    let ci = fs::read_to_string(root().join(".ci/run")).unwrap();
    for command in commands[0].lines().chain(commands[1].lines()).filter(|line| !line.starts_with('#')) {
        assert!(ci.lines().any(|line| line.starts_with(command)), ".ci/run does not run {command:?}");
    }
}

#[tokio::test]
async fn its_commands_run() {
    let place = tempfile::tempdir().unwrap();
    copy(&root().join(AGENT), place.path());
    commit(place.path());
    let database = live_ledger().await;
    // The first two are the tour and the tests themselves, which `.ci/run` runs.
    for block in blocks("sh").iter().skip(2).filter(|block| !block.contains("onlyonce chaos")) {
        let user = match block {
            block if block.contains("onlyonce sweep") => "cron",
            block if block.contains("onlyonce queue") || block.contains("onlyonce pause") => "kim",
            _ => "prometheus",
        };
        let output = in_shell(block, place.path()).env("DATABASE_URL", database.url(user)).output();
        let output = output.expect("bash is there");
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "this block failed:\n{block}\n{said}");
    }
    let settled = "SELECT evidence FROM onlyonce.actions WHERE idempotency_key = 'wamid.9:1' AND status = 'sent'";
    let settled = database.connect().await.query_one(settled, &[]).await.unwrap();
    assert_eq!(settled.get::<_, &str>(0), "the chat shows it");
}

/// The acceptance run stands in the folder of a worker that is built.
#[test]
fn its_acceptance_run_runs() {
    let place = tempfile::tempdir().unwrap();
    copy(&root().join(COURIER), place.path());
    let block = blocks("sh").into_iter().find(|block| block.contains("onlyonce chaos")).expect("there is one");
    let (build, run) = block.split_once('\n').unwrap();
    assert_eq!(build, "cargo build");
    let target = root().join("target/agents");
    let mut command = in_shell("cargo build --quiet --offline --locked", &root().join(COURIER));
    let built = command.env("CARGO_TARGET_DIR", &target).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    fs::create_dir_all(place.path().join("target/debug")).unwrap();
    fs::copy(target.join("debug/courier"), place.path().join("target/debug/courier")).unwrap();
    let output = in_shell(run, place.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("0 duplicates, 0 contradictions, 0 lost, 0 misrecorded"), "{said}");
}

/// Makes a folder a clone of a repository whose newest commit it holds.
fn commit(folder: &Path) {
    let author = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
    for words in [
        &["init", "-q"][..],
        &["add", "-A"],
        &["commit", "-q", "-m", "x"],
        &["update-ref", "refs/remotes/origin/main", "HEAD"],
    ] {
        let output = Command::new("git").args(author).args(words).current_dir(folder).output().expect("git is there");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The steps of the workflow that are ours, up to what hands their output on.
#[test]
fn its_workflow_runs() {
    let place = tempfile::tempdir().unwrap();
    copy(&root().join(AGENT), place.path());
    commit(place.path());
    let workflow = yaml_rust2::YamlLoader::load_from_str(&blocks("yaml").concat()).unwrap().remove(0);
    let steps = workflow["jobs"]["onlyonce"]["steps"].as_vec().unwrap().iter();
    let ours: Vec<&str> = steps.filter_map(|step| step["run"].as_str()).collect();
    assert_eq!(ours.len(), 2);
    for step in ours {
        let command = step.split(" | ").next().unwrap();
        let output = in_shell(command, place.path()).env("GITHUB_BASE_REF", "main").output().unwrap();
        assert!(output.status.success(), "{command}\n{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// rust-analyzer runs it in the root of the workspace and reads every line as one of cargo's messages.
#[test]
fn its_command_for_rust_analyzer_runs() {
    let settings: serde_json::Value = serde_json::from_str(&blocks("json").concat()).unwrap();
    let words = settings["rust-analyzer.check.overrideCommand"].as_array().unwrap();
    let words: Vec<&str> = words.iter().map(|word| word.as_str().unwrap()).collect();
    let mut command = in_shell("exec \"$@\"", &root().join(AGENT));
    command.arg("bash").args(&words).env("CARGO_NET_OFFLINE", "true");
    let output = command.env("CARGO_TARGET_DIR", root().join("target/agents")).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let messages = said.lines().map(|line| serde_json::from_str::<cargo_metadata::Message>(line).expect(line));
    let ends = messages.filter(|message| matches!(message, cargo_metadata::Message::BuildFinished(end) if end.success));
    assert_eq!(ends.count(), 2, "{said}{}", String::from_utf8_lossy(&output.stderr));
}

/// Bash with our program in its path.
fn in_shell(command: &str, folder: &Path) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_onlyonce"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut bash = Command::new("bash");
    bash.args(["-euc", command]).current_dir(folder).env("PATH", path);
    bash
}

/// The sample agent's ledger, the README's roles let in, with an action of which nobody knows.
async fn live_ledger() -> support::Database {
    // Writes to the disk as a server of theirs does: verify would tell of it. It ends with this process.
    let server = Box::leak(Box::new(support::Server::start(support::majors()[0], &["fsync=on"])));
    let database = server.database().await;
    let migrations = root().join(AGENT).join("migrations");
    let mut files: Vec<_> = fs::read_dir(migrations).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        database.run(&format!("BEGIN; {}; COMMIT", fs::read_to_string(file).unwrap())).await;
    }
    database
        .run("CREATE ROLE agent LOGIN; CREATE ROLE cron LOGIN; CREATE ROLE kim LOGIN; CREATE ROLE prometheus LOGIN")
        .await;
    database.run(&blocks("sql").remove(0)).await;
    let agent = database.connect_as("agent").await;
    let (action, token) = ("'send_reply', 'wamid.9:1'", "'00000000-0000-4000-8000-000000000009'");
    let nulls = ["NULL"; 8].join(", ");
    agent.batch_execute(&format!("CALL onlyonce.reserve({action}, {token}, '1', {nulls})")).await.unwrap();
    agent.batch_execute(&format!("SELECT onlyonce.record({action}, {token}, 'unknown', reason => 'x')")).await.unwrap();
    database
}

#[test]
fn its_manifest_loads() {
    for block in blocks("toml").iter().filter(|block| block.contains("version = 1")) {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("onlyonce.toml");
        fs::write(&path, block).unwrap();
        if let Err(faults) = onlyonce::manifest::load(&path, "README.md", &onlyonce::scan::rules::names()) {
            panic!("{}", onlyonce::report::human::faults(&faults, onlyonce::report::human::Style::default()));
        }
    }
}

#[test]
fn its_rust_stands_in_the_sample_agent() {
    let folded = |text: &str| text.split_whitespace().collect::<String>();
    let code: String = walkdir::WalkDir::new(root().join(AGENT).join("src"))
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.is_file())
        .map(|path| folded(&fs::read_to_string(path).unwrap()))
        .collect();
    for block in blocks("rust") {
        assert!(code.contains(&folded(&block)), "this is not in the sample agent:\n{block}");
    }
}
