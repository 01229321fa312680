//! What is known of each migration tool: `sql/layouts.toml`, read once.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::pattern::Pattern;
use crate::manifest::Layout;

pub use crate::manifest::LAYOUTS as ALL;

/// One tool's conventions; the fields are described at the head of `sql/layouts.toml`.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Where the tool looks unless it is told otherwise.
    pub folder: String,
    /// What its files look like.
    pub shapes: Vec<Shape>,
    /// Name of a file that goes up.
    pub up: Pattern,
    /// Name of a file that goes down.
    pub down: Option<Pattern>,
    /// Name of a file that goes up and has none that goes down.
    pub bare: Option<Pattern>,
    /// Names whose versions are taken and whose text is not read.
    #[serde(default)]
    pub counted: Vec<Pattern>,
    /// Name of a file that is applied after all others.
    pub repeated: Option<Pattern>,
    /// When the file that goes down is written.
    #[serde(default)]
    pub way_back: WayBack,
    /// How a new folder counts.
    pub version: Counting,
    /// What a small number is padded to.
    pub digits: usize,
    /// What migrations are ordered by.
    pub order: Order,
    /// The greatest version that the tool can keep.
    pub greatest: u64,
    /// Whether folders inside the folder are read.
    #[serde(default)]
    pub nested: bool,
    /// Lines that start the way up and down.
    pub sections: Option<Sections>,
    /// Statements around each direction.
    pub wrap: Option<(String, String)>,
    /// What would take a file out of its transaction.
    pub opt_out: Option<String>,
    /// How a file of one statement runs outside any transaction.
    pub alone: Alone,
    /// What the tool has to be told for such a file, for people.
    pub alone_asks: Option<String>,
    /// What the reader of a file must know.
    pub header: Option<String>,
    /// Files upwards of the folder, and the word in them that shows the tool.
    pub named_in: Vec<(String, String)>,
    /// Where each of these was read.
    pub sources: Vec<String>,
}

/// What a migration file looks like, whoever wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// `-- migrate:up` in it.
    Dbmate,
    /// A folder with `up.sql`.
    Folder,
    /// `-- +goose Up` in it.
    Goose,
    /// `1_name.sql`
    Numbered,
    /// `1_name.up.sql`, `1_name.down.sql`
    Pair,
    /// `V1__name.sql`
    Versioned,
}

/// When the file that goes down is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WayBack {
    /// With every migration.
    #[default]
    Always,
    /// Unless the newest migration of the folder has none.
    UnlessBare,
    /// Where another migration of the folder has one.
    WhenFound,
}

/// How a file of one statement runs outside any transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Alone {
    /// The tool sees by itself that it must, or opens none.
    AsItIs,
    /// A `metadata.toml` beside the file sets `opt_out` to false.
    Beside,
    /// `opt_out` is its first line.
    FirstLine,
    /// `opt_out` stands behind the line that starts a direction.
    InSection,
    /// Not at all.
    Never,
}

/// How a new folder counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counting {
    /// `2026-11-29-120000`
    DashedStamp,
    /// `1`
    Number,
    /// `20261129120000`
    Stamp,
}

/// What migrations are ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The whole file name, as text.
    FileName,
    /// The numbers of the version.
    Number,
    /// The version as text, without hyphens.
    Text,
}

/// Comment lines that part a file; each without its `--`.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sections {
    /// Starts the way up.
    pub up: String,
    /// Starts the way down.
    pub down: String,
    /// Starts a statement that holds semicolons at line ends.
    pub begin: Option<String>,
    /// Ends it.
    pub end: Option<String>,
}

impl Layout {
    /// What is known of the tool.
    #[must_use]
    pub fn spec(self) -> &'static Spec {
        &SPECS[self.name()]
    }
}

/// The file is ours and a test reads all of it, so that no user meets a mistake in it.
#[expect(clippy::expect_used, reason = "the text is compiled in")]
static SPECS: LazyLock<BTreeMap<String, Spec>> = LazyLock::new(|| {
    toml::from_str(include_str!("../../sql/layouts.toml")).expect("sql/layouts.toml is read by a test")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_table_and_every_table_a_tool() {
        let names: Vec<&str> = SPECS.keys().map(String::as_str).collect();
        assert_eq!(names, ALL.map(Layout::name));
        for layout in ALL {
            assert!(!layout.spec().sources.is_empty(), "{} says where it was read", layout.name());
        }
    }
}
