//! The reference of the manifest names the fields that are read, their choices and their defaults.

use std::collections::BTreeSet;
use std::path::PathBuf;

use onlyonce::diagnostic::Faults;
use onlyonce::manifest::{Manifest, REFERENCE, check};
use onlyonce::source::Source;

/// A manifest with everything that has to be there; a line may be put into each of its tables.
const WHOLE: &str = r#"version = 1

[schema]

[schema.adopt]
actions = "public.acts"
key = "key"
status = "state"

[action.a]
summary = "s"
same_when = "m"
key = ["id: text"]

[inbound.a]
event_id = "$.id"
retention = "14d"

[generate]

[scan]

[[scan.guard]]
path = "a::b"
key = 0
body = 1

[[scan.allow]]
rule = "unguarded-send"
path = "a::b"
reason = "r"

[[scan.call]]
path = "a::B"
method = "c"
effect = "send"
"#;

/// A field as the reference has it.
struct Field {
    /// The header of its table; empty for the file.
    table: String,
    name: String,
    what: String,
    default: String,
}

fn fields() -> Vec<Field> {
    let mut table = String::new();
    let mut fields = Vec::new();
    for line in REFERENCE.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            table = if title.starts_with('[') { title.replace("<name>", "a") } else { String::new() };
        }
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [name, what, default] = cells.as_slice() else { continue };
        if let Some(name) = name.strip_prefix('`').and_then(|name| name.strip_suffix('`')) {
            let (table, name) = (table.clone(), name.to_owned());
            fields.push(Field { table, name, what: (*what).to_owned(), default: (*default).to_owned() });
        }
    }
    fields
}

fn load(text: &str) -> Result<Manifest, Faults> {
    check::check(&Source::new("onlyonce.toml", text), PathBuf::new(), &["unguarded-send"])
}

/// The whole manifest with this line in this table, in the place of the one that gives the same field.
fn with(table: &str, name: &str, line: &str) -> String {
    let mut inside = table.is_empty();
    let mut lines: Vec<&str> = if inside { vec![line] } else { Vec::new() };
    for old in WHOLE.lines() {
        if old.starts_with('[') {
            inside = old == table;
        }
        if !(inside && old.starts_with(&format!("{name} = "))) {
            lines.push(old);
        }
        if old == table {
            lines.push(line);
        }
    }
    lines.join("\n") + "\n"
}

/// What stands in quotes after `known:` in the help about this field.
fn known(text: &str, about: &str) -> Option<BTreeSet<String>> {
    let faults = load(text).err()?;
    let fault = faults.0.iter().find(|fault| fault.message.contains(about))?;
    let (_, names) = fault.help.as_ref()?.split_once("known: ")?;
    Some(names.split(", ").map(|name| name.trim_matches('`').to_owned()).collect())
}

#[test]
fn every_field_that_is_read_stands_in_the_reference_and_no_other() {
    let fields = fields();
    let tables: BTreeSet<&str> = fields.iter().map(|field| field.table.as_str()).collect();
    assert_eq!(tables.len(), 1 + WHOLE.lines().filter(|line| line.starts_with('[')).count());
    for table in tables {
        let told = fields.iter().filter(|field| field.table == table).map(|field| field.name.clone());
        let read = known(&with(table, "zzzzzzzzzzzz", "zzzzzzzzzzzz = 1"), "has no field").expect(table);
        assert_eq!(told.collect::<BTreeSet<_>>(), read, "{table}");
    }
}

#[test]
fn what_a_field_is_without_it_is_its_default() {
    let mut compared = 0;
    for field in fields() {
        let Some(default) = field.default.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) else {
            let missing = load(&with(&field.table, &field.name, "")).is_err();
            assert_eq!(missing, field.default == "has to be there", "{} {}", field.table, field.name);
            continue;
        };
        let values = |text: &str| {
            let manifest = load(text).unwrap_or_else(|faults| panic!("{text}\n{faults:#?}"));
            format!(
                "{:?} {:?} {:?} {:?} {:?}",
                manifest.schema, manifest.actions, manifest.inbound, manifest.generate, manifest.scan
            )
        };
        // Places differ by the line that is there or not.
        let placeless = |text: &str| {
            values(text)
                .split("Span {")
                .map(|part| part.split_once('}').map_or(part, |(_, rest)| rest).to_owned())
                .collect::<String>()
        };
        let line = format!("{} = {default}", field.name);
        let placed = placeless(&with(&field.table, &field.name, &line)).replace(&line, "");
        assert_eq!(placed, placeless(&with(&field.table, &field.name, "")), "{} {line}", field.table);
        compared += 1;
    }
    assert!(compared >= 20, "{compared}");
}

#[test]
fn every_choice_of_a_field_stands_beside_it() {
    let mut chosen = 0;
    for field in fields() {
        for value in ["\"zzzzzzzzzzzz\"", "[\"zzzzzzzzzzzz\"]"] {
            let text = with(&field.table, &field.name, &format!("{} = {value}", field.name));
            let Some(choices) = known(&text, "zzzzzzzzzzzz") else { continue };
            for choice in &choices {
                assert!(field.what.contains(&format!("`\"{choice}\"`")), "{} does not tell {choice}", field.name);
            }
            chosen += 1;
        }
    }
    assert!(chosen >= 10, "{chosen}");
    for (name, _) in onlyonce::manifest::PartType::ALL {
        assert!(REFERENCE.contains(&format!("`{name}`")), "{name}");
    }
}
