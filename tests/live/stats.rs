//! Numbers to watch, for people, tools and Prometheus.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use uuid::Uuid;

use crate::ledger::{Ledger, ask, go, on_every_major, pass_deadline, record, reserve, reserve_as, try_reserve};
use crate::program::{keeper, person, watcher};

/// Every kind that is counted, of `send` and of `claimed`.
const KINDS: [(&str, &str); 10] = [
    ("action", "failed"),
    ("action", "fenced"),
    ("action", "in_progress"),
    ("action", "late_evidence"),
    ("action", "payload_conflict"),
    ("action", "sent"),
    ("action", "swept"),
    ("action", "unknown"),
    ("inbound", "conflict"),
    ("inbound", "duplicate"),
];

/// Makes one of each kind happen.
async fn one_of_each_kind(ledger: &Ledger) {
    let deadline = async |of: &str| {
        let set = format!("UPDATE onlyonce.action_types SET pending_timeout = '{of}' WHERE name = 'send'");
        ledger.database.run(&set).await;
    };
    // What is in progress stays so, however slow this machine is.
    deadline("1 hour").await;
    let worker = ledger.worker().await;
    let token = go(&worker, "send", "a").await;
    reserve(&worker, "send", "a").await;
    record(&worker, "send", "a", token, "sent").await;
    try_reserve(&worker, "send", "a", Uuid::new_v4(), &json!({"other": 1})).await.unwrap();
    record(&worker, "send", "a", Uuid::new_v4(), "sent").await;
    let token = go(&worker, "send", "b").await;
    record(&worker, "send", "b", token, "rejected").await;
    reserve(&worker, "send", "b").await;
    deadline("1 second").await;
    go(&worker, "send", "c").await;
    for body in [json!(1), json!(1), json!(2)] {
        ask(&worker, "accept_event", &[&"claimed", &"e", &Uuid::new_v4(), &body]).await.unwrap();
    }
    let past = "SELECT onlyonce.accept_event('claimed', 'old', $1, '{}', now() - interval '1 day')";
    worker.execute(past, &[&Uuid::new_v4()]).await.unwrap();
    pass_deadline().await;
    keeper(ledger, &["sweep"]).clean();
    reserve_as(&worker, "send", "c", Uuid::new_v4()).await;
}

#[tokio::test]
async fn every_kind_is_counted_and_every_gauge_is_there() {
    on_every_major(async |ledger| {
        let read =
            || -> Value { serde_json::from_str(&watcher(ledger, &["stats", "--format", "json"]).clean()).unwrap() };
        let gauge = |document: &Value, name: &str| {
            let rows = document["health"].as_array().unwrap();
            rows.iter().find(|row| row["name"] == name).and_then(|row| row["value"].as_f64()).expect(name)
        };
        let fresh = read();
        assert_eq!((&fresh["version"], &fresh["duplicate_counts"]), (&json!(1), &json!([])));
        assert!(gauge(&fresh, "sweep_lag_seconds") > 1e9, "it was never swept");
        assert!(watcher(ledger, &["stats"]).clean().lines().any(|line| line.ends_with(" never")));

        one_of_each_kind(ledger).await;
        let document = read();
        let hits = |scope: &str, kind: &str| {
            let rows = document["duplicate_counts"].as_array().unwrap();
            let found = rows.iter().find(|row| row["scope"] == scope && row["kind"] == kind);
            found.and_then(|row| row["hits"].as_i64())
        };
        for (scope, kind) in KINDS.into_iter().chain([("inbound", "stale")]) {
            assert_eq!(hits(scope, kind), Some(1), "{scope} {kind} {document}");
        }
        for (name, value) in [("unknown", 1.0), ("rejected", 1.0), ("inbound_overdue", 1.0), ("late_evidence", 1.0)] {
            assert_eq!(gauge(&document, name), value, "{name}");
        }
        assert!((0.0..60.0).contains(&gauge(&document, "sweep_lag_seconds")));
        assert_eq!(gauge(&document, "retention_margin_seconds.claimed"), 2.0);
        for name in [
            "pending",
            "pending_overdue",
            "oldest_pending_seconds",
            "oldest_unknown_seconds",
            "exhausted",
            "may_go_again",
            "inbound_received",
            "shared_message_ids",
            "paused",
            "purge_lag_seconds",
        ] {
            assert!(gauge(&document, name) >= 0.0, "{name}");
        }
    })
    .await;
}

#[tokio::test]
async fn people_read_two_lists_that_align() {
    let ledger = Ledger::on(crate::support::server(crate::support::majors()[0])).await;
    one_of_each_kind(&ledger).await;
    let text = person(&ledger, &["stats"]).clean();
    let (health, counts) = text.split_once("\n\n").unwrap();
    assert!(counts.contains("action send payload_conflict"), "{text}");
    for list in [health, counts.trim_end()] {
        assert_eq!(list.lines().map(str::len).collect::<BTreeSet<_>>().len(), 1, "{text}");
    }
}

