//! `[[scan.call]]`: outbound calls that the team knows and the catalog does not.

use crate::catalog::call::{Call, Effect, MethodSource, Trigger};
use crate::manifest::DeclaredCall;
use crate::manifest::section::{At, Section, brief};
use crate::manifest::settings::MOST_ARGUMENTS;

const EFFECTS: [(&str, Effect); 7] = [
    ("auth", Effect::Auth),
    ("charge", Effect::Charge),
    ("model", Effect::Model),
    ("mutate", Effect::Mutate),
    ("read", Effect::Read),
    ("send", Effect::Send),
    ("telemetry", Effect::Telemetry),
];

const METHOD_SOURCES: [(&str, MethodSource); 8] = [
    ("chain", MethodSource::Chain),
    ("endpoint", MethodSource::Endpoint),
    ("fixed", MethodSource::Fixed),
    ("graphql", MethodSource::Graphql),
    ("name", MethodSource::Name),
    ("program", MethodSource::Program),
    ("request", MethodSource::Request),
    ("setters", MethodSource::Setters),
];

/// Every entry; one that says the same as another is a fault.
pub(super) fn read_all(sections: Vec<Section<'_>>) -> Vec<Option<DeclaredCall>> {
    let mut read: Vec<Option<DeclaredCall>> = Vec::new();
    for section in sections {
        let span = section.span;
        let walk = section.walk;
        let call = read_call(section);
        if let Some(call) = &call {
            let same =
                |other: &DeclaredCall| (&other.call.path, &other.call.method) == (&call.call.path, &call.call.method);
            if read.iter().flatten().any(same) {
                let message = format!("`{}::{}` has two entries", call.call.path, call.call.method);
                walk.fault(span, message, "the second one", "keep one of the two");
            }
        }
        read.push(call);
    }
    read
}

fn read_call(section: Section<'_>) -> Option<DeclaredCall> {
    section.need("path", "which type, trait or module has it?", "write path = \"acme_pay::Client\"");
    section.need("method", "which method or function is it?", "write method = \"capture\"");
    section.need("effect", "what does it do to the world?", "write effect = \"send\", or charge, mutate, model, read");
    let path = section.text("path").filter(|path| check_pattern(&section, "path", *path, true));
    let method = section.text("method").filter(|method| check_pattern(&section, "method", *method, false));
    let arity = section.number("arity", 0..=MOST_ARGUMENTS);
    let effect = section.choice("effect", &EFFECTS);
    let trigger = section.choice("trigger", &[("await", Trigger::Await), ("call", Trigger::Call)]);
    let method_source = section.choice("method_source", &METHOD_SOURCES);
    let key_door = section.text("key_door").filter(|door| check_door(&section, *door));
    let is_trait = section.boolean("is_trait");
    let own_store = section.boolean("own_store");
    let note = section.text("note");
    let source = section.text("source");
    let span = section.span;
    let file = section.walk.source.clone();
    section.finish();
    Some(DeclaredCall {
        call: Call {
            path: path?.value.to_owned(),
            method: method?.value.to_owned(),
            arity: arity.and_then(|arity| usize::try_from(arity.value).ok()),
            effect: effect?.value,
            trigger: trigger.map(|trigger| trigger.value).unwrap_or_default(),
            method_source: method_source.map(|source| source.value).unwrap_or_default(),
            key_door: key_door.map(|door| door.value.to_owned()),
            is_trait: is_trait.is_some_and(|flag| flag.value),
            own_store: own_store.is_some_and(|flag| flag.value),
            version: None,
            made_by: None,
            note: note.map(|note| note.value.to_owned()),
            source: source.map_or_else(
                || format!("{}:{}", file.name(), file.position(span.start).line),
                |source| source.value.to_owned(),
            ),
        },
        span,
    })
}

/// Names joined by `::`, in which `*` stands for any part of one; the crate has to be named.
fn check_pattern(section: &Section<'_>, field: &str, written: At<&str>, is_path: bool) -> bool {
    let name = |name: &str| {
        name.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '*'))
            && name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '*'))
    };
    let named = |first: &str| first.starts_with(|letter: char| letter != '*');
    let good = match is_path {
        true => written.value.split("::").all(name) && written.value.split("::").next().is_some_and(named),
        false => name(written.value),
    };
    if !good {
        let (label, help) = match is_path {
            true => ("a crate and what is in it, joined by `::`", "write it like path = \"acme_pay::Client\""),
            false => ("one name, without its path and arguments", "write it like method = \"capture\""),
        };
        let message = format!("`{field}` in {} cannot be `{}`", section.title(), brief(written.value));
        section.fault(written.span, message, label, help);
    }
    good
}

/// `header Idempotency-Key`, `method idempotency_key`, `argument 1`.
fn check_door(section: &Section<'_>, door: At<&str>) -> bool {
    let good = match door.value.split_once(' ') {
        Some(("header" | "method", name)) => !name.is_empty() && !name.contains(char::is_whitespace),
        Some(("argument", number)) => number.parse::<usize>().is_ok(),
        _ => false,
    };
    if !good {
        let message = format!("`key_door` in {} cannot be `{}`", section.title(), brief(door.value));
        let help = "write it like \"header Idempotency-Key\", \"method idempotency_key\" or \"argument 1\"";
        section.fault(door.span, message, "it names no way in for a key", help);
    }
    good
}
