//! Folder -> packages and Rust files. Reads; runs neither cargo nor a build script.
//!
//! What cannot be read comes back as a file with a reason, never as nothing.

mod package;

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use globset::{Glob, GlobSet, GlobSetBuilder};
use rayon::prelude::*;
use walkdir::{DirEntry, WalkDir};

use crate::diagnostic::Fault;
use crate::scan::index::Package;
use crate::scan::ir::Unread;
use crate::source::{Source, Span};

/// A file beyond this is not read, in bytes: a parsed file takes some fifty times its size in memory.
const MOST_BYTES: u64 = 32 << 20;

/// What to look at.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Path patterns that are left out, relative to the scanned folder: `tools/**`.
    pub exclude: Vec<String>,
    /// Whether files that only tests, benches, examples and build scripts are made of are read as well.
    pub include_tests: bool,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Discovery {
    /// The packages, sorted by folder.
    pub packages: Vec<Package>,
    /// The files to scan and all that could not be read, sorted by name.
    pub files: Vec<File>,
    /// GraphQL documents, sorted by name: what code includes or derives from says whether a request changes anything.
    pub documents: Vec<Source>,
    /// How many Rust files were left out, by the reason.
    pub left_out: LeftOut,
}

/// How many Rust files were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LeftOut {
    /// In `tests/`, the root of a test target, or named like tests and reached by nothing else.
    pub tests: usize,
    /// In `benches/`, or the root of a bench target.
    pub benches: usize,
    /// In `examples/`, or the root of an example.
    pub examples: usize,
    /// Build scripts.
    pub build_scripts: usize,
    /// By `[scan] exclude`, folders counted once.
    pub excluded: usize,
    /// In folders whose name begins with a dot, those of version control aside.
    pub hidden: usize,
    /// Folders that a tool filled: what cargo built or vendored, `node_modules`; each counted once.
    pub made: usize,
}

/// A file, or the name of what could not be read.
#[derive(Clone, Debug)]
pub struct File {
    /// Its text; what is no UTF-8 is replaced. The name is relative to the scanned folder, with `/`.
    pub source: Source,
    /// Why it could not be read.
    pub unread: Option<Unread>,
    /// What it is for.
    pub kind: Kind,
}

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A library, a program, or no target's.
    Code,
    /// An integration test.
    Test,
    /// A benchmark.
    Bench,
    /// An example.
    Example,
    /// A build script.
    BuildScript,
}

/// Looks through a folder.
///
/// # Errors
/// A pattern that is none, or a `root` that is no folder.
pub fn discover(root: &Path, options: &Options) -> Result<Discovery, Fault> {
    let exclude = patterns(&options.exclude)?;
    if !root.is_dir() {
        let fault = Fault::new(format!("`{}` is no folder", root.display()));
        return Err(fault.with_help("name the folder that holds the crate or the workspace"));
    }
    let within = root.canonicalize().ok();
    let mut walk =
        Walk { root, within, exclude, found: Vec::new(), documents: Vec::new(), left_out: LeftOut::default() };
    walk.run();
    Ok(walk.read(options))
}

fn patterns(exclude: &[String]) -> Result<GlobSet, Fault> {
    let refused = |error: &globset::Error| {
        let fault = Fault::new(format!("`exclude` of `[scan]` holds no path pattern: {error}"));
        fault.with_help("write patterns such as `tools/**`")
    };
    let mut set = GlobSetBuilder::new();
    for pattern in exclude {
        // `tools/**` leaves the folder itself out too, so that nobody walks through it.
        let folder = pattern.trim_end_matches("/**");
        set.add(Glob::new(pattern.trim_start_matches("./")).map_err(|error| refused(&error))?);
        set.add(Glob::new(folder.trim_start_matches("./")).map_err(|error| refused(&error))?);
    }
    set.build().map_err(|error| refused(&error))
}

/// Octets of the largest GraphQL document that is read: larger ones are schemas.
const LARGEST_DOCUMENT: u64 = 1 << 20;

