//! The ledger's text by version: what was emitted once can be named, and upgraded, for ever.
//!
//! At a release, `RELEASE=1 cargo test --test house released` keeps the text of [`LATEST`] as `sql/versions/N.sql`, with
//! the lists of `sql/transitions.toml` in it, and its digest in `sql/versions/released.toml`. From then on that test
//! refuses another text under this number. To change the ledger after that:
//! 1. name `sql/versions/N.sql` and `sql/upgrades/N.sql` in [`ALL`], and raise [`LATEST`] by one;
//! 2. change `sql/ledger.sql`;
//! 3. write `sql/upgrades/<LATEST>.sql`: what the change does to tables, and let [`CURRENT`] name it. Routines and views
//!    are taken from the two texts, see [`upgrade`](super::upgrade).

/// The version of `sql/ledger.sql`.
pub const LATEST: u32 = 2;

/// A version of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Its number; 1 is the first that was released.
    pub number: u32,
    /// All of it, as a template.
    pub text: &'static str,
    /// What it takes to come here from the version before, as a template; empty for the first.
    pub upgrade: &'static str,
}

/// The version that is emitted.
pub const CURRENT: Version = Version {
    number: LATEST,
    text: include_str!("../../sql/ledger.sql"),
    upgrade: include_str!("../../sql/upgrades/2.sql"),
};

/// Every version, the oldest first.
pub const ALL: [Version; LATEST as usize] =
    [Version { number: 1, text: include_str!("../../sql/versions/1.sql"), upgrade: "" }, CURRENT];

/// The version of this number; `None` for one that this onlyonce does not know.
#[must_use]
pub fn version(number: u32) -> Option<&'static Version> {
    ALL.iter().find(|version| version.number == number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_count_from_one_without_a_gap() {
        let numbers: Vec<u32> = ALL.iter().map(|version| version.number).collect();
        assert_eq!(numbers, (1..=LATEST).collect::<Vec<_>>());
        assert!(ALL.iter().skip(1).all(|version| !version.upgrade.is_empty()));
        assert_eq!(version(LATEST + 1), None);
    }
}
