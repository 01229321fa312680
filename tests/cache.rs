//! The cache changes how long a scan takes and nothing else: with it, filled or not, whole or broken, every command
//! says byte for byte what it says without. Over every tree of these tests, and after each of many random edits.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use onlyonce::catalog::Catalog;
use onlyonce::cli::{self, Page};
use onlyonce::scan::Settings;
use onlyonce::scan::cache::Cache;
use onlyonce::scan::examine::{Asked, Examined, examine};

/// What a command wrote, and how it ended.
type Said = (u8, String, String);

fn run(folder: &Path, cache: Option<&Path>, args: &[&str]) -> Said {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let words = std::iter::once("onlyonce").chain(args.iter().copied()).map(OsString::from);
    let now = jiff::Timestamp::from_second(1_764_374_400).unwrap();
    let mut page = Page::new(folder.to_owned(), now, &mut out, &mut err);
    page.cache = cache.map(Path::to_owned);
    let exit = cli::run(words, &mut page);
    drop(page);
    (exit as u8, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

const COMMANDS: [&[&str]; 3] = [&["sites", "--format", "json"], &["check", "--only", "code"], &["sites"]];

/// Every command once without a cache and once with it.
fn same(folder: &Path, cache: &Path, when: &str) {
    for args in COMMANDS {
        let (cold, cached) = (run(folder, None, args), run(folder, Some(cache), args));
        assert!(cold == cached, "{args:?} in {} {when}:\n{cold:?}\n{cached:?}", folder.display());
    }
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Folders with Rust code: the sample agents, the golden cases, the hard cases, the benchmark of guards.
fn trees() -> Vec<PathBuf> {
    let tests = repository().join("tests");
    let golden = walkdir::WalkDir::new(tests.join("golden")).into_iter().map(|entry| entry.unwrap().into_path());
    let golden = golden.filter(|path| path.ends_with("in") && holds_code(path));
    let agents = fs::read_dir(tests.join("agents")).unwrap().map(|entry| entry.unwrap().path());
    let mut trees: Vec<PathBuf> = golden.chain(agents).collect();
    trees.extend([tests.join("scanner/cases"), tests.join("guards")]);
    trees.sort();
    assert!(trees.len() > 5, "{trees:?}");
    trees
}

fn holds_code(folder: &Path) -> bool {
    files(folder).iter().any(|path| path.extension().is_some_and(|extension| extension == "rs"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let walk = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().map(|entry| entry.unwrap());
    let is_made = |path: &Path| path.components().any(|part| part.as_os_str() == "target");
    walk.filter(|entry| entry.file_type().is_file())
        .map(|entry| entry.into_path())
        .filter(|path| !is_made(path))
        .collect()
}

fn copy(from: &Path, to: &Path) {
    for path in files(from) {
        let target = to.join(path.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(&path, target).unwrap();
    }
}

#[test]
fn a_filled_cache_says_what_an_empty_one_and_none_say() {
    let cache = tempfile::tempdir().unwrap();
    for tree in trees() {
        let before = files(&tree).len();
        same(&tree, cache.path(), "the first time");
        same(&tree, cache.path(), "the second time");
        assert_eq!(files(&tree).len(), before, "{} was written to", tree.display());
    }
}

/// Numbers that look random and are the same in every run (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most.max(1) as u64).unwrap()
    }
}

/// One random edit of one file: bytes gone, lines doubled or exchanged, words put in, the file gone or another's.
fn edit(random: &mut Random, folder: &Path) -> String {
    let mut below = |most: usize| random.below(most);
    let files: Vec<PathBuf> =
        files(folder).into_iter().filter(|path| path.extension().is_some_and(|e| e == "rs" || e == "toml")).collect();
    let file = &files[below(files.len())];
    let text = fs::read_to_string(file).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let (one, other) = (below(lines.len()), below(lines.len()));
    const WORDS: [&str; 6] = [
        "#[cfg(test)] mod tests { fn f() {} }",
        "fn more(c: reqwest::Client) { c.post(\"https://x\").send(); }",
        "// onlyonce: allow(unguarded-send, reason = \"why not\")",
        "}",
        "mod gone;",
        "é\u{0}",
    ];
    let kind = below(6);
    let edited = match kind {
        0 => text.chars().enumerate().filter(|(at, _)| at / 7 != one).map(|(_, sign)| sign).collect(),
        1 | 2 if !lines.is_empty() => {
            let mut lines = lines.clone();
            if kind == 1 {
                lines.insert(one, lines[other])
            } else {
                lines.swap(one, other)
            }
            lines.join("\n")
        }
        3 => {
            fs::remove_file(file).unwrap();
            return format!("{} was removed", file.display());
        }
        4 => fs::read_to_string(&files[below(files.len())]).unwrap_or_default(),
        _ => {
            let mut lines = lines.clone();
            lines.insert(one, WORDS[below(WORDS.len())]);
            lines.join("\n")
        }
    };
    fs::write(file, edited).unwrap();
    format!("edit {kind} of {} at line {one} or {other}", file.display())
}

#[test]
fn after_each_of_many_edits_the_cache_says_what_none_says() {
    let cache = tempfile::tempdir().unwrap();
    for (tree, edits) in [("tests/agents/sales", 12), ("tests/agents/sales-unguarded", 12), ("tests/scanner/cases", 4)]
    {
        let place = tempfile::tempdir().unwrap();
        copy(&repository().join(tree), place.path());
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let mut history = Vec::new();
        for _ in 0..edits {
            history.push(edit(&mut random, place.path()));
            same(place.path(), cache.path(), &history.join("\n"));
        }
    }
}

#[test]
fn broken_entries_are_passed_over_and_written_again() {
    let (place, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    copy(&repository().join("tests/agents/sales"), place.path());
    same(place.path(), cache.path(), "at first");
    let mut entries = files(cache.path());
    entries.retain(|path| path.parent() != Some(cache.path()));
    assert!(entries.len() > 3, "{entries:?}");
    let whole: Vec<Vec<u8>> = entries.iter().map(|path| fs::read(path).unwrap()).collect();
    for step in 0..4 {
        for (at, (path, bytes)) in entries.iter().zip(&whole).enumerate() {
            let mut bytes = bytes.clone();
            let place = (at * 7919 + step * 104_729) % bytes.len();
            match step {
                0 => bytes[place] ^= 0x10,
                1 => bytes.truncate(place),
                2 => bytes.clear(),
                _ => bytes = whole[(at + 1) % whole.len()].clone(),
            }
            fs::write(path, bytes).unwrap();
        }
        same(place.path(), cache.path(), &format!("with entries broken by step {step}"));
        let mended: Vec<Vec<u8>> = entries.iter().map(|path| fs::read(path).unwrap()).collect();
        assert!(mended == whole, "step {step} was not mended");
    }
}

fn asked<'a>(settings: &'a Settings, catalog: &'a Catalog) -> Asked<'a> {
    Asked { catalog, settings, manifest: None, today: jiff::civil::date(2026, 1, 1) }
}

fn with_cache(folder: &Path, program: u8) -> (Cache, Settings) {
    let cache = Cache::new(folder.to_owned(), [program; 32], SystemTime::now());
    (cache.clone(), Settings { cache: Some(cache), ..Settings::default() })
}

fn told(examined: &Examined) -> String {
    format!("{:?}", (&examined.coverage, &examined.judged))
}

#[test]
fn another_program_or_catalog_finds_nothing_of_this_one() {
    let folder = tempfile::tempdir().unwrap();
    let tree = repository().join("tests/agents/sales-unguarded");
    let look = |program: u8, catalog: &Catalog| {
        let (cache, settings) = with_cache(folder.path(), program);
        let found = examine(&tree, &asked(&settings, catalog), &|_| {}).unwrap();
        (told(&found), cache.known())
    };
    let embedded = Catalog::embedded();
    let (cold, none) = look(1, embedded);
    assert_eq!(none, 0);
    assert_eq!(look(1, embedded), (cold.clone(), 1), "the whole result is one entry");
    assert_eq!(look(2, embedded), (cold.clone(), 0), "another version of the program");
    let (other, summaries) = look(1, &Catalog::load(&[]).unwrap());
    assert_ne!(other, cold, "a catalog that knows nothing");
    assert!(summaries > 1, "what a file holds does not hang on the catalog");
    assert_eq!(look(1, embedded), (cold, 1));
}

#[test]
fn runs_at_the_same_time_do_not_disturb_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let tree = repository().join("tests/scanner/cases");
    let look = || {
        let (_, settings) = with_cache(folder.path(), 1);
        told(&examine(&tree, &asked(&settings, Catalog::embedded()), &|_| {}).unwrap())
    };
    let settings = Settings::default();
    let wanted = told(&examine(&tree, &asked(&settings, Catalog::embedded()), &|_| {}).unwrap());
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(look)).collect();
        runs.into_iter().for_each(|run| assert!(run.join().unwrap() == wanted));
    });
    assert!(look() == wanted);
}

#[test]
fn no_cache_and_an_empty_variable_keep_nothing() {
    let (place, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    copy(&repository().join("tests/agents/sales"), place.path());
    run(place.path(), Some(cache.path()), &["sites", "--no-cache"]);
    run(place.path(), Some(cache.path()), &["check", "--only", "code", "--no-cache"]);
    assert!(files(cache.path()).is_empty());
    let home = tempfile::tempdir().unwrap();
    let sites = |variable: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_onlyonce"));
        command.arg("sites").current_dir(place.path()).env("HOME", home.path()).env("ONLYONCE_CACHE_DIR", variable);
        assert!(command.env_remove("XDG_CACHE_HOME").output().unwrap().status.success());
    };
    sites("");
    assert!(files(home.path()).is_empty());
    sites(cache.path().to_str().unwrap());
    assert!(!files(cache.path()).is_empty() && files(home.path()).is_empty());
}
