//! Folders with everything in them that goes wrong.

use std::collections::BTreeMap;
use std::path::Path;

use super::*;

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn look(root: &Path) -> Discovery {
    discover(root, &Options { exclude: vec!["tools/**".to_owned(), "**/made.rs".to_owned()], include_tests: false })
        .unwrap()
}

fn names(found: &Discovery) -> Vec<&str> {
    found.files.iter().map(|file| file.source.name()).collect()
}

#[test]
fn code_is_found_and_the_rest_is_counted() {
    let folder = tree(&[
        (
            "Cargo.toml",
            "[package]\nname = \"acme\"\nversion = \"0.1.0\"\n[[test]]\nname = \"odd\"\npath = \"odd/odd.rs\"\n[[bin]]\nname = \"tool\"\npath = \"cmd/tool.rs\"",
        ),
        ("src/lib.rs", ""),
        ("src/main.rs", ""),
        ("src/bin/a.rs", ""),
        ("src/bin/b/main.rs", ""),
        ("src/bin/b/part.rs", ""),
        ("src/target/mod.rs", ""),
        ("cmd/tool.rs", ""),
        ("build.rs", ""),
        ("tests/t.rs", ""),
        ("odd/odd.rs", ""),
        ("benches/b.rs", ""),
        ("examples/e/main.rs", ""),
        ("target/debug/x.rs", ""),
        (".git/x.rs", ""),
        (".github/tool/x.rs", ""),
        ("vendor/serde/.cargo-checksum.json", "{}"),
        ("vendor/serde/src/lib.rs", ""),
        ("tools/x.rs", ""),
        ("src/made.rs", ""),
    ]);
    let found = look(folder.path());
    assert_eq!(
        names(&found),
        [
            "cmd/tool.rs",
            "src/bin/a.rs",
            "src/bin/b/main.rs",
            "src/bin/b/part.rs",
            "src/lib.rs",
            "src/main.rs",
            "src/target/mod.rs"
        ]
    );
    assert_eq!(
        found.left_out,
        LeftOut { tests: 2, benches: 1, examples: 1, build_scripts: 1, excluded: 2, hidden: 1, made: 2 }
    );
    assert_eq!(
        found.packages[0].roots,
        ["src/lib.rs", "cmd/tool.rs", "src/bin/a.rs", "src/bin/b/main.rs", "src/main.rs"]
    );
    let all = discover(folder.path(), &Options { include_tests: true, ..Options::default() }).unwrap();
    assert_eq!(all.files.iter().find(|file| file.source.name() == "benches/b.rs").unwrap().kind, Kind::Bench);
    assert_eq!(all.left_out, LeftOut { hidden: 1, made: 2, ..LeftOut::default() });
}

#[test]
fn dependencies_are_inherited_renamed_patched_and_local() {
    let folder = tree(&[
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"crates/*\"]\n[workspace.dependencies]\nreqwest_0_12 = { package = \"reqwest\", version = \"0.12\" }\nacme-http = { path = \"crates/http\" }\n[patch.crates-io]\nforked = { path = \"crates/fork\" }",
        ),
        (
            "crates/bot/Cargo.toml",
            "[package]\nname = \"bot\"\n[dependencies]\nreqwest_0_12.workspace = true\nacme-http = { workspace = true }\nforked = \"1\"\n[target.'cfg(unix)'.dependencies]\nlettre = \"0.11\"\n[build-dependencies]\ncc = \"1\"\n[dev-dependencies]\nweb = { path = \"../http\", package = \"acme-http\" }",
        ),
        ("crates/http/Cargo.toml", "[package]\nname = \"acme-http\"\n[lib]\nname = \"acme\"\npath = \"lib.rs\""),
        ("crates/http/lib.rs", ""),
        ("crates/fork/Cargo.toml", "[package]\nname = \"forked\""),
        ("crates/bot/src/main.rs", ""),
        ("nested/Cargo.toml", "[workspace]\n[package]\nname = \"apart\"\n[dependencies]\nacme-http.workspace = true"),
    ]);
    let found = look(folder.path());
    let folders: Vec<_> = found.packages.iter().map(|package| package.folder.as_str()).collect();
    assert_eq!(folders, ["crates/bot", "crates/fork", "crates/http", "nested"]);
    let bot = &found.packages[0];
    let dependencies: BTreeMap<_, _> =
        bot.dependencies.iter().map(|(code, name)| (code.as_str(), name.as_str())).collect();
    let expected = [
        ("acme_http", "acme-http"),
        ("cc", "cc"),
        ("forked", "forked"),
        ("lettre", "lettre"),
        ("reqwest_0_12", "reqwest"),
        ("web", "acme-http"),
    ];
    assert_eq!(dependencies, BTreeMap::from(expected));
    let local: BTreeMap<_, _> = bot.local.iter().map(|(code, folder)| (code.as_str(), folder.as_str())).collect();
    assert_eq!(
        local,
        BTreeMap::from([("acme_http", "crates/http"), ("forked", "crates/fork"), ("web", "crates/http")])
    );
    assert_eq!((found.packages[2].library.as_str(), found.packages[2].has_library), ("acme", true));
    assert!(found.packages[3].local.is_empty());
}

