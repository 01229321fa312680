//! What earlier scans found, kept by the content that it was found in.
//!
//! A [`Key`] is a digest of all that decides a result: the text, the program, the catalog, the settings. No time and
//! no path is in it, so a fresh checkout finds what another one left. An entry is written under a name of its own and
//! then renamed; it holds its key and a digest of its bytes, and what does not fit is no entry. Whatever goes wrong
//! with the folder, a scan only takes longer.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Bytes that all entries together may have.
const MOST: u64 = 1 << 30;
/// Entries that nobody asked for in this time are removed.
const OLDEST: Duration = Duration::from_secs(30 * DAY);
/// An entry that was used is marked so at most once in this time.
const MARKED: Duration = Duration::from_secs(DAY);
const DAY: u64 = 24 * 60 * 60;
/// What an entry begins with.
const MAGIC: [u8; 8] = *b"onlyonce";
/// Bytes in front of what an entry holds: the magic, the key, a digest of the rest.
const HEAD: usize = 8 + 32 + 32;

/// A folder of entries, and what it was good for in this run. Cheap to clone; shared by threads.
#[derive(Clone, Debug)]
pub struct Cache(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    folder: PathBuf,
    /// What stands for the program: another program finds other results.
    program: [u8; 32],
    now: SystemTime,
    known: AtomicUsize,
    written: AtomicU64,
}

/// What an entry is found by.
#[derive(Clone, Debug)]
pub struct Key([u8; 32]);

/// Makes a [`Key`] of parts, each with its length, so that no two lists of parts run together.
#[derive(Clone)]
pub struct Keying(blake3::Hasher);

impl Keying {
    /// Adds a part.
    pub fn add(&mut self, part: impl AsRef<[u8]>) -> &mut Keying {
        let part = part.as_ref();
        self.0.update(&(part.len() as u64).to_le_bytes());
        self.0.update(part);
        self
    }

    /// The key of all that was added.
    #[must_use]
    pub fn key(self) -> Key {
        Key(self.0.finalize().into())
    }
}

impl Cache {
    /// Entries in `folder`, which need not be there, of the program that `program` stands for; `now` decides what is
    /// old.
    #[must_use]
    pub fn new(folder: PathBuf, program: [u8; 32], now: SystemTime) -> Cache {
        let (known, written) = (AtomicUsize::new(0), AtomicU64::new(0));
        Cache(Arc::new(Inner { folder, program, now, known, written }))
    }

    /// Begins a key for entries of one kind.
    #[must_use]
    pub fn keying(&self, kind: &str) -> Keying {
        let mut keying = Keying(blake3::Hasher::new());
        keying.add(self.0.program).add(kind);
        keying
    }

    /// How many entries were found in this run.
    #[must_use]
    pub fn known(&self) -> usize {
        self.0.known.load(Ordering::Relaxed)
    }

    /// The entry, when there is one that is whole.
    #[must_use]
    pub fn get<T: DeserializeOwned>(&self, key: &Key) -> Option<T> {
        let mut file = File::open(self.path(key)).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        let found = postcard::from_bytes(body(&bytes, key)?).ok()?;
        self.0.known.fetch_add(1, Ordering::Relaxed);
        self.mark(&file);
        Some(found)
    }

    /// Writes an entry. That it cannot be written is nobody's trouble: the next run finds out for itself.
    pub fn put(&self, key: &Key, value: &impl Serialize) {
        let Ok(bytes) = postcard::to_extend(value, vec![0; HEAD]) else { return };
        let _ = self.write(key, bytes);
    }

    fn write(&self, key: &Key, mut bytes: Vec<u8>) -> std::io::Result<()> {
        let digest = blake3::hash(&bytes[HEAD..]);
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..40].copy_from_slice(&key.0);
        bytes[40..HEAD].copy_from_slice(digest.as_bytes());
        let path = self.path(key);
        let folder = path.parent().unwrap_or(&self.0.folder);
        let mut file = tempfile::NamedTempFile::new_in(folder).or_else(|_| {
            std::fs::create_dir_all(folder)?;
            tempfile::NamedTempFile::new_in(folder)
        })?;
        file.write_all(&bytes)?;
        file.persist(&path)?;
        self.0.written.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    /// `ab/cdef..` by the key's digits.
    fn path(&self, key: &Key) -> PathBuf {
        use std::fmt::Write as _;
        let mut name = String::with_capacity(64);
        for byte in &key.0[1..] {
            let _ = write!(name, "{byte:02x}");
        }
        self.0.folder.join(format!("{:02x}", key.0[0])).join(name)
    }

    /// Notes that an entry was used, by the time of its file.
    fn mark(&self, file: &File) {
        let age = file.metadata().and_then(|data| data.modified()).map(|time| self.0.now.duration_since(time));
        if matches!(age, Ok(Ok(age)) if age > MARKED) {
            let _ = file.set_modified(self.0.now);
        }
    }

    /// Removes what is old, and of the rest what has not been used for longest, until all fits. Looks only once in a
    /// day, or when a quarter of what may lie there was written since.
    pub fn tidy(&self) {
        let note = self.0.folder.join("written");
        let before = std::fs::metadata(&note).and_then(|data| data.modified()).ok();
        let earlier: u64 = std::fs::read_to_string(&note).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0);
        let written = self.0.written.swap(0, Ordering::Relaxed);
        let long_ago = |time| self.0.now.duration_since(time).is_ok_and(|age| age >= MARKED);
        let lately = before.is_some_and(|time| !long_ago(time));
        let sum = earlier.saturating_add(written);
        if lately && sum < MOST / 4 {
            if written > 0 {
                // The time of the note is that of the last look: it stays.
                let kept =
                    std::fs::write(&note, sum.to_string()).and_then(|()| File::options().append(true).open(&note));
                let _ = kept.and_then(|file| file.set_modified(before.unwrap_or(self.0.now)));
            }
            return;
        }
        if self.0.folder.is_dir() {
            remove(entries(&self.0.folder), self.0.now, MOST);
            let _ = std::fs::write(&note, "0");
        }
    }
}

/// What an entry holds, when the bytes are that entry and whole.
fn body<'b>(bytes: &'b [u8], key: &Key) -> Option<&'b [u8]> {
    let (head, body) = bytes.split_at_checked(HEAD)?;
    let whole = head[..8] == MAGIC && head[8..40] == key.0 && head[40..] == blake3::hash(body).as_bytes()[..];
    whole.then_some(body)
}

/// A file, its size and when it was used last.
type Entry = (PathBuf, u64, SystemTime);

/// Everything in the folders of entries, what a run that was ended left behind included.
fn entries(folder: &Path) -> Vec<Entry> {
    let walk = walkdir::WalkDir::new(folder).min_depth(2).max_depth(2).into_iter().filter_map(Result::ok);
    walk.filter_map(|entry| {
        let data = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let folder = entry.path().parent()?.file_name()?.to_str()?;
        let ours = folder.len() == 2 && folder.bytes().all(|digit| digit.is_ascii_hexdigit());
        let modified = data.modified().ok()?;
        ours.then(|| (entry.into_path(), data.len(), modified))
    })
    .collect()
}

fn remove(mut entries: Vec<Entry>, now: SystemTime, most: u64) {
    entries.sort_by_key(|(_, _, used)| std::cmp::Reverse(*used));
    let mut sum = 0_u64;
    for (path, size, used) in entries {
        sum = sum.saturating_add(size);
        // A little room is left, so that the next run does not remove again.
        let old = now.duration_since(used).is_ok_and(|age| age > OLDEST);
        if old || sum > most / 4 * 3 {
            let _ = std::fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests;
