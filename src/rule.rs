//! A rule: one name everywhere (file, page, allow comment, JSON), a level, and the page that explains it.

use crate::diagnostic::Level;

/// What a rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Domain {
    /// The scanned Rust code, and the manifest beside it.
    Code,
    /// Migrations and live databases.
    Sql,
}

/// A rule, without the function that runs it: each registry pairs it with one.
#[derive(Debug)]
pub struct Rule {
    /// Reads well after `allow`: `unguarded-send`.
    pub name: &'static str,
    /// The level of a finding unless the rule says otherwise for a case.
    pub level: Level,
    /// What it looks at.
    pub domain: Domain,
    /// The page `lints/rules/<name>.md`: printed by `explain`, run by `tests/rules.rs`.
    pub page: &'static str,
}

impl Rule {
    /// The first line of the page below its heading: what the rule says in one sentence.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        self.page.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default()
    }
}
