//! Facts about providers, from `lints/providers/*.toml`.
//!
//! To add one: write `lints/providers/<name>.toml` and put its name into the list of `embedded!`. Every fact has
//! its sources and a confidence; what no listed source supports is named in `recalled`.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use crate::duration;

/// How sure a fact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Could not be established.
    Unknown,
    /// Remembered from public documentation; no page was read.
    Recalled,
    /// Worked out from documented facts, or told by a third party.
    Inferred,
    /// The provider's own page, specification or source was read.
    Documented,
}

impl Confidence {
    /// The word that files and pages use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Confidence::Unknown => "unknown",
            Confidence::Recalled => "recalled",
            Confidence::Inferred => "inferred",
            Confidence::Documented => "documented",
        }
    }
}

/// A provider that actions go to or events come from: a file of `lints/providers/`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// What the manifest calls it, and its file.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// `messaging`, `email`, `queue`, `payments`, `commerce`, `crm`, `calendar`, `devtools`, `model`.
    pub category: String,
    /// Hosts that requests to it go to, sorted; a subdomain counts as the host.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// Crates that talk to it and to nothing else, sorted.
    #[serde(default)]
    pub crates: Vec<String>,
    /// What is sent to it.
    pub outbound: Option<Outbound>,
    /// What it sends.
    pub inbound: Option<Inbound>,
}

impl Provider {
    /// Whether requests to `host` go to it.
    #[must_use]
    pub fn owns_host(&self, host: &str) -> bool {
        self.hosts
            .iter()
            .any(|own| host.strip_suffix(own.as_str()).is_some_and(|sub| sub.is_empty() || sub.ends_with('.')))
    }
}

/// What a provider does with a repeated request.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outbound {
    /// What a key from the client does.
    pub native_kind: NativeKind,
    /// Where the key goes: `header Idempotency-Key`. `None` when it takes none, as far as the sources go.
    pub native_key: Option<String>,
    /// Another place that takes a key.
    pub second_key: Option<String>,
    /// The shortest key, in characters.
    pub key_min_len: Option<usize>,
    /// The longest key, in characters.
    pub key_max_len: Option<usize>,
    /// The longest key where it differs by API.
    #[serde(default)]
    pub key_max_len_by_api: BTreeMap<String, usize>,
    /// What a key may be made of.
    pub key_charset: Option<String>,
    /// How long a key is remembered.
    pub key_window: Option<Window>,
    /// The least of that over APIs and settings.
    pub key_window_min: Option<Window>,
    /// How long a key is remembered where it differs by API.
    #[serde(default)]
    pub key_window_by_api: BTreeMap<String, Window>,
    /// What is known where there is no number.
    pub key_window_text: Option<String>,
    /// Which requests take the key.
    pub scope: Option<String>,
    /// What it drops by likeness, without a key.
    pub dedupe_heuristic: Option<String>,
    /// A field that comes back with events or searches.
    pub correlation_field: Option<String>,
    /// Its longest value, in characters.
    pub correlation_max_len: Option<usize>,
    /// How a person finds out whether an action took place.
    pub reconcile: String,
    /// How sure the facts are, those in `recalled` apart.
    pub confidence: Confidence,
    /// Where they were read.
    #[serde(default)]
    pub source: Vec<String>,
    /// Fields that no listed source supports, sorted.
    #[serde(default)]
    pub recalled: Vec<String>,
    /// What else matters.
    pub notes: Option<String>,
}

impl Outbound {
    /// How sure one field is.
    #[must_use]
    pub fn confidence_of(&self, field: &str) -> Confidence {
        sure(self.confidence, &self.recalled, field)
    }

    /// How long a key is remembered at the least.
    #[must_use]
    pub fn key_window(&self) -> Option<Window> {
        self.key_window_min.or(self.key_window)
    }
}

/// What a key from the client does at the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NativeKind {
    /// The client picks the object's id; a repeat is refused.
    ClientId,
    /// A repeat is accepted and has no second effect.
    DedupeToken,
    /// The first result is given again.
    IdempotencyKey,
    /// None is taken.
    None,
    /// A repeat writes the same object.
    Upsert,
}

/// How long something is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Window {
    /// That long.
    For(Duration),
    /// As long as the object stands.
    Forever,
}

impl serde::Serialize for Window {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Window::For(span) => duration::text::serialize(span, serializer),
            Window::Forever => serializer.serialize_str("forever"),
        }
    }
}

impl<'de> serde::Deserialize<'de> for Window {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Window, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "forever" {
            return Ok(Window::Forever);
        }
        duration::parse(&text).map(Window::For).map_err(serde::de::Error::custom)
    }
}