#[test]
fn what_cannot_be_read_is_named() {
    let folder =
        tree(&[("Cargo.toml", "[package\n"), ("sub/Cargo.toml", "[package]\nversion = \"1\""), ("src/lib.rs", "")]);
    std::fs::write(folder.path().join("src/bad.rs"), b"fn f() {}\n\xff\xfe").unwrap();
    let found = look(folder.path());
    let unread: Vec<_> =
        found.files.iter().filter_map(|file| Some((file.source.name(), file.unread.as_ref()?))).collect();
    assert_eq!(
        unread.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        ["Cargo.toml", "src/bad.rs", "sub/Cargo.toml"]
    );
    assert_eq!(unread[1].1.span, Span::new(10, 10));
    assert_eq!(unread[1].1.reason, "not UTF-8");
    assert!(discover(&folder.path().join("none"), &Options::default()).is_err());
    assert!(discover(folder.path(), &Options { exclude: vec!["a[".to_owned()], ..Options::default() }).is_err());
}

#[cfg(unix)]
#[test]
fn links_end_and_broken_ones_are_named() {
    use std::os::unix::fs::symlink;
    let folder = tree(&[("src/lib.rs", ""), ("shared/x.rs", "")]);
    let outside = tree(&[("y.rs", "")]);
    symlink(folder.path(), folder.path().join("src/loop")).unwrap();
    symlink(folder.path().join("shared"), folder.path().join("src/shared")).unwrap();
    symlink(outside.path(), folder.path().join("src/outside")).unwrap();
    symlink(folder.path().join("gone.rs"), folder.path().join("src/gone.rs")).unwrap();
    symlink(folder.path().join("nowhere"), folder.path().join("README")).unwrap();
    let found = look(folder.path());
    assert_eq!(names(&found), ["shared/x.rs", "src/gone.rs", "src/lib.rs", "src/outside/y.rs"]);
    assert!(found.files[1].unread.is_some());
}

#[test]
fn a_file_that_vanishes_is_named() {
    let folder = tree(&[]);
    let file = read_file(folder.path(), &folder.path().join("src/gone.rs"), Kind::Code);
    assert_eq!(file.source.name(), "src/gone.rs");
    assert!(file.unread.is_some());
}

fn unread(found: &Discovery) -> Vec<&str> {
    found.files.iter().filter(|file| file.unread.is_some()).map(|file| file.source.name()).collect()
}

/// Opening a pipe would wait for a writer that never comes.
#[cfg(unix)]
#[test]
fn what_is_no_file_is_named_and_not_opened() {
    let folder = tree(&[("src/lib.rs", ""), ("src/folder.rs/mod.rs", ""), ("Cargo.toml/x.rs", "")]);
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("src/pipe.rs")).status();
    assert!(made.unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("src/socket.rs")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("src/zero.rs")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("src/Cargo.toml")).unwrap();
    let found = look(folder.path());
    assert_eq!(unread(&found), ["src/Cargo.toml", "src/pipe.rs", "src/socket.rs", "src/zero.rs"]);
    assert_eq!(found.files.len(), 7);
}

/// Two names that look the same to people are two files.
#[cfg(unix)]
#[test]
fn names_that_are_no_utf8_stay_apart() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tree(&[("src/lib.rs", ""), ("src/é.rs", "")]);
    for name in [&b"src/a\xff.rs"[..], b"src/a\xfe.rs", b"d\xff/x.rs", b"d\xfe/x.rs"] {
        let path = folder.path().join(OsStr::from_bytes(name));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
    let found = look(folder.path());
    assert_eq!(
        names(&found),
        ["d\\xfe/x.rs", "d\\xff/x.rs", "src/a\\xfe.rs", "src/a\\xff.rs", "src/lib.rs", "src/é.rs"]
    );
}

/// A link to a folder above leads to the same files by another way, and to all that stands beside them.
#[cfg(unix)]
#[test]
fn links_to_what_holds_the_folder_are_not_followed() {
    use std::os::unix::fs::symlink;
    let outer = tree(&[("in/src/lib.rs", ""), ("beside/x.rs", "")]);
    let root = outer.path().join("in");
    for (target, link) in [(outer.path(), "up"), (Path::new("/"), "all"), (Path::new(".."), "dots")] {
        symlink(target, root.join(link)).unwrap();
    }
    symlink("self.rs", root.join("src/self.rs")).unwrap();
    let found = look(&root);
    assert_eq!(names(&found), ["src/lib.rs", "src/self.rs"]);
    assert_eq!(unread(&found), ["src/self.rs"]);
}

