//! The files of an older revision, read out of git without touching the work tree.
//!
//! Git is asked by plumbing that runs nothing that the repository has set up: no hooks, filters, text conversions or
//! file monitors, and nothing is fetched.

use std::fs;
use std::io::{self, BufReader, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use crate::diagnostic::Fault;

/// Files above this many bytes are no source.
const LARGEST: u64 = 32 << 20;

/// How deep submodules may hold submodules.
const DEEPEST: usize = 8;

/// An older revision as a folder, removed when it is dropped.
#[derive(Debug)]
pub struct Revision {
    /// What was compared with: the commit where the branch left the revision, or the revision where there is none.
    pub commit: String,
    /// The repository's files as they were.
    folder: tempfile::TempDir,
    /// The repository's folder now.
    top: PathBuf,
    /// The checked folder, from the repository's.
    below: PathBuf,
    /// What could not be read, a line each.
    pub gaps: Vec<String>,
}

impl Revision {
    /// Reads the revision that a repository had, for a check of the folder `root` in it.
    ///
    /// # Errors
    /// When `root` is in no repository, the revision is not there, or git cannot be run.
    pub fn read(root: &Path, name: &str) -> Result<Revision, Fault> {
        let top = PathBuf::from(repository(root)?);
        let below = PathBuf::from(said(root, &["rev-parse", "--show-prefix"]).unwrap_or_default());
        let commit = commit(root, name)?;
        let base = said(root, &["merge-base", "HEAD", &commit]).filter(|base| !base.is_empty());
        let commit = base.unwrap_or(commit);
        let folder = tempfile::tempdir().map_err(|error| Fault::new(format!("cannot make a folder: {error}")))?;
        let mut revision = Revision { commit, folder, top, below, gaps: Vec::new() };
        let (from, to) = (revision.top.clone(), revision.folder.path().to_owned());
        let commit = revision.commit.clone();
        export(&from, &commit, &to, &mut revision.gaps, DEEPEST)?;
        Ok(revision)
    }

    /// The checked folder as it was. There is none where the revision did not have it.
    #[must_use]
    pub fn root(&self) -> PathBuf {
        self.folder.path().join(&self.below)
    }

    /// Where a file of the repository was; `None` for one outside of it.
    #[must_use]
    pub fn of_now(&self, path: &Path) -> Option<PathBuf> {
        let path = path.canonicalize().ok()?;
        let below = path.strip_prefix(self.top.canonicalize().ok()?).ok()?;
        Some(self.folder.path().join(below))
    }
}

/// Git, asked to read: nothing of the repository's own settings runs, and no lock is taken.
fn git(folder: &Path) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder);
    git.args(["--no-pager", "--no-replace-objects", "--literal-pathspecs"]);
    git.args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]);
    for (name, value) in [
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_NO_LAZY_FETCH", "1"),
        // Older ones know only this: no protocol is allowed, so that nothing is fetched.
        ("GIT_ALLOW_PROTOCOL", "none"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("LC_ALL", "C"),
    ] {
        git.env(name, value);
    }
    // A hook that calls us has set these for its own folder.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        git.env_remove(name);
    }
    git.stdin(Stdio::null());
    git
}

/// The first line of what git answers, `None` where it fails.
fn said(folder: &Path, words: &[&str]) -> Option<String> {
    let output = git(folder).args(words).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.lines().next().unwrap_or_default().to_owned())
}

fn repository(root: &Path) -> Result<String, Fault> {
    let output = git(root).args(["rev-parse", "--show-toplevel"]).output();
    let output = output.map_err(|error| {
        Fault::new(format!("cannot run git: {error}"))
            .with_help("--diff reads an older revision out of git: install it")
    })?;
    if output.status.success() {
        let text = String::from_utf8_lossy(&output.stdout);
        return Ok(text.trim_end_matches(['\n', '\r']).to_owned());
    }
    let why = String::from_utf8_lossy(&output.stderr);
    let why = why.lines().next().unwrap_or_default().trim_start_matches("fatal: ").to_owned();
    let fault = Fault::new(format!("{} cannot be compared with an older revision: {why}", root.display()));
    Err(if why.starts_with("not a git repository") {
        fault.with_help("check a folder of a git repository, or leave --diff out")
    } else if why.starts_with("detected dubious ownership") {
        fault.with_help("if you trust it, run `git config --global --add safe.directory` with its path")
    } else {
        fault.with_help("mend what git says, or leave --diff out")
    })
}

