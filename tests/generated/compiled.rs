//! The text of generated clients: as it is committed, as rustfmt writes it, without a word from clippy.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use onlyonce::codegen::generate;
use onlyonce::manifest::check;
use onlyonce::source::Source;

use crate::folder;

const LONG: &str = "a_name_that_is_as_long_as_anybody_would_ever_make";

/// Manifests that differ in what they use.
fn manifests() -> [(&'static str, String); 6] {
    let action = |name: &str, parts: &str| {
        format!("[action.{name}]\nsummary = \"Does it\"\nsame_when = \"it is the same\"\nkey = [{parts}]\n")
    };
    let head = "version = 1\n";
    let tokio_postgres = "client = \"tokio-postgres\"\n";
    let everything = |client: &str| {
        format!(
            "{head}[generate]\nerrors = [\"reqwest\"]\nmetrics = true\ntracing = true\n{client}{}{}",
            action("all", r#""a: text", "b: integer", "c: uuid", "d: date", "e: email", "f: domain""#),
            action("day", r#""day: date""#),
        )
    };
    [
        ("nothing", head.to_owned()),
        ("nothing_tokio_postgres", format!("{head}[generate]\n{tokio_postgres}")),
        ("everything", everything("")),
        ("everything_tokio_postgres", everything(tokio_postgres)),
        (
            "long_names",
            format!(
                "{head}[schema]\nname = \"a_schema_whose_name_has_forty_octets_xxx\"\n{}[inbound.{LONG}]\n\
                 event_id = [\"$.id\"]\nmode = \"transaction\"\nretention = \"14d\"\n",
                action(LONG, &format!("\"{LONG}: text\", \"{LONG}_2: integer\"")),
            ),
        ),
        ("unprepared", format!("{head}[generate]\nprepared = false\n{}", action("mail", r#""address: email""#))),
    ]
}

fn client(name: &str, manifest: &str) -> String {
    let source = Source::new(format!("{name}.toml"), manifest);
    let manifest = check::check(&source, PathBuf::from("."), &[]).unwrap_or_else(|faults| panic!("{faults:#?}"));
    generate(&manifest).text
}

#[test]
fn the_committed_clients_are_what_their_manifests_give() {
    for manifest in ["onlyonce.toml", "sqlx-unprepared.toml", "tokio-postgres.toml"] {
        let path = folder().join(manifest);
        let file = generate(&check::load(&path, manifest, &[]).unwrap());
        if std::env::var_os("BLESS").is_some() {
            onlyonce::files::write_all(std::slice::from_ref(&file)).unwrap();
        }
        assert_eq!(file.difference("the generated file").unwrap(), "", "run BLESS=1 cargo test --test generated");
    }
}

/// A crate with a client a manifest; its dependencies are compiled once, beside those of the sample agents.
#[test]
fn neither_rustfmt_nor_clippy_has_a_word_to_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = root.join("target/agents");
    let place = target.join("generated");
    fs::create_dir_all(place.join("src")).unwrap();
    for file in ["Cargo.toml", "Cargo.lock"] {
        fs::copy(folder().join("crate").join(file), place.join(file)).unwrap();
    }
    let mut library = String::new();
    for (name, manifest) in manifests() {
        let path = place.join("src").join(format!("{name}.rs"));
        fs::write(&path, client(name, &manifest)).unwrap();
        library.push_str(&format!("mod {name};\n"));
        quiet(rustfmt(&root.join("src/codegen/client")).args(["--edition", "2024"]).arg(&path));
    }
    fs::write(place.join("src/lib.rs"), library).unwrap();
    let mut clippy = Command::new("cargo");
    clippy.args(["clippy", "--quiet", "--offline", "--", "-D", "warnings", "-D", "clippy::pedantic"]);
    quiet(clippy.current_dir(&place).env("CARGO_TARGET_DIR", &target));
}

/// As rustfmt is where nobody has set it: the settings in that folder are none.
pub(crate) fn rustfmt(settings: &Path) -> Command {
    let mut command = Command::new("rustfmt");
    command.arg("--check").arg("--config-path").arg(settings);
    command
}

pub(crate) fn quiet(command: &mut Command) {
    let output = command.output().unwrap();
    let said = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    assert!(output.status.success() && said.is_empty(), "{command:?}\n{}", String::from_utf8_lossy(&said));
}