#[test]
fn a_file_that_is_too_large_is_named() {
    let folder = tree(&[("src/lib.rs", "")]);
    let large = std::fs::File::create(folder.path().join("src/large.rs")).unwrap();
    large.set_len(MOST_BYTES * 1000).unwrap();
    let found = look(folder.path());
    assert_eq!(found.files[0].unread.as_ref().unwrap().reason, "larger than 32 MiB");
    assert_eq!(names(&found), ["src/large.rs", "src/lib.rs"]);
}

/// What comes and goes beside the code is nobody's finding.
#[test]
fn walking_goes_on_where_files_vanish() {
    let folder = tree(&[("src/lib.rs", "")]);
    let busy = std::sync::atomic::AtomicBool::new(true);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for at in (0..).take_while(|_| busy.load(std::sync::atomic::Ordering::Relaxed)) {
                let name = folder.path().join(format!("{}.tmp", at % 50));
                std::fs::write(&name, "").unwrap();
                std::fs::remove_file(&name).unwrap();
                let deep = folder.path().join(format!("d{}/e", at % 50));
                std::fs::create_dir_all(&deep).unwrap();
                std::fs::write(deep.join("x.rs"), "").unwrap();
                std::fs::remove_dir_all(deep.parent().unwrap()).unwrap();
            }
        });
        for _ in 0..100 {
            let found = look(folder.path());
            assert!(found.files.iter().any(|file| file.source.name() == "src/lib.rs" && file.unread.is_none()));
            assert!(!unread(&found).iter().any(|name| name.ends_with(".tmp")), "{:?}", unread(&found));
        }
        busy.store(false, std::sync::atomic::Ordering::Relaxed);
    });
}

/// Manifests that no parser should descend into.
#[test]
fn manifests_that_are_hard_end() {
    let deep = |open: &str, close: &str, times: usize| format!("x = {}1{}\n", open.repeat(times), close.repeat(times));
    let texts = [
        deep("[", "]", 100_000),
        deep("{ a = ", " }", 100_000),
        format!("{}b = 1\n", "a.".repeat(100_000)),
        format!("[{}b]\n", "a.".repeat(100_000)),
        format!("[package]\nname = \"a\"\n[dependencies]\n{}", "a.".repeat(50_000) + "b = 1"),
        (0..100_000)
            .fold("[package]\nname = \"a\"\n[dependencies]\n".to_owned(), |text, at| text + &format!("a{at} = \"1\"\n")),
        (0..20_000).fold("[package]\nname = \"a\"\n".to_owned(), |text, at| text + &format!("[[bin]]\nname = \"a{at}\"\n")),
        "\u{feff}[package]\r\nname = \"a\"\r\n".to_owned(),
        "[package]\nname = \"\"\n".to_owned(),
        "[package]\nname = \"a\"\nworkspace = \"../../..\"\n[dependencies]\na = { path = \".\" }\n".to_owned(),
        "[package]\nname = 1\n".to_owned(),
        "[package]\nname = \"a\"\nbuild = [\"one.rs\", \"two.rs\"]\n".to_owned(),
        "package = 1\n".to_owned(),
        "dependencies = []\n[package]\nname = \"a\"\n".to_owned(),
        "[package]\nname = \"a\"\n[dependencies]\na = { workspace = true }\n[workspace.dependencies]\na = { workspace = true }\n"
            .to_owned(),
    ];
    for text in texts {
        let start = std::time::Instant::now();
        let folder = tree(&[("Cargo.toml", &text), ("src/lib.rs", "")]);
        let found = look(folder.path());
        assert!(names(&found).contains(&"src/lib.rs"));
        assert!(found.packages.len() + unread(&found).len() == 1, "{:.60}", text);
        assert!(start.elapsed().as_secs() < 20, "{:.60}", text);
    }
}

/// Packages that name each other's folders.
#[test]
fn path_dependencies_in_a_circle_end() {
    let package = |name: &str, other: &str| {
        format!(
            "[package]\nname = \"{name}\"\n[dependencies]\n{other} = {{ path = \"../{other}\" }}\n{name} = {{ path = \".\" }}\n"
        )
    };
    let (a, b) = (package("a", "b"), package("b", "a"));
    let folder = tree(&[
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"a\", \"b\", \"../../..\", \"*\"]\n[patch.crates-io]\na = { path = \"b\" }\n",
        ),
        ("a/Cargo.toml", a.as_str()),
        ("b/Cargo.toml", b.as_str()),
        ("a/src/lib.rs", "pub use b::*;"),
        ("b/src/lib.rs", "pub use a::*;"),
    ]);
    let found = look(folder.path());
    assert_eq!(found.packages.len(), 2);
    assert_eq!(found.packages[0].local.get("b").map(String::as_str), Some("b"));
}
