//! Whose folder is it? Told from the names and markers of its files, and from what stands upwards of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::folder::{Entry, Folder, entries};
use super::layout::{ALL, Shape};
use super::pattern::Pattern;
use super::sections::is_marker;
use crate::diagnostic::{Fault, Label};
use crate::manifest::Layout;
use crate::source::{Source, Span};

/// A shape that a folder holds, with the first file that has it.
type Shapes<'a> = BTreeMap<Shape, &'a Entry>;

/// Where two tools write files of one shape and nothing upwards says which: this one, for a Rust program.
const LIKELIER: [Layout; 6] =
    [Layout::Sqlx, Layout::Refinery, Layout::Diesel, Layout::Dbmate, Layout::Goose, Layout::GolangMigrate];

/// The tool that a folder belongs to, and why, for people; `None` when it holds no migration, mixes tools, or
/// cannot be read.
#[must_use]
pub fn tell(folder: &Path) -> Option<(Layout, String)> {
    let entries = entries(folder).ok()?;
    let shapes = shapes(&entries);
    let fitting = fitting(&shapes, &entries);
    let because = describe(&shapes);
    if let Some((layout, named)) = fitting.iter().find_map(|layout| Some((*layout, named_in(*layout, folder)?))) {
        return Some((layout, format!("{because}, and {named}")));
    }
    let likelier = LIKELIER.into_iter().find(|layout| fitting.contains(layout));
    let layout = likelier.or(fitting.first().copied())?;
    let others: Vec<&str> = fitting.iter().filter(|other| **other != layout).map(|other| other.name()).collect();
    let doubt = if others.is_empty() { String::new() } else { format!("; {} would fit too", others.join(", ")) };
    Some((layout, format!("{because}{doubt}")))
}

/// Refuses a folder whose files are not `layout`'s, saying what was told and why. An empty one is anybody's.
///
/// # Errors
/// When it holds another tool's files, or those of several. The fault points at a file of the other tool.
pub fn demand(layout: Layout, folder: &Path, shown: &Path, entries: &[Entry]) -> Result<(), Fault> {
    let shapes = shapes(entries);
    let fitting = fitting(&shapes, entries);
    if shapes.is_empty() || fitting.contains(&layout) {
        return Ok(());
    }
    let accepted = &layout.spec().shapes;
    let stranger = shapes
        .iter()
        .find(|(shape, _)| !accepted.contains(shape))
        .map_or_else(|| shapes.values().next().copied(), |(_, entry)| Some(*entry));
    let fault = if fitting.is_empty() {
        Fault::new(format!("{} holds migrations of several tools: {}", shown.display(), describe(&shapes)))
            .with_help("keep one tool's files in a folder, and name that folder and tool in [schema]")
    } else {
        let told = fitting.iter().find_map(|layout| named_in(*layout, folder).map(|named| (*layout, named)));
        let (told, named) = told.map_or((fitting[0], None), |(layout, named)| (layout, Some(named)));
        let named = named.map(|named| format!(", and {named}")).unwrap_or_default();
        let message =
            format!("{} is {}'s, not {}'s: {}{named}", shown.display(), told.name(), layout.name(), describe(&shapes));
        Fault::new(message).with_help(format!("write layout = \"{}\" in [schema], or name another folder", told.name()))
    };
    Err(match stranger {
        Some(entry) => fault.at(first_line(shown, entry)),
        None => fault,
    })
}

fn first_line(shown: &Path, entry: &Entry) -> Label {
    let source = Source::new(shown.join(&entry.path).display().to_string(), entry.text.as_str());
    let line = source.line(1);
    Label::new(&source, Span::new(line.start, line.end), "such a file")
}

fn fitting(shapes: &Shapes<'_>, entries: &[Entry]) -> Vec<Layout> {
    if shapes.is_empty() {
        return Vec::new();
    }
    ALL.into_iter()
        .filter(|layout| shapes.keys().all(|shape| layout.spec().shapes.contains(shape)))
        .filter(|layout| keeps_versions(*layout, entries))
        .collect()
}

/// Whether every version is one that the tool can read: refinery's are 32-bit numbers without dots.
fn keeps_versions(layout: Layout, entries: &[Entry]) -> bool {
    let spec = layout.spec();
    let dotted = layout == Layout::Flyway;
    Folder::read(layout, Path::new(""), entries).migrations.iter().filter(|found| !found.version.is_empty()).all(
        |found| {
            let digits = found.version.replace('-', "");
            dotted || digits.parse::<u64>().is_ok_and(|number| number <= spec.greatest)
        },
    )
}

fn shapes(entries: &[Entry]) -> Shapes<'_> {
    let mut shapes = Shapes::new();
    for entry in entries {
        if let Some(shape) = shape(entry) {
            shapes.entry(shape).or_insert(entry);
        }
    }
    shapes
}

