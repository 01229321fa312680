//! A folder with everything in it that is hard to read: each Rust file is read, named as unread or counted as left
//! out, and the scan ends.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use onlyonce::cli::{self, Page};
use serde_json::Value;

/// What `check` says of the code in a folder.
fn checked(folder: &Path) -> Value {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let words = ["onlyonce", "check", "--only", "code", "--format", "json"].map(OsString::from);
    let exit = cli::run(words, &mut Page::new(folder.to_owned(), jiff::Timestamp::UNIX_EPOCH, &mut out, &mut err));
    assert_ne!(exit, cli::Exit::Failed, "{}", String::from_utf8_lossy(&err));
    serde_json::from_slice(&out).unwrap()
}

/// Files read, and names of what is unread.
fn coverage(said: &Value) -> (u64, Vec<String>) {
    let coverage = &said["summary"]["coverage"];
    let unread = coverage["files_unread"].as_array().unwrap().iter();
    (coverage["files_parsed"].as_u64().unwrap(), unread.map(|name| name.as_str().unwrap().to_owned()).collect())
}

fn put(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

#[test]
fn every_rust_file_is_read_named_or_counted() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let send = "pub async fn f(h: &reqwest::Client) { h.post(\"https://x.example\").send().await.unwrap(); }\n";
    put(folder, "Cargo.toml", "[package]\nname = \"acme\"\n[dependencies]\nreqwest = \"0.12\"\n");
    put(folder, "src/lib.rs", "mod big; mod deep; mod latin; mod broken; mod huge; mod gone; mod dir;\n");
    // Read, in spite of all.
    let line = format!("// {}\nconst TEXT: &str = \"{}\";\n", "x".repeat(200), "y".repeat(200));
    put(folder, "src/big.rs", format!("{send}{}", line.repeat((10 << 20) / line.len())));
    put(folder, "src/mark.rs", format!("\u{feff}#!/usr/bin/env run\r\n{send}"));
    put(folder, "src/empty.rs", "");
    put(folder, "src/odd name\n\u{1F980}.rs", send);
    put(folder, "src/dir.rs/mod.rs", send);
    symlink("mark.rs", folder.join("src/link.rs")).unwrap();
    // Not read, and said so.
    put(folder, "src/deep.rs", format!("fn f() {{ {}1{} }}", "(".repeat(9_000), ")".repeat(9_000)));
    put(folder, "src/latin.rs", b"// caf\xe9\nfn f() {}\n");
    put(folder, "src/broken.rs", "<<<<<<< HEAD\nfn f() {}\n");
    fs::File::create(folder.join("src/huge.rs")).unwrap().set_len(33 << 20).unwrap();
    symlink("nowhere.rs", folder.join("src/gone.rs")).unwrap();
    assert!(Command::new("mkfifo").arg(folder.join("src/pipe.rs")).status().unwrap().success());
    // Left out, and counted.
    for name in ["tests/t.rs", "benches/b.rs", "examples/e/main.rs", "build.rs", ".ci/x/y.rs"] {
        put(folder, name, send);
    }
    // Links that lead nowhere new.
    symlink("..", folder.join("src/up")).unwrap();
    symlink("circle", folder.join("src/circle")).unwrap();

    let said = checked(folder);
    let (read, unread) = coverage(&said);
    assert_eq!(
        unread,
        ["src/broken.rs", "src/deep.rs", "src/gone.rs", "src/huge.rs", "src/latin.rs", "src/pipe.rs"],
        "{said:#}"
    );
    assert_eq!(read, 7, "lib, big, mark, empty, odd, dir and link");
    let left_out = &said["summary"]["coverage"]["left_out"];
    for kind in ["tests", "benches", "examples", "build_scripts", "hidden"] {
        assert_eq!(left_out[kind], 1, "{kind}: {left_out}");
    }
    let findings = said["findings"].as_array().unwrap();
    let of = |rule: &str| findings.iter().filter(|finding| finding["rule"] == rule).count();
    assert_eq!((of("unread-file"), of("unguarded-send")), (6, 5), "{said:#}");
}

