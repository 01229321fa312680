//! What is known of a manifest's actions and sources, in plain data: the JSON form, and what the words are made of.

use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::catalog::provider::{self, Confidence, NativeKind, Window};
use crate::docs::MARK;
use crate::docs::evidence::{Call, Evidence, Exception};
use crate::duration;
use crate::key::{self, PartType};
use crate::manifest::{self, InboundMode, Kind, Manifest, WhenUnknown};
use crate::scan::site::Verdict;

/// Everything that the pages say.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Book {
    /// Of this form.
    pub version: u32,
    /// What wrote it: marks the file as one that may be written again.
    pub made: String,
    /// The Postgres schema of the ledger.
    pub schema: String,
    /// Sorted by name.
    pub actions: Vec<Action>,
    /// Sorted by name.
    pub inbound: Vec<Inbound>,
    /// How many outbound calls there are of each verdict.
    pub summary: Summary,
    /// Outbound calls that belong to no action type and change something.
    pub other_calls: Vec<Call>,
    /// Reviewed exceptions.
    pub exceptions: Vec<Exception>,
}

/// How many outbound calls there are of each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Summary {
    pub guarded: usize,
    pub unguarded: usize,
    pub undecided: usize,
    pub exempt: usize,
    pub read: usize,
}

/// An action type.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Action {
    pub name: String,
    pub kind: Kind,
    pub summary: String,
    pub same_when: String,
    pub key: Vec<Part>,
    pub examples: Examples,
    pub provider: Option<Provider>,
    #[serde(serialize_with = "text")]
    pub send_budget: Duration,
    #[serde(serialize_with = "text")]
    pub pending_timeout: Duration,
    pub max_attempts: u32,
    pub when_unknown: WhenUnknown,
    #[serde(serialize_with = "optional_text")]
    pub keep: Option<Duration>,
    #[serde(serialize_with = "optional_text")]
    pub keep_key: Option<Duration>,
    pub calls: Vec<Call>,
}

/// A part of a key with an example.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Part {
    pub name: String,
    #[serde(rename = "type")]
    pub part_type: PartType,
    /// A value as the program has it.
    pub example: String,
    /// The text that stands for it in the key.
    pub normalised: String,
}

/// Keys that are computed, not told.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Examples {
    /// Of the example values.
    pub key: String,
    /// The same values as a retry may spell them.
    pub retry: Vec<String>,
    /// Its key; the same.
    pub retry_key: String,
    /// The values of another intent.
    pub intent: Vec<String>,
    /// Its key; another.
    pub intent_key: String,
    /// What a provider that takes a key is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_key: Option<String>,
}

/// What is known of where an action goes.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Provider {
    pub name: String,
    pub title: String,
    /// Nothing is known of what is sent to it.
    pub outbound: Option<Outbound>,
}

/// What a provider does with a repeated request.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Outbound {
    pub native_kind: NativeKind,
    pub native_key: Option<String>,
    pub key_max_len: Option<usize>,
    pub key_window: Option<Window>,
    pub scope: Option<String>,
    pub correlation_field: Option<String>,
    pub reconcile: String,
    pub notes: Option<String>,
    pub confidence: Confidence,
    pub recalled: Vec<String>,
    pub sources: Vec<String>,
}

/// A source of events.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Inbound {
    pub name: String,
    pub provider: Option<String>,
    pub items: Option<String>,
    pub event_id: Vec<String>,
    pub mode: InboundMode,
    #[serde(serialize_with = "text")]
    pub claim_timeout: Duration,
    #[serde(serialize_with = "text")]
    pub retention: Duration,
    /// The longest time after which the provider may send the same event again.
    pub redelivery: Option<Redelivery>,
}

/// How long a provider may send the same event again.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Redelivery {
    #[serde(serialize_with = "text")]
    pub longest: Duration,
    pub confidence: Confidence,
    pub sources: Vec<String>,
}

impl Book {
    /// Everything that is known of this manifest and code.
    pub(super) fn of(manifest: &Manifest, evidence: &Evidence) -> Book {
        let (belonging, other): (Vec<Call>, Vec<Call>) = evidence
            .calls
            .iter()
            .cloned()
            .partition(|call| call.action.as_ref().is_some_and(|name| manifest.actions.contains_key(name)));
        Book {
            made: MARK.to_owned(),
            version: 1,
            schema: manifest.schema.name.clone(),
            actions: manifest.actions.values().map(|action| Action::of(action, &belonging)).collect(),
            inbound: manifest.inbound.values().map(Inbound::of).collect(),
            summary: Summary::of(&evidence.calls),
            other_calls: other.into_iter().filter(|call| call.verdict != Verdict::Read).collect(),
            exceptions: evidence.exceptions.clone(),
        }
    }
}

impl Summary {
    fn of(calls: &[Call]) -> Summary {
        let mut summary = Summary::default();
        for call in calls {
            match call.verdict {
                Verdict::Guarded => summary.guarded += 1,
                Verdict::Unguarded => summary.unguarded += 1,
                Verdict::Undecided => summary.undecided += 1,
                Verdict::Exempt => summary.exempt += 1,
                Verdict::Read => summary.read += 1,
            }
        }
        summary
    }
}

