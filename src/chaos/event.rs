//! An event of a run: a delivery with its number filled in, and what has to come of it.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::chaos::faults::{self, Round};
use crate::chaos::plan::{Kind, Plan, Webhook};
use crate::chaos::verdict::Expected;
use crate::chaos::wire;

/// An event with its number filled in.
pub(super) struct Event {
    pub(super) number: usize,
    body: Arc<Vec<u8>>,
    headers: Arc<Vec<(String, String)>>,
    /// What has to come of it; not acknowledged yet.
    pub(super) expected: Vec<Expected>,
}

impl Event {
    /// The event of a round; `now` is in seconds since 1970.
    pub(super) fn of(plan: &Plan, round: &Round, now: i64) -> Option<Event> {
        let written = plan.events.get(round.event)?;
        let (number, now) = (format!("{:06}", round.number), now.to_string());
        let values = [("n", Cow::Borrowed(number.as_str())), ("now", Cow::Borrowed(now.as_str()))];
        let body = written.body.fill(&values).into_bytes();
        let mut headers: Vec<(String, String)> =
            plan.webhook.headers.iter().map(|(name, value)| (name.clone(), value.fill(&values))).collect();
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
            headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
        headers.extend(signature(&plan.webhook, &body));
        let acts = written.acts.iter().map(|act| Expected {
            event: round.number,
            fault: round.fault.name,
            doubtful: !matches!(round.fault.kind, faults::Kind::InTurn | faults::Kind::AtOnce),
            acknowledged: false,
            event_id: written.id.as_ref().map(|id| id.fill(&values)),
            provider: act.provider.clone(),
            act: act.is.fill(&values),
            model: plan.actions.get(&act.provider).is_some_and(|action| action.kind == Kind::Model),
            action: act.action.clone(),
            key: act.key.as_ref().map(|key| key.fill(&values)),
        });
        Some(Event { number: round.number, expected: acts.collect(), body: Arc::new(body), headers: Arc::new(headers) })
    }

    /// Delivers it to this address and gives the status, or why there was none.
    pub(super) fn deliver(&self, url: String, patience: Duration) -> impl Future<Output = Result<u16, String>> + use<> {
        let (body, headers) = (Arc::clone(&self.body), Arc::clone(&self.headers));
        async move { wire::post(&url, &headers, &body, patience).await.map_err(|error| error.to_string()) }
    }
}

fn signature(webhook: &Webhook, body: &[u8]) -> Option<(String, String)> {
    let signature = webhook.signature.as_ref()?;
    let mut mac = Hmac::<Sha256>::new_from_slice(signature.secret.as_bytes()).ok()?;
    mac.update(body);
    let mut value = signature.prefix.clone();
    for octet in mac.finalize().into_bytes() {
        let _ = write!(value, "{octet:02x}");
    }
    Some((signature.header.clone(), value))
}
