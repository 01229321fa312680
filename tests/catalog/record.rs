//! What was checked, and against which source: `tests/catalog/checked.toml`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use onlyonce::catalog::call::CrateCalls;

use crate::published::digest;

/// What is known of one crate's entries.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Checked {
    /// SHA-256 of the entries as they were checked.
    pub(crate) entries: String,
    /// SHA-256 of each package's archive, by `name@version`.
    pub(crate) packages: BTreeMap<String, String>,
}

/// By the crate's name.
pub(crate) type Record = BTreeMap<String, Checked>;

const HEAD: &str = "\
# Written by .ci/catalog: the entries of lints/crates that were held against published source (SHA-256 of them and of
# each archive). An ordinary test compares it with lints/crates, so that no entry comes in unchecked.
";

fn place() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/catalog/checked.toml")
}

pub(crate) fn load() -> Record {
    let text = std::fs::read_to_string(place()).unwrap_or_default();
    toml::from_str(&text).expect("tests/catalog/checked.toml is what .ci/catalog writes")
}

pub(crate) fn save(record: &Record) {
    let text = toml::to_string(record).expect("a record is TOML");
    std::fs::write(place(), format!("{HEAD}\n{text}")).expect("tests/catalog can be written");
}

/// SHA-256 of all that the check looks at.
pub(crate) fn entries(krate: &CrateCalls) -> String {
    let looked_at = serde_json::json!([
        krate.version,
        krate.parts,
        krate.aliases,
        krate.returns.iter().map(|entry| (&entry.path, &entry.method, &entry.returns)).collect::<Vec<_>>(),
        krate
            .call
            .iter()
            .map(|call| (&call.path, &call.method, call.arity, call.trigger, &call.version, &call.made_by))
            .collect::<Vec<_>>(),
    ]);
    digest(looked_at.to_string().as_bytes())
}
