//! A folder of migrations, read as its tool reads it.

use std::fs;
use std::path::{Path, PathBuf};

use super::layout::{Spec, WayBack};
use super::version::{Rank, rank};
use super::{pattern::Matched, sections};
use crate::diagnostic::Fault;
use crate::files::cannot;
use crate::manifest::Layout;
use crate::source::{Source, Span};
use crate::sql::SourceStatements;

/// A file of a migrations folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Relative to the folder, with `/` between its parts.
    pub path: String,
    /// Its text; bytes that are no UTF-8 are replaced.
    pub text: String,
}

/// A migration as it stands in a folder.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// As spelled in the file name; empty for one that is applied after all others each time it changes.
    pub version: String,
    /// As spelled in the file name.
    pub name: String,
    /// The file, named as findings show it.
    pub source: Source,
    /// The bytes of it that run on the way up, in this order.
    pub up: Vec<Span>,
    /// Whether there is a way back, in this file or beside it.
    pub reversible: bool,
    path: String,
    rank: Rank,
}

/// A folder's migrations in the order in which its tool applies them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Folder {
    /// In order.
    pub migrations: Vec<Found>,
    /// Version and path of the newest, files whose text we do not read (`.go`, `.rs`) included.
    pub newest: Option<(String, String)>,
}

/// How deep folders are followed.
const DEPTH: usize = 16;

/// The `.sql`, `.go`, `.rs` and `.java` files under a folder, sorted; none when there is no such folder.
///
/// # Errors
/// When a file or folder is there and cannot be read.
pub fn entries(folder: &Path) -> Result<Vec<Entry>, Fault> {
    let mut found = Vec::new();
    if !folder.exists() {
        return Ok(found);
    }
    let walk = walkdir::WalkDir::new(folder).max_depth(DEPTH).follow_links(true).sort_by_file_name().into_iter();
    for entry in walk.filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry.path())) {
        let entry = match entry {
            Ok(entry) => entry,
            // A link to a folder that holds it: its files were read on the way in. A hidden link to nowhere is a lock
            // of an editor.
            Err(error) if error.loop_ancestor().is_some() || error.path().is_some_and(is_hidden) => continue,
            Err(error) => {
                return Err(Fault::new(format!("cannot read {}: {error}", folder.display()))
                    .with_help("check that the path is right and that you have the right to it"));
            }
        };
        let Some(path) = relative(folder, entry.path()).filter(|_| entry.file_type().is_file()) else { continue };
        let text = match path.rsplit_once('.') {
            Some((_, "sql")) => {
                let bytes = fs::read(entry.path()).map_err(|error| cannot("read", entry.path(), &error))?;
                String::from_utf8_lossy(&bytes).into_owned()
            }
            Some((_, "go" | "rs" | "java")) => String::new(),
            _ => continue,
        };
        found.push(Entry { path, text });
    }
    Ok(found)
}

/// Editors leave such files behind, and diesel passes over them.
fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

fn relative(folder: &Path, path: &Path) -> Option<String> {
    let parts: Vec<&str> = path.strip_prefix(folder).ok()?.iter().map(|part| part.to_str()).collect::<Option<_>>()?;
    Some(parts.join("/"))
}

impl Folder {
    /// The migrations among `entries`, as the tool orders them. `shown` is the folder as findings name it.
    /// A name that the tool does not know is left out, as the tool does.
    #[must_use]
    pub fn read(layout: Layout, shown: &Path, entries: &[Entry]) -> Folder {
        let spec = layout.spec();
        let mut migrations: Vec<Found> =
            entries.iter().filter_map(|entry| found(spec, shown, entry, entries)).collect();
        migrations.sort_by(|one, other| {
            (one.version.is_empty(), &one.rank, &one.path).cmp(&(other.version.is_empty(), &other.rank, &other.path))
        });
        Folder { newest: newest(spec, entries), migrations }
    }

    /// The statements of the way up, file by file in order: what the schema model replays.
    #[must_use]
    pub fn history(&self) -> Vec<SourceStatements> {
        let parts = self.migrations.iter().flat_map(|found| found.up.iter().map(move |span| (&found.source, *span)));
        parts.map(|(source, span)| SourceStatements::read_within(source, span)).collect()
    }

    /// Whether the file that goes down is to be written here, for a tool that has one.
    #[must_use]
    pub fn way_back(&self, layout: Layout) -> bool {
        let spec = layout.spec();
        match spec.way_back {
            WayBack::Always => true,
            WayBack::UnlessBare => self.migrations.last().is_none_or(|last| last.reversible),
            WayBack::WhenFound => self.migrations.iter().any(|found| found.reversible),
        }
    }
}

fn found(spec: &Spec, shown: &Path, entry: &Entry, all: &[Entry]) -> Option<Found> {
    let path = entry.path.as_str();
    if !reachable(spec, path) || spec.down.as_ref().is_some_and(|down| down.read(path).is_some()) {
        return None;
    }
    let patterns = [Some(&spec.up), spec.bare.as_ref(), spec.repeated.as_ref()];
    let matched = patterns.into_iter().flatten().find_map(|pattern| pattern.read(path))?;
    let source = Source::new(PathBuf::from(shown).join(path).display().to_string(), entry.text.as_str());
    let (up, reversible) = match &spec.sections {
        Some(sections) => {
            let parts = sections::parts(sections, &entry.text);
            let back = parts.down.iter().any(|span| !source.slice(*span).trim().is_empty());
            (parts.up, back)
        }
        None => (vec![Span::new(0, entry.text.len())], has_way_back(spec, path, matched, all)),
    };
    let rank = rank(spec.order, matched.version, path);
    Some(Found {
        version: matched.version.to_owned(),
        name: matched.name.to_owned(),
        source,
        up,
        reversible,
        path: entry.path.clone(),
        rank,
    })
}

