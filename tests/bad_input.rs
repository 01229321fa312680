//! Input that no command can work with: each says what is wrong and where, exits with 2 (or gives a finding),
//! and leaves the folder as it was.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

const MANIFEST: &str = "version = 1\n\n[schema]\nmigrations = \"migrations\"\nlayout = \"sqlx\"\n\n[action.send_reply]\nsummary = \"Reply\"\nsame_when = \"it answers the same message\"\nkey = [\"message_id: text\"]\n";

/// The program where anybody may run it, and as somebody who is not root: root may read everything.
struct Program {
    place: tempfile::TempDir,
}

/// How a run ended.
struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Program {
    fn new() -> Program {
        let place = tempfile::tempdir().unwrap();
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o777)).unwrap();
        fs::copy(env!("CARGO_BIN_EXE_onlyonce"), place.path().join("onlyonce")).unwrap();
        Program { place }
    }

    /// A folder that everybody may write to, with these files in it.
    fn folder(&self, files: &[(&str, &[u8])]) -> PathBuf {
        let folder = self.place.path().join("in");
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        for (name, bytes) in files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        folder
    }

    fn run(&self, folder: &Path, words: &[&str]) -> Run {
        let program = self.place.path().join("onlyonce");
        let root = fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
        let mut command = if root { Command::new("setpriv") } else { Command::new(&program) };
        if root {
            command.args(["--reuid", "nobody", "--regid", "nogroup", "--clear-groups"]).arg(program);
        }
        let output = command.args(words).current_dir(folder).output().unwrap();
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        Run { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

/// Every file below a folder that can be read, with its bytes.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let walk = walkdir::WalkDir::new(folder).into_iter().filter_map(Result::ok);
    walk.filter(|entry| entry.file_type().is_file())
        .map(|entry| (entry.path().to_owned(), fs::read(entry.path()).unwrap_or_default()))
        .collect()
}

/// Every command that needs a manifest refuses this one with a word of `expected` and touches nothing.
fn refused(manifest: Option<&[u8]>, expected: &str) {
    for words in [&["check"][..], &["emit"], &["docs"], &["generate"]] {
        let program = Program::new();
        let folder = program.folder(&[("src/lib.rs", b"pub fn f() {}\n")]);
        if let Some(bytes) = manifest {
            fs::write(folder.join("onlyonce.toml"), bytes).unwrap();
        }
        let before = contents(&folder);
        let run = program.run(&folder, words);
        if words == ["check"] && manifest.is_none() {
            assert_eq!(run.code, Some(0), "code can be checked without a manifest: {}", run.err);
            continue;
        }
        assert_eq!(run.code, Some(2), "{words:?}: {}{}", run.out, run.err);
        assert!(run.err.contains(expected), "{words:?} does not say {expected:?}:\n{}", run.err);
        assert!(!run.err.contains("panicked"), "{}", run.err);
        assert_eq!(contents(&folder), before, "{words:?} changed something");
    }
}

#[test]
fn a_manifest_that_is_missing() {
    refused(None, "onlyonce init");
}

#[test]
fn a_folder_without_code_is_no_place_for_a_draft() {
    let program = Program::new();
    let folder = program.folder(&[("notes.txt", b"no code\n")]);
    let run = program.run(&folder, &["init"]);
    assert_eq!(run.code, Some(2), "{}{}", run.out, run.err);
    assert!(run.err.contains("neither Rust code nor a folder of migrations"), "{}", run.err);
    assert!(!folder.join("onlyonce.toml").exists());
}

#[test]
fn a_manifest_that_is_empty() {
    refused(Some(b""), "version");
}

#[test]
fn a_manifest_that_is_not_utf8() {
    refused(Some(b"version = 1\n[schema]\nname = \"\xff\"\n"), "UTF-8");
}

#[test]
fn a_manifest_of_ten_megabytes() {
    refused(Some(&b"# comment\n".repeat(1_000_000)), "MiB");
}

#[test]
fn a_manifest_with_unknown_fields() {
    refused(Some(format!("{MANIFEST}sumary = \"x\"\n").as_bytes()), "sumary");
}

#[test]
fn a_manifest_that_may_not_be_read() {
    let program = Program::new();
    let folder = program.folder(&[("onlyonce.toml", MANIFEST.as_bytes())]);
    fs::set_permissions(folder.join("onlyonce.toml"), fs::Permissions::from_mode(0o000)).unwrap();
    let run = program.run(&folder, &["emit"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("onlyonce.toml") && run.err.contains("ermission denied"), "{}", run.err);
}

#[test]
fn a_folder_that_may_not_be_written_to() {
    for words in [&["emit"][..], &["docs"], &["generate"]] {
        let program = Program::new();
        let folder = program.folder(&[("onlyonce.toml", MANIFEST.as_bytes()), ("src/lib.rs", b"")]);
        for closed in [folder.join("src"), folder.clone()] {
            fs::set_permissions(closed, fs::Permissions::from_mode(0o555)).unwrap();
        }
        let before = contents(&folder);
        let run = program.run(&folder, words);
        assert_eq!(run.code, Some(2), "{words:?}: {}{}", run.out, run.err);
        assert!(run.err.contains("ermission denied"), "{words:?}: {}", run.err);
        assert_eq!(contents(&folder), before, "{words:?} left something behind");
    }
}

#[test]
fn a_source_folder_that_may_not_be_read_is_named() {
    let program = Program::new();
    let folder = program.folder(&[
        ("Cargo.toml", b"[package]\nname = \"acme\"\nedition = \"2024\"\n"),
        ("src/lib.rs", b"mod closed;\n"),
        ("src/closed/mod.rs", b"pub fn f() {}\n"),
    ]);
    fs::set_permissions(folder.join("src/closed"), fs::Permissions::from_mode(0o000)).unwrap();
    let run = program.run(&folder, &["check", "--format", "json"]);
    assert!(run.out.contains("unread-file") && run.out.contains("src/closed"), "{}{}", run.out, run.err);
    assert_eq!(run.code, Some(1), "what was not read must not pass: {}{}", run.out, run.err);
}

#[test]
fn links_in_a_circle() {
    let program = Program::new();
    let folder = program.folder(&[
        ("Cargo.toml", b"[package]\nname = \"acme\"\nedition = \"2024\"\n"),
        ("src/lib.rs", b"pub fn f() {}\n"),
        ("onlyonce.toml", MANIFEST.as_bytes()),
    ]);
    symlink("..", folder.join("src/up")).unwrap();
    symlink("circle", folder.join("src/circle")).unwrap();
    fs::create_dir(folder.join("migrations")).unwrap();
    symlink("../migrations", folder.join("migrations/again")).unwrap();
    for words in [&["sites"][..], &["check", "--only", "code"], &["emit", "--check"]] {
        let run = program.run(&folder, words);
        assert!(matches!(run.code, Some(0 | 1)), "{words:?}: {:?} {}{}", run.code, run.out, run.err);
    }
}

#[test]
fn a_broken_rust_file_is_a_finding_with_its_line() {
    let program = Program::new();
    let folder = program.folder(&[
        ("Cargo.toml", b"[package]\nname = \"acme\"\nedition = \"2024\"\n"),
        ("src/lib.rs", b"mod broken;\n"),
        ("src/broken.rs", b"fn f() {\n    let = 1;\n}\n"),
    ]);
    let run = program.run(&folder, &["check"]);
    assert_eq!(run.code, Some(1), "{}{}", run.out, run.err);
    assert!(run.out.contains("unread-file") && run.out.contains("src/broken.rs:2"), "{}", run.out);
}

#[test]
fn a_migrations_folder_of_another_tool() {
    let program = Program::new();
    let folder = program
        .folder(&[("onlyonce.toml", MANIFEST.as_bytes()), ("migrations/V1__init.sql", b"CREATE TABLE t (a int);\n")]);
    let before = contents(&folder);
    let run = program.run(&folder, &["emit"]);
    assert_eq!(run.code, Some(2), "{}{}", run.out, run.err);
    assert!(run.err.contains("V1__init.sql") && run.err.contains("sqlx"), "{}", run.err);
    assert_eq!(contents(&folder), before);
}

#[test]
fn a_path_that_is_not_there() {
    let program = Program::new();
    let folder = program.folder(&[]);
    for words in
        [&["sites", "nowhere"][..], &["check", "nowhere"], &["init", "nowhere"], &["check", "--manifest", "no.toml"]]
    {
        let run = program.run(&folder, words);
        assert_eq!(run.code, Some(2), "{words:?}: {}{}", run.out, run.err);
        assert!(run.err.contains("nowhere") || run.err.contains("no.toml"), "{words:?}: {}", run.err);
    }
}

#[test]
fn a_check_of_a_folder_without_anything_to_check() {
    for (words, file) in [(&["check"][..], "notes.txt"), (&["check", "scr"], "src/lib.rs"), (&["check"], "a.sql")] {
        let program = Program::new();
        let folder = program.folder(&[(file, b"-- nothing\n")]);
        fs::create_dir(folder.join("scr")).unwrap();
        let run = program.run(&folder, words);
        assert_eq!(run.code, Some(2), "{words:?} beside {file}: {}{}", run.out, run.err);
        assert!(run.err.contains("nothing of it was checked"), "{}", run.err);
        assert!(run.out.is_empty(), "{}", run.out);
    }
}

#[test]
fn a_check_of_tests_alone_or_of_a_manifest_alone_is_one() {
    for (file, text) in [("tests/it.rs", "fn f() {}\n"), ("onlyonce.toml", MANIFEST)] {
        let program = Program::new();
        let folder = program.folder(&[(file, text.as_bytes())]);
        let run = program.run(&folder, &["check"]);
        assert_ne!(run.code, Some(2), "{file}: {}{}", run.out, run.err);
    }
}
