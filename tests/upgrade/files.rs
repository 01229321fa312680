//! The files of an upgrade, without a server.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use onlyonce::cli::{self, Page};
use onlyonce::emit::{self, Ground, lock, versions};
use onlyonce::manifest::Layout;
use onlyonce::migration::folder::{Folder, entries};
use onlyonce::schema::{Schema, replay};

use crate::chain::{ROLES, copied, first, manifest, plan};

#[test]
fn the_first_ledger_is_still_what_was_released() {
    let text = fs::read_to_string(first().join("released.toml")).unwrap();
    let released: BTreeMap<String, BTreeMap<String, Vec<String>>> = toml::from_str(&text).unwrap();
    assert_eq!(released.len(), onlyonce::migration::layout::ALL.len());
    for (layout, roles) in released {
        for (roles, digests) in roles {
            let place = tempfile::tempdir().unwrap();
            let text = fs::read_to_string(first().join("create/onlyonce.toml")).unwrap();
            let text =
                text.replace("\"sqlx\"", &format!("\"{layout}\"")).replace("\"create\"", &format!("\"{roles}\""));
            fs::write(place.path().join("onlyonce.toml"), text).unwrap();
            let files = plan(place.path(), 1).unwrap().files;
            let text = &files.last().unwrap().text;
            let lock = lock::parse(&onlyonce::source::Source::new("onlyonce.lock", text.as_str())).unwrap();
            assert_eq!(lock.files.into_values().collect::<Vec<_>>(), digests, "{layout}, roles {roles}");
        }
    }
}

/// What a folder's migrations make.
fn made(folder: &Path) -> Schema {
    let entries = entries(&folder.join("migrations")).unwrap();
    replay(&Folder::read(Layout::Sqlx, Path::new("migrations"), &entries).history()).schema
}

#[test]
fn an_upgraded_folder_makes_what_is_emitted_today_and_is_clean() {
    for roles in ROLES {
        let place = copied(roles);
        let before = lock::load(&manifest(place.path())).unwrap().unwrap();
        assert_eq!((before.version, before.ledger), (1, 1));
        let plan = plan(place.path(), versions::LATEST).unwrap();
        let names: Vec<&str> = plan.migrations.iter().map(|one| one.name.as_str()).collect();
        assert!(names.iter().all(|name| name.starts_with("onlyonce_upgrade_2")), "{names:?}");
        onlyonce::files::write_all(&plan.files).unwrap();
        let manifest = manifest(place.path());
        let ground = Ground::read(&manifest).unwrap();
        let after = ground.lock.clone().unwrap();
        assert_eq!((after.version, after.ledger), (lock::VERSION, versions::LATEST));
        assert_eq!(after.files.len(), before.files.len() + 2 * plan.migrations.len());
        assert!(crate::chain::plan(place.path(), versions::LATEST).unwrap().files.is_empty(), "nothing is left to do");

        let expected = emit::expected(&manifest, &ground).unwrap().unwrap();
        let upgraded = made(place.path());
        assert!(expected == upgraded, "{roles}: the schema of the emitted files is expected");
        let new = tempfile::tempdir().unwrap();
        fs::copy(place.path().join("onlyonce.toml"), new.path().join("onlyonce.toml")).unwrap();
        onlyonce::files::write_all(&crate::chain::plan(new.path(), versions::LATEST).unwrap().files).unwrap();
        demand_alike(&upgraded, &made(new.path()));
        assert_eq!(check(place.path()), (0, String::new()), "{roles}");
    }
}

/// Whole schemas are too long to be shown.
fn demand_alike(one: &Schema, other: &Schema) {
    for (name, table) in &one.tables {
        assert_eq!(Some(table), other.tables.get(name), "{name}");
    }
    for (name, view) in &one.views {
        assert_eq!(Some(view), other.views.get(name), "{name}");
    }
    for (signature, routine) in &one.routines {
        assert_eq!(Some(routine), other.routines.get(signature), "{signature:?}");
    }
    assert_eq!(one.grants, other.grants);
    assert!(one == other, "something else differs");
}

/// Exit code and findings of `onlyonce check`.
fn check(folder: &Path) -> (u8, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let now = jiff::Timestamp::from_second(1_795_978_800).unwrap();
    let words = ["onlyonce", "check", "--only", "sql,manifest"].map(OsString::from);
    let exit = cli::run(words, &mut Page::new(folder.to_owned(), now, &mut out, &mut err));
    let text = String::from_utf8(out).unwrap();
    (exit as u8, if text.contains("no findings") { String::new() } else { text })
}

#[test]
fn an_edited_file_stops_an_upgrade() {
    let place = copied("create");
    let path = fs::read_dir(place.path().join("migrations")).unwrap().next().unwrap().unwrap().path();
    fs::write(&path, fs::read_to_string(&path).unwrap() + "SELECT 1;\n").unwrap();
    let faults = plan(place.path(), versions::LATEST).unwrap_err();
    assert!(faults.0[0].message.ends_with("was edited after it was emitted"), "{:?}", faults.0[0].message);
}
