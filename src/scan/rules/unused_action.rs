//! `unused-action`

use std::collections::BTreeSet;

use crate::diagnostic::{Finding, Label, Level};
use crate::manifest::name::type_name;
use crate::rule::{Domain, Rule};
use crate::scan::guards::derivation;
use crate::scan::rules::{Context, Found};

/// An action of the manifest under whose key no code acts.
pub(super) static RULE: Rule = Rule {
    name: "unused-action",
    level: Level::Warning,
    domain: Domain::Code,
    page: include_str!("../../../lints/rules/unused-action.md"),
};

pub(super) fn run(context: &Context<'_, '_, '_>) -> Vec<Found> {
    let Some(manifest) = context.manifest else { return Vec::new() };
    let used = used(context);
    let unused = manifest.actions.values().filter(|action| !used.contains(&action.name));
    let told = unused.map(|action| {
        let message = format!("no code acts under the key of `{}`", action.name);
        let finding =
            Finding::new(RULE.name, RULE.level, message, Label::new(&manifest.source, action.span, "declared here"))
                .with_help(format!(
                    "guard what it describes with `keys::{}`, or take the action out",
                    type_name(&action.name)
                ))
                .with_subject(&action.name);
        Found { finding, function: String::new() }
    });
    told.collect()
}

fn used(context: &Context<'_, '_, '_>) -> BTreeSet<String> {
    let index = context.guards.types.index;
    let by_docs = context
        .guards
        .deriving_functions()
        .into_iter()
        .filter_map(|id| derivation::read(&index.functions[id.0 as usize].docs)?.action);
    let by_keys = context.keys().iter().filter_map(|keyed| keyed.key.action().map(str::to_owned));
    let by_guards = context.sites.iter().filter_map(|site| site.guard.as_ref()?.action.clone());
    by_docs.chain(by_keys).chain(by_guards).chain(context.guards.actions_written()).collect()
}
