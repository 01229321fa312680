//! The sweep and the purge, as cron runs them.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use crate::ledger::{Ledger, go, on_every_major, pass_deadline, record};
use crate::program::{keeper, onlyonce, person, unfolded};

#[tokio::test]
async fn the_sweep_goes_on_until_a_batch_is_not_full() {
    on_every_major(async |ledger| {
        assert_eq!(keeper(ledger, &["sweep"]).clean(), "0 actions became unknown\n");
        let worker = ledger.worker().await;
        for key in 0..5 {
            go(&worker, "send", &key.to_string()).await;
        }
        pass_deadline().await;
        assert_eq!(keeper(ledger, &["sweep", "--max-rows", "2"]).clean(), "5 actions became unknown\n");
        assert_eq!(ledger.health("unknown").await, 5.0);
    })
    .await;
}

#[tokio::test]
async fn the_purge_goes_on_until_a_batch_is_not_full_and_adds_up() {
    on_every_major(async |ledger| {
        let worker = ledger.worker().await;
        for key in 0..5 {
            let token = go(&worker, "kept", &key.to_string()).await;
            record(&worker, "kept", &key.to_string(), token, "sent").await;
        }
        pass_deadline().await;
        let said = keeper(ledger, &["purge", "--max-rows", "2"]).clean();
        assert_eq!(said, "5 payloads stripped, 0 actions and 0 events deleted\n");
        pass_deadline().await;
        let said = keeper(ledger, &["purge", "--max-rows", "2"]).clean();
        assert_eq!(said, "0 payloads stripped, 5 actions and 0 events deleted\n");
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_moved_is_told_and_stops_nothing() {
    on_every_major(async |ledger| {
        let worker = ledger.worker().await;
        for key in ["bad", "good"] {
            go(&worker, "send", key).await;
        }
        let refuse = "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
              $$ BEGIN RAISE 'no \u{1b}[31m'; END $$;
            CREATE TRIGGER refuse BEFORE UPDATE ON onlyonce.actions FOR EACH ROW
              WHEN (OLD.idempotency_key = 'bad') EXECUTE FUNCTION refuse()";
        ledger.database.run(refuse).await;
        pass_deadline().await;
        let swept = keeper(ledger, &["sweep"]);
        assert_eq!((swept.code, swept.out.as_str()), (1, "1 action became unknown\n"));
        let warning = "warning: an action of type send could not be marked unknown: no \\u{1b}[31m";
        // Once a batch; a slow machine may need a second one.
        let told: Vec<&str> = swept.err.lines().collect();
        assert!(!told.is_empty() && told.iter().all(|line| *line == warning), "{}", swept.err);
    })
    .await;
}

#[tokio::test]
async fn a_sweeper_that_goes_on_tells_what_it_moves() {
    let ledger = Ledger::on(crate::support::server(crate::support::majors()[0])).await;
    let worker = ledger.worker().await;
    let mut sweeper = Command::new(env!("CARGO_BIN_EXE_onlyonce"))
        .args(["sweep", "--every", "1s"])
        .env("DATABASE_URL", ledger.database.url("keeper"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(sweeper.stdout.take().unwrap()).lines();
    for key in ["a", "b"] {
        go(&worker, "send", key).await;
        assert_eq!(lines.next().unwrap().unwrap(), "1 action became unknown");
    }
    // It ends when its server is gone, and says what to do.
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'keeper'
        AND datname = current_database()";
    ledger.root.query_one(end, &[]).await.unwrap();
    let ended = sweeper.wait_with_output().unwrap();
    let told = unfolded(&String::from_utf8(ended.stderr).unwrap());
    assert_eq!(ended.status.code(), Some(2), "{told}");
    assert!(told.contains("was lost") && told.contains("run it again once the server is back"), "{told}");
}

#[tokio::test]
async fn each_role_may_its_own_and_a_paused_ledger_is_swept_too() {
    on_every_major(async |ledger| {
        for command in ["sweep", "purge"] {
            let told = person(ledger, &[command]).failed();
            assert!(told.contains("GRANT onlyonce_maintenance TO person"), "{told}");
            let told = person(ledger, &[command, "--every", "5"]).failed();
            assert!(
                told.contains("no unit; write it like 5s") && told.contains("units are w, d, h, m and s"),
                "{told}"
            );
            let help = person(ledger, &[command, "--help"]).clean();
            assert!(crate::program::unfolded(&help).contains("in one transaction, 1 to 10000"), "{help}");
        }
        let told = keeper(ledger, &["queue", "list"]).failed();
        assert!(told.contains("keeper may not read in onlyonce"), "{told}");
        let worker = ledger.worker().await;
        go(&worker, "send", "a").await;
        ledger.database.run("SELECT onlyonce.pause('a restore', 'kim')").await;
        pass_deadline().await;
        assert_eq!(keeper(ledger, &["sweep"]).clean(), "1 action became unknown\n");
        assert!(person(ledger, &["stats"]).clean().contains("\npaused "), "it is shown");
    })
    .await;
}

#[tokio::test]
async fn a_server_that_takes_no_writes_is_told() {
    let ledger = Ledger::on(crate::support::server(crate::support::majors()[0])).await;
    let url = ledger.database.url("keeper") + "&options=-c%20default_transaction_read_only%3Don";
    let told = onlyonce(&url, &["sweep"]).failed();
    assert!(told.contains("cannot be written to") && told.contains("name the primary"), "{told}");
}
