//! The manual in sql/README.md is walked through: each block of SQL and commands runs, in order, as the role that its fence names.

#[path = "postgres/ledger.rs"]
#[allow(dead_code, reason = "the scenarios in tests/postgres use the rest")]
mod ledger;
#[path = "runbooks/manual.rs"]
mod manual;
mod support;

use std::time::Duration;

use serde_json::json;
use uuid::Uuid;

use ledger::{ask, record, reserve, try_reserve};
use manual::{Desk, sections};

#[test]
fn every_section_with_blocks_is_walked_through() {
    let walked = [
        "Roles",
        "Calling it from another language",
        "What to schedule",
        "Alerts",
        "What waits for a person",
        "Pausing",
        "After a restore, or a failover that lost commits",
        "Restoring data without the schema",
        "Moving to another server by logical replication",
        "Erasing a person's data",
        "Draining an action type",
    ];
    let there = sections();
    let ours = there.iter().filter(|section| !section.blocks.is_empty() && section.title != "Benchmark");
    assert_eq!(
        ours.map(|section| section.title.as_str()).filter(|title| *title != "Scaling out").collect::<Vec<_>>(),
        walked
    );
}

#[tokio::test]
async fn roles_and_schedule_and_alerts() {
    let desk = Desk::new().await;
    // pg_cron is not there: whatever it is given runs at once, so that what is scheduled is known to run.
    let cron = "CREATE SCHEMA cron; CREATE FUNCTION cron.schedule(schedule text, command text) RETURNS void
        LANGUAGE plpgsql AS $$ BEGIN EXECUTE command; END $$";
    desk.database.run(cron).await;
    for title in ["Roles", "What to schedule", "Alerts"] {
        desk.run_all(title).await;
    }
}

#[tokio::test]
async fn a_worker_of_another_language_reserves_and_records() {
    let desk = Desk::new().await;
    assert_eq!(desk.run_all("Calling it from another language").await, ["go", "recorded"]);
    assert_eq!(reserve(&desk.worker().await, "send_reply", "wamid.9:1").await, "sent");
}

#[tokio::test]
async fn what_waits_is_settled() {
    let desk = Desk::new().await;
    let worker = desk.worker().await;
    let token = Uuid::new_v4();
    assert_eq!(try_reserve(&worker, "send_reply", "wamid.9:1", token, &json!({})).await.unwrap().verdict, "go");
    record(&worker, "send_reply", "wamid.9:1", token, "unknown").await;
    ask(&worker, "accept_event", &[&"whatsapp", &"wamid.10", &Uuid::new_v4(), &json!({})]).await.unwrap();
    let answers = desk.run_all("What waits for a person").await;
    assert_eq!(answers, ["unknown", "resolved", "resolved"]);
}

#[tokio::test]
async fn nothing_goes_while_it_is_paused() {
    let desk = Desk::new().await;
    let worker = desk.worker().await;
    let blocks = desk.blocks("Pausing");
    let [pause, resume] = &blocks[..] else { panic!("{} blocks", blocks.len()) };
    desk.walk(pause).await;
    assert_eq!(reserve(&worker, "send_reply", "wamid.9:1").await, "paused");
    assert_eq!(desk.walk(resume).await, ["resumed: actions may go out"]);
    assert_eq!(reserve(&worker, "send_reply", "wamid.9:1").await, "go");
}

#[tokio::test]
async fn a_restore_lets_nothing_go_twice() {
    let desk = Desk::new().await;
    let worker = desk.worker().await;
    // As it was restored: one stands as pending that was sent since, one whose outcome nobody knows; wamid.9:1 is lost.
    assert_eq!(reserve(&worker, "send_reply", "wamid.7:1").await, "go");
    assert_eq!(reserve(&worker, "send_reply", "wamid.8:1").await, "go");
    let blocks = desk.blocks("After a restore, or a failover that lost commits");
    let [pause, wait, import, sweep, resume] = &blocks[..] else { panic!("{} blocks", blocks.len()) };
    desk.walk(pause).await;
    assert_eq!(reserve(&worker, "send_reply", "wamid.9:1").await, "paused");
    assert_eq!(desk.walk(wait).await, ["00:00:01"]);
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert_eq!(desk.walk(import).await, ["2 actions imported, 0 already sent"]);
    assert_eq!(desk.walk(import).await, ["0 actions imported, 2 already sent"]);
    assert_eq!(desk.walk(sweep).await, ["1 action became unknown"]);
    desk.walk(resume).await;
    for (key, verdict) in [("wamid.9:1", "sent"), ("wamid.7:1", "sent"), ("wamid.8:1", "unknown"), ("new:1", "go")] {
        assert_eq!(reserve(&worker, "send_reply", key).await, verdict, "{key}");
    }
}

