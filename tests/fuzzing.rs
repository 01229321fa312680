//! The fuzz targets of `tests/fuzz` over their seeds and some changes to each, so that they cannot rot, and over
//! what was found with them. `ONLYONCE_FUZZ=60` goes on changing them for as many seconds; `ONLYONCE_FUZZ_FROM=7` begins
//! with the round of that number, as a find says it.

#[path = "fuzz/mutate.rs"]
#[allow(dead_code, reason = "the forms that libFuzzer takes")]
mod mutate;
#[path = "fuzz/target.rs"]
mod target;

use std::fs;
use std::path::Path;

use mutate::Chance;

/// The hard cases of the scanner and the code of the sample agents.
fn seeds() -> Vec<String> {
    files(&["scanner/cases", "kinds", "agents/sales/src", "agents/sales-unguarded/src"])
}

/// Migrations: the faults and look-alikes of the SQL rules, and those of the sample agents.
fn migrations() -> Vec<String> {
    files(&["sql", "sql/faults", "sql/harmless", "sql/live", "sql/replay", "agents/sales/migrations"])
}

fn files(folders: &[&str]) -> Vec<String> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let files = folders.iter().flat_map(|folder| fs::read_dir(tests.join(folder)).unwrap());
    let mut paths: Vec<_> = files.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    paths.sort();
    let texts: Vec<String> = paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    assert!(texts.len() > 90, "only {} seeds", texts.len());
    texts.into_iter().filter(|text| text.len() < 20_000).collect()
}

#[test]
fn changed_files_are_scanned() {
    let seeds = seeds();
    let mut parsed = 0;
    for (number, seed) in (1..).zip(&seeds) {
        let mut chance = Chance::new(number);
        target::file(seed);
        // Two halves of two files are seldom Rust: every other file is changed as it is.
        let mut text = match number % 2 {
            0 => mutate::splice(seed, &seeds[chance.below(seeds.len())], &mut chance),
            _ => seed.clone(),
        };
        for _ in 0..3 {
            text = mutate::mutate(&text, &mut chance);
            parsed += usize::from(syn::parse_file(&text).is_ok());
            target::file(&text);
        }
    }
    assert!(parsed > seeds.len() / 5, "only {parsed} changed files are Rust: the changes are too rough");
}

#[test]
fn changed_migrations_are_judged() {
    let seeds = migrations();
    for (number, seed) in (1..).zip(&seeds) {
        let mut chance = Chance::new(number);
        target::sql(seed);
        for _ in 0..3 {
            target::sql(&changed_file(&seeds, &mut chance));
        }
    }
}

#[test]
fn changed_folders_are_checked() {
    let seeds = seeds();
    for number in 1..12 {
        target::tree(&changed_folder(&seeds, &mut Chance::new(number)));
    }
}

/// A folder of two packages and a manifest, changed somewhere.
fn changed_folder(seeds: &[String], chance: &mut Chance) -> String {
    let manifest = include_str!("agents/sales/onlyonce.toml");
    let cargo = "[package]\nname = \"case\"\n[dependencies]\nreqwest = \"0.12\"\nother = { path = \"other\" }\n";
    let [one, other, third] = [0; 3].map(|_| &seeds[chance.below(seeds.len())]);
    let text = format!(
        "//# 0\nmod other;\n{one}\n//# 1\n{other}\n//# 2\n{manifest}\n//# 3\n{cargo}\n//# 4\n{third}\n//# 5\n{}",
        cargo.replace("case", "other")
    );
    mutate::mutate(&text, chance)
}

/// A number from the environment.
fn asked(name: &str) -> Option<u32> {
    Some(std::env::var(name).ok()?.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

/// Texts that no run before has seen, for as long as somebody asks; of a find the round is told, and the text is kept.
#[test]
fn as_long_as_is_asked() {
    let Some(seconds) = asked("ONLYONCE_FUZZ") else { return };
    let start = std::time::Instant::now();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let from = asked("ONLYONCE_FUZZ_FROM").unwrap_or(now.subsec_nanos());
    let (seeds, migrations, mut rounds) = (seeds(), migrations(), 0_u32);
    while start.elapsed().as_secs() < u64::from(seconds) {
        let number = from.wrapping_add(rounds);
        let mut chance = Chance::new(number);
        let (run, text): (fn(&str), String) = match chance.below(8) {
            0 => (target::tree, changed_folder(&seeds, &mut chance)),
            1 | 2 => (target::sql, changed_file(&migrations, &mut chance)),
            _ => (target::file, changed_file(&seeds, &mut chance)),
        };
        if let Err(found) = std::panic::catch_unwind(|| run(&text)) {
            let kept = std::env::temp_dir().join(format!("onlyonce-find-{number}"));
            fs::write(&kept, &text).unwrap();
            eprintln!("ONLYONCE_FUZZ_FROM={number} finds what is kept in {}", kept.display());
            std::panic::resume_unwind(found);
        }
        rounds += 1;
    }
    eprintln!("{rounds} rounds from {from}");
}

/// A few changes to a seed, with parts of another now and then.
fn changed_file(seeds: &[String], chance: &mut Chance) -> String {
    let mut text = seeds[chance.below(seeds.len())].clone();
    for _ in 0..1 + chance.below(6) {
        text = match chance.below(4) {
            0 => mutate::splice(&text, &seeds[chance.below(seeds.len())], chance),
            _ => mutate::mutate(&text, chance),
        };
    }
    text.truncate(text.floor_char_boundary(30_000));
    text
}

/// Rust written for the targets is compiled here, but for the few lines that only cargo-fuzz can link.
#[test]
fn every_target_is_run_here() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz");
    let manifest: toml::Table = fs::read_to_string(folder.join("Cargo.toml")).unwrap().parse().unwrap();
    let targets = manifest["bin"].as_array().unwrap();
    for target in targets {
        let text = fs::read_to_string(folder.join(target["path"].as_str().unwrap())).unwrap();
        assert!(text.contains(&format!("target::{}(", target["name"].as_str().unwrap())));
    }
    assert_eq!(targets.len(), 3, "a target that is new has no test above");
}
