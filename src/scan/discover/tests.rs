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
    assert_eq!(found.left_out, LeftOut { tests: 2, benches: 1, examples: 1, build_scripts: 1, excluded: 2 });
    assert_eq!(
        found.packages[0].roots,
        ["src/lib.rs", "cmd/tool.rs", "src/bin/a.rs", "src/bin/b/main.rs", "src/main.rs"]
    );
    let all = discover(folder.path(), &Options { include_tests: true, ..Options::default() }).unwrap();
    assert_eq!(all.files.iter().find(|file| file.source.name() == "benches/b.rs").unwrap().kind, Kind::Bench);
    assert_eq!(all.left_out, LeftOut::default());
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