/// How a provider's events come.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inbound {
    /// What the id names.
    pub event_id_kind: EventIdKind,
    /// Where the id stands.
    pub event_id: String,
    /// Paths of a delivery that name the thing and not the event, sorted: `$.id` of an order that changes many times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_ids: Vec<String>,
    /// The longest automatic redelivery on the default settings.
    #[serde(default, with = "duration::optional", skip_serializing_if = "Option::is_none")]
    pub redelivery_window: Option<Duration>,
    /// The longest automatic redelivery that any setting, variant or older page allows.
    #[serde(default, with = "duration::optional", skip_serializing_if = "Option::is_none")]
    pub redelivery_window_max: Option<Duration>,
    /// How far back a person or a call can ask for the same event again.
    #[serde(default, with = "duration::optional", skip_serializing_if = "Option::is_none")]
    pub manual_replay_window: Option<Duration>,
    /// The same at the most, over plans and editions.
    #[serde(default, with = "duration::optional", skip_serializing_if = "Option::is_none")]
    pub manual_replay_window_max: Option<Duration>,
    /// Deliveries at most, the first one counted.
    pub attempts: Option<u32>,
    /// How long it waits for an answer.
    #[serde(default, with = "duration::optional", skip_serializing_if = "Option::is_none")]
    pub ack_timeout: Option<Duration>,
    /// When and how the same event comes again.
    pub duplicates: Option<String>,
    /// What is known of the order.
    pub ordering: Option<String>,
    /// How sure the facts are, those in `recalled` apart.
    pub confidence: Confidence,
    /// Where they were read.
    #[serde(default)]
    pub source: Vec<String>,
    /// Fields that no listed source supports, sorted.
    #[serde(default)]
    pub recalled: Vec<String>,
    /// What else matters.
    pub notes: Option<String>,
}

/// The longest time after which the same event may come again, and which fact says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redelivery {
    /// How long.
    pub window: Duration,
    /// The field that holds it.
    pub field: &'static str,
    /// How sure that field is.
    pub confidence: Confidence,
}

impl Inbound {
    /// How sure one field is.
    #[must_use]
    pub fn confidence_of(&self, field: &str) -> Confidence {
        sure(self.confidence, &self.recalled, field)
    }

    /// The longest redelivery, automatic or asked for by a person; `None` where no window is known.
    #[must_use]
    pub fn longest_redelivery(&self) -> Option<Redelivery> {
        [
            ("manual_replay_window_max", self.manual_replay_window_max),
            ("manual_replay_window", self.manual_replay_window),
            ("redelivery_window", self.redelivery_window),
            ("redelivery_window_max", self.redelivery_window_max),
        ]
        .into_iter()
        .filter_map(|(field, window)| {
            Some(Redelivery { window: window?, field, confidence: self.confidence_of(field) })
        })
        .max_by_key(|redelivery| (redelivery.window, redelivery.confidence))
    }
}

/// What an event's id names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventIdKind {
    /// Several fields together name the event.
    Composite,
    /// The event: safe alone.
    Event,
    /// There is none.
    None,
    /// The thing that the event is about: never alone.
    Resource,
}

fn sure(table: Confidence, recalled: &[String], field: &str) -> Confidence {
    if recalled.iter().any(|name| name == field) { table.min(Confidence::Recalled) } else { table }
}

macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../lints/providers/", $name, ".toml")))),*]
    };
}

/// Name and text of every file of `lints/providers/`, sorted.
const FILES: &[(&str, &str)] = embedded![
    "adyen",
    "amazon_bedrock",
    "amazon_eventbridge",
    "amazon_ses",
    "amazon_sns",
    "amazon_sqs",
    "anthropic",
    "braintree",
    "cal_com",
    "calendly",
    "discord",
    "front",
    "github",
    "gitlab",
    "gmail",
    "google_calendar",
    "google_gemini",
    "google_pubsub",
    "hookdeck",
    "hubspot",
    "intercom",
    "jira",
    "linear",
    "mailgun",
    "messagebird",
    "messenger_instagram",
    "microsoft_graph",
    "mollie",
    "openai",
    "paddle",
    "paypal",
    "postmark",
    "resend",
    "salesforce",
    "sendgrid",
    "shopify",
    "slack",
    "square",
    "standard_webhooks",
    "stripe",
    "svix",
    "telegram",
    "twilio",
    "vonage",
    "whatsapp_cloud",
    "woocommerce",
    "zapier",
    "zendesk",
];

/// Every provider, sorted by name.
#[must_use]
pub fn all() -> &'static [Provider] {
    // A file that does not parse would be missing here; the tests of this module parse every one.
    static ALL: LazyLock<Vec<Provider>> =
        LazyLock::new(|| FILES.iter().filter_map(|(_, text)| toml::from_str(text).ok()).collect());
    &ALL
}

/// The provider of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Provider> {
    all().binary_search_by(|provider| provider.name.as_str().cmp(name)).ok().and_then(|at| all().get(at))
}

#[cfg(test)]
mod tests;