struct Walk<'r> {
    root: &'r Path,
    /// The root with its links followed.
    within: Option<PathBuf>,
    exclude: GlobSet,
    /// Rust files and manifests, and what could not be walked.
    found: Vec<Result<PathBuf, (String, String)>>,
    /// GraphQL documents.
    documents: Vec<PathBuf>,
    left_out: LeftOut,
}

impl Walk<'_> {
    fn run(&mut self) {
        let mut entries = WalkDir::new(self.root).follow_links(true).sort_by_file_name().into_iter();
        while let Some(entry) = entries.next() {
            match entry {
                Ok(entry) if entry.depth() > 0 && self.skip(&entry) => {
                    if entry.file_type().is_dir() {
                        entries.skip_current_dir();
                    }
                }
                Ok(entry) if entry.file_type().is_file() && is_read(entry.path()) => {
                    self.found.push(Ok(entry.into_path()));
                }
                Ok(entry) if entry.file_type().is_file() && is_document(entry.path()) => {
                    self.documents.push(entry.into_path());
                }
                // Opening a pipe would wait for somebody who writes to it.
                Ok(entry) if !entry.file_type().is_dir() && is_read(entry.path()) => {
                    let name = relative(self.root, entry.path());
                    self.found.push(Err((name, "a pipe, a socket or a device, and no file".to_owned())));
                }
                Ok(_) => {}
                // A link back to a folder that holds it: that folder is walked anyway.
                Err(error) if error.loop_ancestor().is_some() => {}
                Err(error) => self.failed(&error),
            }
        }
    }

    /// A broken link matters where it should lead to Rust code, and so does a file that is gone by now; a folder
    /// always.
    fn failed(&mut self, error: &walkdir::Error) {
        let path = error.path().unwrap_or(self.root);
        let link = std::fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_symlink());
        let gone = error.io_error().is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound);
        let file = link || gone && path.extension().is_some();
        let name = relative(self.root, path);
        if (file && !is_read(path)) || self.exclude.is_match(&name) {
            return;
        }
        let reason = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
        self.found.push(Err((name, reason)));
    }

    fn skip(&mut self, entry: &DirEntry) -> bool {
        let path = entry.path();
        let name = relative(self.root, path);
        if self.exclude.is_match(&name) {
            self.left_out.excluded += usize::from(entry.file_type().is_dir() || is_read(path));
            return true;
        }
        if !entry.file_type().is_dir() {
            return false;
        }
        if self.is_elsewhere(entry) {
            return true;
        }
        if is_hidden(entry) {
            self.left_out.hidden += rust_files(path);
            return true;
        }
        let made = is_made(path);
        self.left_out.made += usize::from(made);
        made
    }

    /// A linked folder that is walked at its own place, or that holds all that is walked.
    fn is_elsewhere(&self, entry: &DirEntry) -> bool {
        let known = |target: PathBuf| {
            self.within.as_ref().is_some_and(|within| target.starts_with(within) || within.starts_with(target))
        };
        entry.path_is_symlink() && entry.path().canonicalize().is_ok_and(known)
    }

    fn read(self, options: &Options) -> Discovery {
        let mut files = BTreeMap::new();
        let (mut names, mut manifests) = (Vec::new(), Vec::new());
        for found in &self.found {
            match found {
                Ok(path) if path.extension().is_some_and(|extension| extension == "toml") => manifests.push(path),
                Ok(path) => names.push((relative(self.root, path), path)),
                Err((name, reason)) => {
                    files.insert(name.clone(), File::unread(Source::new(name.as_str(), ""), reason.clone(), 0));
                }
            }
        }
        let known: HashSet<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
        let manifests: Vec<File> = manifests.into_iter().map(|path| read_file(self.root, path, Kind::Code)).collect();
        let (packages, broken) = package::read(&manifests, &known);
        files.extend(broken.into_iter().map(|file| (file.source.name().to_owned(), file)));
        let mut left_out = self.left_out;
        let mut wanted = Vec::with_capacity(names.len());
        for (name, path) in names {
            let kind = package::kind(&packages, &name);
            match left_out.counter(kind) {
                Some(counter) if !options.include_tests => *counter += 1,
                _ => wanted.push((path, kind)),
            }
        }
        let read: Vec<File> = wanted.into_par_iter().map(|(path, kind)| read_file(self.root, path, kind)).collect();
        files.extend(read.into_iter().map(|file| (file.source.name().to_owned(), file)));
        let packages = packages.into_iter().map(|found| found.package).collect();
        let documents = self.documents.iter().filter_map(|path| document(self.root, path)).collect();
        Discovery { packages, files: files.into_values().collect(), documents, left_out }
    }
}

