//! Facts about providers, from `lints/providers/*.toml`.

/// How sure a fact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Could not be established.
    Unknown,
    /// Remembered from public documentation; no page was read.
    Recalled,
    /// Worked out from documented facts, or told by a third party.
    Inferred,
    /// The provider's own page, specification or source was read.
    Documented,
}

/// A provider that actions go to or events come from: a file of `lints/providers/`.
#[derive(Clone, Debug)]
pub struct Provider {}
