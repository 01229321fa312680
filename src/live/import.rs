//! What was sent without the ledger: before there was one, or in a window that a restore lost.

use jiff::Timestamp;
use postgres::types::Type;
use serde::Deserialize;

use crate::diagnostic::Fault;
use crate::escape::shown;
use crate::key;
use crate::live::Ledger;
use crate::live::refusal::{self, Doing};
use crate::manifest::Manifest;

/// An action that its provider has accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// Its type.
    pub action_type: String,
    /// Its key, as the ledger has it.
    pub key: String,
    /// When it was sent.
    pub sent_at: Timestamp,
    /// What shows it.
    pub evidence: String,
}

/// What keeps an import out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// This one alone: others may be taken.
    One(Fault),
    /// None would be taken: no right, no ledger, no connection.
    All(Fault),
}

impl Refused {
    /// The fault, whomever it keeps out.
    #[must_use]
    pub fn into_fault(self) -> Fault {
        match self {
            Refused::One(fault) | Refused::All(fault) => fault,
        }
    }
}

/// A line of a file of imports.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    action_type: String,
    idempotency_key: Option<String>,
    parts: Option<Vec<String>>,
    sent_at: String,
    evidence: Option<String>,
}

/// Reads a line: a JSON object. `evidence` stands for all lines that bring none.
///
/// # Errors
/// When it is no such object, or nothing shows that it was sent. The line's number is the caller's to tell.
pub fn line(text: &[u8], evidence: Option<&str>, manifest: Option<&Manifest>) -> Result<Import, Fault> {
    let line: Line = serde_json::from_slice(text).map_err(|error| {
        let said = error.to_string();
        let said = said.split(" at line ").next().unwrap_or_default();
        Fault::new(format!("{} (column {})", shown(said), error.column())).with_help(
            r#"a line is {"action_type": "..", "idempotency_key": "..", "sent_at": "2026-01-06T11:46:40Z"}, and may have "evidence"; "parts": [".."] may stand for the key"#,
        )
    })?;
    let key = match (line.idempotency_key, line.parts) {
        (Some(key), None) => key,
        (None, Some(parts)) => key_of(manifest, &line.action_type, &parts)?,
        _ => {
            return Err(Fault::new("it has to have either `idempotency_key` or `parts`")
                .with_help("the key stands in the ledger's own form; parts are made into it as onlyonce.toml says"));
        }
    };
    let evidence = line.evidence.as_deref().or(evidence).map(str::trim).filter(|evidence| !evidence.is_empty());
    let evidence = evidence.ok_or_else(|| {
        Fault::new("nothing shows that it was sent").with_help("give --evidence for all lines, or \"evidence\" in each")
    })?;
    Ok(Import { action_type: line.action_type, key, sent_at: time(&line.sent_at)?, evidence: evidence.to_owned() })
}

/// Reads a time: RFC 3339, `2026-01-06T11:46:40Z`.
///
/// # Errors
/// When it is none.
pub fn time(text: &str) -> Result<Timestamp, Fault> {
    text.parse().map_err(|_| {
        Fault::new(format!("{} is no time with its offset from UTC", shown(text)))
            .with_help("write it as 2026-01-06T11:46:40Z or 2026-01-06T12:46:40+01:00")
    })
}

/// The key of these parts, in the order and normalised as the manifest says.
///
/// # Errors
/// When the manifest has no such type, or the parts are not those of its key.
pub fn key_of(manifest: Option<&Manifest>, action_type: &str, parts: &[String]) -> Result<String, Fault> {
    let action = manifest.and_then(|manifest| manifest.actions.get(action_type)).ok_or_else(|| {
        Fault::new(format!("no onlyonce.toml says what the key of {} is made of", shown(action_type)))
            .with_help("stand in its folder or name it with --manifest, or give the key as the ledger has it")
    })?;
    let names = || action.key.iter().map(|part| part.name.as_str()).collect::<Vec<_>>().join(", ");
    if parts.len() != action.key.len() {
        let (wanted, given) = (action.key.len(), parts.len());
        return Err(Fault::new(format!("the key of {action_type} has {wanted} parts, not {given}"))
            .with_help(format!("give them in this order: {}", names())));
    }
    let normalised = action.key.iter().zip(parts).map(|(part, value)| {
        part.part_type.normalise(value).map_err(|_| {
            let (name, part_type) = (&part.name, part.part_type.name());
            Fault::new(format!("{} is no {part_type}, which {name} of {action_type} is", shown(value)))
                .with_help(format!("give the parts in this order: {}", names()))
        })
    });
    Ok(key::canonical(&normalised.collect::<Result<Vec<_>, _>>()?))
}

impl Ledger {
    /// Notes that an action was sent: `imported`, or `already` where the ledger knows. In a transaction of its own.
    ///
    /// # Errors
    /// When the ledger refuses it, and says why and whom else it would refuse.
    pub fn import(&mut self, import: &Import, actor: &str) -> Result<String, Refused> {
        let sent_at = import.sent_at.to_string();
        let values: [super::Value<'_>; 5] = [
            (&import.action_type, Type::TEXT),
            (&import.key, Type::TEXT),
            (&sent_at, Type::TEXT),
            (&import.evidence, Type::TEXT),
            (&actor, Type::TEXT),
        ];
        self.call("import($1, $2, $3::timestamptz, $4, $5)", &values).map_err(|error| {
            let fault = refusal::told(&error, Doing::Importing, self);
            if refusal::is_of_one(&error) { Refused::One(fault) } else { Refused::All(fault) }
        })
    }
}
