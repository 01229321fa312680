//! From the file as written to a valid [`Manifest`], or every problem of the file at once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Fault, Faults};
use crate::manifest::name::{check_name, type_name};
use crate::manifest::raw::MAX_FAULTS;
use crate::manifest::section::{Section, Walk};
use crate::manifest::{Manifest, Places, action, inbound, raw, schema, settings};
use crate::source::{Source, Span};

/// The manifest's file name.
pub const FILE_NAME: &str = "onlyonce.toml";

/// The nearest [`FILE_NAME`] in `start` or a folder above it. A relative `start` is walked up as far as it is written.
#[must_use]
pub fn find(start: &Path) -> Option<PathBuf> {
    // Whatever has the name is found: reading a folder, or a file without rights, says what is wrong with it.
    start.ancestors().map(|folder| folder.join(FILE_NAME)).find(|path| path.symlink_metadata().is_ok())
}

/// Reads and checks the manifest at `path`; `shown` is the path as people are shown it, `rules` are the names that
/// `[[scan.allow]]` may silence.
///
/// # Errors
/// Why the file could not be read, or everything that is wrong in it, in the order of the file.
pub fn load(path: &Path, shown: &str, rules: &[&str]) -> Result<Manifest, Faults> {
    let source = raw::read(path, shown)?;
    let root = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    check(&source, root.to_path_buf(), rules)
}

/// Checks a manifest that is read already; paths in it are relative to `root`.
///
/// # Errors
/// Everything that is wrong in it, in the order of the file.
pub fn check(source: &Source, root: PathBuf, rules: &[&str]) -> Result<Manifest, Faults> {
    let (table, syntax) = raw::parse(source);
    if syntax.len() > MAX_FAULTS {
        return Err(cut(syntax));
    }
    let walk = Walk::new(source, syntax);
    let manifest = read_all(Section::root(&walk, &table), root, rules);
    let (faults, places) = walk.finish();
    match manifest {
        Some(manifest) if faults.is_empty() => Ok(Manifest { places: Places(places), ..manifest }),
        _ if faults.is_empty() => Err(Fault::new(format!("{} could not be read whole", source.name()))
            .with_help("this is a fault of onlyonce: please report it with the file")
            .into()),
        _ => Err(cut(faults)),
    }
}

/// What can be read in one sitting, and the word that there is more.
fn cut(mut faults: Vec<Fault>) -> Faults {
    if faults.len() > MAX_FAULTS {
        faults.truncate(MAX_FAULTS);
        faults.push(
            Fault::new(format!("there is more that is wrong; the first {MAX_FAULTS} faults are told"))
                .with_help("mend these first, or check that it is the right file"),
        );
    }
    Faults(faults)
}

/// Every section is read before the first missing one is given up.
fn read_all(file: Section<'_>, root: PathBuf, rules: &[&str]) -> Option<Manifest> {
    read_version(&file);
    let schema = file.table("schema").map_or_else(|| Some(schema::default(Span::default())), schema::read);
    let actions =
        file.table("action").map_or_else(Default::default, |table| named(&table, "action type", action::read));
    let inbound = file.table("inbound").map_or_else(Default::default, |table| named(&table, "source", inbound::read));
    let generate = file.table("generate").map_or_else(|| Some(settings::default_generate()), settings::read_generate);
    let scan = file.table("scan").map_or_else(|| Some(Default::default()), |scan| settings::read_scan(scan, rules));
    let source = file.walk.source.clone();
    file.finish();
    Some(Manifest {
        source,
        root,
        schema: schema?,
        actions,
        inbound,
        generate: generate?,
        scan: scan?,
        places: Places::default(),
    })
}

fn read_version(file: &Section<'_>) {
    file.need("version", "the version says how the rest is meant", "write version = 1 as the first line");
    file.number("version", 1..=1);
}

/// The tables that the user names; a table that is not valid has reported why and is left out.
fn named<T>(
    table: &Section<'_>,
    what: &str,
    read: impl Fn(&str, Span, Section<'_>) -> Option<T>,
) -> BTreeMap<String, T> {
    let mut types: BTreeMap<String, &str> = BTreeMap::new();
    let mut valid = BTreeMap::new();
    for (name, section) in table.named_tables() {
        let good = check_name(table, what, name);
        if let Some(other) = types.insert(type_name(name.value), name.value).filter(|_| good) {
            let message = format!("`{}` and `{other}` are one Rust type, `{}`", name.value, type_name(name.value));
            table.fault(name.span, message, "two names, one type", "give one of them another name");
        }
        if let Some(read) = read(name.value, name.span, section) {
            valid.insert(name.value.to_owned(), read);
        }
    }
    valid
}
