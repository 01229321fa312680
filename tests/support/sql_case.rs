//! The files of `tests/sql`: what is laid upon which ledger, and the rules that find it. Their first lines say so.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What a file is laid upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// The team's ledger of `tests/sql/adopted.sql`.
    Adopted,
    /// Nothing.
    Alone,
    /// Our own ledger, in so many partitions.
    Ours(u32),
    /// Our own ledger as Citus distributes it.
    Spread,
}

/// A file.
pub(crate) struct Case {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// All of a folder of `tests/sql`, sorted.
pub(crate) fn cases(folder: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sql").join(folder);
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| Case { text: fs::read_to_string(&path).unwrap(), path }).collect()
}

impl Case {
    pub(crate) fn name(&self) -> &str {
        self.path.file_name().unwrap().to_str().unwrap()
    }

    pub(crate) fn base(&self) -> Base {
        let said = self.text.lines().find_map(|line| match line {
            "-- alone" => Some(Base::Alone),
            "-- ours" => Some(Base::Ours(0)),
            "-- ours in partitions" => Some(Base::Ours(3)),
            "-- ours on citus" => Some(Base::Spread),
            _ => None,
        });
        said.unwrap_or(Base::Adopted)
    }

    /// The rules that find it in migrations, which the first line names.
    pub(crate) fn finds(&self) -> Option<BTreeSet<String>> {
        self.text.lines().next()?.strip_prefix("-- finds: ").map(rules)
    }

    /// The rules that find it in a database: those of its migrations, unless it shows other faults there.
    pub(crate) fn finds_live(&self) -> BTreeSet<String> {
        let live = self.text.lines().find_map(|line| line.strip_prefix("-- live: "));
        live.map(rules).or_else(|| self.finds()).unwrap_or_default()
    }
}

fn rules(named: &str) -> BTreeSet<String> {
    named.split(' ').filter(|word| *word != "nothing").map(str::to_owned).collect()
}
