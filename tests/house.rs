//! House rules: what this repository asks of itself, so that no review has to.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Files below `folder` whose name ends in `ending`, as paths from the repository's root, sorted.
fn files(folder: &str, ending: &str) -> Vec<String> {
    let walk = walkdir::WalkDir::new(root().join(folder)).sort_by_file_name();
    let paths = walk.into_iter().map(|entry| entry.unwrap().into_path()).filter(|path| path.is_file());
    paths
        .map(|path| path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned())
        .filter(|path| path.ends_with(ending))
        .collect()
}

/// What git would commit, as paths from the repository's root.
fn tracked() -> Vec<String> {
    let output =
        std::process::Command::new("git").args(["ls-files", "-co", "--exclude-standard"]).current_dir(root()).output();
    let text = String::from_utf8(output.expect("git is there").stdout).unwrap();
    text.lines().map(str::to_owned).filter(|path| root().join(path).is_file()).collect()
}

/// The code of a file without its unit tests.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text)
}

fn complain(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn files_stay_short() {
    let mut lengths: Vec<(usize, String)> =
        files("src", ".rs").into_iter().map(|path| (read(&path).lines().count(), path)).collect();
    lengths.sort();
    let too_long = lengths.iter().filter(|(lines, _)| *lines > 500);
    complain(
        &too_long.map(|(lines, path)| format!("{path} has {lines} lines, over 500: split it")).collect::<Vec<_>>(),
    );
    let (ninetieth, path) = &lengths[lengths.len() * 9 / 10];
    assert!(*ninetieth <= 350, "a tenth of the files is as long as {path} ({ninetieth} lines, over 350)");
}

#[test]
fn modules_use_only_those_above_them() {
    let library = read("src/lib.rs");
    let order: Vec<&str> =
        library.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert!(order.len() > 10, "the map in src/lib.rs was not read");
    let mut problems = Vec::new();
    for path in files("src", ".rs") {
        let Some(module) = path.strip_prefix("src/").and_then(|rest| rest.split(['/', '.']).next()) else { continue };
        let Some(place) = order.iter().position(|name| *name == module) else { continue };
        let text = read(&path);
        for used in names_after(without_tests(&text), "crate::") {
            if order.iter().position(|name| *name == used).is_some_and(|other| other > place) {
                problems.push(format!("{path} uses crate::{used}, which stands below {module} in src/lib.rs"));
            }
        }
    }
    complain(&problems);
}

/// Every identifier that follows `prefix`, the members of a `{..}` list included.
fn names_after<'a>(text: &'a str, prefix: &str) -> BTreeSet<&'a str> {
    let identifier = |text: &'a str| text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    let mut names = BTreeSet::new();
    for (at, _) in text.match_indices(prefix) {
        let rest = &text[at + prefix.len()..];
        match rest.strip_prefix('{') {
            Some(list) => {
                names.extend(list.split('}').next().unwrap_or_default().split(',').map(|name| identifier(name.trim())))
            }
            None => drop(names.insert(identifier(rest))),
        }
    }
    names
}

#[test]
fn rules_are_sorted_and_have_their_page_and_file() {
    let mut problems = Vec::new();
    for (registry, folder) in [
        (onlyonce::scan::rules::ALL.iter().map(|entry| entry.rule).collect::<Vec<_>>(), "src/scan/rules"),
        (onlyonce::lint::rules::ALL.iter().map(|entry| entry.rule).collect(), "src/lint/rules"),
    ] {
        let names: Vec<&str> = registry.iter().map(|rule| rule.name).collect();
        assert!(!names.is_empty(), "no rule in {folder}");
        assert!(names.is_sorted(), "the registry of {folder} is not sorted: {names:?}");
        for rule in registry {
            let file = format!("{folder}/{}.rs", rule.name.replace('-', "_"));
            if !root().join(&file).is_file() {
                problems.push(format!("the rule {} has no file {file}", rule.name));
            }
            let page = format!("lints/rules/{}.md", rule.name);
            if read(&page) != rule.page {
                problems.push(format!("the rule {} does not embed {page}", rule.name));
            }
        }
    }
    let known: BTreeSet<String> =
        onlyonce::report::rules().iter().map(|rule| format!("lints/rules/{}.md", rule.name)).collect();
    let orphans = files("lints/rules", ".md").into_iter().filter(|page| !known.contains(page));
    problems.extend(orphans.map(|page| format!("{page} belongs to no rule")));
    complain(&problems);
}

/// The string literal that starts at the beginning of `text`, if one does.
fn literal(text: &str) -> Option<&str> {
    let inner = text.trim_start().strip_prefix("format!(").unwrap_or(text).trim_start().strip_prefix('"')?;
    let end = inner.match_indices('"').map(|(at, _)| at).find(|at| !inner[..*at].ends_with('\\'))?;
    Some(&inner[..end])
}

#[test]
fn messages_are_lower_case_without_a_full_stop() {
    let mut problems = Vec::new();
    let mut seen = 0;
    for path in files("src", ".rs") {
        let text = read(&path);
        for opening in ["Fault::new(", ".with_help("] {
            for (at, _) in without_tests(&text).match_indices(opening) {
                let Some(message) = literal(&text[at + opening.len()..]) else { continue };
                seen += 1;
                let acronym = message.chars().take(2).all(char::is_uppercase);
                if message.starts_with(char::is_uppercase) && !acronym || message.ends_with('.') {
                    problems
                        .push(format!("{path}: {message:?} should begin in lower case and end without a full stop"));
                }
            }
        }
    }
    assert!(seen > 10, "only {seen} messages were found: the search is broken");
    complain(&problems);
}

