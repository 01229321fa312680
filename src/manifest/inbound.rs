//! `[inbound.<name>]`.

use std::time::Duration;

use crate::catalog::provider::{self, Confidence, EventIdKind};
use crate::duration;
use crate::manifest::action::unknown_provider;
use crate::manifest::section::{At, Section, brief};
use crate::manifest::{Inbound, InboundMode};
use crate::source::Span;

/// How long a claim stands, where nothing else is said.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(5 * 60);
/// Ids are remembered at least this much longer than the provider's longest redelivery..
const MARGIN: Duration = Duration::from_secs(86_400);
/// ..or by this part of it, where that is more: clocks, queues and outages grow with the window.
const MARGIN_PART: u32 = 10;

/// Fields that make an id; more are a body.
const MOST_FIELDS: usize = 16;

/// How long ids must be remembered when the same event may come again after `window`: 1 day more, or a tenth.
#[must_use]
pub fn least_retention(window: Duration) -> Duration {
    window.saturating_add(MARGIN.max(window / MARGIN_PART))
}

pub(super) fn read(name: &str, span: Span, section: Section<'_>) -> Option<Inbound> {
    section.need("event_id", "without an id every delivery is new", "write event_id = [\"$.id\"]");
    let provider = section.text("provider").filter(|name| check_provider(&section, *name));
    let facts = provider.and_then(|name| provider::find(name.value));
    let retention_help = match facts.and_then(redelivery) {
        Some(window) => format!("write retention = \"{}\"", whole_days(least_retention(window))),
        None => "write retention = \"14d\", or longer than its sender repeats".to_owned(),
    };
    section.need("retention", "ids that are forgotten are new again", &retention_help);
    let items = section.text("items").filter(|path| check_path(&section, "items", *path, true));
    let event_id = read_event_id(&section);
    if let (Some(event_id), Some(facts)) = (&event_id, facts) {
        check_resource_id(&section, event_id, facts);
    }
    let mode = section.choice("mode", &[("claim", InboundMode::Claim), ("transaction", InboundMode::Transaction)]);
    let claim_timeout = section.duration("claim_timeout");
    if let (Some(timeout), Some(InboundMode::Transaction)) = (claim_timeout, mode.map(|mode| mode.value)) {
        let message = format!("`claim_timeout` in {} has no effect", section.title());
        section.fault(
            timeout.span,
            message,
            "an event of mode \"transaction\" is never claimed",
            "take the line out, or write mode = \"claim\"",
        );
    }
    let retention = section.duration("retention");
    if let (Some(retention), Some(facts)) = (retention, facts) {
        check_retention(&section, retention, facts);
    }
    section.finish();
    Some(Inbound {
        name: name.to_owned(),
        provider: provider.map(|name| name.value.to_owned()),
        items: items.map(|path| path.value.to_owned()),
        event_id: event_id?.value.into_iter().map(|path| path.value.to_owned()).collect(),
        mode: mode.map_or(InboundMode::Claim, |mode| mode.value),
        claim_timeout: claim_timeout.map_or(CLAIM_TIMEOUT, |timeout| timeout.value),
        retention: retention?.value,
        span,
    })
}

fn check_provider(section: &Section<'_>, name: At<&str>) -> bool {
    let senders = provider::all().iter().filter(|known| known.inbound.is_some()).map(|known| known.name.as_str());
    if senders.clone().any(|known| known == name.value) {
        return true;
    }
    unknown_provider(section, name, "events come from", senders);
    false
}

fn redelivery(facts: &provider::Provider) -> Option<Duration> {
    facts.inbound.as_ref()?.longest_redelivery().map(|redelivery| redelivery.window)
}

/// Rounded up to whole days, as people write retentions.
fn whole_days(duration: Duration) -> String {
    format!("{}d", duration.as_secs().div_ceil(86_400))
}

/// R38: an id that is forgotten while its sender may still repeat it is fresh a second time.
fn check_retention(section: &Section<'_>, retention: At<Duration>, facts: &provider::Provider) {
    let Some(inbound) = &facts.inbound else { return };
    let Some(redelivery) = inbound.longest_redelivery() else { return };
    let least = least_retention(redelivery.window);
    if retention.value >= least {
        return;
    }
    let again = match redelivery.window {
        Duration::ZERO => "which is under the margin of 1 day".to_owned(),
        window => format!("but {} may send an event again for {}", facts.title, duration::format(window)),
    };
    let message = format!("{} forgets ids after {}, {again}", section.title(), duration::format(retention.value));
    let source = match inbound.source.first().filter(|_| redelivery.confidence > Confidence::Recalled) {
        Some(address) => format!("see {address}"),
        None => "no page that says so was read".to_owned(),
    };
    let label = format!("{} of {} is {}: {source}", redelivery.field, facts.name, redelivery.confidence.name());
    let help =
        format!("write retention = \"{}\" or more: the redelivery and a margin of 1 day or a tenth", whole_days(least));
    section.fault(retention.span, message, label, help);
}

