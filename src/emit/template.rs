//! Fills the SQL of `sql/`: schema and role names, sections, and the values of a change.
//!
//! In a template the schema is the identifier `ledger_schema`, roles `ledger_schema_owner` and so on, so that it is
//! valid SQL itself. A line `--: up` or `--: down` opens a section; `roles=create,existing` and `partitions=N` (more
//! than none) or `partitions=0` behind it say when it holds. What stands before the first is for readers of the
//! template. `{name}` stands for a value.

use std::collections::BTreeMap;

use crate::diagnostic::Fault;
use crate::manifest::Roles;
use crate::manifest::diff::Emitted;

/// The word that stands for the schema's name.
const SCHEMA: &str = "ledger_schema";

/// Values by name, each as SQL.
pub type Values = BTreeMap<String, String>;

/// Both directions of a filled template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// The way there.
    pub up: String,
    /// The way back.
    pub down: String,
}

/// Fills a template for the ledger that `emitted` describes.
///
/// # Errors
/// When the template has a line that opens no section, or names a value that is not given: a mistake of ours.
pub fn fill(template: &str, emitted: &Emitted, values: &Values) -> Result<Filled, Fault> {
    let mut filled = Filled::default();
    let mut section: Option<Section> = None;
    for line in template.split_inclusive('\n') {
        if let Some(head) = line.strip_prefix("--:") {
            section = Some(Section::read(head.trim(), emitted)?);
            continue;
        }
        match section {
            Some(Section { up: true, holds: true }) => filled.up.push_str(line),
            Some(Section { up: false, holds: true }) => filled.down.push_str(line),
            Some(Section { holds: false, .. }) | None => {}
        }
    }
    Ok(Filled { up: valued(&filled.up, emitted, values)?, down: valued(&filled.down, emitted, values)? })
}

#[derive(Clone, Copy)]
struct Section {
    up: bool,
    holds: bool,
}

impl Section {
    fn read(head: &str, emitted: &Emitted) -> Result<Section, Fault> {
        let mut words = head.split_whitespace();
        let up = match words.next() {
            Some("up") => true,
            Some("down") => false,
            _ => return Err(broken(format!("`--: {head}` opens no section"))),
        };
        let mut holds = true;
        for word in words {
            holds &= match word.split_once('=') {
                Some(("roles", wanted)) => wanted.split(',').any(|roles| roles == roles_name(emitted.roles)),
                Some(("partitions", "0")) => emitted.partitions == 0,
                Some(("partitions", "N")) => emitted.partitions > 0,
                _ => return Err(broken(format!("`{word}` is no condition of a section"))),
            };
        }
        Ok(Section { up, holds })
    }
}

fn roles_name(roles: Roles) -> &'static str {
    match roles {
        Roles::Create => "create",
        Roles::Existing => "existing",
        Roles::None => "none",
    }
}

/// The text with its values and the schema's name. What a value holds stays as it is.
fn valued(text: &str, emitted: &Emitted, values: &Values) -> Result<String, Fault> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let (before, behind) = rest.split_at(open);
        out.push_str(&before.replace(SCHEMA, &emitted.schema));
        let name = behind.get(1..).and_then(|inner| inner.split_once('}')).map(|(name, _)| name);
        match name.filter(|name| is_name(name)) {
            Some(name) => {
                let value = values.get(name).ok_or_else(|| broken(format!("{{{name}}} is given no value")))?;
                out.push_str(value);
                rest = behind.get(name.len() + 2..).unwrap_or_default();
            }
            None => {
                out.push('{');
                rest = behind.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(&rest.replace(SCHEMA, &emitted.schema));
    Ok(out)
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}

fn broken(message: String) -> Fault {
    Fault::new(format!("a template of onlyonce is broken: {message}")).with_help("please report this")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::{Distribution, Layout};

    fn emitted(roles: Roles, partitions: u32) -> Emitted {
        Emitted {
            schema: "keep".to_owned(),
            layout: Layout::Sqlx,
            roles,
            partitions,
            distribution: Distribution::None,
            actions: BTreeMap::new(),
            inbound: BTreeMap::new(),
        }
    }

    const TEMPLATE: &str = "-- preamble\n--: up roles=create,existing\nA ledger_schema_owner;\n--: up partitions=N\nB {n};\n\
         --: up\nC ledger_schema.t '{}' a{1};\n--: down\nD;\n--: down roles=none\nE;\n";

    #[test]
    fn sections_hold_by_roles_and_partitions() {
        let values = Values::from([("n".to_owned(), "'ledger_schema {x}'".to_owned())]);
        let filled = fill(TEMPLATE, &emitted(Roles::Create, 4), &values).unwrap();
        assert_eq!(filled.up, "A keep_owner;\nB 'ledger_schema {x}';\nC keep.t '{}' a{1};\n");
        assert_eq!(filled.down, "D;\n");
        let filled = fill(TEMPLATE, &emitted(Roles::None, 0), &values).unwrap();
        assert_eq!((filled.up.as_str(), filled.down.as_str()), ("C keep.t '{}' a{1};\n", "D;\nE;\n"));
    }

    #[test]
    fn mistakes_in_templates_are_told() {
        let values = Values::from([("n".to_owned(), "1".to_owned())]);
        let fault = |template: &str| fill(template, &emitted(Roles::None, 0), &values).unwrap_err().message;
        assert!(fault("--: up\n{x}").ends_with("{x} is given no value"));
        assert!(fault("--: sideways\n").ends_with("`--: sideways` opens no section"));
        assert!(fault("--: up colour=red\n").ends_with("`colour=red` is no condition of a section"));
    }
}
