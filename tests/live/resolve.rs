//! What persons decide.

use serde_json::json;
use uuid::Uuid;

use crate::ledger::{ask, go, on_every_major, pass_deadline, record, reserve};
use crate::program::{person, watcher};

/// `queue resolve` with evidence and a name.
fn resolve<'a>(action_type: &'a str, key: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    let head = ["queue", "resolve", action_type, key, "--evidence", "the chat shows it", "--actor", "kim"];
    [&head, rest].concat()
}

#[tokio::test]
async fn each_decision_is_kept_with_who_took_it_and_why() {
    on_every_major(async |ledger| {
        let worker = ledger.worker().await;
        for key in ["sent", "not_sent", "abandon"] {
            go(&worker, "retry", key).await;
        }
        pass_deadline().await;
        let sent = ["--attempt", "1", "--decision", "sent", "--message-id", "m-7"];
        let said = person(ledger, &resolve("retry", "sent", &sent)).clean();
        assert_eq!(said, "retry sent is sent: nothing sends it any more\n");
        assert_eq!(
            person(ledger, &resolve("retry", "sent", &sent)).clean(),
            "retry sent is already sent: nothing sends it any more\n"
        );
        let said = person(ledger, &resolve("retry", "not_sent", &["--attempt", "1", "--decision", "not_sent"])).clean();
        assert!(said.starts_with("retry not_sent is released: the next reserve lets it go as a new attempt\n"), "{said}");
        assert!(said.contains("key window: the provider still knows the key for 59m"), "{said}");
        person(ledger, &resolve("retry", "abandon", &["--attempt=1", "--decision=abandon"])).clean();
        let kept = "SELECT string_agg(concat_ws(' ', status, failure, evidence, actor, message_id), '; ' ORDER BY 1)
            FROM (SELECT status, failure, evidence, actor, message_id FROM onlyonce.actions ORDER BY idempotency_key) AS a";
        let kept: String = ledger.root.query_one(kept, &[]).await.unwrap().get(0);
        assert_eq!(
            kept,
            "failed abandoned the chat shows it kim; failed released the chat shows it kim; sent the chat shows it kim m-7"
        );
        assert_eq!(reserve(&worker, "retry", "not_sent").await, "go");
        assert_eq!(reserve(&worker, "retry", "abandon").await, "failed");
    })
    .await;
}

#[tokio::test]
async fn not_sent_waits_for_the_deadline_and_says_until_when() {
    on_every_major(async |ledger| {
        ledger.database.run("UPDATE onlyonce.action_types SET pending_timeout = '1 hour'").await;
        let worker = ledger.worker().await;
        let token = go(&worker, "send", "a").await;
        record(&worker, "send", "a", token, "unknown").await;
        let refused = person(ledger, &resolve("send", "a", &["--attempt", "1", "--decision", "not_sent"])).failed();
        let until = "SELECT to_char(deadline_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') FROM onlyonce.actions";
        let until: String = ledger.root.query_one(until, &[]).await.unwrap().get(0);
        assert!(refused.contains(&format!("a worker may still be sending this until {until}")), "{refused} {until}");
        assert!(refused.contains("until then nothing can show that it was not sent"), "{refused}");
        person(ledger, &resolve("send", "a", &["--attempt", "1", "--decision", "sent"])).clean();
    })
    .await;
}

#[tokio::test]
async fn of_two_operators_the_one_who_looked_at_an_older_attempt_is_told() {
    on_every_major(async |ledger| {
        let worker = ledger.worker().await;
        let token = go(&worker, "send", "a").await;
        record(&worker, "send", "a", token, "rejected").await;
        person(ledger, &resolve("send", "a", &["--attempt", "1", "--decision", "not_sent"])).clean();
        let token = go(&worker, "send", "a").await;
        record(&worker, "send", "a", token, "rejected").await;
        let told = person(ledger, &resolve("send", "a", &["--attempt", "1", "--decision", "abandon"])).failed();
        assert!(told.contains("the action is at attempt 2, and attempt 1 was looked at"), "{told}");
        assert!(told.contains("run `onlyonce queue show` again"), "{told}");
        let told = person(ledger, &resolve("send", "a", &["--attempt", "2", "--decision", "sent"])).failed();
        assert!(told.contains("cannot go failed(rejected) -> sent"), "{told}");
    })
    .await;
}