#[tokio::test]
async fn a_lag_that_stays_tells_of_a_sweep_that_cannot_go_on() {
    let ledger = Ledger::on(crate::support::server(crate::support::majors()[0])).await;
    let open = ledger.database.connect().await;
    open.batch_execute("BEGIN; SELECT pg_current_xact_id()").await.unwrap();
    // The step after that which began while it was open cannot be taken; transactions of other databases delay it.
    let waits = "SELECT asked_xid > (SELECT backend_xid::text::xid8 FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'idle in transaction') FROM onlyonce.maintenance";
    while !ledger.root.query_one(waits, &[]).await.unwrap().get::<_, bool>(0) {
        keeper(&ledger, &["sweep"]).clean();
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    keeper(&ledger, &["sweep"]).clean();
    assert!(ledger.health("sweep_lag_seconds").await > 0.3, "a transaction is open since");
    open.batch_execute("COMMIT").await.unwrap();
    let before = ledger.health("sweep_lag_seconds").await;
    until_it_goes_on(&ledger, before).await;
}

/// Sweeps until the lag is under this: transactions of other databases delay it.
async fn until_it_goes_on(ledger: &Ledger, lag: f64) {
    let limit = Instant::now() + Duration::from_secs(60);
    while ledger.health("sweep_lag_seconds").await >= lag {
        assert!(Instant::now() < limit, "it does not go on");
        keeper(ledger, &["sweep"]).clean();
    }
}

#[tokio::test]
async fn prometheus_can_read_every_line() {
    on_every_major(async |ledger| {
        let empty = Exposition::read(&watcher(ledger, &["stats", "--format", "prometheus"]).clean());
        assert!(empty.samples.len() > 15 && empty.types["onlyonce_duplicate_counts_total"] == "counter");
        one_of_each_kind(ledger).await;
        let text = watcher(ledger, &["stats", "--format", "prometheus"]).clean();
        let read = Exposition::read(&text);
        assert_eq!(read.samples["onlyonce_unknown{schema=\"onlyonce\"}"], 1.0);
        assert_eq!(read.samples["onlyonce_retention_margin_seconds{schema=\"onlyonce\",source=\"claimed\"}"], 2.0);
        let counted =
            "onlyonce_duplicate_counts_total{schema=\"onlyonce\",scope=\"action\",name=\"send\",kind=\"sent\"}";
        assert_eq!(read.samples[counted], 1.0);
        assert!(!text.contains("A number of the view"), "a gauge has no meaning of its own:\n{text}");
    })
    .await;
}

/// Prometheus' text exposition format, version 0.0.4, read as strictly as its rules allow.
pub(crate) struct Exposition {
    /// The type of each family.
    pub(crate) types: BTreeMap<String, String>,
    /// Each series with its value.
    pub(crate) samples: BTreeMap<String, f64>,
}

impl Exposition {
    #[track_caller]
    pub(crate) fn read(text: &str) -> Exposition {
        assert!(text.ends_with('\n'), "the last line ends too");
        let mut read = Exposition { types: BTreeMap::new(), samples: BTreeMap::new() };
        let (mut helps, mut family) = (BTreeSet::new(), String::new());
        for line in text.lines() {
            if let Some(help) = line.strip_prefix("# HELP ") {
                let (name, meaning) = help.split_once(' ').expect(line);
                assert!(helps.insert(name.to_owned()), "a second HELP: {line}");
                assert!(!meaning.trim().is_empty(), "{line}");
            } else if let Some(kind) = line.strip_prefix("# TYPE ") {
                let (name, kind) = kind.split_once(' ').expect(line);
                assert!(helps.contains(name), "HELP comes first: {line}");
                assert!(read.types.insert(name.to_owned(), kind.to_owned()).is_none(), "a second TYPE: {line}");
                assert!(["counter", "gauge"].contains(&kind), "{line}");
                assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
                family = name.to_owned();
            } else {
                let (series, value) = line.rsplit_once(' ').expect(line);
                let name = series.split('{').next().unwrap();
                assert_eq!(name, family, "the samples of a family stand together");
                assert!(name.bytes().all(|octet| octet.is_ascii_lowercase() || octet == b'_'), "{line}");
                labels(&series[name.len()..]);
                let value = value.parse().expect(line);
                assert!(read.samples.insert(series.to_owned(), value).is_none(), "a second sample: {line}");
            }
        }
        read
    }
}

/// `{name="value",..}`, where a value escapes backslash, quote and line feed and nothing else.
#[track_caller]
fn labels(text: &str) {
    let mut rest = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).expect(text);
    let mut names = BTreeSet::new();
    while !rest.is_empty() {
        let (name, behind) = rest.split_once("=\"").expect(text);
        assert!(names.insert(name) && name.bytes().all(|octet| octet.is_ascii_lowercase()), "{text}");
        let mut letters = behind.char_indices();
        let end = loop {
            match letters.next().expect(text) {
                (_, '\\') => assert!(matches!(letters.next(), Some((_, '\\' | '"' | 'n'))), "{text}"),
                (at, '"') => break at,
                _ => {}
            }
        };
        rest = &behind[end + 1..];
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
    assert!(names.contains("schema"), "{text}");
}

#[tokio::test]
async fn who_may_not_read_is_told_of_the_role_that_may_no_more() {
    on_every_major(async |ledger| {
        for reading in [&["stats"][..], &["queue", "list"]] {
            let told = keeper(ledger, reading).failed();
            assert!(told.contains("GRANT onlyonce_monitor TO keeper"), "{told}");
        }
    })
    .await;
}
