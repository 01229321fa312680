//! `[action.<name>]`.

use std::time::Duration;

use crate::catalog::provider::{self, Confidence, NativeKind, Outbound, Window};
use crate::duration;
use crate::key::PartType;
use crate::manifest::name::check_name;
use crate::manifest::near::meant;
use crate::manifest::section::{At, Section, brief};
use crate::manifest::{Action, KeyPart, Kind, WhenUnknown};
use crate::source::Span;

/// From reserve to answer, where nothing else is said.
const SEND_BUDGET: Duration = Duration::from_secs(30);
/// After this a reservation is unknown, where nothing else is said.
const PENDING_TIMEOUT: Duration = Duration::from_secs(5 * 60);
/// How often an action may be reserved, where nothing else is said.
const MAX_ATTEMPTS: u32 = 5;
/// More attempts than this are a loop and no plan.
const MOST_ATTEMPTS: u32 = 1000;
/// Parts of a key; more are a payload and no key.
const MOST_PARTS: usize = 16;

pub(super) fn read(name: &str, span: Span, section: Section<'_>) -> Option<Action> {
    section.need("summary", "auditors read what it does", "write summary = \"..\": what it does, in a few words");
    section.need("same_when", "auditors read when two are one", "write same_when = \"..\": two are the same when ..");
    section.need("key", "the key says when two of them are the same", "write key = [\"inbound_message_id: text\"]");
    let summary = section.text("summary");
    let same_when = section.text("same_when");
    let key = read_key(&section);
    let kind = section.choice("kind", &[("model", Kind::Model), ("send", Kind::Send)]);
    let provider = section.text("provider").filter(|name| check_provider(&section, *name));
    let budget = section.duration("send_budget");
    let pending = section.duration("pending_timeout");
    let max_attempts = section.number("max_attempts", 1..=MOST_ATTEMPTS);
    let unknown =
        section.choice("when_unknown", &[("reconcile", WhenUnknown::Reconcile), ("retry", WhenUnknown::Retry)]);
    let keep = section.duration("keep");
    let keep_key = section.duration("keep_key");
    let pending_timeout = check_budget(&section, budget, pending);
    if let Some(unknown) = unknown.filter(|unknown| unknown.value == WhenUnknown::Retry) {
        // Of a kind that is wrong nothing is known, so nothing more is said.
        let model = if section.has("kind") { kind.is_none_or(|kind| kind.value == Kind::Model) } else { false };
        let known = provider.is_some() || !section.has("provider");
        if !model && known {
            check_retry(&section, unknown.span, provider.map(|name| name.value), pending_timeout);
        }
    }
    check_keep(&section, keep, keep_key);
    section.finish();
    Some(Action {
        name: name.to_owned(),
        kind: kind.map_or(Kind::Send, |kind| kind.value),
        summary: summary?.value.to_owned(),
        same_when: same_when?.value.to_owned(),
        key: key?,
        provider: provider.map(|name| name.value.to_owned()),
        send_budget: budget.map_or(SEND_BUDGET, |budget| budget.value),
        pending_timeout,
        max_attempts: max_attempts.map_or(MAX_ATTEMPTS, |attempts| attempts.value),
        when_unknown: unknown.map_or(WhenUnknown::Reconcile, |unknown| unknown.value),
        keep: keep.map(|keep| keep.value),
        keep_key: keep_key.map(|keep| keep.value),
        span,
    })
}

fn read_key(section: &Section<'_>) -> Option<Vec<KeyPart>> {
    let parts = section.texts("key", false)?;
    let count = parts.value.len();
    if count == 0 || count > MOST_PARTS {
        let label = if count == 0 { "an empty list" } else { "a key names an intent, not a payload" };
        let message = if count == 0 { "has a key without parts" } else { "has a key of too many parts" };
        let help = format!("write 1 to {MOST_PARTS} parts, such as key = [\"inbound_message_id: text\"]");
        section.fault(parts.span, format!("{} {message}", section.title()), label, help);
        return None;
    }
    let mut key: Vec<KeyPart> = Vec::new();
    let mut good = true;
    for text in parts.value {
        let Some(part) = read_part(section, text) else {
            good = false;
            continue;
        };
        if key.iter().any(|other| other.name == part.name) {
            let message = format!("the key part `{}` is named twice", part.name);
            section.fault(text.span, message, "the second time", "give it another name, or take it out");
        }
        key.push(part);
    }
    good.then_some(key)
}

/// `inbound_message_id: text`.
fn read_part(section: &Section<'_>, text: At<&str>) -> Option<KeyPart> {
    let shown = brief(text.value);
    let Some((name, written)) = text.value.split_once(':') else {
        let message = format!("the key part `{shown}` has no type");
        section.fault(text.span, message, "a part is a name and a type", format!("write \"{shown}: text\""));
        return None;
    };
    let named = check_name(section, "key part", At { value: name.trim(), span: text.span });
    let part_type = PartType::find(written.trim());
    if part_type.is_none() {
        let message = format!("the key part `{}` has no known type", brief(name.trim()));
        let help = meant(written.trim(), PartType::ALL.iter().map(|(name, _)| *name));
        section.fault(text.span, message, format!("`{}` is no type", brief(written.trim())), help);
    }
    part_type.filter(|_| named).map(|part_type| KeyPart { name: name.trim().to_owned(), part_type })
}

