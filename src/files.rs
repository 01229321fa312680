//! Files that people wrote, read whole, and files that a command made: written whole, compared, or shown as a
//! difference. Nothing is half-written.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use crate::diagnostic::{Fault, Label};
use crate::source::{Source, Span};

/// A file to be. The same inputs give the same bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OutputFile {
    /// Where it goes.
    pub path: PathBuf,
    /// All of it.
    pub text: String,
}

/// How a file on disk differs from the one to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Staleness {
    /// There is none.
    Missing,
    /// It holds something else.
    Different,
}

impl OutputFile {
    /// A file of this text at this path.
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> OutputFile {
        OutputFile { path: path.into(), text: text.into() }
    }

    /// How the file on disk differs; `None` when it is up to date.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn staleness(&self) -> Result<Option<Staleness>, Fault> {
        match fs::read(&self.path) {
            Ok(bytes) if bytes == self.text.as_bytes() => Ok(None),
            Ok(_) => Ok(Some(Staleness::Different)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Some(Staleness::Missing)),
            Err(error) => Err(cannot("read", &self.path, &error)),
        }
    }

    /// Whether somebody else wrote what is there: it is not ours to overwrite.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn is_anothers(&self, is_ours: impl FnOnce(&[u8]) -> bool) -> Result<bool, Fault> {
        match fs::read(&self.path) {
            Ok(bytes) => Ok(!bytes.is_empty() && !is_ours(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(cannot("read", &self.path, &error)),
        }
    }

    /// The unified difference from what is on disk to this, empty when there is none; `shown` is the path as people
    /// are shown it.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn difference(&self, shown: &str) -> Result<String, Fault> {
        let (old, before) = match fs::read(&self.path) {
            Ok(bytes) => (String::from_utf8_lossy(&bytes).into_owned(), shown),
            Err(error) if error.kind() == io::ErrorKind::NotFound => (String::new(), "/dev/null"),
            Err(error) => return Err(cannot("read", &self.path, &error)),
        };
        if old == self.text {
            return Ok(String::new());
        }
        Ok(similar::TextDiff::from_lines(&old, &self.text).unified_diff().header(before, shown).to_string())
    }
}

/// Writes all of them. Every file is first written under a temporary name beside its place; only when all
/// of them are on disk are they renamed, so that a full disk or a missing right leaves the old state.
///
/// # Errors
/// When a folder cannot be made or a file cannot be written; the temporary files are removed.
pub fn write_all(files: &[OutputFile]) -> Result<(), Fault> {
    let staged = files.iter().map(stage).collect::<Result<Vec<_>, _>>()?;
    for (file, temporary) in files.iter().zip(staged) {
        temporary.persist(&file.path).map_err(|error| cannot("write", &file.path, &error.error))?;
    }
    Ok(())
}

fn stage(file: &OutputFile) -> Result<tempfile::NamedTempFile, Fault> {
    // A device or a pipe that stands there would be gone.
    if fs::metadata(&file.path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        let fault = Fault::new(format!("cannot write {}: it is no regular file", file.path.display()));
        return Err(fault.with_help("name a regular file, or one that is not there yet"));
    }
    let folder = match file.path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder).map_err(|error| cannot("make the folder of", &file.path, &error))?;
    let mut temporary = tempfile::Builder::new()
        .prefix(".onlyonce-")
        .permissions(readable())
        .tempfile_in(folder)
        .map_err(|error| cannot("write", &file.path, &error))?;
    temporary
        .write_all(file.text.as_bytes())
        .and_then(|()| temporary.as_file().sync_all())
        .map_err(|error| cannot("write", &file.path, &error))?;
    Ok(temporary)
}

/// What a new file usually gets before the umask; a temporary file is private by default.
#[cfg(unix)]
fn readable() -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    fs::Permissions::from_mode(0o666)
}

/// Reads a file that people write, up to `most` octets of it; `name` is its path as people are shown it, `kind` what it
/// is to be: a manifest, a plan.
///
/// # Errors
/// When it is larger, not UTF-8, or cannot be read.
pub fn read_text(path: &Path, name: &str, kind: &str, most: u64) -> Result<String, Fault> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| cannot("read", path, &error))?;
    // Not by the size that it is said to have: a file may grow, and a device has none.
    file.take(most + 1).read_to_end(&mut bytes).map_err(|error| cannot("read", path, &error))?;
    if bytes.len() as u64 > most {
        let message = format!("{name} is larger than a {kind} may be: over {most} bytes");
        let help = format!("check that it is the right file; a {kind} is read up to {} MiB", most >> 20);
        return Err(Fault::new(message).with_help(help));
    }
    String::from_utf8(bytes).map_err(|error| not_utf8(name, &error))
}

fn not_utf8(name: &str, error: &std::string::FromUtf8Error) -> Fault {
    let at = error.utf8_error().valid_up_to();
    let good = String::from_utf8_lossy(error.as_bytes().get(..at).unwrap_or_default()).into_owned();
    let source = Source::new(name, good);
    let line = source.position(at).line;
    let octet = error.as_bytes().get(at).copied().unwrap_or_default();
    Fault::new(format!("{name} is not UTF-8: byte {at}, on line {line}, is 0x{octet:02X}"))
        .at(Label::new(&source, Span::new(at, at), "the text is good up to here"))
        .with_help("save the file as UTF-8")
}

/// A path that a file operation failed on, with what the system said.
#[must_use]
pub fn cannot(verb: &str, path: &Path, error: &io::Error) -> Fault {
    Fault::new(format!("cannot {verb} {}: {error}", path.display()))
        .with_help("check that the path is right and that you have the right to it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn what_is_no_regular_file_is_left_alone() {
        use std::os::unix::fs::FileTypeExt as _;
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let refused = write_all(&[OutputFile::new(&path, "text")]).unwrap_err();
        assert!(refused.message.contains("no regular file"), "{refused:?}");
        assert!(fs::metadata(&path).unwrap().file_type().is_socket());
    }

    #[test]
    fn nothing_is_written_when_one_of_several_cannot_be() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("taken"), "a file, not a folder").unwrap();
        let files = [
            OutputFile::new(folder.path().join("a.sql"), "a"),
            OutputFile::new(folder.path().join("taken/b.sql"), "b"),
        ];
        let fault = write_all(&files).unwrap_err();
        assert!(fault.message.contains("taken"), "{}", fault.message);
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["taken"]);
    }

    #[test]
    fn staleness_tells_missing_from_different() {
        let folder = tempfile::tempdir().unwrap();
        let file = OutputFile::new(folder.path().join("deep/a.sql"), "one\n");
        assert_eq!(file.staleness().unwrap(), Some(Staleness::Missing));
        write_all(std::slice::from_ref(&file)).unwrap();
        assert_eq!(file.staleness().unwrap(), None);
        fs::write(&file.path, "two\n").unwrap();
        assert_eq!(file.staleness().unwrap(), Some(Staleness::Different));
        assert!(file.difference("a.sql").unwrap().contains("-two\n+one\n"));
    }
}
