//! What was sent without the ledger: before there was one, or in a window that a restore lost.

use jiff::Timestamp;
use postgres::types::Type;
use serde::Deserialize;
use serde_json::error::Category;

use crate::diagnostic::Fault;
use crate::escape::shown;
use crate::key::{self, Foreign, PartType};
use crate::live::Ledger;
use crate::live::refusal::{self, Doing};
use crate::manifest::{Manifest, nearest};

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
        let said = shown(said.split(" at line ").next().unwrap_or_default());
        let column = error.column();
        let message = match error.classify() {
            Category::Data => format!("{said} (column {column})"),
            Category::Syntax | Category::Eof | Category::Io => {
                format!("the line is not JSON: {said} (column {column})")
            }
        };
        Fault::new(message).with_help(
            r#"a line is {"action_type": "..", "idempotency_key": "..", "sent_at": "2026-01-06T11:46:40Z"}, and may have "evidence"; "parts": [".."] may stand for the key"#,
        )
    })?;
    let key = match (line.idempotency_key, line.parts) {
        (Some(key), None) => {
            check_key(manifest, &line.action_type, &key, r#""parts": [..] in its place"#)?;
            key
        }
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
    let named = shown(action_type);
    let manifest = manifest.ok_or_else(|| {
        Fault::new(format!("no onlyonce.toml says what the key of {named} is made of"))
            .with_help("stand in its folder or name it with --manifest, or give the key as the ledger has it")
    })?;
    let action = manifest.actions.get(action_type).ok_or_else(|| {
        let help = match nearest(action_type, manifest.actions.keys().map(String::as_str)) {
            Some(near) => format!("did you mean {near}?"),
            None => "name a type that it has, or give the key as the ledger has it".to_owned(),
        };
        Fault::new(format!("{} has no action type {named}", manifest.source.name())).with_help(help)
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

/// Whether the manifest's action can have this key: under another nothing that a worker sends is found. Of a type that
/// it does not have, as one that was retired, nothing is known. `instead` is how parts are given.
///
/// # Errors
/// When no parts of the types that the manifest names have it.
pub fn check_key(manifest: Option<&Manifest>, action_type: &str, key: &str, instead: &str) -> Result<(), Fault> {
    let Some(action) = manifest.and_then(|manifest| manifest.actions.get(action_type)) else { return Ok(()) };
    let types: Vec<PartType> = action.key.iter().map(|part| part.part_type).collect();
    let Err(foreign) = key::check(&types, key) else { return Ok(()) };
    let why = match foreign {
        Foreign::Count(given) if types.len() == 1 => format!("that has 1 part, not {given}"),
        Foreign::Count(given) => format!("that has {} parts, not {given}", types.len()),
        Foreign::Part(at) => {
            let part = action.key.get(at).map(|part| format!("{} ({})", part.name, part.part_type.name()));
            format!("{} is not as the ledger writes it", part.unwrap_or_default())
        }
        Foreign::Whole => "a key of such parts is neither so long nor hashed like this".to_owned(),
    };
    let form = action.key.iter().map(|part| format!("<{}: {}>", part.name, part.part_type.name()));
    let form = form.collect::<Vec<_>>().join(":");
    let fault = Fault::new(format!("{} is no key of {action_type}: {why}", shown(key)));
    Err(match meant(&types, key) {
        Some(meant) => fault.with_help(format!("did you mean {meant}? A worker's key is {form}; or give {instead}")),
        None => fault.with_help(format!("a worker's key is {form}; give {instead}, and it is made as a worker does")),
    })
}

/// The key of the parts that stand between the colons, had they been given one by one.
fn meant(types: &[PartType], key: &str) -> Option<String> {
    let parts: Vec<&str> = key.split(':').collect();
    // What is escaped is the ledger's form in part already, and would be escaped twice.
    if parts.len() != types.len() || key.contains('%') || key.starts_with('#') {
        return None;
    }
    let normalised: Result<Vec<_>, _> = types.iter().zip(parts).map(|(part, value)| part.normalise(value)).collect();
    normalised.ok().map(|parts| key::canonical(&parts))
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
        self.call("import($1, $2, $3::timestamptz, $4, $5)", &values).map_err(|error| self.kept_out(&error))
    }

    /// The same of many, with one commit for all of them; or, where one of them is refused, one for each. What became
    /// of each is told, in order.
    ///
    /// # Errors
    /// When none would be taken; what was told before is kept.
    pub fn import_all(
        &mut self,
        imports: &[Import],
        actor: &str,
        told: &mut dyn FnMut(usize, Result<String, Fault>),
    ) -> Result<(), Fault> {
        match self.import_at_once(imports, actor) {
            Ok(answers) => answers.into_iter().enumerate().for_each(|(at, answer)| told(at, Ok(answer))),
            Err(Refused::All(fault)) => return Err(fault),
            Err(Refused::One(_)) => {
                for (at, import) in imports.iter().enumerate() {
                    match self.import(import, actor) {
                        Ok(answer) => told(at, Ok(answer)),
                        Err(Refused::One(fault)) => told(at, Err(fault)),
                        Err(Refused::All(fault)) => return Err(fault),
                    }
                }
            }
        }
        Ok(())
    }

    fn import_at_once(&mut self, imports: &[Import], actor: &str) -> Result<Vec<String>, Refused> {
        let column = |of: fn(&Import) -> String| imports.iter().map(of).collect::<Vec<_>>();
        let (types, keys) = (column(|import| import.action_type.clone()), column(|import| import.key.clone()));
        let (times, evidence) = (column(|import| import.sent_at.to_string()), column(|import| import.evidence.clone()));
        let values: [super::Value<'_>; 5] = [
            (&types, Type::TEXT_ARRAY),
            (&keys, Type::TEXT_ARRAY),
            (&times, Type::TEXT_ARRAY),
            (&evidence, Type::TEXT_ARRAY),
            (&actor, Type::TEXT),
        ];
        let statement = format!(
            "SELECT {}.import(i.action_type, i.key, i.sent_at::timestamptz, i.evidence, $5) \
             FROM unnest($1, $2, $3, $4) WITH ORDINALITY AS i (action_type, key, sent_at, evidence, place) \
             ORDER BY i.place",
            self.schema
        );
        let answers = self.begin("BEGIN").and_then(|()| {
            let rows = self.client.query_typed(&statement, &values);
            let answers = rows.and_then(|rows| rows.iter().map(|row| row.try_get(0)).collect());
            self.end(answers)
        });
        answers.map_err(|error| self.kept_out(&error))
    }

    fn kept_out(&self, error: &postgres::Error) -> Refused {
        let fault = refusal::told(error, Doing::Importing, self);
        if refusal::is_of_one(error) { Refused::One(fault) } else { Refused::All(fault) }
    }
}
