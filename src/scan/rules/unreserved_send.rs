//! `unreserved-send`

use crate::diagnostic::{Finding, Level};
use crate::rule::{Domain, Rule};
use crate::scan::rules::{Context, Found, form, words};
use crate::scan::site::GuardKind;

/// A send that only the provider guards.
pub(super) static RULE: Rule = Rule {
    name: "unreserved-send",
    level: Level::Warning,
    domain: Domain::Code,
    page: include_str!("../../../lints/rules/unreserved-send.md"),
};

pub(super) fn run(context: &Context<'_, '_, '_>) -> Vec<Found> {
    let by_provider = context
        .acts
        .iter()
        .filter(|(_, act)| act.guard.as_ref().is_some_and(|guard| guard.kind == GuardKind::ProviderKey));
    let told = by_provider.map(|(site, act)| {
        let act_words = words::act(site, act);
        let message =
            format!("only the provider keeps {act_words} from happening twice: nothing is reserved or recorded");
        let door = act.provider_key.as_ref().map_or("", |key| key.door.as_str());
        let how = "reserve it too, and give the provider `slot.provider_key(..)`";
        let help = form::guarded(context, site, act, how, "slot");
        let finding =
            Finding::new(RULE.name, RULE.level, message, context.at_act(site, act, format!("its key goes as {door}")))
                .with_help(help)
                .with_subject(words::subject(context, site, act));
        Found { finding, function: context.path_of(act.function) }
    });
    told.collect()
}
