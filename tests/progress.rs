//! A scan that takes long shows its stages on a terminal, a second after it began, and nowhere else.
//!
//! The terminal is made by `script`, of which every Linux has the one of util-linux.
#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long nothing is to be seen.
const PATIENCE: Duration = Duration::from_secs(1);

/// Words of stages that a long scan comes by.
const STAGES: [&str; 3] = ["resolving names", "following calls", "looking for outbound calls"];

fn command(folder: &Path) -> String {
    let quoted = |path: &Path| format!("'{}'", path.display());
    let program = Path::new(env!("CARGO_BIN_EXE_onlyonce"));
    format!("{} sites --no-cache --format json {}", quoted(program), quoted(folder))
}

/// A crate of so many modules, each with calls to follow.
fn grow(folder: &Path, modules: usize) {
    std::fs::create_dir_all(folder.join("src")).unwrap();
    std::fs::write(folder.join("Cargo.toml"), "[package]\nname = \"grown\"\nversion = \"0.1.0\"\n").unwrap();
    let mut root = String::new();
    for at in 0..modules {
        writeln!(root, "pub mod part{at};").unwrap();
        let mut text = String::from("pub struct Part;\nimpl Part {\n");
        for step in 0..40 {
            let next = (step + 1) % 40;
            writeln!(
                text,
                "pub fn step{step}(&self, url: &str) -> String {{ self.step{next}(&format!(\"{{url}}/{step}\")) }}"
            )
            .unwrap();
        }
        std::fs::write(folder.join(format!("src/part{at}.rs")), text + "}\n").unwrap();
    }
    std::fs::write(folder.join("src/lib.rs"), root).unwrap();
}

/// Runs the scan with a pipe as its standard error: how long it took, and what it said there.
fn piped(folder: &Path) -> (Duration, String) {
    let start = Instant::now();
    let said = Command::new("sh").args(["-c", &command(folder)]).output().unwrap();
    assert!(said.status.success(), "{said:?}");
    (start.elapsed(), String::from_utf8(said.stderr).unwrap())
}

/// Runs it on a terminal: what was to be seen, and when the first of it was.
fn on_terminal(folder: &Path) -> (Option<Duration>, String) {
    let start = Instant::now();
    let command = format!("{} >/dev/null", command(folder));
    let mut child = Command::new("script")
        .args(["--quiet", "--flush", "--return", "--command", &command, "/dev/null"])
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut seen = child.stdout.take().unwrap();
    let (mut first, mut all, mut part) = (None, Vec::new(), [0; 4096]);
    loop {
        match seen.read(&mut part).unwrap() {
            0 => break,
            length => all.extend_from_slice(&part[..length]),
        }
        first = first.or_else(|| Some(start.elapsed()));
    }
    assert!(child.wait().unwrap().success());
    (first, String::from_utf8_lossy(&all).into_owned())
}

#[test]
fn the_stages_of_a_long_scan_are_shown_on_a_terminal_alone() {
    let place = tempfile::tempdir().unwrap();
    // How long a scan takes depends on the machine: as much code as lasts.
    let mut modules = 64;
    loop {
        grow(place.path(), modules);
        let (took, said) = piped(place.path());
        assert!(said.is_empty(), "{said}");
        if took > PATIENCE * 3 {
            break;
        }
        modules *= 2;
        assert!(modules < 1 << 16, "{took:?} for {modules} modules");
    }
    let (first, said) = on_terminal(place.path());
    assert!(STAGES.iter().any(|stage| said.contains(stage)), "{said:?}");
    assert!(first.is_some_and(|first| first >= PATIENCE), "{first:?}");
    // What is left on the terminal is a line that was wiped.
    assert!(said.ends_with("\u{1b}[2K") || said.ends_with('\r'), "{said:?}");
}