fn commit(root: &Path, name: &str) -> Result<String, Fault> {
    let found = (!name.starts_with('-'))
        .then(|| said(root, &["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")]))
        .flatten();
    found.filter(|commit| !commit.is_empty()).ok_or_else(|| {
        let fault = Fault::new(format!("this repository has no revision `{name}`"));
        if said(root, &["rev-parse", "--is-shallow-repository"]).as_deref() == Some("true") {
            fault.with_help(
                "this clone holds only the newest commits: fetch it (`git fetch --depth=1 origin` and its name, then \
                 name FETCH_HEAD), or let actions/checkout fetch all (`fetch-depth: 0`)",
            )
        } else {
            fault.with_help("name a commit, a branch or a tag that `git rev-parse` finds; `git fetch` may bring it")
        }
    })
}

/// A file or link of a tree.
struct Blob {
    object: String,
    path: PathBuf,
    link: bool,
}

/// Writes the files of a commit under `to`.
fn export(top: &Path, commit: &str, to: &Path, gaps: &mut Vec<String>, depth: usize) -> Result<(), Fault> {
    let mut listing = git(top);
    listing.args(["ls-tree", "-r", "-z", "-l", "--full-tree", commit]);
    let output = listing.output().map_err(|error| Fault::new(format!("cannot run git: {error}")))?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        let fault = Fault::new(format!("git cannot list the files of {commit}: {why}"));
        return Err(fault.with_help("fetch the whole commit, or leave --diff out"));
    }
    let mut blobs = Vec::new();
    for entry in output.stdout.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()) {
        let Some(entry) = Entry::read(entry) else {
            gaps.push(format!("a file of {commit} has a name that is no text"));
            continue;
        };
        match entry.mode {
            "160000" => submodule(top, &entry, to, gaps, depth)?,
            mode => match entry.size {
                Some(size) if size > LARGEST => {}
                Some(_) => {
                    let link = mode == "120000";
                    blobs.push(Blob { object: entry.object.to_owned(), path: entry.path, link });
                }
                None => gaps.push(lacking(&entry.path)),
            },
        }
    }
    write(top, &blobs, to, gaps)
}

/// `100644 blob 0123.. 42<tab>src/lib.rs`
struct Entry<'t> {
    mode: &'t str,
    object: &'t str,
    size: Option<u64>,
    path: PathBuf,
}

impl Entry<'_> {
    /// `None` for a name that is no text, or leads out of the tree.
    fn read(bytes: &[u8]) -> Option<Entry<'_>> {
        let (head, path) = std::str::from_utf8(bytes).ok()?.split_once('\t')?;
        let mut words = head.split_whitespace();
        let (mode, _kind, object) = (words.next()?, words.next()?, words.next()?);
        let path = PathBuf::from(path);
        let plain = path.components().all(|part| matches!(part, Component::Normal(name) if name != ".git"));
        plain.then(|| Entry { mode, object, size: words.next().and_then(|size| size.parse().ok()), path })
    }
}

/// A submodule's files, where it is checked out and has the commit.
fn submodule(top: &Path, entry: &Entry<'_>, to: &Path, gaps: &mut Vec<String>, depth: usize) -> Result<(), Fault> {
    let folder = top.join(&entry.path);
    if !folder.join(".git").exists() || depth == 0 {
        return Ok(());
    }
    if said(&folder, &["cat-file", "-t", entry.object]).as_deref() != Some("commit") {
        gaps.push(lacking(&entry.path));
        return Ok(());
    }
    export(&folder, entry.object, &to.join(&entry.path), gaps, depth - 1)
}

/// Of a partial clone, or of a submodule that was not fetched as far back.
fn lacking(path: &Path) -> String {
    format!("{} as it was is not in this clone: all in it counts as new", path.display())
}

