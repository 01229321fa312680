//! Words about sites that several rules share.

use crate::catalog::call::Effect;
use crate::diagnostic::{Finding, Subject};
use crate::scan::guards::Act;
use crate::scan::rules::Context;
use crate::scan::site::Site;
use crate::scan::types::value::Scope;

/// How many callers a finding points at.
const CALLERS: usize = 3;

/// "this POST to https://api.example.com/charges", "this teloxide::requests::Requester::send_message".
pub(super) fn act(site: &Site, act: &Act) -> String {
    match (&act.http_method, &act.url) {
        (Some(method), Some(url)) => format!("this {method} to {url}"),
        (Some(method), None) => format!("this {method} ({})", site.sink.api),
        (None, Some(url)) => format!("this {} to {url}", site.sink.api),
        (None, None) => format!("this {}", site.sink.api),
    }
}

/// What the effect is, and what decided it.
pub(super) fn label(act: &Act) -> String {
    let what = match act.effect {
        Effect::Charge => "moves money or places an order",
        Effect::Send => "somebody gets something",
        Effect::Mutate => "changes something remote",
        Effect::Model => "asks a model",
        Effect::Read | Effect::Auth | Effect::Telemetry => "leaves the process",
    };
    if act.reason.is_empty() { what.to_owned() } else { format!("{what}: {}", act.reason) }
}

/// What a finding about an act is about, free of line numbers.
pub(super) fn subject(context: &Context<'_, '_, '_>, site: &Site, act: &Act) -> Subject {
    let effect = Some(act.effect.name().to_owned());
    Subject { function: context.path_of(act.function), effect, ..Subject::from(site.sink.api.as_str()) }
}

/// The chain of callers, and the callers that are not guarded where others are.
pub(super) fn with_callers(context: &Context<'_, '_, '_>, act: &Act, mut finding: Finding) -> Finding {
    let guards = context.guards;
    if let Some(path) = guards.paths(act.function).into_iter().next().filter(|path| path.len() > 1) {
        finding = finding.with_related(context.at_function(act.function, format!("reached by {}", path.join(" > "))));
    }
    let (guarded, open): (Vec<_>, Vec<_>) = guards
        .callers(act.function)
        .into_iter()
        .partition(|(caller, call)| guards.guard(Scope::Fn(*caller), *call).is_some());
    if guarded.is_empty() {
        return finding;
    }
    let labels = open
        .into_iter()
        .take(CALLERS)
        .filter_map(|(caller, call)| context.at_expr(caller, call, "called here without a guard, elsewhere with one"));
    labels.fold(finding, Finding::with_related)
}
