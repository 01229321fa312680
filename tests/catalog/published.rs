//! Source of published packages, through cargo's own client and its own cache; nothing is built.

use std::path::PathBuf;
use std::process::Command;

use sha2::Digest as _;

/// An unpacked package.
pub(crate) struct Published {
    pub(crate) folder: PathBuf,
    /// SHA-256 of the archive that the registry serves, in hex.
    pub(crate) digest: String,
}

/// The source of `name@version`, fetched where cargo does not have it yet.
pub(crate) fn source(package: &str) -> Result<Published, String> {
    let written = package.replace('@', "-");
    if let Some(found) = cached(&written) {
        return Ok(found);
    }
    // Outside of any workspace, so that no lock file and no configuration of a project has a say.
    let outside = std::env::temp_dir();
    let output = Command::new(env!("CARGO")).args(["info", "--quiet", package]).current_dir(outside).output();
    let output = output.map_err(|error| format!("cargo could not be started: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(said.lines().next().unwrap_or("cargo info failed").to_owned());
    }
    cached(&written).ok_or_else(|| format!("cargo unpacked no {written}"))
}

fn cached(written: &str) -> Option<Published> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))?;
    let within = |kind: &str, name: &str| -> Option<PathBuf> {
        let registries = std::fs::read_dir(home.join("registry").join(kind)).ok()?;
        registries.flatten().map(|registry| registry.path().join(name)).find(|path| path.exists())
    };
    let folder = within("src", written)?;
    let archive = within("cache", &format!("{written}.crate"))?;
    Some(Published { folder, digest: digest(&std::fs::read(archive).ok()?) })
}

/// SHA-256 in hex.
pub(crate) fn digest(bytes: &[u8]) -> String {
    sha2::Sha256::digest(bytes).iter().map(|octet| format!("{octet:02x}")).collect()
}
