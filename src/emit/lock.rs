//! `onlyonce.lock`: what was emitted last, and the bytes of every file, so that nothing applied is ever rewritten.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::versions;
use crate::diagnostic::{Fault, Faults, Label};
use crate::files::{OutputFile, cannot};
use crate::manifest::Manifest;
use crate::manifest::diff::Emitted;
use crate::source::{Source, Span};

/// The form of the file that this program reads and writes.
///
/// 1 had no `ledger`: it is of the first.
pub const VERSION: u32 = 2;

const NEWER: &str = "install the onlyonce that the lock names under `tool`, or a newer one";

const HEAD: &str = "# Written by onlyonce. Commit it with the migrations; do not edit it.\n";

/// What was emitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// The form of the file.
    pub version: u32,
    /// The version of onlyonce that wrote it last.
    pub tool: String,
    /// The version of the ledger that the files make.
    #[serde(default = "first_ledger")]
    pub ledger: u32,
    /// SHA-256 of every emitted file, in hexadecimal, by its path from the manifest's folder with `/`.
    pub files: BTreeMap<String, String>,
    /// What the ledger was made from.
    pub emitted: Emitted,
}

#[derive(Deserialize)]
struct Form {
    version: u32,
    #[serde(default = "first_ledger")]
    ledger: u32,
}

fn first_ledger() -> u32 {
    1
}

/// Where the lock stands: beside the manifest, under its name.
#[must_use]
pub fn path(manifest: &Manifest) -> PathBuf {
    let stem = Path::new(manifest.source.name()).file_stem().unwrap_or_else(|| "onlyonce".as_ref());
    manifest.root.join(stem).with_extension("lock")
}

/// The manifest's lock; `None` where there is none.
///
/// # Errors
/// When it is there and cannot be read or understood.
pub fn load(manifest: &Manifest) -> Result<Option<Lock>, Fault> {
    let path = path(manifest);
    match fs::read(&path) {
        Ok(bytes) => {
            let shown = Path::new(manifest.source.name()).with_extension("lock");
            let source = Source::new(shown.display().to_string(), String::from_utf8_lossy(&bytes));
            parse(&source).map(Some)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot("read", &path, &error)),
    }
}

/// Reads a lock.
///
/// # Errors
/// When it is no lock of a form that this program knows, with the place.
pub fn parse(source: &Source) -> Result<Lock, Fault> {
    if let Some(span) = merge_marker(source) {
        return Err(Fault::new(format!("{} holds a merge conflict", source.name()))
            .at(Label::new(source, span, "two branches emitted"))
            .with_help(
                "take the lock of the branch that is merged first, delete the other branch's new onlyonce migration, \
                 and run `onlyonce emit` again",
            ));
    }
    let form: Form = toml::from_str(source.text()).map_err(|error| unreadable(source, &error))?;
    if form.version > VERSION {
        let message =
            format!("{} is of form {}; this onlyonce knows forms up to {VERSION}", source.name(), form.version);
        return Err(Fault::new(message)
            .at(Label::new(source, word(source, "version"), "written by a newer onlyonce"))
            .with_help(NEWER));
    }
    if versions::version(form.ledger).is_none() {
        let (name, ledger) = (source.name(), form.ledger);
        let message = format!("{name} is of ledger {ledger}; this onlyonce knows ledgers up to {}", versions::LATEST);
        return Err(Fault::new(message)
            .at(Label::new(source, word(source, "ledger"), "emitted by a newer onlyonce"))
            .with_help(NEWER));
    }
    toml::from_str(source.text()).map_err(|error| unreadable(source, &error))
}

fn unreadable(source: &Source, error: &toml::de::Error) -> Fault {
    let span = error.span().map_or_else(Span::default, Span::from);
    let message = error.message().lines().next().unwrap_or_default();
    Fault::new(format!("{} cannot be read: {message}", source.name()))
        .at(Label::new(source, span, "here"))
        .with_help("restore it from version control")
}

fn merge_marker(source: &Source) -> Option<Span> {
    let mut offset = 0;
    source.text().split_inclusive('\n').find_map(|line| {
        let start = offset;
        offset += line.len();
        line.starts_with("<<<<<<< ").then(|| Span::new(start, start + line.trim_end().len()))
    })
}