/// Where guards are missing, by the file.
fn unguarded(said: &Value) -> Vec<&str> {
    let findings = said["findings"].as_array().unwrap().iter().filter(|finding| finding["rule"] == "unguarded-send");
    findings.map(|finding| finding["file"].as_str().unwrap()).collect()
}

#[test]
fn a_name_like_that_of_tests_hides_nothing_that_code_leads_to() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let send = "pub async fn f(h: &reqwest::Client) { h.post(\"https://x.example\").send().await.unwrap(); }\n";
    put(folder, "Cargo.toml", "[package]\nname = \"acme\"\n[dependencies]\nreqwest = \"0.12\"\n");
    let root = "mod test_kit; mod both; mod tests; mod lead; mod gated_test;\n#[cfg(test)] mod unit_tests;\n#[cfg(test)] mod leading_tests;\n#[cfg(test)] mod broken_test;\n#[cfg(any(test, feature = \"kit\"))] mod any_test;\ninclude!(\"part_test.rs\");\n";
    put(folder, "src/lib.rs", root);
    // Code leads to these, or nothing does.
    put(folder, "src/test_kit.rs", send);
    put(folder, "src/both.rs", "#[cfg(test)] mod tests;\n#[path = \"both/tests.rs\"] mod again;\n");
    put(folder, "src/both/tests.rs", send);
    put(folder, "src/tests/mod.rs", "pub mod inside;\n");
    put(folder, "src/tests/inside.rs", send);
    put(folder, "src/lead.rs", "#[path = \"far/lies_tests.rs\"] mod far;\n");
    put(folder, "src/far/lies_tests.rs", send);
    put(folder, "src/any_test.rs", send);
    put(folder, "src/part_test.rs", send);
    put(folder, "src/lost_test.rs", send);
    // Tests alone lead to these.
    put(folder, "src/unit_tests.rs", format!("mod inline {{ {send} }}"));
    put(folder, "src/broken_test.rs", "fn f( {");
    put(folder, "src/leading_tests.rs", "mod helper;\n");
    put(folder, "src/leading_tests/helper.rs", send);
    // They say so themselves.
    put(folder, "src/own_test.rs", format!("#![cfg(test)]\n{send}"));
    put(folder, "src/gated_test.rs", format!("#![cfg(test)]\n{send}"));

    let said = checked(folder);
    let read = ["any_test", "both/tests", "far/lies_tests", "lost_test", "part_test", "test_kit", "tests/inside"];
    assert_eq!(unguarded(&said), read.map(|name| format!("src/{name}.rs")), "{said:#}");
    // With lib, both, lead, tests/mod, leading_tests, its helper, own_test and gated_test, which have to be read to be known.
    assert_eq!(coverage(&said), (15, Vec::new()), "{said:#}");
    assert_eq!(said["summary"]["coverage"]["left_out"]["tests"], 2, "unit_tests and broken_test");
}

#[test]
fn what_comes_and_goes_meanwhile_stops_nobody() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    put(folder, "Cargo.toml", "[package]\nname = \"acme\"\n");
    put(folder, "src/lib.rs", "mod stays;\n");
    put(folder, "src/stays.rs", "pub fn f() {}\n");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut round = 0_u32;
            while !done.load(Ordering::Relaxed) {
                round += 1;
                for at in 0..20 {
                    put(folder, &format!("src/part{}/deep/x{at}.rs", round % 7), format!("fn f{round}() {{}}"));
                }
                let _ = fs::remove_dir_all(folder.join(format!("src/part{}", (round + 3) % 7)));
                let _ = fs::rename(folder.join("src/stays.rs"), folder.join("src/went.rs"));
                let _ = fs::rename(folder.join("src/went.rs"), folder.join("src/stays.rs"));
            }
        });
        let said = std::panic::catch_unwind(|| (0..60).map(|_| coverage(&checked(folder)).0).collect::<Vec<_>>());
        done.store(true, Ordering::Relaxed);
        assert!(said.unwrap().into_iter().all(|read| read >= 1), "what stays is read");
    });
}
