//! Names of migration files: `{version}_{name}.up.sql`, to read and to write.

/// A file name with a version and a name in it, or with a name alone.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(try_from = "String")]
pub struct Pattern {
    before: String,
    /// What stands between version and name; `None` when there is no version.
    between: Option<String>,
    after: String,
}

/// What a pattern found in a file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matched<'a> {
    /// As spelled; empty where the pattern has no version.
    pub version: &'a str,
    /// The rest.
    pub name: &'a str,
}

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Pattern, String> {
        let (front, after) = text.split_once("{name}").ok_or_else(|| format!("{text} has no {{name}}"))?;
        let (before, between) = match front.split_once("{version}") {
            Some((before, between)) => (before, Some(between.to_owned())),
            None => (front, None),
        };
        Ok(Pattern { before: before.to_owned(), between, after: after.to_owned() })
    }
}

impl Pattern {
    /// The parts of `path`, which is relative to the folder and has `/` between its parts. A pattern without
    /// a folder in it looks at the last part alone.
    #[must_use]
    pub fn read<'a>(&self, path: &'a str) -> Option<Matched<'a>> {
        let depth = self.after.matches('/').count();
        let start = path.rmatch_indices('/').nth(depth).map_or(0, |(at, _)| at + 1);
        let middle = path[start..].strip_prefix(self.before.as_str())?.strip_suffix(self.after.as_str())?;
        let Some(between) = &self.between else { return Some(Matched { version: "", name: middle }) };
        let end = middle.find(|c: char| !c.is_ascii_digit() && !".-_".contains(c)).unwrap_or(middle.len());
        let version = version_within(&middle[..end], between);
        let name = middle[version.len()..].strip_prefix(between.as_str())?;
        let whole = version.starts_with(|c: char| c.is_ascii_digit()) && !name.contains('/');
        whole.then_some(Matched { version, name })
    }

    /// The path of a file of this version and name.
    #[must_use]
    pub fn write(&self, version: &str, name: &str) -> String {
        match &self.between {
            Some(between) => format!("{}{version}{between}{name}{}", self.before, self.after),
            None => format!("{}{name}{}", self.before, self.after),
        }
    }
}

/// The version at the start of `text`, which holds digits, dots, hyphens and underscores alone: up to the
/// separator where there is one, else the digits. Flyway's may hold single underscores before its `__`.
fn version_within<'a>(text: &'a str, between: &str) -> &'a str {
    if between.is_empty() {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        return &text[..end];
    }
    text.find(between).map_or(text, |at| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<'a>(pattern: &str, path: &'a str) -> Option<(&'a str, &'a str)> {
        let pattern = Pattern::try_from(pattern.to_owned()).unwrap();
        pattern.read(path).map(|matched| (matched.version, matched.name))
    }

    #[test]
    fn versions_and_names_are_found_as_each_tool_finds_them() {
        assert_eq!(read("{version}_{name}.up.sql", "0001_a_b.up.sql"), Some(("0001", "a_b")));
        assert_eq!(read("{version}_{name}.up.sql", "0001_a_b.sql"), None);
        assert_eq!(read("{version}_{name}.up.sql", "x_a_b.up.sql"), None);
        assert_eq!(read("{version}_{name}/up.sql", "2026-01-02-030405_a/up.sql"), Some(("2026-01-02-030405", "a")));
        assert_eq!(read("V{version}__{name}.sql", "deep/V1.2__a.sql"), Some(("1.2", "a")));
        assert_eq!(read("V{version}__{name}.sql", "V1_2__a__b.sql"), Some(("1_2", "a__b")));
        assert_eq!(read("V{version}__{name}.sql", "V1_a.sql"), None);
        assert_eq!(read("R__{name}.sql", "R__views.sql"), Some(("", "views")));
        assert_eq!(read("{version}{name}.sql", "20260102x.sql"), Some(("20260102", "x")));
        assert_eq!(read("{version}{name}.sql", "seed.sql"), None);
        assert_eq!(read("{version}_{name}.sql", "é.sql"), None);
    }

    #[test]
    fn what_is_written_is_read_back() {
        for pattern in ["{version}_{name}.up.sql", "{version}_{name}/up.sql", "V{version}__{name}.sql"] {
            let written = Pattern::try_from(pattern.to_owned()).unwrap().write("20261129120000", "onlyonce_ledger");
            assert_eq!(read(pattern, &written), Some(("20261129120000", "onlyonce_ledger")));
        }
    }
}
