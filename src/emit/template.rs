//! Fills the SQL of `sql/`: schema and role names, sections, and the values of a change.
//!
//! In a template the schema is the identifier `ledger_schema`, roles `ledger_schema_owner` and so on, so that it is
//! valid SQL itself. A line `--: up` or `--: down` opens a section; `roles=create,existing` and `partitions=N` (more
//! than none), `partitions=0` and `distribution=none` or `citus` behind it say when it holds. `partitions=each`
//! writes the section once a partition, with `{partition}` for its number and `{partitions}` for how many there are.
//! What stands before the first section is for readers of the template. `{name}` stands for a value. Of an upgrade, which
//! may take several migrations, `step=validate` puts a section into the migration of that name, and a section without a
//! step into the unnamed one.

use std::collections::BTreeMap;

use crate::diagnostic::Fault;
use crate::manifest::diff::Emitted;
use crate::manifest::{Distribution, Roles};

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
    fill_step(template, "", emitted, values)
}

/// The same for one step of an upgrade.
///
/// # Errors
/// As [`fill`].
pub fn fill_step(template: &str, step: &str, emitted: &Emitted, values: &Values) -> Result<Filled, Fault> {
    let mut filled = Filled::default();
    for (head, text) in sections(template) {
        let section = Section::read(head, emitted)?;
        if section.step != step {
            continue;
        }
        let direction = if section.up { &mut filled.up } else { &mut filled.down };
        for turn in 0..section.turns {
            let numbers = [("partition", turn), ("partitions", emitted.partitions)];
            let numbers = numbers.map(|(name, number)| (name.to_owned(), number.to_string()));
            let values = values.clone().into_iter().chain(numbers).collect();
            direction.push_str(&valued(text, emitted, &values)?);
        }
    }
    Ok(filled)
}

/// Each section's head without its mark, and its text.
fn sections(template: &str) -> Vec<(&str, &str)> {
    let heads = template.match_indices("--:").filter(|(at, _)| *at == 0 || template[..*at].ends_with('\n'));
    let starts: Vec<usize> = heads.map(|(at, mark)| at + mark.len()).collect();
    let ends = starts.iter().skip(1).map(|next| next - "--:".len()).chain([template.len()]);
    let section = |(start, end): (&usize, usize)| template[*start..end].split_once('\n').unwrap_or_default();
    starts.iter().zip(ends).map(section).map(|(head, text)| (head.trim(), text)).collect()
}

/// The steps of a template in the order in which they are first named; the unnamed one is the empty name.
///
/// # Errors
/// When a line opens no section: a mistake of ours.
pub fn steps<'t>(template: &'t str, emitted: &Emitted) -> Result<Vec<&'t str>, Fault> {
    let mut found = Vec::new();
    for (head, _) in sections(template) {
        let step = Section::read(head, emitted)?.step;
        if !found.contains(&step) {
            found.push(step);
        }
    }
    Ok(found)
}

#[derive(Clone, Copy)]
struct Section<'t> {
    up: bool,
    step: &'t str,
    /// How often it is written: not at all, once, or once a partition.
    turns: u32,
}

impl<'t> Section<'t> {
    fn read(head: &'t str, emitted: &Emitted) -> Result<Section<'t>, Fault> {
        let mut words = head.split_whitespace();
        let up = match words.next() {
            Some("up") => true,
            Some("down") => false,
            _ => return Err(broken(format!("`--: {head}` opens no section"))),
        };
        let (mut turns, mut step) = (1, "");
        for word in words {
            let holds = match word.split_once('=') {
                Some(("step", name)) => {
                    step = name;
                    true
                }
                Some(("roles", wanted)) => wanted.split(',').any(|roles| roles == roles_name(emitted.roles)),
                Some(("partitions", "0")) => emitted.partitions == 0,
                Some(("partitions", "N")) => emitted.partitions > 0,
                Some(("partitions", "each")) => {
                    turns *= emitted.partitions;
                    true
                }
                Some(("distribution", "none")) => emitted.distribution == Distribution::None,
                Some(("distribution", "citus")) => emitted.distribution == Distribution::Citus,
                _ => return Err(broken(format!("`{word}` is no condition of a section"))),
            };
            turns *= u32::from(holds);
        }
        Ok(Section { up, step, turns })
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

    fn emitted(roles: Roles, partitions: u32) -> Emitted {
        Emitted { roles, partitions, ..Emitted::bare("keep") }
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
    fn a_section_is_written_once_a_partition() {
        let template = "--: up partitions=each\nP ledger_schema.t_{partition} {partitions};\n--: down\nX;\n";
        let written = |partitions| fill(template, &emitted(Roles::None, partitions), &Values::new()).unwrap().up;
        assert_eq!(written(3), "P keep.t_0 3;\nP keep.t_1 3;\nP keep.t_2 3;\n");
        assert_eq!(written(0), "");
    }

    #[test]
    fn sections_hold_by_distribution() {
        let template = "--: up distribution=none\nA;\n--: up distribution=citus\nB;\n";
        let citus = Emitted { distribution: Distribution::Citus, ..emitted(Roles::None, 0) };
        let written = |emitted: &Emitted| fill(template, emitted, &Values::new()).unwrap().up;
        assert_eq!((written(&emitted(Roles::None, 0)).as_str(), written(&citus).as_str()), ("A;\n", "B;\n"));
    }

    #[test]
    fn steps_are_told_apart_and_kept_in_order() {
        let template = "--: up\nA;\n--: up step=validate\nB;\n--: down\nC;\n--: down step=validate\nD;\n--: up\nE;\n";
        let emitted = emitted(Roles::None, 0);
        assert_eq!(steps(template, &emitted).unwrap(), ["", "validate"]);
        let step = |name| fill_step(template, name, &emitted, &Values::new()).unwrap();
        assert_eq!((step("").up.as_str(), step("").down.as_str()), ("A;\nE;\n", "C;\n"));
        assert_eq!((step("validate").up.as_str(), step("validate").down.as_str()), ("B;\n", "D;\n"));
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