impl LeftOut {
    fn counter(&mut self, kind: Kind) -> Option<&mut usize> {
        match kind {
            Kind::Code => None,
            Kind::Test => Some(&mut self.tests),
            Kind::Bench => Some(&mut self.benches),
            Kind::Example => Some(&mut self.examples),
            Kind::BuildScript => Some(&mut self.build_scripts),
        }
    }
}

impl File {
    fn unread(source: Source, reason: String, at: usize) -> File {
        File { source, unread: Some(Unread { reason, span: Span::new(at, at) }), kind: Kind::Code }
    }
}

fn read_file(root: &Path, path: &Path, kind: Kind) -> File {
    let name = relative(root, path);
    let bytes = match read_bytes(path) {
        Ok(bytes) => bytes,
        Err(reason) => return File::unread(Source::new(name, ""), reason, 0),
    };
    match String::from_utf8(bytes) {
        Ok(text) => File { source: Source::new(name, text), unread: None, kind },
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            File { kind, ..File::unread(Source::new(name, text), "not UTF-8".to_owned(), at) }
        }
    }
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    // A file may grow while it is read.
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    let large = u64::try_from(bytes.len()).is_ok_and(|length| length > MOST_BYTES);
    if large { Err(format!("larger than {} MiB", MOST_BYTES >> 20)) } else { Ok(bytes) }
}

/// Relative to the scanned folder, with `/`. Bytes that are no UTF-8 are escaped, so that two names stay two.
fn relative(root: &Path, path: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    let part = |part: &OsStr| match part.to_str() {
        Some(text) => text.to_owned(),
        None => part.as_encoded_bytes().escape_ascii().to_string(),
    };
    path.iter().map(part).collect::<Vec<_>>().join("/")
}

fn is_read(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rs")
        || path.file_name().is_some_and(|name| name == "Cargo.toml")
}

fn is_document(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "graphql" || extension == "gql")
}

/// A document as text. One that cannot be read is not there: a call of it then counts as a change.
fn document(root: &Path, path: &Path) -> Option<Source> {
    let size = std::fs::metadata(path).ok()?.len();
    let text = (size <= LARGEST_DOCUMENT).then(|| std::fs::read_to_string(path).ok())??;
    Some(Source::new(relative(root, path), text))
}

fn is_hidden(entry: &DirEntry) -> bool {
    entry.file_name().to_string_lossy().starts_with('.')
}

/// How many Rust files are in a folder that is left out.
fn rust_files(folder: &Path) -> usize {
    const VERSION_CONTROL: [&str; 5] = [".bzr", ".git", ".hg", ".jj", ".svn"];
    if folder.file_name().and_then(OsStr::to_str).is_some_and(|name| VERSION_CONTROL.contains(&name)) {
        return 0;
    }
    let is_rust = |entry: &DirEntry| {
        entry.file_type().is_file() && entry.path().extension().is_some_and(|extension| extension == "rs")
    };
    WalkDir::new(folder).into_iter().filter_map(Result::ok).filter(is_rust).count()
}

/// A folder that cargo filled: what it built, what it vendored.
fn is_made(path: &Path) -> bool {
    let beside = |name: &str| path.parent().is_some_and(|folder| folder.join(name).is_file());
    match path.file_name().and_then(|name| name.to_str()) {
        Some("target") => beside("Cargo.toml") || path.join("CACHEDIR.TAG").is_file(),
        Some("node_modules") => true,
        _ => path.join(".cargo-checksum.json").is_file(),
    }
}

#[cfg(test)]
mod tests;