/// One path or several; together they name the event.
fn read_event_id<'a>(section: &Section<'a>) -> Option<At<Vec<At<&'a str>>>> {
    let paths = section.texts("event_id", true)?;
    let count = paths.value.len();
    if count == 0 || count > MOST_FIELDS {
        let (wrong, label) =
            if count == 0 { ("nothing", "an empty list") } else { ("too much", "an id is a few fields") };
        let message = format!("`event_id` in {} names {wrong}", section.title());
        section.fault(paths.span, message, label, "write event_id = [\"$.id\"]");
        return None;
    }
    for (at, path) in paths.value.iter().enumerate() {
        check_path(section, "event_id", *path, false);
        if paths.value.iter().take(at).any(|other| other.value == path.value) {
            let message = format!("`event_id` in {} names `{}` twice", section.title(), brief(path.value));
            section.fault(path.span, message, "the second time", "take it out");
        }
    }
    Some(paths)
}

fn check_resource_id(section: &Section<'_>, event_id: &At<Vec<At<&str>>>, facts: &provider::Provider) {
    let Some(inbound) = &facts.inbound else { return };
    if inbound.event_id_kind == EventIdKind::Resource && event_id.value.len() == 1 {
        let message = format!(
            "one field does not name an event of {}: later ones of the same thing would be dropped",
            facts.title
        );
        section.fault(
            event_id.span,
            message,
            inbound.event_id.clone(),
            "name several fields, such as event_id = [\"$.id\", \"$.status\"]",
        );
    }
    let of_thing = |path: &At<&str>| inbound.resource_ids.iter().any(|known| known == path.value);
    if inbound.event_id_kind != EventIdKind::Resource && event_id.value.iter().all(of_thing) {
        let message = format!(
            "this names the thing that an event of {} is about, not the event: later ones would be dropped",
            facts.title
        );
        let help = match inbound.event_id.strip_prefix("header ") {
            Some(header) => {
                format!("write event_id = [\"header {}\"]", header.split([' ', ',', ';']).next().unwrap_or(header))
            }
            None => format!("name what is another in each event: {}", inbound.event_id),
        };
        section.fault(event_id.span, message, format!("its id is: {}", inbound.event_id), help);
    }
}

/// `$.a[0]['b']`, with `[*]` and `.*` in `items` only; an event's id may also be `header X-GitHub-Delivery`.
fn check_path(section: &Section<'_>, field: &str, path: At<&str>, wild: bool) -> bool {
    let header = path.value.strip_prefix("header ").filter(|_| field == "event_id");
    let wrong = match header {
        Some(name) if !name.is_empty() && name.bytes().all(|octet| octet.is_ascii_alphanumeric() || octet == b'-') => {
            None
        }
        Some(_) => Some("a header is named by letters, digits and `-`".to_owned()),
        None => path_problem(path.value, wild).err(),
    };
    let Some(wrong) = wrong else { return true };
    let message = format!("`{field}` in {} is no JSON path that is understood", section.title());
    let help = if wild {
        "write a path such as \"$.entry[*].messages[*]\"; without `items` the delivery is the event"
    } else {
        "write a path such as \"$.id\", or \"header X-GitHub-Delivery\""
    };
    section.fault(path.span, message, wrong, help);
    false
}

fn path_problem(path: &str, wild: bool) -> Result<(), String> {
    let mut rest = path.strip_prefix('$').ok_or("a path starts with `$`, the whole delivery or item")?;
    while !rest.is_empty() {
        let (step, behind) = if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            after.split_at(end)
        } else if let Some(after) = rest.strip_prefix('[') {
            let (inner, behind) = after.split_once(']').ok_or("`[` is never closed")?;
            (inner, behind)
        } else {
            return Err("after a step comes `.` or `[`".to_owned());
        };
        check_step(step, rest.starts_with('['), wild)?;
        rest = behind;
    }
    Ok(())
}

fn check_step(step: &str, bracket: bool, wild: bool) -> Result<(), String> {
    if step.is_empty() {
        return Err("a step is empty".to_owned());
    }
    if step == "*" {
        return if wild { Ok(()) } else { Err("`*` stands for many values; an id is one".to_owned()) };
    }
    let quoted = |quote: char| step.len() > 2 && step.starts_with(quote) && step.ends_with(quote);
    let good = if bracket {
        quoted('\'') || quoted('"') || step.bytes().all(|digit| digit.is_ascii_digit())
    } else {
        step.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '@'))
    };
    if good { Ok(()) } else { Err(format!("`{}` is no field name, number or quoted name", brief(step))) }
}
