//! Manifests that are refused, each with everything that is said of it; and manifests that load.
//!
//! `tests/manifests/bad/<case>.toml` stands beside `<case>.txt`; `BLESS=1 cargo test --test manifest` rewrites those.

#[path = "manifest/reference.rs"]
mod reference;

use std::fs;
use std::path::{Path, PathBuf};

use onlyonce::diagnostic::{Fault, Faults};
use onlyonce::manifest::{self, InboundMode, Kind, Layout, Manifest, WhenUnknown, check};
use onlyonce::source::Source;

/// What `[[scan.allow]]` may silence here.
const RULES: &[&str] = &["unguarded-model-call", "unguarded-send", "unreserved-send"];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/manifests").join(name)
}

/// The cases of a folder: the name without `.toml`, and the path, sorted.
fn cases(name: &str) -> Vec<(String, PathBuf)> {
    let mut cases: Vec<_> = fs::read_dir(folder(name))
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path))
        .collect();
    cases.sort();
    cases
}

/// `line:column message`, the label and the help, a fault a paragraph.
fn shown(faults: &Faults) -> String {
    faults.0.iter().map(paragraph).collect::<Vec<_>>().join("\n")
}

fn paragraph(fault: &Fault) -> String {
    let place = match &fault.place {
        Some(label) => {
            let at = label.source.position(label.span.start);
            format!("{}:{} ", at.line, at.column)
        }
        None => String::new(),
    };
    let label = fault.place.as_ref().map(|label| format!("    {}\n", label.text)).unwrap_or_default();
    let help = fault.help.as_ref().map(|help| format!("    help: {help}\n")).unwrap_or_default();
    format!("{place}{}\n{label}{help}", fault.message)
}

fn load(path: &Path) -> Result<Manifest, Faults> {
    manifest::load(path, "onlyonce.toml", RULES)
}

#[test]
fn bad_manifests_say_everything_that_is_wrong() {
    let mut wrong = Vec::new();
    let cases = cases("bad");
    assert!(cases.len() >= 30, "{} cases", cases.len());
    for (name, path) in &cases {
        let faults = shown(&load(path).expect_err(name));
        let expected = path.with_extension("txt");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&expected, &faults).unwrap();
        }
        if fs::read_to_string(&expected).unwrap_or_default() != faults {
            wrong.push(format!("--- {name}\n{faults}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_expectation_is_left_without_its_case() {
    for file in fs::read_dir(folder("bad")).unwrap() {
        let path = file.unwrap().path();
        assert!(path.with_extension("toml").exists(), "{} belongs to no case", path.display());
    }
}

#[test]
fn good_manifests_load() {
    let cases = cases("good");
    assert!(cases.len() >= 3);
    for (name, path) in cases {
        if let Err(faults) = load(&path) {
            panic!("{name}:\n{}", shown(&faults));
        }
    }
}

#[test]
fn every_message_keeps_the_tone() {
    for (name, path) in cases("bad") {
        for fault in load(&path).unwrap_err().0 {
            let message = &fault.message;
            assert!(!message.ends_with('.') && !message.starts_with(char::is_uppercase), "{name}: {message}");
            let place = fault.place.expect(message);
            assert!(!place.text.ends_with('.') && !place.text.is_empty(), "{name}: {}", place.text);
            let help = fault.help.expect(message);
            assert!(!help.ends_with('.') || help.ends_with(".."), "{name}: {help}");
        }
    }
}

#[test]
fn the_contract_s_example_means_what_it_says() {
    let manifest = load(&folder("good").join("contract.toml")).unwrap();
    assert_eq!((manifest.schema.layout, manifest.schema.postgres, manifest.schema.partitions), (Layout::Sqlx, 14, 0));
    let adopt = manifest.schema.adopt.as_ref().unwrap();
    assert_eq!(
        (adopt.key.as_slice(), adopt.event_id.as_slice()),
        (["tenant", "idem_key"].map(String::from).as_slice(), ["event_id"].map(String::from).as_slice())
    );
    let reply = &manifest.actions["send_reply"];
    assert_eq!(
        reply.key.iter().map(|part| part.name.as_str()).collect::<Vec<_>>(),
        ["inbound_message_id", "conversation_step"]
    );
    assert_eq!((reply.send_budget.as_secs(), reply.pending_timeout.as_secs(), reply.max_attempts), (20, 120, 5));
    assert_eq!(reply.keep.map(|keep| keep.as_secs()), Some(90 * 86_400));
    let outreach = &manifest.actions["outreach_email"];
    assert_eq!(
        (outreach.send_budget.as_secs(), outreach.pending_timeout.as_secs(), outreach.keep_key),
        (30, 300, None)
    );
    let draft = &manifest.actions["draft_reply"];
    assert_eq!((draft.kind, draft.when_unknown), (Kind::Model, WhenUnknown::Retry));
    let whatsapp = &manifest.inbound["whatsapp"];
    assert_eq!((whatsapp.mode, whatsapp.retention.as_secs()), (InboundMode::Claim, 14 * 86_400));
    assert_eq!((manifest.scan.guards[0].key, manifest.scan.guards[0].body), (0, 2));
    assert_eq!(manifest.scan.allows[0].until, Some(jiff::civil::date(2027, 6, 30)));
    for (path, text) in [
        ("action.send_reply.key", "[\"inbound_message_id: text\", \"conversation_step: integer\"]"),
        ("action.send_reply", "send_reply"),
        ("action.send_reply.kind", "send_reply"),
        ("schema.layout", "\"sqlx\""),
        ("scan.allow.0", "[[scan.allow]]"),
    ] {
        assert_eq!(manifest.source.slice(manifest.places.of(path)), text, "{path}");
    }
}

fn refusal(path: &Path) -> Fault {
    let mut faults = load(path).unwrap_err().0;
    assert_eq!(faults.len(), 1);
    faults.remove(0)
}

#[test]
fn what_is_no_readable_manifest_is_said_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("onlyonce.toml");
    assert_eq!(refusal(&path).message, "there is no manifest at onlyonce.toml");
    assert_eq!(refusal(folder.path()).message, "onlyonce.toml is a folder, not a manifest");

    fs::write(&path, "").unwrap();
    assert_eq!(refusal(&path).message, "onlyonce.toml is empty");
    fs::write(&path, " \n\t\n").unwrap();
    assert_eq!(refusal(&path).message, "onlyonce.toml is empty");

    fs::write(&path, b"version = 1\n# caf\xe9\n").unwrap();
    let fault = refusal(&path);
    assert_eq!(fault.message, "onlyonce.toml is not UTF-8: byte 17, on line 2, is 0xE9");
    assert_eq!(fault.place.unwrap().span.start, 17);

    fs::write(&path, "version = 1\n".repeat(900_000)).unwrap();
    assert_eq!(refusal(&path).message, "onlyonce.toml is larger than a manifest may be: over 1048576 bytes");
    fs::write(&path, format!("version = 1\n#{}\n", "x".repeat(1_000_000))).unwrap();
    assert!(load(&path).is_ok());
}

#[cfg(unix)]
#[test]
fn a_file_without_rights_is_said_so() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("onlyonce.toml");
    fs::write(&path, "version = 1\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // Root reads everything: then there is nothing to refuse.
    if fs::read(&path).is_err() {
        let fault = refusal(&path);
        assert!(fault.message.starts_with("cannot read") && fault.message.contains("denied"), "{}", fault.message);
    }
    assert_eq!(refusal(Path::new("/dev/null")).message, "onlyonce.toml is no regular file, not a manifest");
}

#[test]
fn the_nearest_manifest_upwards_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("a/b/c");
    fs::create_dir_all(&deep).unwrap();
    assert_eq!(manifest::find(&deep), None);
    fs::write(folder.path().join("onlyonce.toml"), "").unwrap();
    assert_eq!(manifest::find(&deep), Some(folder.path().join("onlyonce.toml")));
    fs::write(folder.path().join("a/b/onlyonce.toml"), "").unwrap();
    assert_eq!(manifest::find(&deep), Some(folder.path().join("a/b/onlyonce.toml")));
}

