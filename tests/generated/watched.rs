//! The spans and metrics that a watched client gives, under the names that are promised.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use metrics::{Counter, CounterFn, Gauge, Histogram, HistogramFn, KeyName, Metadata, Recorder, SharedString, Unit};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};

use super::client::keys::Reply;
use super::client::{Accepted, Receipt, SendError, sources};
use super::world::World;

/// What every span said.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<BTreeMap<String, String>>>>);

struct Fields<'a>(&'a mut BTreeMap<String, String>);

impl Visit for Fields<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }
}

impl Subscriber for Spans {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.name().starts_with("onlyonce.")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut said = BTreeMap::from([("span".to_owned(), span.metadata().name().to_owned())]);
        span.record(&mut Fields(&mut said));
        let mut spans = self.0.lock().unwrap();
        spans.push(said);
        Id::from_u64(u64::try_from(spans.len()).unwrap())
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let at = usize::try_from(span.into_u64()).unwrap() - 1;
        values.record(&mut Fields(&mut self.0.lock().unwrap()[at]));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// How often each series was added to.
#[derive(Clone, Default)]
struct Series(Arc<Mutex<BTreeMap<String, u64>>>);

struct One(Series, String);

impl CounterFn for One {
    fn increment(&self, value: u64) {
        *self.0.0.lock().unwrap().entry(self.1.clone()).or_default() += value;
    }

    fn absolute(&self, _: u64) {}
}

impl HistogramFn for One {
    fn record(&self, seconds: f64) {
        assert!((0.0..60.0).contains(&seconds), "{seconds}");
        self.increment(1);
    }
}

impl Series {
    fn one(&self, key: &metrics::Key) -> Arc<One> {
        let labels = key.labels().map(|label| format!("{}={}", label.key(), label.value()));
        let labels: Vec<String> = labels.collect();
        Arc::new(One(self.clone(), format!("{}{{{}}}", key.name(), labels.join(","))))
    }
}

impl Recorder for Series {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &metrics::Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.one(key))
    }

    fn register_gauge(&self, _: &metrics::Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, key: &metrics::Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(self.one(key))
    }
}

async fn work(world: &World) {
    let ledger = &world.ledger;
    for _ in 0..2 {
        let _ = ledger.once(&Reply { message: "m1" }, (), |(), _| async { Ok(Receipt::id("m1")) }).await.unwrap();
    }
    let lost = |(), _| async { Err(SendError::Unknown("reset".to_owned())) };
    let _ = ledger.once(&Reply { message: "m2" }, (), lost).await.unwrap();
    assert!(ledger.confirm::<Reply<'_>>("m2", "m2", "its log").await.unwrap());
    let accepted = ledger.accept_event(sources::HOOK, "e1", &json!(1), None).await.unwrap();
    let Accepted::Fresh(claim) = accepted else { panic!("{accepted:?}") };
    claim.finish().await.unwrap();
}

/// Step, type or source, key, outcome.
const SEEN: [(&str, &str, &str, &str); 10] = [
    ("reserve", "reply", "m1", "go"),
    ("send", "reply", "m1", "sent"),
    ("record", "reply", "m1", "sent"),
    ("reserve", "reply", "m1", "sent"),
    ("reserve", "reply", "m2", "go"),
    ("send", "reply", "m2", "unknown"),
    ("record", "reply", "m2", "unknown"),
    ("confirm", "reply", "m2", "recorded"),
    ("accept_event", "hook", "e1", "fresh"),
    ("finish_event", "hook", "e1", "finished"),
];

#[tokio::test]
async fn each_step_is_a_span_that_says_how_it_ended() {
    let (world, spans) = (World::new().await, Spans::default());
    let watching = tracing::subscriber::set_default(spans.clone());
    work(&world).await;
    drop(watching);
    let seen = spans.0.lock().unwrap().clone();
    let expected = SEEN.map(|(step, name, key, outcome)| {
        let said = [("span", format!("onlyonce.{step}")), ("name", name.into()), ("key", key.into())];
        let said = said.into_iter().chain([("outcome", outcome.into())]);
        said.map(|(field, value)| (field.to_owned(), value)).collect::<BTreeMap<_, _>>()
    });
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn each_step_is_counted_and_timed() {
    let (world, series) = (World::new().await, Series::default());
    let watching = metrics::set_default_local_recorder(&series);
    work(&world).await;
    drop(watching);
    let mut expected = BTreeMap::new();
    for (step, name, _, outcome) in SEEN {
        for metric in ["onlyonce_client_steps_total", "onlyonce_client_step_seconds"] {
            *expected.entry(format!("{metric}{{step={step},name={name},outcome={outcome}}}")).or_default() += 1;
        }
    }
    assert_eq!(*series.0.lock().unwrap(), expected);
}