#[test]
fn every_dependency_says_why_it_is_there() {
    let text = read("Cargo.toml");
    let mut problems = Vec::new();
    let mut section = "";
    let mut reason = false;
    for line in text.lines() {
        if line.starts_with('[') {
            section = line;
            reason = false;
        } else if line.starts_with('#') {
            reason = true;
        } else if line.is_empty() {
            reason = false;
        } else if section.ends_with("dependencies]") && !reason {
            problems.push(format!("Cargo.toml: {line}"));
        }
    }
    complain(&problems);
}

#[test]
fn the_repository_speaks_of_itself_alone() {
    let strangers = ["/work/", "/root/", "/home/", "registry.npmjs", "index.crates", "deb.debian.org"];
    let mut problems = Vec::new();
    for path in tracked().into_iter().filter(|path| path != "tests/house.rs" && !path.ends_with("Cargo.lock")) {
        let Ok(text) = fs::read_to_string(root().join(&path)) else { continue };
        // A path of this machine stands alone; the same letters inside an address are somebody else's.
        let names = |stranger: &str| {
            text.match_indices(stranger)
                .any(|(at, _)| !text[..at].ends_with(|c: char| c.is_alphanumeric() || "._-~".contains(c)))
        };
        for stranger in strangers.iter().filter(|stranger| names(stranger)) {
            problems.push(format!("{path} names {stranger}"));
        }
    }
    complain(&problems);
}

/// Whoever reads that an outcome is not known has to look it up first.
#[test]
fn no_text_of_ours_says_try_again() {
    let ours = |path: &String| ["src/", "sql/", "lints/", "README.md"].iter().any(|place| path.starts_with(place));
    let says = |path: &String| {
        let text = fs::read_to_string(root().join(path)).unwrap_or_default().to_lowercase();
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        ["try again", "try it again", "retry it", "send it again"].into_iter().find(|advice| words.contains(advice))
    };
    let advice = tracked().into_iter().filter(ours).filter_map(|path| Some((says(&path)?, path)));
    complain(&advice.map(|(advice, path)| format!("{path} says {advice:?}")).collect::<Vec<_>>());
}

#[test]
fn golden_cases_are_whole() {
    let cases: BTreeSet<PathBuf> =
        files("tests/golden", "case.toml").iter().map(|path| Path::new(path).parent().unwrap().to_owned()).collect();
    assert!(!cases.is_empty(), "no golden case was found");
    let orphans = tracked().into_iter().filter(|path| path.starts_with("tests/golden/"));
    let orphans = orphans.filter(|path| !Path::new(path).ancestors().any(|folder| cases.contains(folder)));
    complain(&orphans.map(|path| format!("{path} belongs to no case")).collect::<Vec<_>>());
}

#[test]
fn the_readme_lists_every_command() {
    let readme = read("README.md");
    let listed: Vec<&str> =
        readme.lines().filter_map(|line| line.strip_prefix("| `onlyonce ")?.split(['`', ' ']).next()).collect();
    let definition = onlyonce::cli::definition();
    let mut wanted: Vec<&str> = definition.get_subcommands().map(clap::Command::get_name).collect();
    wanted.sort_unstable();
    assert_eq!(listed, wanted, "the README's command table should hold these, sorted");
}

/// The top of src/emit/versions.rs says what to do when this fails.
#[test]
fn a_released_ledger_never_changes() {
    use onlyonce::emit::{transitions, versions};
    let digest = |text: &str| -> String {
        use sha2::Digest as _;
        sha2::Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let lists = transitions::values().unwrap();
    let whole = |text: &str| {
        lists.iter().fold(text.to_owned(), |text, (name, list)| text.replace(&format!("{{{name}}}"), list))
    };
    let path = |number: u32| format!("sql/versions/{number}.sql");
    let record = "sql/versions/released.toml";
    let mut released: std::collections::BTreeMap<String, String> = toml::from_str(&read(record)).unwrap();
    let (latest, now) = (versions::LATEST, whole(versions::CURRENT.text));
    if std::env::var_os("RELEASE").is_some() && !released.contains_key(&latest.to_string()) {
        fs::write(root().join(path(latest)), &now).unwrap();
        fs::write(root().join(record), format!("{}{latest} = \"{}\"\n", read(record), digest(&now))).unwrap();
        released.insert(latest.to_string(), digest(&now));
    }
    let mut problems = Vec::new();
    for version in versions::ALL {
        let Some(known) = released.get(&version.number.to_string()) else {
            assert_eq!(version.number, latest, "{record} has no digest of an earlier ledger");
            continue;
        };
        if digest(&read(path(version.number))) != *known {
            problems.push(format!("{} is not what was released", path(version.number)));
        }
        if digest(&whole(version.text)) != *known {
            problems
                .push(format!("what is emitted as ledger {0} is not what was released: raise LATEST", version.number));
        }
    }
    assert_eq!(files("sql/versions", ".sql").len(), released.len(), "sql/versions holds what was released and no more");
    complain(&problems);
}