#[tokio::test]
async fn an_event_is_processed_or_released() {
    on_every_major(async |ledger| {
        let worker = ledger.worker().await;
        for event in ["done", "free"] {
            ask(&worker, "accept_event", &[&"claimed", &event, &Uuid::new_v4(), &json!({})]).await.unwrap();
        }
        let told = person(ledger, &resolve("claimed", "free", &["--decision", "release"])).failed();
        assert!(told.contains("claimed free does not wait") && told.contains("worked on twice"), "{told}");
        pass_deadline().await;
        let said = person(ledger, &resolve("claimed", "done", &["--decision", "processed"])).clean();
        assert_eq!(said, "claimed done is processed: nothing claims it any more\n");
        person(ledger, &resolve("claimed", "free", &["--decision", "release"])).clean();
        let accept = async |event: &str| {
            ask(&worker, "accept_event", &[&"claimed", &event, &Uuid::new_v4(), &json!({})]).await.unwrap()
        };
        assert_eq!((accept("done").await.as_str(), accept("free").await.as_str()), ("duplicate", "reclaimed"));
        let told = person(ledger, &resolve("claimed", "done", &["--decision", "release"])).failed();
        assert!(told.contains("claimed done does not wait: it is processed, claimed"), "{told}");
        let told = person(ledger, &resolve("claimed", "done", &["--decision", "release", "--attempt", "1"])).failed();
        assert!(told.contains("an event has no --attempt"), "{told}");
        let silent = go(&worker, "send", "a").await;
        record(&worker, "send", "a", silent, "unknown").await;
        ask(&worker, "accept_event", &[&"claimed", &"late", &Uuid::new_v4(), &json!({})]).await.unwrap();
        pass_deadline().await;
        let told = person(ledger, &resolve("send", "a", &["--decision", "release"])).failed();
        assert!(told.contains("release is for events, and send a is an action"), "{told}");
        assert!(told.contains("--attempt 1 --decision sent|not_sent|abandon"), "{told}");
        let told = person(ledger, &resolve("claimed", "late", &["--attempt=1", "--decision=sent"])).failed();
        assert!(told.contains("sent is for actions, and claimed late is an event"), "{told}");
        assert!(told.contains("what fits it: --decision processed|release"), "{told}");
    })
    .await;
}

#[tokio::test]
async fn nothing_is_decided_without_evidence_a_name_and_the_right() {
    on_every_major(async |ledger| {
        let worker = ledger.worker().await;
        go(&worker, "send", "a").await;
        let told = person(ledger, &resolve("send", "a", &["--attempt=1", "--decision=abandon"])).failed();
        assert!(told.contains("a worker is sending this until"), "{told}");
        assert!(told.contains("help: wait for the worker") && !told.contains("queue show"), "{told}");
        pass_deadline().await;
        let decision = ["queue", "resolve", "send", "a", "--attempt", "1", "--decision", "sent"];
        for (rest, missing) in [
            (&["--actor", "kim"][..], "--evidence"),
            (&["--evidence", "seen"][..], "--actor"),
            (&["--evidence", " ", "--actor", "kim"][..], "evidence and actor are mandatory"),
            (&["--evidence", "seen", "--actor", ""][..], "evidence and actor are mandatory"),
        ] {
            let told = person(ledger, &[&decision, rest].concat()).failed();
            assert!(told.contains(missing), "{told}");
        }
        let told =
            person(ledger, &["queue", "resolve", "send", "a", "--decision=sent", "--evidence=e", "--actor=k"]).failed();
        assert!(told.contains("--attempt"), "{told}");
        let told =
            person(ledger, &resolve("send", "a", &["--attempt=1", "--decision=abandon", "--message-id=m"])).failed();
        assert!(told.contains("abandon has no --message-id"), "{told}");
        let told = person(ledger, &resolve("send", "b", &["--attempt=1", "--decision=sent"])).failed();
        assert!(told.contains("no action of type send has that key"), "{told}");
        let told = watcher(ledger, &resolve("send", "a", &["--attempt=1", "--decision=sent"])).failed();
        assert!(
            told.contains("watcher may not decide what waits in onlyonce")
                && told.contains("GRANT onlyonce_operator TO watcher"),
            "{told}"
        );
        assert_eq!(ledger.status("send", "a").await, "pending");
    })
    .await;
}
