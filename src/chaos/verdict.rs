//! The verdict: from what was delivered, what the provider accepted and what the ledger says, to what went wrong. Pure.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::chaos::journal::{Accepted, Line};

/// What an event had to lead to.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The number of its event and round.
    pub event: usize,
    /// The fault of its round.
    pub fault: &'static str,
    /// Whether that fault leaves the first answer in doubt: all but plain replays do.
    pub doubtful: bool,
    /// Whether the worker ever took the event, by a status of success.
    pub acknowledged: bool,
    /// The event's id in the ledger.
    pub event_id: Option<String>,
    /// The provider action, and which act it is there.
    pub provider: String,
    /// Which act it is at the provider.
    pub act: String,
    /// Whether it asks a model.
    pub model: bool,
    /// The action type in the ledger.
    pub action: String,
    /// Its key in the ledger.
    pub key: Option<String>,
}

/// A row of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its action type; a team's own ledger need not have one.
    pub action: Option<String>,
    /// Its key.
    pub key: String,
    /// What its status means.
    pub state: State,
    /// Its status in the ledger's words.
    pub status: String,
    /// The provider's message id.
    pub message_id: Option<String>,
}

/// What a status means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// In hand.
    Open,
    /// Done.
    Sent,
    /// Not done, and known not to be.
    Failed,
    /// Waits for a person.
    Waiting,
}

/// What waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// Why: `unknown`, `rejected`, `exhausted`, `inbound`.
    pub class: String,
    /// The action type; of an event its source.
    pub action: String,
    /// The key; of an event its id.
    pub key: String,
    /// The reason that was recorded.
    pub reason: Option<String>,
}

/// Something that must not be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What sort of thing.
    pub kind: Kind,
    /// The provider action.
    pub action: String,
    /// Which act.
    pub act: String,
    /// Its event; none for an act that no event of the plan leads to.
    pub event: Option<usize>,
    /// The fault of the event's round: what exposed it.
    pub fault: Option<String>,
    /// What is wrong: lower case, no full stop.
    pub message: String,
    /// What happened around it, in order.
    pub timeline: Vec<Line>,
}

/// The sorts of findings, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// One act was accepted more than once.
    Duplicate,
    /// One act, or one key, with different payloads.
    Contradiction,
    /// An event of which nothing came, and of which no person will hear.
    Lost,
    /// The ledger says what the provider does not.
    Misrecorded,
}

impl Kind {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Duplicate => "duplicate",
            Kind::Contradiction => "contradiction",
            Kind::Lost => "lost",
            Kind::Misrecorded => "misrecorded",
        }
    }
}

/// All that a run has seen.
#[derive(Clone, Debug, Default)]
pub struct Evidence<'a> {
    /// What had to come of the events.
    pub expected: &'a [Expected],
    /// What the provider accepted.
    pub accepted: &'a [Accepted],
    /// What the ledger says; none where there is no ledger.
    pub entries: Option<&'a [Entry]>,
    /// What waits for a person.
    pub waiting: &'a [Waiting],
    /// What happened when.
    pub lines: &'a [Line],
}

/// What is wrong, worst first, then by event.
#[must_use]
pub fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let mut acts: BTreeMap<(&str, &str), Vec<&Accepted>> = BTreeMap::new();
    for accepted in evidence.accepted {
        acts.entry((&accepted.action, &accepted.act)).or_default().push(accepted);
    }
    let mut findings: Vec<Finding> = acts.values().flat_map(|requests| repeated(evidence, requests)).collect();
    findings.extend(contradictory_keys(evidence));
    for expected in evidence.expected {
        let act = (expected.provider.as_str(), expected.act.as_str());
        let requests = acts.get(&act).map(Vec::as_slice).unwrap_or_default();
        findings.extend(lost(evidence, expected, requests));
        findings.extend(misrecorded(evidence, expected, requests));
    }
    findings.sort_by(|one, other| (one.kind, one.event, &one.action).cmp(&(other.kind, other.event, &other.action)));
    findings
}

/// Whether time alone may still show where something goes: an act that is in hand in the ledger, or an event that was
/// taken and of which there is no trace yet.
#[must_use]
pub fn is_open(evidence: &Evidence<'_>) -> bool {
    let came = |act: &Expected| {
        evidence.accepted.iter().any(|request| request.action == act.provider && request.act == act.act)
    };
    evidence.expected.iter().filter(|act| !act.model).any(|act| match entry_of(evidence, act) {
        Some(entry) => entry.state == State::Open,
        None => !came(act) && !event_waits(evidence, act),
    })
}

