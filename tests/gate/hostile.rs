//! Nothing that the repository sets up is run, and nothing in it is changed.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use super::bench::{Bench, function, git};

/// A repository in which every door that git has for programs leads to one that leaves a mark.
fn trapped() -> (Bench, std::path::PathBuf) {
    let bench = Bench::new(&[
        ("src/lib.rs", &function("a", &["x"])),
        ("src/ignored.rs", &function("b", &["x"])),
        (".gitattributes", "* filter=trap diff=trap merge=trap\nsrc/ignored.rs export-ignore\n"),
    ]);
    bench.commit_first();
    let mark = bench.root().join(".git/mark");
    let trap = bench.root().join(".git/trap");
    fs::write(&trap, format!("#!/bin/sh\ntouch {}\ncat\n", mark.display())).unwrap();
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
    let command = trap.to_str().unwrap();
    for name in [
        "filter.trap.smudge",
        "filter.trap.clean",
        "filter.trap.process",
        "diff.trap.textconv",
        "diff.trap.command",
        "diff.external",
        "merge.trap.driver",
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "core.gitProxy",
        "core.alternateRefsCommand",
        "credential.helper",
        "gpg.program",
        "uploadpack.packObjectsHook",
        "alias.ls-tree",
        "alias.cat-file",
        "alias.rev-parse",
    ] {
        let value = if name.starts_with("alias") { format!("!{command}") } else { command.to_owned() };
        bench.git(&["config", name, &value]);
    }
    for (name, value) in [
        ("remote.origin.url", format!("ext::{command}")),
        ("remote.origin.promisor", "true".into()),
        ("protocol.ext.allow", "always".into()),
        ("extensions.partialClone", "origin".into()),
    ] {
        bench.git(&["config", name, &value]);
    }
    for hook in ["post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman"] {
        fs::copy(&trap, bench.root().join(".git/hooks").join(hook)).unwrap();
    }
    (bench, mark)
}

#[test]
fn no_program_of_the_repository_runs() {
    let (bench, mark) = trapped();
    bench.write("src/lib.rs", &(function("a", &["x"]) + &function("c", &["x"])));
    let said = bench.check(&["--diff", "HEAD"]);
    assert_eq!(said.told(), ["src/lib.rs 5"], "what git would leave out of an archive was there too");
    assert!(!mark.exists());
    bench.run(&["--diff", "nowhere"]).is_fault(&["no revision"]);
    assert!(!mark.exists());
    // The trap works.
    bench.git(&["add", "-A"]);
    assert!(mark.exists());
}

#[test]
fn what_a_partial_clone_lacks_is_not_fetched() {
    let (bench, mark) = trapped();
    let object = bench.git(&["rev-parse", "HEAD:src/lib.rs"]);
    let (folder, file) = object.trim().split_at(2);
    fs::remove_file(bench.root().join(".git/objects").join(folder).join(file)).unwrap();
    let said = bench.check(&["--diff", "HEAD"]);
    assert_eq!(said.told(), ["src/lib.rs 2"]);
    assert!(said.err.contains("src/lib.rs as it was is not in this clone"), "{}", said.err);
    assert!(!mark.exists());
}

#[test]
fn the_work_tree_the_index_and_git_stay_as_they_are() {
    let (bench, _) = trapped();
    bench.write("src/lib.rs", &function("c", &["x"]));
    let state = || {
        let walk = walkdir::WalkDir::new(bench.root()).sort_by_file_name().into_iter().map(Result::unwrap);
        let files = walk.filter(|entry| entry.file_type().is_file());
        files
            .map(|entry| {
                (
                    entry.path().to_owned(),
                    fs::read(entry.path()).unwrap(),
                    entry.metadata().unwrap().modified().unwrap(),
                )
            })
            .collect::<Vec<_>>()
    };
    let before = state();
    bench.check(&["--diff", "HEAD"]);
    assert!(before == state());
}

#[test]
fn a_hook_that_calls_us_may_have_set_gits_own_variables() {
    let bench = Bench::new(&[("src/lib.rs", &function("a", &["x"]))]);
    bench.commit_first();
    bench.write("src/lib.rs", &function("c", &["x"]));
    bench.write(
        ".git/hooks/pre-commit",
        &format!(
            "#!/bin/sh\nexport GIT_DIR=.git\ncd src\nexec {} check . --diff HEAD\n",
            env!("CARGO_BIN_EXE_onlyonce")
        ),
    );
    fs::set_permissions(bench.root().join(".git/hooks/pre-commit"), fs::Permissions::from_mode(0o755)).unwrap();
    bench.git(&["add", "-A"]);
    let refused = std::panic::catch_unwind(|| git(&bench.root(), &["commit", "-q", "-m", "x"])).unwrap_err();
    let said = refused.downcast_ref::<String>().unwrap();
    assert!(said.contains("[lib.rs:2:13]"), "{said}");
}

/// A tree that leads out of itself is not written.
#[test]
fn a_name_that_leads_elsewhere_is_not_followed() {
    let bench = Bench::new(&[("src/lib.rs", &function("a", &["x"]))]);
    bench.commit_first();
    let script = "blob=$(git hash-object -w Cargo.toml)\n\
        inner=$(printf '100644 blob %s\\thooks\\n' $blob | git mktree)\n\
        tree=$(printf '040000 tree %s\\t.git\\n' $inner | git mktree)\n\
        git -c user.name=a -c user.email=a@example.com commit-tree -m x $tree";
    let made = Command::new("sh").args(["-c", script]).current_dir(bench.root()).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let commit = String::from_utf8(made.stdout).unwrap();
    let said = bench.check(&["--diff", commit.trim()]);
    assert!(said.err.contains("has a name that is no text"), "{}", said.err);
}