/// Where a field stands: at the start of a line.
fn word(source: &Source, field: &str) -> Span {
    let mut offset = 0;
    let mut lines = source.text().split_inclusive('\n').map(|line| {
        let start = offset;
        offset += line.len();
        (start, line)
    });
    let found = lines.find(|(_, line)| line.starts_with(field));
    found.map_or_else(Span::default, |(start, _)| Span::new(start, start + field.len()))
}

/// A path from the manifest's folder as [`Lock::files`] spells it, alike on every system.
#[must_use]
pub fn key(path: &Path) -> String {
    let parts = path.components().filter(|part| *part != std::path::Component::CurDir);
    parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

impl Lock {
    /// A lock of this version of the ledger that holds no file yet.
    #[must_use]
    pub fn first(emitted: Emitted, ledger: u32) -> Lock {
        Lock { version: VERSION, tool: String::new(), ledger, files: BTreeMap::new(), emitted }
    }

    /// Records files under `root`, as this version of onlyonce.
    pub fn record(&mut self, root: &Path, files: &[OutputFile]) {
        self.version = VERSION;
        env!("CARGO_PKG_VERSION").clone_into(&mut self.tool);
        for file in files {
            let path = file.path.strip_prefix(root).unwrap_or(&file.path);
            self.files.insert(key(path), digest(file.text.as_bytes()));
        }
    }

    /// The text of the file.
    ///
    /// # Errors
    /// When a value cannot be written as TOML, which no manifest leads to.
    pub fn text(&self) -> Result<String, Fault> {
        let body = toml::to_string(self)
            .map_err(|error| Fault::new(format!("the lock cannot be written: {error}")).with_help("report this"))?;
        Ok(format!("{HEAD}{body}"))
    }

    /// Whether the text of an emitted file is another than the one that was written, line ends apart.
    #[must_use]
    pub fn is_edited(&self, path: &Path, text: &str) -> bool {
        let wanted = self.files.get(&key(path));
        let digests = [digest(text.as_bytes()), digest(text.replace("\r\n", "\n").as_bytes())];
        wanted.is_some_and(|wanted| !digests.contains(wanted))
    }

    /// Demands that the manifest names the folder that the files were emitted to.
    ///
    /// # Errors
    /// When it names another: the ledger would lie in the one, and its changes in the other.
    pub fn demand_folder(&self, manifest: &Manifest) -> Result<(), Fault> {
        let wanted = key(&manifest.schema.migrations);
        let depth = manifest.schema.layout.spec().up.write("1", "name").matches('/').count();
        let Some(path) = self.files.keys().find(|path| folder(path, depth) != wanted) else { return Ok(()) };
        let before = match folder(path, depth) {
            "" => ".",
            before => before,
        };
        let place = manifest.places.of("schema.migrations");
        Err(Fault::new(format!("[schema] migrations was emitted as \"{before}\" and is now \"{wanted}\""))
            .at(Label::new(&manifest.source, place, "the ledger lies in the other folder"))
            .with_help(format!(
                "write migrations = \"{before}\" again; to move the folder, move its files, and change their paths under \
                 [files] in {} too",
                path_shown(manifest)
            )))
    }

    /// Demands that every emitted file is there as it was written.
    ///
    /// # Errors
    /// Each file that is gone, was edited, or cannot be read.
    pub fn demand_untouched(&self, root: &Path) -> Result<(), Faults> {
        let faults: Vec<Fault> =
            self.files.iter().filter_map(|(path, digest)| untouched(root, path, digest).err()).collect();
        if faults.is_empty() { Ok(()) } else { Err(Faults(faults)) }
    }
}

/// The folder of a tool's migrations that a path lies in, when the tool has so many folders below it.
fn folder(path: &str, depth: usize) -> &str {
    path.rsplitn(depth + 2, '/').nth(depth + 1).unwrap_or_default()
}

fn path_shown(manifest: &Manifest) -> String {
    let path = path(manifest);
    path.strip_prefix(&manifest.root).unwrap_or(&path).display().to_string()
}

fn untouched(root: &Path, path: &str, wanted: &str) -> Result<(), Fault> {
    let bytes = match fs::read(root.join(path)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Fault::new(format!("{path} was emitted and is gone"))
                .with_help("restore it from version control: databases may have applied it"));
        }
        Err(error) => return Err(cannot("read", &root.join(path), &error)),
    };
    if digest(&bytes) == wanted {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let fault = if digest(text.replace("\r\n", "\n").as_bytes()) == wanted {
        let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
        Fault::new(format!("{path} has CRLF line ends, and was emitted with LF"))
            .with_help(format!("write `{folder}/** text eol=lf` in .gitattributes and check the file out again"))
    } else {
        Fault::new(format!("{path} was edited after it was emitted")).with_help(
            "restore it from version control, and put your own changes in a migration of their own: databases may \
             have applied this one",
        )
    };
    let source = Source::new(path, text);
    let line = source.line(1);
    Err(fault.at(Label::new(&source, line, "its bytes are not those in the lock")))
}