/// An act that was accepted more than once.
fn repeated(evidence: &Evidence<'_>, requests: &[&Accepted]) -> Vec<Finding> {
    let (Some(first), true) = (requests.first(), requests.len() > 1) else { return Vec::new() };
    let expected = evidence.expected.iter().find(|known| known.provider == first.action && known.act == first.act);
    // A model that is asked again after a fault has had no effect on anybody.
    if expected.is_some_and(|expected| expected.model && expected.doubtful) {
        return Vec::new();
    }
    let times = requests.len();
    let ids: Vec<&str> = requests.iter().map(|request| request.message_id.as_str()).collect();
    let mut found = vec![finding(
        evidence,
        Kind::Duplicate,
        first,
        expected,
        format!("accepted {times} times, as {}", ids.join(", ")),
    )];
    let payloads: BTreeSet<&str> = requests.iter().map(|request| request.payload.as_str()).collect();
    if payloads.len() > 1 {
        let message = format!("accepted with {} different payloads", payloads.len());
        found.push(finding(evidence, Kind::Contradiction, first, expected, message));
    }
    found
}

/// A key under which different acts or payloads went, where they are not one act anyway.
fn contradictory_keys(evidence: &Evidence<'_>) -> Vec<Finding> {
    let mut keys: BTreeMap<(&str, &str), Vec<&Accepted>> = BTreeMap::new();
    for accepted in evidence.accepted {
        if let Some(key) = &accepted.key {
            keys.entry((&accepted.action, key)).or_default().push(accepted);
        }
    }
    let shared = keys.into_iter().filter_map(|((_, key), requests)| {
        let first = requests.first()?;
        let other = requests.iter().find(|request| request.act != first.act)?;
        let expected = evidence.expected.iter().find(|known| known.provider == first.action && known.act == first.act);
        let message = format!("its key {key} went with the act {} too", other.act);
        Some(finding(evidence, Kind::Contradiction, first, expected, message))
    });
    shared.collect()
}

/// An act that an event had to lead to, and did not.
fn lost(evidence: &Evidence<'_>, expected: &Expected, requests: &[&Accepted]) -> Option<Finding> {
    // Whether a model is asked is the worker's own affair.
    if !requests.is_empty() || expected.model {
        return None;
    }
    let entry = entry_of(evidence, expected);
    let message = match entry.map(|entry| (entry.state, entry.status.as_str())) {
        Some((State::Failed | State::Waiting, _)) => return None,
        Some((State::Sent, status)) => format!("the ledger says {status}, and the provider has never accepted it"),
        Some((State::Open, status)) => format!("the ledger says {status}, nobody is at it, and it is in no queue"),
        None if event_waits(evidence, expected) => return None,
        None if !expected.acknowledged => "no delivery of its event was ever answered with success".to_owned(),
        None => match evidence.entries {
            Some(_) => "its event was taken, and it is neither at the provider nor in the ledger".to_owned(),
            None => "its event was taken, and it never came to the provider".to_owned(),
        },
    };
    let nothing = Accepted {
        at_ms: 0,
        action: expected.provider.clone(),
        act: expected.act.clone(),
        event: Some(expected.event),
        key: None,
        payload: String::new(),
        message_id: String::new(),
    };
    Some(finding(evidence, Kind::Lost, &nothing, Some(expected), message))
}

fn event_waits(evidence: &Evidence<'_>, expected: &Expected) -> bool {
    let is_it = |row: &Waiting| row.class == "inbound" && Some(&row.key) == expected.event_id.as_ref();
    evidence.waiting.iter().any(is_it)
}

fn entry_of<'a>(evidence: &Evidence<'a>, expected: &Expected) -> Option<&'a Entry> {
    let key = expected.key.as_ref()?;
    let is_it =
        |entry: &&Entry| entry.key == *key && entry.action.as_ref().is_none_or(|action| *action == expected.action);
    evidence.entries?.iter().find(is_it)
}

/// A row that says what the provider does not.
fn misrecorded(evidence: &Evidence<'_>, expected: &Expected, requests: &[&Accepted]) -> Option<Finding> {
    let (entry, first) = (entry_of(evidence, expected)?, requests.first()?);
    let message = match (entry.state, &entry.message_id) {
        (State::Failed, _) => format!("the ledger says {}, and the provider accepted it", entry.status),
        (State::Sent, Some(id)) if !requests.iter().any(|request| request.message_id == *id) && !expected.model => {
            format!("the ledger has the message id {id}, which the provider did not give for it")
        }
        _ => return None,
    };
    Some(finding(evidence, Kind::Misrecorded, first, Some(expected), message))
}

fn finding(
    evidence: &Evidence<'_>,
    kind: Kind,
    request: &Accepted,
    expected: Option<&Expected>,
    message: String,
) -> Finding {
    let event = expected.map(|expected| expected.event).or(request.event);
    Finding {
        kind,
        action: request.action.clone(),
        act: request.act.clone(),
        event,
        fault: expected.map(|expected| expected.fault.to_owned()),
        message,
        timeline: timeline(evidence.lines, event, &request.act),
    }
}

/// The lines of the event, or those that name the act.
fn timeline(lines: &[Line], event: Option<usize>, act: &str) -> Vec<Line> {
    let belongs = |line: &&Line| match event {
        Some(_) => line.event == event,
        None => line.text.contains(act),
    };
    lines.iter().filter(belongs).cloned().collect()
}
