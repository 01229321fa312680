//! Misuse of the client does not compile: each case in `tests/generated/misuse` is refused for what its first line names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use cargo_metadata::Message;

use crate::folder;

#[test]
fn each_misuse_is_refused_for_its_own_reason_and_right_use_is_not() {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/agents");
    let place = target.join("misuse");
    fs::create_dir_all(place.join("src/bin")).unwrap();
    for file in ["Cargo.toml", "Cargo.lock"] {
        fs::copy(folder().join("crate").join(file), place.join(file)).unwrap();
    }
    fs::copy(folder().join("sqlx_client.rs"), place.join("src/client.rs")).unwrap();
    fs::write(place.join("src/lib.rs"), "pub mod client;\n").unwrap();
    let mut expected = BTreeMap::new();
    for case in fs::read_dir(folder().join("misuse")).unwrap() {
        let path = case.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let reason = text.trim_start_matches("//! ").split_once(':').map(|(reason, _)| reason.to_owned());
        expected.insert(name, reason.filter(|reason| !reason.contains(' ')).into_iter().collect::<BTreeSet<_>>());
        fs::copy(&path, place.join("src/bin").join(path.file_name().unwrap())).unwrap();
    }
    assert!(expected.len() > 12 && expected["right"].is_empty());

    let mut check = Command::new("cargo");
    check.args(["check", "--quiet", "--locked", "--bins", "--keep-going", "--message-format=json"]);
    let output = check.current_dir(&place).env("CARGO_TARGET_DIR", &target).output().unwrap();
    let mut refused: BTreeMap<String, BTreeSet<String>> =
        expected.keys().map(|name| (name.clone(), BTreeSet::new())).collect();
    for message in Message::parse_stream(output.stdout.as_slice()) {
        let Message::CompilerMessage(told) = message.unwrap() else { continue };
        let error = told.message.level == cargo_metadata::diagnostic::DiagnosticLevel::Error;
        if let (true, Some(code)) = (error, told.message.code) {
            refused.entry(told.target.name).or_default().insert(code.code);
        }
    }
    assert_eq!(refused, expected, "{}", String::from_utf8_lossy(&output.stderr));
}
