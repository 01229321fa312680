//! `unguarded-send`

use crate::catalog::call::Effect;
use crate::diagnostic::{Finding, Level};
use crate::rule::{Domain, Rule};
use crate::scan::guards::Act;
use crate::scan::rules::{Context, Found, form, words};

/// A send that nothing keeps from happening twice.
pub(super) static RULE: Rule = Rule {
    name: "unguarded-send",
    level: Level::Error,
    domain: Domain::Code,
    page: include_str!("../../../lints/rules/unguarded-send.md"),
};

pub(super) fn run(context: &Context<'_, '_, '_>) -> Vec<Found> {
    let told = context.acts.iter().filter(|(_, act)| act.guard.is_none()).filter_map(|(site, act)| {
        let level = level(act)?;
        // With a key in the request, what is wrong is the key: `undocumented-key`, `attempt-derived-key`.
        if act.provider_key.is_some() {
            return None;
        }
        let message = format!("nothing keeps {} from happening twice", words::act(site, act));
        let finding = Finding::new(RULE.name, level, message, context.at_act(site, act, words::label(act)))
            .with_help(form::guarded(context, site, act, form::RESERVE, "_slot"))
            .with_subject(words::subject(context, site, act));
        Some(Found { finding: words::with_callers(context, act, finding), function: context.path_of(act.function) })
    });
    told.collect()
}

fn level(act: &Act) -> Option<Level> {
    match act.effect {
        Effect::Send | Effect::Charge | Effect::Mutate if act.natural => Some(Level::Note),
        Effect::Send | Effect::Charge => Some(Level::Error),
        Effect::Mutate => Some(Level::Warning),
        Effect::Model | Effect::Read | Effect::Auth | Effect::Telemetry => None,
    }
}