fn has_way_back(spec: &Spec, path: &str, matched: Matched<'_>, all: &[Entry]) -> bool {
    let name = spec.up.write(matched.version, matched.name);
    let folder = path.strip_suffix(name.as_str()).unwrap_or_default();
    spec.down.as_ref().is_some_and(|down| {
        let wanted = format!("{folder}{}", down.write(matched.version, matched.name));
        all.iter().any(|entry| entry.path == wanted)
    })
}

fn newest(spec: &Spec, entries: &[Entry]) -> Option<(String, String)> {
    let patterns =
        || [Some(&spec.up), spec.bare.as_ref(), spec.down.as_ref()].into_iter().flatten().chain(&spec.counted);
    entries
        .iter()
        .filter(|entry| reachable(spec, &entry.path))
        .filter_map(|entry| {
            let matched = patterns().find_map(|pattern| pattern.read(&entry.path))?;
            Some((rank(spec.order, matched.version, &entry.path), matched.version.to_owned(), entry.path.clone()))
        })
        .max()
        .map(|(_, version, path)| (version, path))
}

/// Whether the tool looks that deep.
fn reachable(spec: &Spec, path: &str) -> bool {
    spec.nested || !path.contains('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(layout: Layout, files: &[(&str, &str)]) -> Folder {
        let entries: Vec<Entry> =
            files.iter().map(|(path, text)| Entry { path: (*path).to_owned(), text: (*text).to_owned() }).collect();
        Folder::read(layout, Path::new("m"), &entries)
    }

    fn order(layout: Layout, paths: &[&str]) -> Vec<String> {
        let files: Vec<_> = paths.iter().map(|path| (*path, "")).collect();
        folder(layout, &files).migrations.into_iter().map(|found| found.version).collect()
    }

    #[test]
    fn each_tool_has_its_own_order() {
        assert_eq!(order(Layout::Sqlx, &["10_b.sql", "9_a.sql", "x.sql", "sub/1_a.sql"]), ["9", "10"]);
        assert_eq!(order(Layout::Dbmate, &["10_b.sql", "9_a.sql"]), ["10", "9"]);
        assert_eq!(
            order(Layout::Flyway, &["R__v.sql", "V1.10__b.sql", "V1.9__a.sql", "U1.9__a.sql"]),
            ["1.9", "1.10", ""]
        );
        assert_eq!(order(Layout::Refinery, &["deep/V2__b.sql", "U1__a.sql"]), ["1", "2"]);
        assert_eq!(
            order(Layout::Diesel, &["2026-01-01-000000_b/up.sql", "00000000000000_a/up.sql"]),
            ["00000000000000", "2026-01-01-000000"]
        );
    }

    #[test]
    fn code_migrations_take_versions_too() {
        let newest = folder(Layout::Goose, &[("1_a.sql", ""), ("2_b.go", "")]).newest.unwrap();
        assert_eq!(newest, ("2".to_owned(), "2_b.go".to_owned()));
        assert_eq!(folder(Layout::Refinery, &[("V7__a.rs", "")]).newest.unwrap().0, "7");
    }

    #[test]
    fn the_way_back_follows_the_folder() {
        let pairs = folder(Layout::Sqlx, &[("1_a.up.sql", ""), ("1_a.down.sql", "")]);
        assert!(pairs.way_back(Layout::Sqlx));
        assert!(folder(Layout::Sqlx, &[]).way_back(Layout::Sqlx));
        assert!(!folder(Layout::Sqlx, &[("1_a.sql", "")]).way_back(Layout::Sqlx));
        assert!(!folder(Layout::Flyway, &[("V1__a.sql", "")]).way_back(Layout::Flyway));
        assert!(folder(Layout::Flyway, &[("V1__a.sql", ""), ("U1__a.sql", "")]).way_back(Layout::Flyway));
    }

    #[test]
    fn loops_and_leftovers_of_editors_are_passed_over() {
        let place = tempfile::tempdir().unwrap();
        for name in ["1_a.sql", ".2_b.sql", "3_c.txt"] {
            fs::write(place.path().join(name), "A;").unwrap();
        }
        std::os::unix::fs::symlink(place.path(), place.path().join("self")).unwrap();
        std::os::unix::fs::symlink("nowhere", place.path().join(".#1_a.sql")).unwrap();
        let paths: Vec<String> = entries(place.path()).unwrap().into_iter().map(|entry| entry.path).collect();
        assert_eq!(paths, ["1_a.sql"]);
        assert_eq!(entries(&place.path().join("absent")), Ok(Vec::new()));
    }

    #[test]
    fn only_the_way_up_is_read() {
        let found =
            folder(Layout::Goose, &[("1_a.sql", "-- +goose Up\nA;\n-- +goose Down\nB;\n")]).migrations.remove(0);
        assert_eq!(found.up.iter().map(|span| found.source.slice(*span)).collect::<String>(), "A;\n");
        assert_eq!(found.source.name(), "m/1_a.sql");
        assert!(found.reversible);
    }
}
