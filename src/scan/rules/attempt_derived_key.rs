//! `attempt-derived-key`

mod content;

use std::collections::HashSet;

use crate::diagnostic::{Finding, Label, Level};
use crate::manifest::{Manifest, fresh};
use crate::rule::{Domain, Rule};
use crate::scan::guards::attempt::{Fresh, Kind};
use crate::scan::index::FnId;
use crate::scan::ir::ExprId;
use crate::scan::rules::{Context, Found};
use crate::scan::types::value::Scope;

/// A key that differs from attempt to attempt.
pub(super) static RULE: Rule = Rule {
    name: "attempt-derived-key",
    level: Level::Error,
    domain: Domain::Code,
    page: include_str!("../../../lints/rules/attempt-derived-key.md"),
};

pub(super) fn run(context: &Context<'_, '_, '_>) -> Vec<Found> {
    let mut told = Vec::new();
    let mut seen = HashSet::new();
    for keyed in context.keys() {
        if let Some(fresh) = &keyed.fresh
            && seen.insert(fresh.place)
        {
            told.extend(tell(context, fresh, keyed.used.function, Some(keyed.used.value)));
        }
    }
    for function in context.guards.deriving_functions() {
        if let Some(fresh) = context.guards.returned(function)
            && seen.insert(fresh.place)
        {
            told.extend(tell(context, &fresh, function, None));
        }
    }
    told.extend(content::findings(context));
    told.extend(context.manifest.into_iter().flat_map(declared));
    told
}

/// Parts that the manifest names like what differs from attempt to attempt: a name alone proves nothing.
fn declared(manifest: &Manifest) -> Vec<Found> {
    let fresh = fresh::fresh(manifest).into_iter().map(|fresh| {
        let place = Label::new(&manifest.source, fresh.place, "every attempt would be a new act");
        let finding = Finding::new(RULE.name, Level::Warning, fresh.message(), place)
            .with_help(fresh.help())
            .with_subject(format!("{} {}", fresh.action, fresh.part));
        Found { finding, function: String::new() }
    });
    fresh.collect()
}

fn tell(context: &Context<'_, '_, '_>, fresh: &Fresh, function: FnId, used: Option<ExprId>) -> Option<Found> {
    let (Scope::Fn(there), made) = fresh.place else { return None };
    let what = match fresh.kind {
        Kind::Random => "is random",
        Kind::Clock => "is the time",
        Kind::Counter => "counts attempts",
        Kind::Minted => "is made anew each time",
    };
    let (level, sometimes) =
        if fresh.fallback { (Level::Warning, " where no other value is given") } else { (RULE.level, "") };
    let message = format!("this key differs from attempt to attempt{sometimes}: `{}` {what}", fresh.name);
    let mut finding = Finding::new(RULE.name, level, message, context.at_expr(there, made, "goes into the key")?)
        .with_help("derive the key from what makes two acts the same, or make the value once, store it before the first attempt and read it back")
        .with_subject(format!("{} {}", context.path_of(there), fresh.name));
    if let Some(label) = used
        .filter(|used| (function, *used) != (there, made))
        .and_then(|used| context.at_expr(function, used, "the key"))
    {
        finding = finding.with_related(label);
    }
    Some(Found { finding, function: context.path_of(there) })
}