impl Action {
    fn of(action: &manifest::Action, calls: &[Call]) -> Action {
        let provider = action.provider.as_deref().map(Provider::of);
        Action {
            name: action.name.clone(),
            kind: action.kind,
            summary: action.summary.clone(),
            same_when: action.same_when.clone(),
            key: action.key.iter().map(Part::of).collect(),
            examples: Examples::of(action, provider.as_ref()),
            provider,
            send_budget: action.send_budget,
            pending_timeout: action.pending_timeout,
            max_attempts: action.max_attempts,
            when_unknown: action.when_unknown,
            keep: action.keep,
            keep_key: action.keep_key,
            calls: calls.iter().filter(|call| call.action.as_ref() == Some(&action.name)).cloned().collect(),
        }
    }
}

impl Part {
    fn of(part: &manifest::KeyPart) -> Part {
        let example = example(part.part_type).first.to_owned();
        Part {
            name: part.name.clone(),
            part_type: part.part_type,
            normalised: normalised(part.part_type, &example),
            example,
        }
    }
}

/// Values of one type: one, the same spelled otherwise, and another.
struct Example {
    first: &'static str,
    again: &'static str,
    other: &'static str,
}

fn example(part_type: PartType) -> Example {
    let (first, again, other) = match part_type {
        PartType::Text => ("A-1001", "A-1001", "A-1002"),
        PartType::Integer => ("1", "01", "2"),
        PartType::Uuid => (
            "67e55044-10b1-426f-9247-bb680e5fe0c8",
            "67E55044-10B1-426F-9247-BB680E5FE0C8",
            "f47ac10b-58cc-4372-a567-0e02b2c3d479",
        ),
        PartType::Date => ("2026-03-31", "2026-03-31", "2026-04-01"),
        PartType::Email => ("anna@example.com", "anna@Example.COM", "ben@example.com"),
        PartType::Domain => ("bücher.example", "BÜCHER.example.", "example.com"),
    };
    Example { first, again, other }
}

fn normalised(part_type: PartType, value: &str) -> String {
    // The examples are values of their types.
    part_type.normalise(value).unwrap_or_default()
}

impl Examples {
    fn of(action: &manifest::Action, provider: Option<&Provider>) -> Examples {
        let last = action.key.len().saturating_sub(1);
        let key_of = |values: &[String]| {
            let parts = action.key.iter().zip(values).map(|(part, value)| normalised(part.part_type, value));
            key::canonical(&parts.collect::<Vec<_>>())
        };
        let values = |pick: fn(usize, usize, Example) -> &'static str| -> Vec<String> {
            let parts = action.key.iter().enumerate();
            parts.map(|(at, part)| pick(at, last, example(part.part_type)).to_owned()).collect()
        };
        let first = values(|_, _, example| example.first);
        let retry = values(|_, _, example| example.again);
        let intent = values(|at, last, example| if at == last { example.other } else { example.first });
        let key = key_of(&first);
        let longest = provider.and_then(|provider| provider.outbound.as_ref()).filter(|outbound| outbound.takes_keys());
        let provider_key = longest
            .and_then(|outbound| key::provider_key(&action.name, &key, outbound.key_max_len.unwrap_or(usize::MAX)));
        Examples { retry_key: key_of(&retry), intent_key: key_of(&intent), key, retry, intent, provider_key }
    }
}

impl Provider {
    fn of(name: &str) -> Provider {
        let known = provider::find(name);
        Provider {
            name: name.to_owned(),
            title: known.map_or_else(|| name.to_owned(), |provider| provider.title.clone()),
            outbound: known.and_then(|provider| provider.outbound.as_ref()).map(Outbound::of),
        }
    }
}

impl Outbound {
    fn of(known: &provider::Outbound) -> Outbound {
        Outbound {
            native_kind: known.native_kind,
            native_key: known.native_key.clone(),
            key_max_len: known.key_max_len,
            key_window: known.key_window(),
            scope: known.scope.clone(),
            correlation_field: known.correlation_field.clone(),
            reconcile: known.reconcile.clone(),
            notes: known.notes.clone(),
            confidence: known.confidence,
            recalled: known.recalled.clone(),
            sources: known.source.clone(),
        }
    }

    /// Whether it takes a key of ours.
    pub(super) fn takes_keys(&self) -> bool {
        match self.native_kind {
            NativeKind::ClientId | NativeKind::DedupeToken | NativeKind::IdempotencyKey | NativeKind::Upsert => true,
            NativeKind::None => false,
        }
    }
}

impl Inbound {
    fn of(source: &manifest::Inbound) -> Inbound {
        let known = source.provider.as_deref().and_then(provider::find);
        let inbound = known.and_then(|provider| provider.inbound.as_ref());
        Inbound {
            name: source.name.clone(),
            provider: known.map(|provider| provider.title.clone()).or_else(|| source.provider.clone()),
            items: source.items.clone(),
            event_id: source.event_id.clone(),
            mode: source.mode,
            claim_timeout: source.claim_timeout,
            retention: source.retention,
            redelivery: inbound.and_then(|inbound| {
                let longest = inbound.longest_redelivery()?;
                let sources = inbound.source.clone();
                Some(Redelivery { longest: longest.window, confidence: longest.confidence, sources })
            }),
        }
    }
}

fn text<S: Serializer>(value: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&duration::format(*value))
}

fn optional_text<S: Serializer>(value: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => text(value, serializer),
        None => serializer.serialize_str("forever"),
    }
}