fn check_provider(section: &Section<'_>, name: At<&str>) -> bool {
    let outbound = provider::all().iter().filter(|known| known.outbound.is_some()).map(|known| known.name.as_str());
    if outbound.clone().any(|known| known == name.value) {
        return true;
    }
    unknown_provider(section, name, "actions go to", outbound);
    false
}

/// Reports a provider that the catalog has no such facts of.
pub(super) fn unknown_provider<'a>(
    section: &Section<'_>,
    name: At<&str>,
    what: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
) {
    let message = format!("`{}` is no provider that {what}, as far as is known", brief(name.value));
    let guess = match crate::manifest::nearest(name.value, known.clone()) {
        Some(near) => format!("did you mean `{near}`? "),
        None => String::new(),
    };
    let help = format!("{guess}`onlyonce catalog` lists all; without facts of it, take the line out");
    section.fault(name.span, message, "no facts of it in lints/providers", help);
}

/// R24: whoever waits past the deadline must have had time to send and to answer. The timeout that holds.
fn check_budget(section: &Section<'_>, budget: Option<At<Duration>>, pending: Option<At<Duration>>) -> Duration {
    let holds = pending.map_or(PENDING_TIMEOUT, |pending| pending.value);
    let least = budget.map_or(SEND_BUDGET, |budget| budget.value).saturating_mul(2);
    let wrong =
        (section.has("pending_timeout") && pending.is_none()) || (section.has("send_budget") && budget.is_none());
    if let Some(place) = pending.or(budget).filter(|_| holds < least && !wrong) {
        let default = if pending.is_some() { "" } else { "the default " };
        let message = format!(
            "{} has a pending_timeout of {default}{}, under twice the send_budget",
            section.title(),
            duration::format(holds)
        );
        let label = "a late answer must come before a person is asked to look";
        section.fault(
            place.span,
            message,
            label,
            format!("write pending_timeout = \"{}\" or more", duration::format(least)),
        );
    }
    holds
}

fn check_keep(section: &Section<'_>, keep: Option<At<Duration>>, keep_key: Option<At<Duration>>) {
    let (Some(keep), Some(keep_key)) = (keep, keep_key) else { return };
    if keep.value > keep_key.value {
        let message = format!("{} keeps the payload longer than the key", section.title());
        let help = format!("write keep_key = \"{}\" or more, or a shorter keep", duration::format(keep.value));
        section.fault(keep.span, message, "the whole row goes with its key", help);
    }
}

/// A retry after an unknown outcome is safe where the provider itself drops the second one: where it documents that
/// it takes our key, and for how long.
fn check_retry(section: &Section<'_>, place: Span, name: Option<&str>, pending_timeout: Duration) {
    let outbound = name.and_then(provider::find).and_then(|known| known.outbound.as_ref());
    let why = match (name, outbound) {
        (Some(name), Some(outbound)) => match unsafe_retry(name, outbound, pending_timeout) {
            Some(why) => why,
            None => return,
        },
        _ => "no provider is named that would drop a second one".to_owned(),
    };
    let message = format!("when_unknown = \"retry\" is not safe for {}: {why}", section.title());
    let help = "write when_unknown = \"reconcile\": a person looks; retry is for kind = \"model\" and for providers \
                that document that they take our key";
    section.fault(place, message, "it may have been sent already", help);
}

/// Why a second request under one key may act a second time.
fn unsafe_retry(name: &str, outbound: &Outbound, pending_timeout: Duration) -> Option<String> {
    match outbound.native_kind {
        NativeKind::IdempotencyKey | NativeKind::DedupeToken | NativeKind::Upsert => {}
        NativeKind::ClientId => return Some(format!("{name} takes ids of its own form only, not our key")),
        NativeKind::None => return Some(format!("{name} takes no key")),
    }
    let window_field = if outbound.key_window_min.is_some() { "key_window_min" } else { "key_window" };
    for field in ["native_kind", "native_key", window_field] {
        let confidence = outbound.confidence_of(field);
        if confidence < Confidence::Documented {
            return Some(format!(
                "that {name} drops a second one rests on {field}, which is only {}",
                confidence.name()
            ));
        }
    }
    match outbound.key_window() {
        None => Some(format!("how long {name} remembers a key is not known")),
        Some(Window::For(window)) if window <= pending_timeout => Some(format!(
            "{name} forgets a key after {}, before the pending_timeout of {} is over",
            duration::format(window),
            duration::format(pending_timeout)
        )),
        Some(Window::For(_) | Window::Forever) => None,
    }
}
