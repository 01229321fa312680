//! Golden folders: `tests/golden/<command>/<case>/{case.toml, in/, expected/}`.
//!
//! Where there is a folder `before/`, it is copied first, and `emit` runs there as it did some time ago; `ledger = 1`
//! in case.toml lets it write that version of the ledger.
//! The folder `in/` is copied, the command runs in-process there, and afterwards the folder holds what `in/`
//! held with `expected/files/` laid over it; `expected/stdout.txt` and `expected/stderr.txt` are compared too.
//! `BLESS=1` writes what was seen instead; look at the difference before you commit it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use onlyonce::cli::{self, Page};
use onlyonce::emit::{self, Ground, versions};
use onlyonce::{files, manifest};

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// Why this case is there.
    #[allow(dead_code, reason = "for readers; required so that nobody leaves it out")]
    why: String,
    /// The words after `onlyonce`.
    args: Vec<String>,
    /// The exit code.
    exit: u8,
    /// Folders of this repository that are copied instead of `in/`.
    #[serde(default)]
    from: Option<String>,
    /// The version of the ledger that is emitted in `before/`.
    #[serde(default)]
    ledger: Option<u32>,
}

type Tree = BTreeMap<PathBuf, String>;

/// The files of a folder; none where it is absent, as version control keeps no empty one.
fn tree(folder: &Path) -> Tree {
    if !folder.exists() {
        return Tree::new();
    }
    let walk = walkdir::WalkDir::new(folder).into_iter().map(|entry| entry.unwrap());
    let files = walk.filter(|entry| {
        entry.file_type().is_file() && !entry.path().components().any(|part| part.as_os_str() == "target")
    });
    files
        .map(|entry| {
            let path = entry.path().strip_prefix(folder).unwrap().to_owned();
            (path, String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned())
        })
        .collect()
}

fn lay(tree: &Tree, folder: &Path) {
    for (path, text) in tree {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn run(folder: &Path, args: &[String]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let words = std::iter::once("onlyonce".into()).chain(args.iter().map(OsString::from));
    let exit = cli::run(words, &mut Page::new(folder.to_owned(), now(), &mut out, &mut err));
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(folder.to_str().unwrap(), "<folder>");
    (exit as u8, text(out), text(err))
}

/// Writes what an onlyonce of this ledger wrote.
fn emit(folder: &Path, ledger: u32) {
    let manifest = manifest::load(&folder.join("onlyonce.toml"), "onlyonce.toml", &[]).unwrap();
    let plan = emit::plan_until(&manifest, &Ground::read(&manifest).unwrap(), now(), ledger).unwrap();
    files::write_all(&plan.files).unwrap();
}

fn now() -> jiff::Timestamp {
    jiff::Timestamp::from_second(1_764_374_400).unwrap()
}

/// Digests taken out: they say nothing to a reader, and one word in the ledger changes all of them.
fn without_digests(text: &str) -> String {
    let is_digest = |part: &str| part.len() == 64 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parts: Vec<&str> = text.split('"').map(|part| if is_digest(part) { "<sha256>" } else { part }).collect();
    parts.join("\"")
}

/// What differs between the case's expectations and what was seen; with `BLESS`, writes what was seen.
fn judge(case_folder: &Path, bless: bool) -> Vec<String> {
    let case: Case = toml::from_str(&fs::read_to_string(case_folder.join("case.toml")).unwrap()).unwrap();
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().canonicalize().unwrap();
    let before = case_folder.join("before");
    if before.exists() {
        lay(&tree(&before), &folder);
        emit(&folder, case.ledger.unwrap_or(versions::LATEST));
    }
    lay(&tree(&case.from.as_ref().map_or_else(|| case_folder.join("in"), |from| repository.join(from))), &folder);
    let given = tree(&folder);
    let (exit, out, err) = run(&folder, &case.args);
    let changed: Tree = tree(&folder).into_iter().filter(|(path, text)| given.get(path) != Some(text)).collect();
    let mut seen: Tree = changed.into_iter().map(|(path, text)| (Path::new("files").join(path), text)).collect();
    seen.extend([("stdout.txt".into(), out), ("stderr.txt".into(), err)]);
    seen.retain(|_, text| !text.is_empty());
    seen.values_mut().for_each(|text| *text = without_digests(text));
    let expected = case_folder.join("expected");
    if bless {
        let _ = fs::remove_dir_all(&expected);
        lay(&seen, &expected);
    }
    let mut problems = Vec::new();
    if exit != case.exit {
        problems.push(format!(
            "exit {exit}, expected {}; stderr: {}",
            case.exit,
            seen.get(Path::new("stderr.txt")).map_or("", String::as_str)
        ));
    }
    let lost = given.keys().filter(|path| !folder.join(path).exists());
    problems.extend(lost.map(|path| format!("{} is gone", path.display())));
    let wanted = tree(&expected);
    for path in wanted.keys().chain(seen.keys()).collect::<std::collections::BTreeSet<_>>() {
        let (wanted, seen) = (wanted.get(path).map_or("", String::as_str), seen.get(path).map_or("", String::as_str));
        if wanted != seen {
            let difference = similar::TextDiff::from_lines(wanted, seen);
            problems.push(format!("{}:\n{}", path.display(), difference.unified_diff().header("expected", "seen")));
        }
    }
    problems
}

#[test]
fn golden() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let bless = std::env::var_os("BLESS").is_some();
    let mut cases = 0;
    let mut problems = Vec::new();
    for entry in walkdir::WalkDir::new(&folder).min_depth(2).sort_by_file_name() {
        let path = entry.unwrap().into_path();
        if path.file_name().is_some_and(|name| name == "case.toml") {
            cases += 1;
            let case = path.parent().unwrap();
            problems.extend(
                judge(case, bless)
                    .into_iter()
                    .map(|problem| format!("{}: {problem}", case.strip_prefix(&folder).unwrap().display())),
            );
        }
    }
    assert!(cases > 0, "no case was found");
    assert!(problems.is_empty(), "{}\n(BLESS=1 writes what was seen)", problems.join("\n"));
}

#[test]
fn a_difference_is_seen() {
    let case = tempfile::tempdir().unwrap();
    fs::create_dir_all(case.path().join("in")).unwrap();
    fs::write(
        case.path().join("case.toml"),
        "why = \"proves that the harness bites\"\nargs = [\"explain\", \"no-such-rule\"]\nexit = 0\n",
    )
    .unwrap();
    let problems = judge(case.path(), false).join("\n");
    assert!(
        problems.contains("exit 2, expected 0") && problems.contains("+") && problems.contains("no-such-rule"),
        "{problems}"
    );
}
