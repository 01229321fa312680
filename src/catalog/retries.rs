//! What sends again by itself, from `lints/retries.toml`.

use std::sync::LazyLock;

use super::lookup::fits;

/// In which way it repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A function, or a method of a closure, that calls what it is given until that succeeds.
    Wrapper,
    /// Given to a client while it is built: whatever goes through the client is repeated.
    Policy,
    /// What the crate does unless it is switched off.
    Default,
}

/// What is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Repeats {
    /// Also what may have been done.
    All,
    /// Only what the other side turned down, or what never left.
    Refused,
    /// Under one key, so that the other side tells.
    Keyed,
    /// Model calls only.
    Models,
    /// Also what may have been done, but a second one writes what the first one wrote.
    Natural,
}

/// One way of sending again.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retry {
    /// Package name; ends in `*` for a family.
    #[serde(rename = "crate")]
    pub package: String,
    /// The version that was read.
    pub version: String,
    /// Path of the module, type or trait.
    pub path: String,
    /// Name of the function or method; `*` stands for any part of it.
    pub name: String,
    /// In which way.
    pub kind: Kind,
    /// What.
    pub repeats: Repeats,
    /// Of a policy: it repeats only where one of these is called while it is built.
    #[serde(default)]
    pub needs: Vec<String>,
    /// What switches it off, by the last names of its path.
    #[serde(default)]
    pub off: Vec<String>,
    /// Of a default: calls into which the crate puts a key of its own, one for all attempts of a call, by the beginning
    /// of their paths. Sorted. Who calls once more gets another key.
    #[serde(default)]
    pub keyed: Vec<String>,
    /// What people should know of it.
    #[serde(default)]
    pub note: Option<String>,
    /// Where the fact was read.
    pub source: String,
}

impl Retry {
    /// Whether the crate puts a key of its own into this call.
    #[must_use]
    pub fn keys(&self, api: &str) -> bool {
        self.keyed.iter().any(|call| api.strip_prefix(call.as_str()).is_some_and(|rest| rest.starts_with("::")))
    }
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    retry: Vec<Retry>,
}

static RETRIES: LazyLock<Vec<Retry>> = LazyLock::new(|| {
    // A test parses it, so this cannot fail in a program that was tested.
    toml::from_str::<File>(include_str!("../../lints/retries.toml")).unwrap_or_default().retry
});

/// Every way that is known, sorted by crate, path and name.
#[must_use]
pub fn all() -> &'static [Retry] {
    &RETRIES
}

/// What a function or method outside is, by its path and name.
#[must_use]
pub fn of_call(kind: Kind, path: &str, name: &str) -> Option<&'static Retry> {
    let same_crate = |entry: &Retry| entry.path.split("::").next() == path.split("::").next();
    let last = |path: &str| path.rsplit("::").next().unwrap_or_default().to_owned();
    // Re-exports move a type within its crate; a lower-case last name is a module and says little.
    let same_type = |entry: &Retry| {
        let own = last(&entry.path);
        own.starts_with(char::is_lowercase) || own == last(path)
    };
    all().iter().find(|entry| entry.kind == kind && fits(&entry.name, name) && same_crate(entry) && same_type(entry))
}

/// What a crate does unless it is switched off.
#[must_use]
pub fn default_of(package: &str) -> Option<&'static Retry> {
    let mut defaults = all().iter().filter(|entry| entry.kind == Kind::Default && fits(&entry.package, package));
    let family = defaults.clone().next();
    defaults.find(|entry| entry.package == package).or(family)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;

    #[test]
    fn every_entry_is_read_is_sorted_and_names_its_source() {
        let file: File = toml::from_str(include_str!("../../lints/retries.toml")).unwrap();
        assert!(file.retry.len() > 20);
        let names: Vec<_> = file.retry.iter().map(|entry| (&entry.package, &entry.path, &entry.name)).collect();
        assert!(names.is_sorted_by(|a, b| a < b), "sort lints/retries.toml by crate, path and name");
        for entry in &file.retry {
            assert!(entry.source.starts_with("https://") && !entry.version.is_empty(), "{}: no source", entry.path);
            assert!(entry.needs.is_empty() || entry.kind == Kind::Policy, "{}: only policies need", entry.path);
        }
    }

    #[test]
    fn every_crate_that_repeats_by_itself_is_here() {
        let says = Catalog::embedded().crates.iter().filter(|krate| krate.built_in_retry.is_some());
        let silent: Vec<&str> =
            says.map(|krate| krate.package.as_str()).filter(|name| default_of(name).is_none()).collect();
        assert_eq!(silent, Vec::<&str>::new(), "no [[retry]] of kind default");
    }

    #[test]
    fn calls_are_found_under_re_exports() {
        assert!(of_call(Kind::Wrapper, "backoff::future", "retry_notify").is_some());
        assert!(of_call(Kind::Wrapper, "tokio_retry::future::Retry", "spawn").is_some());
        assert!(of_call(Kind::Wrapper, "tokio", "spawn").is_none());
        assert!(
            of_call(Kind::Policy, "reqwest_retry::middleware::RetryTransientMiddleware", "new_with_policy").is_some()
        );
        assert_eq!(default_of("aws-sdk-sqs").unwrap().off, ["RetryConfig::disabled"]);
    }
}