fn write(top: &Path, blobs: &[Blob], to: &Path, gaps: &mut Vec<String>) -> Result<(), Fault> {
    let failed = |error: &io::Error| {
        Fault::new(format!("cannot read files out of git: {error}")).with_help("check that `git fsck` finds no fault")
    };
    let mut git = git(top);
    git.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = git.spawn().map_err(|error| failed(&error))?;
    let (asks, answers) = (child.stdin.take(), child.stdout.take());
    let (Some(mut asks), Some(answers)) = (asks, answers) else {
        return Err(failed(&io::ErrorKind::BrokenPipe.into()));
    };
    let names: String = blobs.iter().map(|blob| format!("{}\n", blob.object)).collect();
    let written = std::thread::scope(|scope| {
        // Git answers while it is asked: in one thread both would wait for each other. One that has gone away shows
        // where it is read.
        scope.spawn(move || drop(asks.write_all(names.as_bytes())));
        receive(BufReader::new(answers), blobs, to, gaps)
    });
    // Once it has answered all there is nothing more to hear from it.
    let _ = child.kill();
    let _ = child.wait();
    written.map_err(|error| failed(&error))
}

fn receive(mut answers: impl io::BufRead, blobs: &[Blob], to: &Path, gaps: &mut Vec<String>) -> io::Result<()> {
    let mut links = Vec::new();
    for blob in blobs {
        let mut head = String::new();
        answers.read_line(&mut head)?;
        let Some(size) = head.trim_end().rsplit_once(' ').and_then(|(_, size)| size.parse::<u64>().ok()) else {
            if head.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            gaps.push(lacking(&blob.path));
            continue;
        };
        let mut bytes = Vec::new();
        answers.by_ref().take(size).read_to_end(&mut bytes)?;
        answers.read_exact(&mut [0])?;
        let path = to.join(&blob.path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        if blob.link { links.push((path, bytes)) } else { fs::write(path, bytes)? }
    }
    // Links come last, so that no file is written through one.
    for (path, bytes) in links {
        link(&String::from_utf8_lossy(&bytes), &path)?;
    }
    Ok(())
}

#[cfg(unix)]
fn link(target: &str, path: &Path) -> io::Result<()> {
    if path.symlink_metadata().is_ok() { Ok(()) } else { std::os::unix::fs::symlink(target, path) }
}

/// As git does where links are not to be had.
#[cfg(not(unix))]
fn link(target: &str, path: &Path) -> io::Result<()> {
    fs::write(path, target)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::time::SystemTime;

    use super::*;

    /// A repository with a file, whose hooks and file watcher leave a mark.
    fn trapped() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let run = |words: &[&str]| assert!(plain(folder.path(), words), "{words:?}");
        run(&["init", "-q", "-b", "main"]);
        fs::write(folder.path().join("a"), "a").unwrap();
        run(&["add", "-A"]);
        run(&["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "x"]);
        let (trap, hook) = (folder.path().join(".git/trap"), folder.path().join(".git/hooks/reference-transaction"));
        fs::write(&trap, format!("#!/bin/sh\ntouch {}\n", mark(folder.path()).display())).unwrap();
        fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        fs::copy(&trap, hook).unwrap();
        run(&["config", "core.fsmonitor", trap.to_str().unwrap()]);
        folder
    }

    fn mark(folder: &Path) -> PathBuf {
        folder.join(".git/mark")
    }

    /// Git as anybody runs it.
    fn plain(folder: &Path, words: &[&str]) -> bool {
        Command::new("git").arg("-C").arg(folder).args(words).output().unwrap().status.success()
    }

    /// The questions asked today start nothing; a later one may be such as these.
    #[test]
    fn whatever_is_asked_no_hook_and_no_watcher_runs() {
        for words in [["status", "--short", "--untracked-files=no"], ["update-ref", "refs/heads/b", "HEAD"]] {
            let folder = trapped();
            assert!(git(folder.path()).args(words).output().unwrap().status.success());
            assert!(!mark(folder.path()).exists(), "{words:?}");
            // The trap works. Git leaves a reference alone that is what it shall be.
            plain(folder.path(), &["update-ref", "-d", "refs/heads/b"]);
            let _ = fs::remove_file(mark(folder.path()));
            assert!(plain(folder.path(), &words) && mark(folder.path()).exists(), "{words:?}");
        }
    }

    #[test]
    fn whatever_is_asked_the_index_is_not_written() {
        let folder = trapped();
        let index = || fs::read(folder.path().join(".git/index")).unwrap();
        // Git would note that the file has another time and is the same.
        let file = fs::File::options().append(true).open(folder.path().join("a")).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        let before = index();
        assert!(git(folder.path()).arg("status").output().unwrap().status.success());
        assert!(index() == before);
        assert!(plain(folder.path(), &["status"]) && index() != before);
    }
}
