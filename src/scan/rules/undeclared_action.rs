//! `undeclared-action`

use crate::diagnostic::{Finding, Label, Level};
use crate::rule::{Domain, Rule};
use crate::scan::guards::derivation;
use crate::scan::rules::{Context, Found};

/// A key of an action type that the manifest does not have.
pub(super) static RULE: Rule = Rule {
    name: "undeclared-action",
    level: Level::Error,
    domain: Domain::Code,
    page: include_str!("../../../lints/rules/undeclared-action.md"),
};

pub(super) fn run(context: &Context<'_, '_, '_>) -> Vec<Found> {
    let Some(manifest) = context.manifest else { return Vec::new() };
    let unknown = |action: &str| !manifest.actions.contains_key(action);
    let mut told = Vec::new();
    for function in context.guards.deriving_functions() {
        let docs = &context.guards.types.index.functions[function.0 as usize].docs;
        if let Some(action) = derivation::read(docs).and_then(|written| written.action).filter(|action| unknown(action))
        {
            told.push(tell(&action, context.at_function(function, "is of that action"), context.path_of(function)));
        }
    }
    for keyed in context.keys() {
        let Some(action) = keyed.key.action().filter(|action| unknown(action)) else { continue };
        let documented_by_function = matches!(keyed.key, crate::scan::guards::key::Key::Documented(_));
        if documented_by_function {
            continue;
        }
        if let Some(label) = context.at_expr(keyed.used.function, keyed.used.value, "is of that action") {
            told.push(tell(action, label, context.path_of(keyed.used.function)));
        }
    }
    told
}

fn tell(action: &str, label: Label, function: String) -> Found {
    let message = format!("onlyonce.toml has no action `{action}`");
    let finding = Finding::new(RULE.name, RULE.level, message, label)
        .with_help(format!("declare `[action.{action}]` with its key parts, or use the key of one that is declared"))
        .with_subject(format!("{function} {action}"));
    Found { finding, function }
}