/// SHA-256 in lower-case hexadecimal.
fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock() -> Lock {
        Lock::first(Emitted::bare("onlyonce"), versions::LATEST)
    }

    fn fault(text: &str) -> (String, usize) {
        let fault = parse(&Source::new("onlyonce.lock", text)).unwrap_err();
        let place = fault.place.unwrap();
        (fault.message, place.source.position(place.span.start).line)
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut lock = lock();
        lock.record(Path::new("/r"), &[OutputFile::new("/r/migrations/1_a.sql", "SELECT 1;\n")]);
        let text = lock.text().unwrap();
        assert!(text.contains("\n[files]\n\"migrations/1_a.sql\" = \"") && text.is_ascii(), "{text}");
        assert_eq!(parse(&Source::new("onlyonce.lock", text)).unwrap(), lock);
    }

    #[test]
    fn a_lock_that_cannot_be_understood_is_refused_at_its_line() {
        let text = lock().text().unwrap();
        let (message, line) = fault(&text.replace("[files]", "<<<<<<< HEAD\n[files]\n=======\n[files]\n>>>>>>> b"));
        assert_eq!((message.as_str(), line), ("onlyonce.lock holds a merge conflict", 6));
        let newer = text.replace("version = 2", "version = 3\nshape = \"new\"");
        assert_eq!(fault(&newer), ("onlyonce.lock is of form 3; this onlyonce knows forms up to 2".to_owned(), 2));
        let newer = text.replace("ledger = 2", "ledger = 3");
        assert_eq!(fault(&newer), ("onlyonce.lock is of ledger 3; this onlyonce knows ledgers up to 2".to_owned(), 4));
        let (message, line) = fault(&text.replace("schema = ", "schema = 3 # "));
        assert!(message.starts_with("onlyonce.lock cannot be read: invalid type") && line == 9, "{message} {line}");
        assert!(fault("").0.starts_with("onlyonce.lock cannot be read"));
    }

    #[test]
    fn a_lock_of_the_first_form_is_of_the_first_ledger() {
        let text = lock().text().unwrap().replace("version = 2", "version = 1").replace("ledger = 2\n", "");
        let mut read = parse(&Source::new("onlyonce.lock", text)).unwrap();
        assert_eq!((read.version, read.ledger), (1, 1));
        read.record(Path::new("/r"), &[]);
        assert_eq!(read.version, VERSION, "an older onlyonce refuses what it would not understand");
    }

    #[test]
    fn an_edited_or_lost_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let mut lock = lock();
        lock.record(root, &["a", "b", "c", "d"].map(|name| OutputFile::new(root.join(name), "one\ntwo\n")));
        fs::write(root.join("a"), "one\ntwo\n").unwrap();
        fs::write(root.join("b"), "one\ntwo;\n").unwrap();
        fs::write(root.join("c"), "one\r\ntwo\r\n").unwrap();
        let messages: Vec<String> =
            lock.demand_untouched(root).unwrap_err().0.into_iter().map(|fault| fault.message).collect();
        assert_eq!(
            messages,
            [
                "b was edited after it was emitted",
                "c has CRLF line ends, and was emitted with LF",
                "d was emitted and is gone"
            ]
        );
    }
}
