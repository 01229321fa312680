//! What every command on a live ledger takes, and how it connects.

use std::time::Duration;

use clap::ValueEnum;

use crate::cli::{Exit, Page};
use crate::diagnostic::{Fault, Faults};
use crate::duration;
use crate::live::{Address, Ledger};
use crate::manifest::{Manifest, nearest};

/// Where the ledger is.
#[derive(Debug, clap::Args)]
pub(super) struct Place {
    /// The database: postgres://.. or libpq's host=..; without it DATABASE_URL, which no list of processes shows
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
    /// The ledger's schema; without it that of the manifest, or onlyonce
    #[arg(long, value_name = "NAME")]
    schema: Option<String>,
}

impl Place {
    /// Connects, as the manifest says where there is one.
    pub(super) fn connect(&self, manifest: Option<&Manifest>, page: &mut Page<'_>) -> Result<Ledger, Faults> {
        let url = match (&self.database_url, &page.database_url) {
            (Some(url), _) => url.clone(),
            (None, Some(url)) => {
                url.to_str().map(str::to_owned).ok_or_else(|| Fault::new("DATABASE_URL is no UTF-8"))?
            }
            (None, None) => String::new(),
        };
        if url.trim().is_empty() {
            return Err(Fault::new("no database is named")
                .with_help("set DATABASE_URL, or give --database-url")
                .into());
        }
        let address = Address::read(url.trim())?;
        let of_manifest = manifest.map(|manifest| manifest.schema.name.as_str());
        let schema = self.schema.as_deref().or(of_manifest).unwrap_or("onlyonce");
        page.murmur(&format!("the ledger {schema} in {}", address.shown()));
        let adopts = manifest.is_some_and(|manifest| manifest.schema.adopt.is_some()) && self.schema.is_none();
        Ok(Ledger::connect(&address, schema)?.that_may_be_adopted(adopts))
    }
}

/// How an answer is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    Text,
    /// For tools
    Json,
}

/// The manifest of the folder where the user stands, if there is one.
pub(super) fn manifest(page: &Page<'_>) -> Result<Option<Manifest>, Faults> {
    page.manifest_if_any(&page.folder)
}

/// Whether the manifest has an action type or a source of that name.
pub(super) fn is_named(manifest: &Manifest, name: &str) -> bool {
    manifest.actions.contains_key(name) || manifest.inbound.contains_key(name)
}

/// The action type or source that was meant by a name that the manifest does not have.
pub(super) fn meant<'m>(manifest: Option<&'m Manifest>, name: &str) -> Option<&'m str> {
    let manifest = manifest.filter(|manifest| !is_named(manifest, name))?;
    nearest(name, manifest.actions.keys().chain(manifest.inbound.keys()).map(String::as_str))
}

/// Reads `--every`.
pub(super) fn pause(text: &str) -> Result<Duration, String> {
    let units = |wrong| format!("{wrong}; write it like 5s, 1m or 1h30m: units are w, d, h, m and s");
    match duration::parse(text).map_err(units)? {
        Duration::ZERO => Err("it is no time at all".to_owned()),
        pause => Ok(pause),
    }
}

/// Does it once, or for ever with this pause in between; it is told whether to say so when there was nothing to do.
pub(super) fn by_the_clock(
    every: Option<Duration>,
    mut once: impl FnMut(bool) -> Result<Exit, Faults>,
) -> Result<Exit, Faults> {
    let Some(pause) = every else { return once(true) };
    loop {
        once(false)?;
        std::thread::sleep(pause);
    }
}

/// Reads what a person has to say: a reason, evidence, a name.
pub(super) fn words(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("it says nothing".to_owned()),
        words => Ok(words.to_owned()),
    }
}

/// What the server warned of, and whether it did.
pub(super) fn pass_on_warnings(ledger: &mut Ledger, page: &mut Page<'_>) -> bool {
    let warnings = ledger.warnings();
    for warning in &warnings {
        page.complain(&format!("warning: {warning}"));
    }
    !warnings.is_empty()
}

/// The text with the password of every address in it left out: a usage error repeats what was typed.
pub(super) fn without_passwords(text: &str) -> String {
    let hidden = |word: &str| -> String {
        let Some((before, rest)) = word.split_once("://") else {
            return match word.split_once("password=") {
                Some((before, _)) => format!("{before}password=..."),
                None => word.to_owned(),
            };
        };
        let person = rest.rfind('@').map(|end| rest.split_at(end));
        let behind = person.map_or(rest, |(_, behind)| behind);
        let user = person.and_then(|(person, _)| person.split_once(':')).map(|(user, _)| user);
        let behind =
            behind.split_once("password=").map_or(behind.to_owned(), |(kept, _)| format!("{kept}password=..."));
        match (user, person) {
            (Some(user), _) => format!("{before}://{user}:...{behind}"),
            (None, Some((person, _))) => format!("{before}://{person}{behind}"),
            (None, None) => format!("{before}://{behind}"),
        }
    };
    text.split_inclusive([' ', '\n', '\'']).map(hidden).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usage_error_repeats_no_password() {
        for text in [
            "error: unexpected argument 'postgres://kim:hunter2@db/agents' found",
            "error: unexpected argument 'postgres://kim:hunt@hunter2@db/agents' found",
            "error: unexpected argument 'postgres://db/agents?user=kim&password=hunter2' found",
            "error: unexpected argument 'password=hunter2' found",
        ] {
            let shown = without_passwords(text);
            assert!(!shown.contains("hunter2") && shown.starts_with("error: unexpected argument '"), "{shown}");
        }
        let usage = "Usage: onlyonce queue list [OPTIONS]\n\nFor more information, try '--help'.\n";
        assert_eq!(without_passwords(usage), usage);
    }
}
