//! `undocumented-key`

use crate::diagnostic::{Finding, Level};
use crate::rule::{Domain, Rule};
use crate::scan::guards::derivation;
use crate::scan::guards::key::Key;
use crate::scan::rules::{Context, Found};

/// A key whose derivation is not written down.
pub(super) static RULE: Rule = Rule {
    name: "undocumented-key",
    level: Level::Error,
    domain: Domain::Code,
    page: include_str!("../../../lints/rules/undocumented-key.md"),
};

const HELP: &str = "use a key type that the manifest declares (`&keys::SendReply { .. }`), or say how it is derived in a doc \
                    comment with the heading `# Idempotency key`";

pub(super) fn run(context: &Context<'_, '_, '_>) -> Vec<Found> {
    let mut told = Vec::new();
    let mut blamed = Vec::new();
    for function in context.guards.deriving_functions() {
        let entry = &context.guards.types.index.functions[function.0 as usize];
        let Some(written) = derivation::read(&entry.docs) else { continue };
        if let Some(why) = derivation::disagrees_with_function(&written, entry) {
            let message = format!("what this key's documentation says is not what the code does: {why}");
            let finding =
                Finding::new(RULE.name, RULE.level, message, context.at_function(function, "derives the key"))
                    .with_help("name every parameter and field that goes into the key, and no other")
                    .with_subject(&entry.path);
            blamed.push(entry.name.clone());
            told.push(Found { finding, function: entry.path.clone() });
        }
    }
    for keyed in context.keys() {
        let Key::Undocumented(why) = &keyed.key else { continue };
        let told_already = blamed.iter().any(|name| why.contains(&format!("`{name}` disagrees")));
        if keyed.fresh.is_some() || told_already {
            continue;
        }
        let function = context.path_of(keyed.used.function);
        let message = format!("nobody can tell what this key is derived from: {why}");
        let Some(label) = context.at_expr(keyed.used.function, keyed.used.value, "the key") else { continue };
        let finding = Finding::new(RULE.name, RULE.level, message, label).with_help(HELP).with_subject(&function);
        told.push(Found { finding, function });
    }
    told
}
