//! Where what scans found is kept, and what stands for this program there.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use etcetera::BaseStrategy as _;
use sha2::{Digest as _, Sha256};

use crate::scan::cache::Cache;

/// The folder that the variable names, or the user's own by the platform's custom; none when the variable is empty.
pub(super) fn folder(variable: Option<OsString>) -> Option<PathBuf> {
    match variable {
        Some(path) => (!path.is_empty()).then(|| PathBuf::from(path)),
        None => etcetera::base_strategy::choose_native_strategy().ok().map(|user| user.cache_dir().join("onlyonce")),
    }
}

/// The cache in a folder; none when it cannot be told which program this is.
#[expect(clippy::disallowed_methods, reason = "the age of entries is no result: SOURCE_DATE_EPOCH has no say in it")]
pub(super) fn open(folder: &Path) -> Option<Cache> {
    let now = SystemTime::now();
    // Digests of programs belong to no program.
    let program = program(&Cache::new(folder.to_owned(), [0; 32], now))?;
    Some(Cache::new(folder.to_owned(), program, now))
}

/// A digest of this program. To read all of it takes as long as to scan a small crate, so it is kept by size and time
/// of its file.
fn program(digests: &Cache) -> Option<[u8; 32]> {
    let path = std::env::current_exe().ok()?;
    let data = path.metadata().ok()?;
    let age = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let mut keying = digests.keying("program");
    keying.add(path.as_os_str().as_encoded_bytes()).add(data.len().to_le_bytes()).add(age.as_nanos().to_le_bytes());
    let key = keying.key();
    digests.get(&key).or_else(|| {
        let found = digest(&path).ok()?;
        digests.put(&key, &found);
        Some(found)
    })
}

fn digest(path: &Path) -> std::io::Result<[u8; 32]> {
    let mut file = std::fs::File::open(path)?;
    let mut digest = Sha256::new();
    let mut part = vec![0; 1 << 20];
    loop {
        match file.read(&mut part)? {
            0 => return Ok(digest.finalize().into()),
            length => digest.update(&part[..length]),
        }
    }
}