/// What a file looks like; `None` when it looks like no migration. Only diesel, refinery and Flyway look below the
/// folder itself, so that what teams keep there, such as an archive, is nobody else's.
fn shape(entry: &Entry) -> Option<Shape> {
    let marked = |layout: Layout| {
        let sections = layout.spec().sections.as_ref();
        sections.is_some_and(|sections| entry.text.lines().any(|line| is_marker(line, &sections.up)))
    };
    let named = |pattern: &Option<Pattern>| pattern.as_ref().is_some_and(|pattern| pattern.read(&entry.path).is_some());
    let up = |layout: Layout| layout.spec().up.read(&entry.path).is_some();
    if up(Layout::Diesel) {
        Some(Shape::Folder)
    } else if up(Layout::Flyway) || named(&Layout::Flyway.spec().repeated) {
        Some(Shape::Versioned)
    } else if entry.path.contains('/') {
        None
    } else if marked(Layout::Goose) {
        Some(Shape::Goose)
    } else if marked(Layout::Dbmate) {
        Some(Shape::Dbmate)
    } else if up(Layout::Sqlx) || named(&Layout::Sqlx.spec().down) {
        Some(Shape::Pair)
    } else if up(Layout::Plain) {
        Some(Shape::Numbered)
    } else {
        None
    }
}

fn describe(shapes: &Shapes<'_>) -> String {
    let parts: Vec<String> = shapes.iter().map(|(shape, entry)| says(*shape, &entry.path)).collect();
    parts.join("; ")
}

fn says(shape: Shape, path: &str) -> String {
    match shape {
        Shape::Dbmate => format!("{path} has a line `-- migrate:up`"),
        Shape::Folder => format!("{path} stands in a folder of its own"),
        Shape::Goose => format!("{path} has a line `-- +goose Up`"),
        Shape::Numbered => format!("{path} is numbered and has no marker"),
        Shape::Pair => format!("{path} is one of a pair, up and down"),
        Shape::Versioned => format!("{path} is named as V<version>__<name>"),
    }
}

/// The file upwards of the folder that names the tool: `Cargo.toml names sqlx`.
fn named_in(layout: Layout, folder: &Path) -> Option<String> {
    let folder = std::path::absolute(folder).ok()?;
    folder.ancestors().skip(1).take(4).find_map(|above| {
        layout.spec().named_in.iter().find_map(|(file, word)| {
            let text = fs::read_to_string(above.join(file)).ok()?;
            match word.as_str() {
                "" => Some(format!("{file} stands above it")),
                word => text.contains(word).then(|| format!("{file} names {word}")),
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, text: &str) -> Entry {
        Entry { path: path.to_owned(), text: text.to_owned() }
    }

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn told(files: &[(&str, &str)]) -> Option<(Layout, String)> {
        tell(&folder(files).path().join("m"))
    }

    #[test]
    fn each_tool_is_told_by_its_files() {
        let layout = |path: &str, text: &str| told(&[(&format!("m/{path}"), text)]).unwrap().0;
        assert_eq!(layout("20200101000000_a.sql", "-- migrate:up\n-- migrate:down\n"), Layout::Dbmate);
        assert_eq!(layout("2020-01-01-000000_a/up.sql", ""), Layout::Diesel);
        assert_eq!(layout("V1.2__a.sql", ""), Layout::Flyway);
        assert_eq!(layout("V20200101000000__a.sql", ""), Layout::Flyway, "no 32-bit number");
        assert_eq!(layout("00001_a.sql", "-- +goose Up\nA;\n"), Layout::Goose);
        assert_eq!(layout("V1__a.sql", ""), Layout::Refinery);
        assert_eq!(layout("1_a.up.sql", ""), Layout::Sqlx);
        assert_eq!(told(&[("m/README.sql", "x"), ("m/seed.sql", "")]), None);
        assert_eq!(told(&[]), None);
    }

    #[test]
    fn what_stands_above_decides_and_doubt_is_shown() {
        let (layout, why) = told(&[("m/1_a.up.sql", ""), ("go.mod", "github.com/golang-migrate/migrate v4")]).unwrap();
        assert_eq!(layout, Layout::GolangMigrate);
        assert_eq!(why, "1_a.up.sql is one of a pair, up and down, and go.mod names golang-migrate");
        let (layout, why) = told(&[("m/1_a.sql", "")]).unwrap();
        assert_eq!(
            (layout, why.as_str()),
            (Layout::Sqlx, "1_a.sql is numbered and has no marker; plain would fit too")
        );
    }

    #[test]
    fn another_tools_folder_and_a_mixed_one_are_refused() {
        let demand = |layout, files: &[Entry]| demand(layout, Path::new("/nowhere/m"), Path::new("m"), files);
        let goose = [entry("1_a.sql", "-- +goose Up\n")];
        assert_eq!(demand(Layout::Goose, &goose), Ok(()));
        assert_eq!(demand(Layout::Sqlx, &[]), Ok(()));
        let fault = demand(Layout::Sqlx, &goose).unwrap_err();
        assert_eq!(fault.message, "m is goose's, not sqlx's: 1_a.sql has a line `-- +goose Up`");
        assert_eq!(fault.place.unwrap().source.name(), "m/1_a.sql");
        let mixed = [entry("1_a.sql", "-- +goose Up\n"), entry("V2__b.sql", "")];
        let fault = demand(Layout::Goose, &mixed).unwrap_err();
        assert!(fault.message.starts_with("m holds migrations of several tools: 1_a.sql has"), "{}", fault.message);
        assert_eq!(fault.place.unwrap().source.name(), "m/V2__b.sql");
        assert!(demand(Layout::Refinery, &[entry("V20200101000000__a.sql", "")]).is_err());
        let archived = [entry("1_a.sql", ""), entry("archive/1_a.up.sql", "")];
        assert_eq!(demand(Layout::Plain, &archived), Ok(()));
        assert!(demand(Layout::Sqlx, &[entry("2020-01-01-000000_a/up.sql", "")]).is_err());
    }
}