#[tokio::test]
async fn data_that_is_restored_alone_is_guarded_as_before() {
    let (old, new) = (Desk::new().await, Desk::new().await);
    let worker = old.worker().await;
    let token = Uuid::new_v4();
    try_reserve(&worker, "send_reply", "wamid.9:1", token, &json!({})).await.unwrap();
    record(&worker, "send_reply", "wamid.9:1", token, "unknown").await;
    assert_eq!(reserve(&worker, "send_reply", "wamid.7:1").await, "go");
    // On the new server the sweep has been where the old rows have their deadlines.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    new.run("owner", "UPDATE onlyonce.maintenance SET swept_to = now();").await;
    let blocks = old.blocks("Restoring data without the schema");
    let [dump, restore, mend] = &blocks[..] else { panic!("{} blocks", blocks.len()) };
    let folder = tempfile::tempdir().unwrap();
    let placed = |block: &manual::Block| {
        let text = block.text.replace("ledger.dump", &folder.path().join("ledger.dump").display().to_string());
        manual::Block { text, ..block.clone() }
    };
    old.walk(&placed(dump)).await;
    new.walk(&placed(restore)).await;
    let weak = "SET session_replication_role = replica; DELETE FROM onlyonce.actions WHERE idempotency_key = 'nothing';
        UPDATE onlyonce.actions SET attempt = 1;";
    new.run("owner", weak).await;
    assert_eq!(new.run(&mend.role, &mend.text).await, ["0"]);
    let root = new.database.connect().await;
    assert_eq!(ledger::refusal(&root, weak).await, "OO004", "no replica passes by");
    assert_eq!(new.run("maintenance", "SELECT onlyonce.sweep();").await, ["1"]);
    let (worker, person) = (new.worker().await, new.database.connect_as("kim").await);
    assert_eq!(reserve(&worker, "send_reply", "wamid.7:1").await, "unknown");
    // Its history goes on where it ended.
    assert_eq!(ledger::resolve(&person, "send_reply", "wamid.9:1", 1, "sent").await.as_deref(), Ok("resolved"));
}

#[tokio::test]
async fn a_person_s_data_is_erased() {
    let desk = Desk::new().await;
    let worker = desk.worker().await;
    let token = Uuid::new_v4();
    let payload = json!({"to": "+49 151 0000000", "text": "hello"});
    try_reserve(&worker, "send_reply", "wamid.9:1", token, &payload).await.unwrap();
    record(&worker, "send_reply", "wamid.9:1", token, "sent").await;
    let erased = "send_reply wamid.9:1 is erased: its key and state stay, so that nothing sends it again";
    assert_eq!(desk.run_all("Erasing a person's data").await, ["send_reply", erased]);
    let find = desk.blocks("Erasing a person's data").remove(0);
    assert!(desk.run(&find.role, &find.text).await.is_empty());
    assert_eq!(reserve(&worker, "send_reply", "wamid.9:1").await, "sent");
}

#[tokio::test]
async fn a_drained_type_shows_nothing() {
    let desk = Desk::new().await;
    let worker = desk.worker().await;
    let token = Uuid::new_v4();
    try_reserve(&worker, "send_reply", "wamid.9:1", token, &json!({})).await.unwrap();
    assert_eq!(desk.run_all("Draining an action type").await, ["pending"]);
    record(&worker, "send_reply", "wamid.9:1", token, "not_attempted").await;
    assert_eq!(desk.run_all("Draining an action type").await, ["failed"]);
    let token = Uuid::new_v4();
    try_reserve(&worker, "send_reply", "wamid.9:1", token, &json!({})).await.unwrap();
    record(&worker, "send_reply", "wamid.9:1", token, "sent").await;
    assert!(desk.run_all("Draining an action type").await.is_empty());
}

#[tokio::test]
async fn a_ledger_moves_to_a_subscriber() {
    let (_from, old) = Desk::of_its_own(&["fsync=off", "wal_level=logical"]).await;
    let (_onto, new) = Desk::of_its_own(&["fsync=off", "wal_retrieve_retry_interval=100ms"]).await;
    let worker = old.worker().await;
    let token = Uuid::new_v4();
    try_reserve(&worker, "send_reply", "wamid.9:1", token, &json!({})).await.unwrap();
    record(&worker, "send_reply", "wamid.9:1", token, "not_attempted").await;
    let blocks = old.blocks("Moving to another server by logical replication");
    let [aside, publish, subscribe, change, check] = &blocks[..] else { panic!("{} blocks", blocks.len()) };
    new.run(&aside.role, &aside.text).await;
    let early = new.worker().await;
    assert_eq!(reserve(&early, "send_reply", "wamid.9:1").await, "paused", "nothing is copied yet");
    assert_eq!(new.run(&check.role, &check.text).await.len(), 1);
    assert_ne!(new.run(&check.role, &check.text).await, ["0"], "they stand aside");
    old.run(&publish.role, &publish.text).await;
    let place = format!("host={} dbname={} user=postgres", old.database.place().display(), old.database.name);
    let written = "host=old.example.org dbname=agents user=replicator";
    assert!(subscribe.text.contains(written));
    new.run(&subscribe.role, &subscribe.text.replace(written, &place)).await;
    old.run("operator", "SELECT onlyonce.pause('moved', 'kim');").await;
    new.until("SELECT EXISTS (SELECT FROM onlyonce.actions WHERE status = 'failed')").await;
    new.until("SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel").await;
    let worker = new.worker().await;
    assert_eq!(reserve(&worker, "send_reply", "wamid.9:1").await, "paused");
    new.run(&change.role, &change.text).await;
    assert_eq!(new.run(&check.role, &check.text).await, ["0"]);
    let token = Uuid::new_v4();
    try_reserve(&worker, "send_reply", "wamid.9:1", token, &json!({})).await.unwrap();
    assert_eq!(record(&worker, "send_reply", "wamid.9:1", token, "sent").await, "recorded");
}
