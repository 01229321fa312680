//! A copy of a folder that the first released onlyonce left behind, upgraded.

use std::fs;
use std::path::{Path, PathBuf};

use onlyonce::emit::{self, Ground, Plan, versions};
use onlyonce::manifest::{self, Manifest};
use onlyonce::migration::Migration;

/// How the roles come to be, each with a folder of its own.
pub(crate) const ROLES: [&str; 3] = ["create", "existing", "none"];

/// Where the emitted folders stand.
pub(crate) fn first() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/upgrade/first")
}

/// A copy of the folder with these roles.
pub(crate) fn copied(roles: &str) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let from = first().join(roles);
    for entry in walkdir::WalkDir::new(&from).into_iter().map(Result::unwrap).filter(|one| one.file_type().is_file()) {
        let path = place.path().join(entry.path().strip_prefix(&from).unwrap());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(entry.path(), path).unwrap();
    }
    place
}

/// The manifest of a folder.
pub(crate) fn manifest(folder: &Path) -> Manifest {
    manifest::load(&folder.join("onlyonce.toml"), "onlyonce.toml", &[]).unwrap()
}

/// What `emit` plans in a folder, as the onlyonce of this ledger.
pub(crate) fn plan(folder: &Path, ledger: u32) -> Result<Plan, onlyonce::diagnostic::Faults> {
    let manifest = manifest(folder);
    let now = jiff::Timestamp::from_second(1_795_978_800).unwrap();
    emit::plan_until(&manifest, &Ground::read(&manifest)?, now, ledger)
}

/// Both directions of a migration, each as a tool runs it: in one transaction.
pub(crate) struct Script {
    /// The migration's name.
    pub(crate) name: String,
    /// The way there.
    pub(crate) up: String,
    /// The way back.
    pub(crate) down: String,
}

/// What makes a ledger of this version at once, with these roles.
pub(crate) fn fresh(roles: &str, ledger: u32) -> Vec<Script> {
    let place = tempfile::tempdir().unwrap();
    fs::copy(first().join(roles).join("onlyonce.toml"), place.path().join("onlyonce.toml")).unwrap();
    scripts(&plan(place.path(), ledger).unwrap().migrations)
}

/// What takes the first ledger, with these roles, to today's.
pub(crate) fn upgrades(roles: &str) -> Vec<Script> {
    scripts(&plan(copied(roles).path(), versions::LATEST).unwrap().migrations)
}

fn scripts(migrations: &[Migration]) -> Vec<Script> {
    let whole = |statements: &[String]| format!("BEGIN;\n{};\nCOMMIT;\n", statements.join(";\n"));
    let script = |one: &Migration| Script { name: one.name.clone(), up: whole(&one.up), down: whole(&one.down) };
    migrations.iter().map(script).collect()
}
