//! A migration as one tool's files.

use std::path::Path;

use super::layout::{Alone, Sections, Spec};
use super::{Kind, Migration};
use crate::files::OutputFile;
use crate::manifest::Layout;

/// The first line of every file of ours; shows, too, which files of a folder are ours.
pub const HEADER: &str = "-- Written by onlyonce from onlyonce.toml. Do not edit: onlyonce.lock knows its bytes.";

/// The first line of a file that is the team's once it is written.
pub const ADOPTED: &str = "-- Written by `onlyonce emit --adopt`. From here on it is yours.";

/// The files of `migration` in `folder`; `way_back` says whether the file that goes down is written, for a
/// tool that has one.
#[must_use]
pub fn write(layout: Layout, folder: &Path, migration: &Migration, way_back: bool) -> Vec<OutputFile> {
    let spec = layout.spec();
    let name = |pattern: &super::pattern::Pattern| folder.join(pattern.write(&migration.version, &migration.name));
    if let Some(sections) = &spec.sections {
        let mark = |marker: &str| match opt_out(spec, migration, Alone::InSection) {
            Some(opt_out) => format!("{marker} {opt_out}"),
            None => marker.to_owned(),
        };
        let up = section(&mark(&sections.up), &migration.up, sections);
        let down = section(&mark(&sections.down), &migration.down, sections);
        return vec![OutputFile::new(name(&spec.up), format!("{}\n{up}\n{down}", header(spec, migration)))];
    }
    let text =
        |statements: &[String]| format!("{}\n{}", header(spec, migration), body(spec, migration.kind, statements));
    let mut files = match &spec.down {
        Some(down) if way_back => vec![
            OutputFile::new(name(&spec.up), text(&migration.up)),
            OutputFile::new(name(down), text(&migration.down)),
        ],
        Some(_) | None => {
            let pattern = if way_back { &spec.up } else { spec.bare.as_ref().unwrap_or(&spec.up) };
            vec![OutputFile::new(name(pattern), text(&migration.up))]
        }
    };
    if let Some(opt_out) = opt_out(spec, migration, Alone::Beside) {
        let beside = files.first().map(|up| up.path.with_file_name("metadata.toml"));
        files.extend(beside.map(|path| OutputFile::new(path, format!("{opt_out} = false\n"))));
    }
    files
}

/// What takes this migration out of its transaction, for a tool that is told so in this way.
fn opt_out<'s>(spec: &'s Spec, migration: &Migration, way: Alone) -> Option<&'s String> {
    spec.opt_out.as_ref().filter(|_| migration.kind == Kind::AdoptedAlone && spec.alone == way)
}

/// The way up as a script for `psql -f`, which applies it whole or not at all.
#[must_use]
pub fn script(migration: &Migration) -> String {
    body(Layout::Plain.spec(), migration.kind, &migration.up)
}

/// The statements in the transaction that the tool leaves to them; what runs outside any opens none.
fn body(spec: &Spec, kind: Kind, statements: &[String]) -> String {
    match kind {
        Kind::Ledger | Kind::Adopted => wrapped(spec, statements),
        Kind::AdoptedAlone => bare(statements),
    }
}

fn header(spec: &Spec, migration: &Migration) -> String {
    let line = |line: &String| format!("{line}\n");
    let first = opt_out(spec, migration, Alone::FirstLine).map(line).unwrap_or_default();
    let own = spec.header.as_ref().map(line).unwrap_or_default();
    let whose = if migration.kind == Kind::Ledger { HEADER } else { ADOPTED };
    format!("{first}{whose}\n{own}")
}

/// The statements as a script that opens no transaction.
#[must_use]
pub fn bare(statements: &[String]) -> String {
    statements.iter().map(|statement| format!("{statement};\n")).collect()
}

fn wrapped(spec: &Spec, statements: &[String]) -> String {
    let around = spec.wrap.as_ref();
    let all = around.map(|(first, _)| first).into_iter().chain(statements).chain(around.map(|(_, last)| last));
    all.map(|statement| format!("{statement};\n")).collect::<Vec<_>>().join("\n")
}

fn section(marker: &str, statements: &[String], sections: &Sections) -> String {
    let mut text = format!("-- {marker}\n");
    for statement in statements {
        match (&sections.begin, &sections.end) {
            (Some(begin), Some(end)) if holds_line_end_semicolon(statement) => {
                text.push_str(&format!("\n-- {begin}\n{statement};\n-- {end}\n"));
            }
            _ => text.push_str(&format!("\n{statement};\n")),
        }
    }
    text
}

/// Whether goose would cut the statement in two: a line's last word before a comment ends in `;`.
fn holds_line_end_semicolon(statement: &str) -> bool {
    statement.lines().any(|line| {
        line.split_whitespace()
            .take_while(|word| !word.starts_with("--"))
            .last()
            .is_some_and(|word| word.ends_with(';'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::migration::folder::{Entry, Folder};
    use crate::migration::layout::ALL;

    fn migration() -> Migration {
        Migration {
            version: "7".to_owned(),
            name: "onlyonce_ledger".to_owned(),
            up: vec!["CREATE TABLE t ()".to_owned(), "-- why\nDO $$\nBEGIN\n    NULL;\nEND\n$$".to_owned()],
            down: vec!["DROP TABLE t".to_owned()],
            kind: Kind::Ledger,
        }
    }

    #[test]
    fn every_layout_reads_back_what_it_writes() {
        for layout in ALL {
            let files = write(layout, Path::new("m"), &migration(), true);
            let entries: Vec<Entry> = files
                .iter()
                .map(|file| Entry {
                    path: file.path.strip_prefix("m").unwrap().to_str().unwrap().to_owned(),
                    text: file.text.clone(),
                })
                .collect();
            let folder = Folder::read(layout, Path::new("m"), &entries);
            let [found] = folder.migrations.as_slice() else { panic!("{} reads one migration", layout.name()) };
            assert_eq!((found.version.as_str(), found.name.as_str()), ("7", "onlyonce_ledger"));
            let up: String = found.up.iter().map(|span| found.source.slice(*span)).collect();
            assert!(up.contains("CREATE TABLE t ();\n") && !up.contains("DROP TABLE"), "{}: {up}", layout.name());
            let goes_back = !matches!(layout, Layout::Plain | Layout::Refinery);
            assert_eq!(found.reversible, goes_back, "{}", layout.name());
            assert!(
                files
                    .iter()
                    .all(|file| file.text.starts_with(HEADER) && file.text.ends_with(";\n") || layout == Layout::Goose)
            );
        }
    }

    #[test]
    fn goose_holds_bodies_together() {
        let files = write(Layout::Goose, Path::new("m"), &migration(), true);
        let body = "-- +goose StatementBegin\n-- why\nDO $$\nBEGIN\n    NULL;\nEND\n$$;\n-- +goose StatementEnd\n";
        assert!(files[0].text.contains(body), "{}", files[0].text);
        assert_eq!(files[0].text.matches("StatementBegin").count(), 1);
    }

    #[test]
    fn a_folder_without_ways_back_gets_none() {
        let files = write(Layout::Sqlx, Path::new("m"), &migration(), false);
        let paths: Vec<_> = files.iter().map(|file| file.path.to_str().unwrap()).collect();
        assert_eq!(paths, ["m/7_onlyonce_ledger.sql"]);
        let paths = write(Layout::Flyway, Path::new("m"), &migration(), false);
        assert_eq!(paths.len(), 1);
        assert_eq!(paths[0].path.to_str(), Some("m/V7__onlyonce_ledger.sql"));
    }
}
