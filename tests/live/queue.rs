//! What waits for a person, as a list and one by one.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::ledger::{Ledger, ask, go, on_every_major, pass_deadline, record};
use crate::program::{onlyonce, person, run, sends, unfolded, watcher};

/// One that waits in each class: `unknown` and `overdue`, `rejected`, `exhausted`, and the event `event`.
async fn one_of_each(ledger: &Ledger) {
    let worker = ledger.worker().await;
    let token = go(&worker, "retry", "unknown").await;
    let silent = "SELECT onlyonce.record('retry', 'unknown', $1, 'unknown', reason => 'no answer in time')";
    worker.execute(silent, &[&token]).await.unwrap();
    let token = go(&worker, "send", "rejected").await;
    record(&worker, "send", "rejected", token, "rejected").await;
    for _ in 0..2 {
        let token = go(&worker, "send", "exhausted").await;
        record(&worker, "send", "exhausted", token, "not_attempted").await;
    }
    go(&worker, "send", "overdue").await;
    ask(&worker, "accept_event", &[&"claimed", &"event", &Uuid::new_v4(), &json!({})]).await.unwrap();
    pass_deadline().await;
}

#[tokio::test]
async fn the_list_shows_every_class_the_longest_waiting_first() {
    on_every_major(async |ledger| {
        assert_eq!(person(ledger, &["queue", "list"]).clean(), "nothing waits for a person\n");
        one_of_each(ledger).await;
        let list = person(ledger, &["queue", "list"]).clean();
        assert_eq!(list.lines().next(), Some("AGE  CLASS      TYPE     ATTEMPT  KEY        REASON"), "{list}");
        assert!(list.contains(" unknown    retry          1  unknown    no answer in time\n"), "{list}");
        assert!(list.contains(" exhausted  send           2  exhausted\n"), "{list}");
        assert!(list.contains(" unknown    send           1  overdue    no outcome was recorded in time\n"), "{list}");
        assert!(
            list.contains(" inbound    claimed        1  event      its claim is over and it is not finished\n"),
            "{list}"
        );
        assert!(list.ends_with("\n5 in all\n"), "{list}");
        let keys = |args: &[&str]| {
            let whole = [&["queue", "list", "--format", "json"], args].concat();
            let document: Value = serde_json::from_str(&person(ledger, &whole).clean()).unwrap();
            let keys = document["queue"].as_array().unwrap().iter().map(|entry| entry["idempotency_key"].clone());
            (keys.map(|key| key.as_str().unwrap().to_owned()).collect::<Vec<_>>(), document["summary"].clone())
        };
        let all = ["unknown", "rejected", "exhausted", "overdue", "event"].map(str::to_owned);
        assert_eq!(keys(&[]), (all.to_vec(), json!({"listed": 5, "total": 5})));
        assert_eq!(keys(&["--class", "rejected,inbound"]).0, ["rejected", "event"]);
        assert_eq!(keys(&["--type", "retry", "--type", "claimed"]).0, ["unknown", "event"]);
        assert_eq!(keys(&["--limit", "2"]), (all[..2].to_vec(), json!({"listed": 2, "total": 5})));
        assert_eq!(keys(&["--type", "nothing"]), (Vec::new(), json!({"listed": 0, "total": 0})));
        for (args, said) in [
            (
                &["--class", "rejected", "--type", "retry"][..],
                "no action that is rejected, of retry, waits for a person",
            ),
            (&["--type", "nothing"], "nothing, of nothing, waits for a person"),
        ] {
            let list = person(ledger, &[&["queue", "list"], args].concat()).clean();
            assert_eq!(list, format!("{said}; 5 that were not asked for do: `onlyonce queue list` shows them\n"));
        }
        let none = person(ledger, &["queue", "list", "--limit", "0"]).failed();
        assert!(none.contains("0 is not in 1.."), "{none}");
        let part = person(ledger, &["queue", "list", "--limit", "2"]).clean();
        assert!(part.ends_with("\nand 3 more, 5 in all: --limit shows them\n"), "{part}");
    })
    .await;
}

