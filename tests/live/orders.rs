//! Erasing a person's data, and pausing.

use crate::ledger::{go, on_every_major, pass_deadline, record, reserve, try_reserve};
use crate::program::{keeper, person, run, sends, watcher};
use serde_json::json;
use uuid::Uuid;

#[tokio::test]
async fn what_is_erased_is_gone_and_never_sent() {
    on_every_major(async |ledger| {
        let worker = ledger.worker().await;
        let payload = json!({"to": "+49 151 0000000"});
        let token = Uuid::new_v4();
        try_reserve(&worker, "send", "-a", token, &payload).await.unwrap();
        record(&worker, "send", "-a", token, "sent").await;
        try_reserve(&worker, "send", "waits", Uuid::new_v4(), &payload).await.unwrap();
        let erase = |key: &'static str| person(ledger, &["erase", "send", key, "--actor", "kim"]);
        for _ in 0..2 {
            let said = erase("-a").clean();
            assert_eq!(said, "send -a is erased: its key and state stay, so that nothing sends it again\n");
        }
        let told = erase("nothing").failed();
        assert!(told.contains("nothing is erased: the ledger has no send nothing"), "{told}");
        assert!(told.contains("help: give type and key as the ledger has them"), "{told}");
        let folder = sends();
        let mistyped = ["erase", "sned", "-a", "--actor", "kim"];
        let told = run(folder.path(), &ledger.database.url("person"), &mistyped).failed();
        assert!(told.contains("has no sned -a") && told.contains("help: did you mean send?"), "{told}");
        let told = erase("waits").failed();
        let until = "SELECT to_char(deadline_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') FROM onlyonce.actions
            WHERE idempotency_key = 'waits'";
        let until: String = ledger.root.query_one(until, &[]).await.unwrap().get(0);
        assert!(told.contains(&format!("a worker is sending this until {until}")), "{told}");
        assert!(told.contains("help: erase it after that"), "{told}");
        pass_deadline().await;
        erase("waits").clean();
        let left = "SELECT count(*) FROM onlyonce.actions WHERE payload IS NOT NULL OR actor IS DISTINCT FROM 'kim'";
        let left: i64 = ledger.root.query_one(left, &[]).await.unwrap().get(0);
        assert_eq!(left, 0);
        assert_eq!(reserve(&worker, "send", "-a").await, "sent");
        assert_eq!(reserve(&worker, "send", "waits").await, "unknown");
        let told = person(
            ledger,
            &["queue", "resolve", "send", "waits", "--attempt=1", "--decision=not_sent", "--evidence=e", "--actor=kim"],
        )
        .failed();
        assert!(told.contains("what was erased cannot be sent again"), "{told}");
    })
    .await;
}

#[tokio::test]
async fn nothing_new_goes_out_between_pause_and_resume() {
    on_every_major(async |ledger| {
        let worker = ledger.worker().await;
        let token = go(&worker, "send", "underway").await;
        let pause = |reason: &'static str| person(ledger, &["pause", "--reason", reason, "--actor", "kim"]);
        let resume = || person(ledger, &["resume", "--actor", "lee"]);
        assert_eq!(resume().clean(), "it was not paused\n");
        let said = pause("a restore").clean();
        assert!(said.starts_with("paused: nothing new is reserved; what was reserved before may still be"), "{said}");
        assert_eq!(pause("another").clean(), "it was paused already, and the earlier reason stays\n");
        assert_eq!(reserve(&worker, "send", "new").await, "paused");
        assert_eq!(record(&worker, "send", "underway", token, "sent").await, "recorded");
        assert_eq!(resume().clean(), "resumed: actions may go out\n");
        assert_eq!(reserve(&worker, "send", "new").await, "go");
        let kept = "SELECT string_agg(concat_ws(' ', reason, actor, resumed_by), '; ') FROM onlyonce.pauses";
        let kept: String = ledger.root.query_one(kept, &[]).await.unwrap().get(0);
        assert_eq!(kept, "a restore kim lee");
    })
    .await;
}

#[tokio::test]
async fn orders_need_a_name_and_the_operator_s_role() {
    on_every_major(async |ledger| {
        let orders: [&[&str]; 3] = [&["pause", "--reason", "r"], &["resume"], &["erase", "send", "a"]];
        for order in orders {
            let told = person(ledger, order).failed();
            assert!(told.contains("--actor"), "{told}");
            let told = person(ledger, &[order, &["--actor", " "]].concat()).failed();
            assert!(told.contains("it says nothing"), "{told}");
            let named = [order, &["--actor", "kim"]].concat();
            let told = watcher(ledger, &named).failed();
            assert!(told.contains("GRANT onlyonce_operator TO watcher"), "{told}");
            let told = keeper(ledger, &named).failed();
            assert!(told.contains("GRANT onlyonce_operator TO keeper"), "{told}");
            let verb = if order[0] == "erase" { "erase" } else { "pause or resume" };
            assert!(told.contains(&format!("keeper may not {verb} in onlyonce")), "{told}");
            assert!(told.contains("members of onlyonce_operator may"), "{told}");
        }
        let told = person(ledger, &["pause", "--actor", "kim"]).failed();
        assert!(told.contains("--reason"), "{told}");
        let worker = ledger.worker().await;
        assert_eq!(reserve(&worker, "send", "a").await, "go");
    })
    .await;
}

#[tokio::test]
async fn a_pause_that_is_held_up_says_by_whom_and_what_to_do() {
    on_every_major(async |ledger| {
        let holder = ledger.keeper().await;
        holder.batch_execute("BEGIN; SELECT onlyonce.sweep()").await.unwrap();
        let process: i32 = holder.query_one("SELECT pg_backend_pid()", &[]).await.unwrap().get(0);
        let told = person(ledger, &["pause", "--reason", "flood", "--actor", "kim"]).failed();
        assert!(told.contains(&format!("the transaction of process {process} holds this up")), "{told}");
        assert!(
            told.contains(&format!("help: let it end, or end it by SELECT pg_terminate_backend({process})")),
            "{told}"
        );
        holder.batch_execute("ROLLBACK").await.unwrap();
        person(ledger, &["pause", "--reason", "flood", "--actor", "kim"]).clean();
    })
    .await;
}
