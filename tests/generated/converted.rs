//! Errors of other crates become a `SendError` by the table, in a crate of its own that has them all
//! (`tests/generated/errors`), since they are many and large: with `ONLYONCE_ERRORS` alone, as `.ci/test --full` sets it.

use std::fs;
use std::path::Path;
use std::process::Command;

use onlyonce::codegen::generate;
use onlyonce::manifest::{ErrorCrate, check};

use crate::compiled::{quiet, rustfmt};
use crate::folder;

#[test]
fn each_row_of_the_table_holds_for_each_crate() {
    if std::env::var_os("ONLYONCE_ERRORS").is_none() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = root.join("target/agents");
    let (from, place) = (folder().join("errors"), target.join("errors"));
    fs::create_dir_all(place.join("src")).unwrap();
    for file in walkdir::WalkDir::new(&from).into_iter().map(Result::unwrap).filter(|file| file.path().is_file()) {
        fs::copy(file.path(), place.join(file.path().strip_prefix(&from).unwrap())).unwrap();
    }
    let manifest = check::load(&place.join("onlyonce.toml"), "onlyonce.toml", &[]).unwrap();
    assert_eq!(manifest.generate.errors.len(), ErrorCrate::ALL.len());
    let client = generate(&manifest);
    fs::write(&client.path, &client.text).unwrap();
    quiet(rustfmt(&root.join("src/codegen/client")).args(["--edition", "2024"]).arg(&client.path));

    let cargo = |words: &[&str]| {
        let mut cargo = Command::new("cargo");
        cargo.args(words).current_dir(&place).env("CARGO_TARGET_DIR", &target);
        cargo
    };
    quiet(&mut cargo(&[
        "clippy",
        "--quiet",
        "--offline",
        "--locked",
        "--lib",
        "--",
        "-D",
        "warnings",
        "-D",
        "clippy::pedantic",
    ]));
    let tests = cargo(&["test", "--quiet", "--locked", "--lib"]).output().unwrap();
    let said = [tests.stdout.as_slice(), tests.stderr.as_slice()].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(tests.status.success() && said.contains("11 passed"), "{said}");
}
