//! `retried-send`

mod clients;
mod climb;

use crate::catalog::call::Effect;
use crate::diagnostic::{Finding, Label, Level};
use crate::rule::{Domain, Rule};
use crate::scan::guards::Act;
use crate::scan::rules::retried_send::clients::Clients;
use crate::scan::rules::settling::settles;
use crate::scan::rules::{Context, Found, words};
use crate::scan::site::Site;

/// A send that is made again when it failed, without a key that tells the other side.
pub(super) static RULE: Rule = Rule {
    name: "retried-send",
    level: Level::Error,
    domain: Domain::Code,
    page: include_str!("../../../lints/rules/retried-send.md"),
};

/// Why a send is made again.
struct Reason {
    level: Level,
    /// What makes it again: "by this loop".
    by: String,
    place: Option<Label>,
}

pub(super) fn run(context: &Context<'_, '_, '_>) -> Vec<Found> {
    let clients = Clients::new(context);
    let acts = context.acts.iter().filter(|(site, act)| is_asked_of(act) && !settles(context, site, act));
    let mut told: Vec<Found> = acts
        .filter_map(|(site, act)| {
            let reason = climb::reason(context, site, act).or_else(|| clients.reason(context, site, act))?;
            Some(finding(context, site, act, reason))
        })
        .collect();
    told.extend(clients.unused(context));
    told
}

/// Whether a second one does harm and nothing in the request tells that it is the second.
fn is_asked_of(act: &Act) -> bool {
    let harmful = matches!(act.effect, Effect::Send | Effect::Charge | Effect::Mutate);
    harmful && !act.natural && act.provider_key.is_none()
}

fn finding(context: &Context<'_, '_, '_>, site: &Site, act: &Act, reason: Reason) -> Found {
    let level = if act.effect == Effect::Mutate { reason.level.min(Level::Warning) } else { reason.level };
    let what = words::act(site, act);
    let message = format!("{what} is repeated {} after a failure that may have reached its goal", reason.by);
    let finding = Finding::new(RULE.name, level, message, context.at_act(site, act, words::label(act)))
        .with_help("send once and record what came of it; repeat only what surely was not done (a refusal, no connection), or put the key of the act into the request where the provider takes one")
        .with_subject(words::subject(context, site, act));
    let finding = match reason.place {
        Some(place) => finding.with_related(place),
        None => finding,
    };
    Found { finding, function: context.path_of(act.function) }
}
