//! The fuzz targets of `tests/fuzz` over their seeds and some changes to each, so that they cannot rot, and over
//! what was found with them.

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
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let folders = ["scanner/cases", "agents/sales/src", "agents/sales-unguarded/src"];
    let files = folders.iter().flat_map(|folder| fs::read_dir(tests.join(folder)).unwrap());
    let mut paths: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
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
        let mut text = mutate::splice(seed, &seeds[chance.below(seeds.len())], &mut chance);
        for _ in 0..3 {
            text = mutate::mutate(&text, &mut chance);
            parsed += usize::from(syn::parse_file(&text).is_ok());
            target::file(&text);
        }
    }
    assert!(parsed > seeds.len() / 5, "only {parsed} changed files are Rust: the changes are too rough");
}

#[test]
fn changed_folders_are_checked() {
    let seeds = seeds();
    let manifest = include_str!("agents/sales/onlyonce.toml");
    let cargo = "[package]\nname = \"case\"\n[dependencies]\nreqwest = \"0.12\"\nother = { path = \"other\" }\n";
    for number in 1..12 {
        let mut chance = Chance::new(number);
        let [one, other, third] = [0; 3].map(|_| &seeds[chance.below(seeds.len())]);
        let text = format!(
            "//# 0\nmod other;\n{one}\n//# 1\n{other}\n//# 2\n{manifest}\n//# 3\n{cargo}\n//# 4\n{third}\n//# 5\n{}",
            cargo.replace("case", "other")
        );
        target::tree(&mutate::mutate(&text, &mut chance));
    }
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
    assert_eq!(targets.len(), 2, "a target that is new has no test above");
}
