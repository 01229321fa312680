//! The program, run as its users run it.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::ledger::Ledger;

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// What it printed, when it went well and said nothing else.
    #[track_caller]
    pub(crate) fn clean(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (0, ""), "{}", self.out);
        self.out
    }

    /// What it complained of, when it could not do its work.
    #[track_caller]
    pub(crate) fn failed(self) -> String {
        assert_eq!((self.code, self.out.as_str()), (2, ""), "{}", self.err);
        unfolded(&self.err)
    }
}

/// The words of a complaint without the breaks and the frame that fit them to a terminal.
pub(crate) fn unfolded(text: &str) -> String {
    text.split(|letter: char| letter.is_whitespace() || letter == '│')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Runs it in a folder without a manifest, with the address where no list of processes shows it.
pub(crate) fn onlyonce(url: &str, args: &[&str]) -> Ran {
    run(&std::env::temp_dir(), url, args)
}

/// Runs it in this folder.
pub(crate) fn run(folder: &Path, url: &str, args: &[&str]) -> Ran {
    run_with(folder, url, args, b"")
}

/// Runs it in this folder with this as standard input.
pub(crate) fn run_with(folder: &Path, url: &str, args: &[&str], input: &[u8]) -> Ran {
    let mut program = Command::new(env!("CARGO_BIN_EXE_onlyonce"))
        .args(args)
        .current_dir(folder)
        .env("DATABASE_URL", url)
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Who does not read it ends before it is written.
    let _ = program.stdin.take().unwrap().write_all(input);
    let program = program.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: program.status.code().unwrap_or(-1), out: text(program.stdout), err: text(program.stderr) }
}

/// A folder whose manifest has the type `send`.
pub(crate) fn sends() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let manifest = "version = 1\n[action.send]\nsummary = \"s\"\nsame_when = \"m\"\nkey = [\"message: text\"]\n";
    std::fs::write(folder.path().join("onlyonce.toml"), manifest).unwrap();
    folder
}

/// As an operator.
pub(crate) fn person(ledger: &Ledger, args: &[&str]) -> Ran {
    onlyonce(&ledger.database.url("person"), args)
}

/// As maintenance.
pub(crate) fn keeper(ledger: &Ledger, args: &[&str]) -> Ran {
    onlyonce(&ledger.database.url("keeper"), args)
}

/// As a monitor.
pub(crate) fn watcher(ledger: &Ledger, args: &[&str]) -> Ran {
    onlyonce(&ledger.database.url("watcher"), args)
}