#[test]
fn deep_nesting_is_a_fault_and_no_crash() {
    for text in [
        "a = ".to_owned() + &"[".repeat(200_000),
        "a = ".to_owned() + &"{b=".repeat(100_000),
        "[".to_owned() + &"a.".repeat(50_000) + "b]",
    ] {
        let faults = check::check(&Source::new("onlyonce.toml", text), PathBuf::new(), RULES).unwrap_err();
        assert!(!faults.0.is_empty());
    }
}

#[test]
fn a_file_full_of_faults_is_cut_short_and_takes_no_time() {
    let list =
        |item: &str| format!("version = 1\n[inbound.a]\nretention = \"1d\"\nevent_id = [{}]\n", item.repeat(100_000));
    for text in [
        "version = 1\n".repeat(80_000),
        "a = [\n".repeat(100_000),
        "x = [[1 2], [\n".repeat(60_000),
        list("\"$.a\", "),
        list("1, "),
        "version = 1\n[a]\n".to_owned() + &(0..80_000).map(|at| format!("k{at} = 1\n")).collect::<String>(),
        "version = 1\n".to_owned() + &(0..40_000).map(|at| format!("[action.k{at}]\n")).collect::<String>(),
    ] {
        let started = std::time::Instant::now();
        let faults = check::check(&Source::new("onlyonce.toml", text), PathBuf::new(), RULES).unwrap_err();
        assert!((1..=301).contains(&faults.0.len()), "{}", faults.0.len());
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(2000))]

    /// Whatever is done to a good manifest's bytes, it loads or says why not, at a place inside the file.
    #[test]
    fn no_bytes_make_it_panic(edits in proptest::collection::vec((0..4_usize, 0..2_000_usize, proptest::prelude::any::<u8>(), 0..40_usize), 1..8)) {
        let mut bytes = include_bytes!("manifests/good/contract.toml").to_vec();
        for (kind, at, byte, length) in edits {
            let at = at.min(bytes.len());
            let end = (at + length).min(bytes.len());
            match kind {
                0 => bytes.insert(at, byte),
                1 => drop(bytes.drain(at..end)),
                2 => bytes.extend_from_within(at..end),
                _ => bytes[at..end].fill(b"\"'[]{}=.,\n#\\-09e:"[usize::from(byte) % 17]),
            }
        }
        let source = Source::new("onlyonce.toml", String::from_utf8_lossy(&bytes));
        if let Err(faults) = check::check(&source, PathBuf::new(), RULES) {
            proptest::prop_assert!(!faults.0.is_empty());
            for fault in faults.0 {
                let span = fault.place.unwrap().span;
                proptest::prop_assert!(span.start <= span.end && span.end <= source.text().len());
            }
        }
    }
}