#[tokio::test]
async fn the_json_has_the_columns_of_the_view() {
    on_every_major(async |ledger| {
        one_of_each(ledger).await;
        let document: Value =
            serde_json::from_str(&watcher(ledger, &["queue", "list", "--format", "json"]).clean()).unwrap();
        assert_eq!(document["version"], 1);
        let columns: Vec<String> = ledger
            .root
            .prepare("SELECT * FROM onlyonce.reconciliation_queue")
            .await
            .unwrap()
            .columns()
            .iter()
            .map(|column| column.name().to_owned())
            .collect();
        let entry = document["queue"][0].as_object().unwrap();
        assert_eq!(
            entry.keys().collect::<std::collections::BTreeSet<_>>(),
            columns.iter().collect::<std::collections::BTreeSet<_>>()
        );
        assert!(entry["age"].as_f64().is_some_and(|age| (0.5..60.0).contains(&age)), "{entry:?}");
        assert!(entry["key_window_left"].as_f64().is_some_and(|left| (3000.0..3600.0).contains(&left)), "{entry:?}");
        let deadline: jiff::Timestamp = entry["deadline_at"].as_str().unwrap().parse().unwrap();
        let there =
            "SELECT EXTRACT(epoch FROM deadline_at)::float8 FROM onlyonce.actions WHERE idempotency_key = 'unknown'";
        let there: f64 = ledger.root.query_one(there, &[]).await.unwrap().get(0);
        assert!((deadline.as_millisecond() as f64 / 1000.0 - there).abs() < 0.01, "{deadline} {there}");
        assert_eq!(entry["payload_digest"].as_str().map(str::len), Some(64));
        assert_eq!((&entry["status"], &entry["failure"]), (&json!("unknown"), &Value::Null));
    })
    .await;
}

#[tokio::test]
async fn one_is_shown_with_what_helps_to_look_it_up() {
    on_every_major(async |ledger| {
        one_of_each(ledger).await;
        let shown = person(ledger, &["queue", "show", "retry", "unknown"]).clean();
        for line in [
            "class       unknown\n",
            "key         unknown\n",
            "reason      no answer in time\n",
            "key window  the provider still knows the key for 59m",
            "look up     search for the key\n",
            "onlyonce queue resolve retry unknown --attempt 1 --decision sent|not_sent|abandon",
        ] {
            assert!(shown.contains(line), "{line}\n{shown}");
        }
        assert!(person(ledger, &["queue", "show", "claimed", "event"]).clean().contains("--decision processed|release"));
        let absent = person(ledger, &["queue", "show", "send", "-1:2"]).failed();
        assert!(absent.contains("send -1:2 does not wait for a person"), "{absent}");
        let place = tempfile::tempdir().unwrap();
        let manifest = "version = 1\n[schema]\nname = \"onlyonce\"\n[action.retry]\nsummary = \"s\"\nsame_when = \"m\"\n\
            key = [\"a: text\"]\nprovider = \"stripe\"\n";
        std::fs::write(place.path().join("onlyonce.toml"), manifest).unwrap();
        let shown = run(place.path(), &ledger.database.url("person"), &["queue", "show", "retry", "unknown"]).clean();
        assert!(shown.contains("provider    Stripe") && shown.contains("https://"), "{shown}");
    })
    .await;
}

/// A name that nothing has must not look like a queue that is empty.
#[tokio::test]
async fn a_name_that_is_mistyped_is_told() {
    let ledger = Ledger::on(crate::support::server(crate::support::majors()[0])).await;
    let worker = ledger.worker().await;
    let token = go(&worker, "retry", "a").await;
    record(&worker, "retry", "a", token, "unknown").await;
    let (folder, url) = (sends(), ledger.database.url("person"));
    let list = |args: &[&str]| run(folder.path(), &url, &[&["queue", "list"], args].concat());
    for format in ["text", "json"] {
        let told = list(&["--type", "send,sned", "--format", format]).failed();
        assert!(told.contains("nothing of sned waits, and onlyonce.toml has no action type or source sned"), "{told}");
        assert!(told.contains("help: did you mean send?"), "{told}");
    }
    assert!(list(&["--type", "retry"]).clean().ends_with("\n1 in all\n"), "the manifest has it no more");
    let other = "; 1 that was not asked for does: `onlyonce queue list` shows it\n";
    assert_eq!(list(&["--class", "inbound"]).clean(), format!("no event waits for a person{other}"));
    assert_eq!(list(&["--type", "send"]).clean(), format!("nothing, of send, waits for a person{other}"));
    let told = run(folder.path(), &url, &["queue", "show", "sned", "a"]).failed();
    assert!(told.contains("sned a does not wait") && told.contains("did you mean send?"), "{told}");
    let told = run(folder.path(), &url, &["queue", "show", "send", "a"]).failed();
    assert!(!told.contains("did you mean"), "{told}");
}

