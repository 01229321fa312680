//! `unguarded-model-call`

use crate::catalog::call::Effect;
use crate::diagnostic::{Finding, Level};
use crate::rule::{Domain, Rule};
use crate::scan::rules::{Context, Found, form, words};

/// A model call whose answer is not kept under a key.
pub(super) static RULE: Rule = Rule {
    name: "unguarded-model-call",
    level: Level::Warning,
    domain: Domain::Code,
    page: include_str!("../../../lints/rules/unguarded-model-call.md"),
};

pub(super) fn run(context: &Context<'_, '_, '_>) -> Vec<Found> {
    let calls = context.acts.iter().filter(|(_, act)| act.guard.is_none() && act.effect == Effect::Model);
    let told = calls.filter(|(_, act)| act.provider_key.is_none()).map(|(site, act)| {
        let message = "a retry asks the model again, pays again and may act on another answer".to_owned();
        let finding = Finding::new(RULE.name, RULE.level, message, context.at_act(site, act, words::label(act)))
            .with_help(form::guarded(context, site, act, "keep the answer under a model action's key", "_slot"))
            .with_subject(words::subject(context, site, act));
        Found { finding: words::with_callers(context, act, finding), function: context.path_of(act.function) }
    });
    told.collect()
}