#[tokio::test]
async fn the_schema_is_that_of_the_manifest_unless_one_is_named() {
    let ledger = Ledger::on(crate::support::server(crate::support::majors()[0])).await;
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("onlyonce.toml"), "version = 1\n[schema]\nname = \"elsewhere\"\n").unwrap();
    let url = ledger.database.url("person");
    let missing = run(place.path(), &url, &["queue", "list"]).failed();
    assert!(missing.contains("there is no ledger elsewhere in database"), "{missing}");
    assert!(missing.contains("apply the migrations that `onlyonce emit` wrote"), "{missing}");
    run(place.path(), &url, &["queue", "list", "--schema", "onlyonce"]).clean();
    let hostile = onlyonce(&url, &["queue", "list", "--schema", "x; DROP SCHEMA onlyonce"]).failed();
    assert!(hostile.contains("is no name of a ledger's schema"), "{hostile}");
}

#[tokio::test]
async fn what_is_hostile_in_a_row_does_not_reach_the_terminal() {
    let ledger = Ledger::on(crate::support::server(crate::support::majors()[0])).await;
    let worker = ledger.worker().await;
    let token = go(&worker, "send", "a").await;
    let hostile = "\u{1b}[2J\u{1b}]0;owned\u{7}\r\nfake  line\u{202e}\u{9b}31m 世界";
    let call = "SELECT onlyonce.record('send', 'a', $1, 'unknown', reason => $2, message_id => $2)";
    worker.execute(call, &[&token, &hostile]).await.unwrap();
    let accept = "SELECT onlyonce.accept_event('claimed', $1, $2, '{}')";
    worker.execute(accept, &[&hostile, &Uuid::new_v4()]).await.unwrap();
    pass_deadline().await;
    let outputs = [
        person(&ledger, &["queue", "list"]).clean(),
        person(&ledger, &["queue", "show", "send", "a"]).clean(),
        person(&ledger, &["queue", "show", "claimed", hostile]).clean(),
        person(
            &ledger,
            &[
                "queue",
                "resolve",
                "claimed",
                hostile,
                "--decision",
                "release",
                "--evidence",
                hostile,
                "--actor",
                hostile,
            ],
        )
        .clean(),
        person(&ledger, &["queue", "show", "claimed", &format!("{hostile}x")]).failed(),
        person(
            &ledger,
            &["queue", "resolve", hostile, hostile, "--attempt=1", "--decision=sent", "--evidence=e", "--actor=a"],
        )
        .failed(),
    ];
    for output in outputs {
        let bad: Vec<char> = output.chars().filter(|c| c.is_control() && *c != '\n' || *c == '\u{202e}').collect();
        assert!(bad.is_empty(), "{bad:?}\n{output:?}");
        assert!(!output.contains("\nfake"), "{output}");
        assert!(unfolded(&output).contains("世界") || !output.contains("[2J"), "{output}");
    }
    let document = person(&ledger, &["queue", "list", "--format", "json"]).clean();
    let document: Value = serde_json::from_str(&document).unwrap();
    assert_eq!(document["queue"][0]["reason"], hostile, "tools get what is there");
}

#[tokio::test]
async fn a_long_queue_is_listed_in_part_and_counted_in_whole() {
    let ledger = Ledger::on(crate::support::server(crate::support::majors()[0])).await;
    let fill = "INSERT INTO onlyonce.actions
        (action_type, idempotency_key, status, attempt, token, created_at, deadline_at, step, payload)
      SELECT 'send', 'k' || n, 'pending', 1, gen_random_uuid(), now() - interval '1 hour',
        now() - interval '1 hour' + n * interval '1 ms', 'reserve', '{}' FROM generate_series(1, 100000) AS n";
    ledger.database.run(fill).await;
    let list = person(&ledger, &["queue", "list", "--limit", "3"]).clean();
    assert_eq!(list.lines().count(), 5, "{list}");
    assert!(list.contains(" k1 ") && list.contains(" k3 "), "{list}");
    assert!(list.ends_with("and 99997 more, 100000 in all: --limit shows them\n"), "{list}");
}
