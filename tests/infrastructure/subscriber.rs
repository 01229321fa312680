//! A ledger that is copied to another server by logical replication, to move it there.

use std::time::Duration;

use tokio_postgres::Client;

use crate::invariants::{hold, watch};
use crate::ledger::{Ledger, go, pass_deadline, record, refusal, reserve};
use crate::provider::{Accepted, Provider};
use crate::support::{Server, describe, majors};
use crate::worker::{Job, LONG, pass, work};

/// What is copied: all but what both ledgers have from their migrations and what each remembers of itself.
const TABLES: &str = "onlyonce.actions, onlyonce.transition_log, onlyonce.late_evidence, onlyonce.inbound_events,
  onlyonce.duplicate_log, onlyonce.duplicate_totals";

/// On the subscriber, before it subscribes: what the publisher has let through is not judged again. Sessions of its own
/// are still refused.
const AS_SUBSCRIBER: &str = "SELECT onlyonce.pause('a copy', 'kim');
  DO $$ DECLARE t record; BEGIN
  FOR t IN SELECT tgrelid::regclass AS place, tgname FROM pg_trigger
    WHERE tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'onlyonce'::regnamespace) AND tgenabled = 'A' LOOP
    EXECUTE format('ALTER TABLE %s ENABLE TRIGGER %I', t.place, t.tgname);
  END LOOP; END $$";

/// On the subscriber, when it takes over: every guard is back, and numbers go on where the publisher's ended.
const AS_LEDGER: &str = "DO $$ DECLARE t record; BEGIN
  FOR t IN SELECT tgrelid::regclass AS place, tgname FROM pg_trigger
    WHERE tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'onlyonce'::regnamespace)
      AND tgenabled = 'O' AND NOT tgisinternal LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', t.place, t.tgname);
  END LOOP; END $$;
  SELECT setval(pg_get_serial_sequence('onlyonce.transition_log', 'id'), COALESCE(max(id), 0) + 1, false)
    FROM onlyonce.transition_log;
  SELECT setval(pg_get_serial_sequence('onlyonce.late_evidence', 'id'), COALESCE(max(id), 0) + 1, false)
    FROM onlyonce.late_evidence";

/// Asks until it is true.
async fn until(client: &Client, question: &str) {
    let limit = tokio::time::Instant::now() + LONG;
    while !client.query_one(question, &[]).await.unwrap().get::<_, bool>(0) {
        assert!(tokio::time::Instant::now() < limit, "{question}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// A publisher with some history, and a server to subscribe with a ledger of its own.
struct Move {
    // Held, since they end when they are dropped.
    _from: Server,
    onto: Server,
    old: Ledger,
    new: Ledger,
    provider: Provider,
}

impl Move {
    async fn start(major: u32) -> Move {
        let from = Server::start(major, &["fsync=off", "wal_level=logical"]);
        let onto = Server::start(major, &["fsync=off", "wal_retrieve_retry_interval=100ms"]);
        let (old, new) = (Ledger::on(&from).await, Ledger::on(&onto).await);
        let provider = Provider::start().await;
        let worker = old.worker().await;
        let token = go(&worker, "send", "tried").await;
        record(&worker, "send", "tried", token, "not_attempted").await;
        work(&worker, provider.address, &Job::new("send", "sent"), pass).await.unwrap();
        old.root.batch_execute(&format!("CREATE PUBLICATION ledger FOR TABLE {TABLES}")).await.unwrap();
        Move { _from: from, onto, old, new, provider }
    }

    async fn subscribe(&self) {
        let (place, name) = (self.old.database.place().display(), &self.old.database.name);
        let subscribe = format!(
            "CREATE SUBSCRIPTION ledger CONNECTION 'host={place} dbname={name} user=postgres' PUBLICATION ledger"
        );
        self.new.root.batch_execute(&subscribe).await.unwrap_or_else(|error| panic!("{}", describe(&error)));
    }

    /// Waits until the subscriber has all that the publisher has committed.
    async fn caught_up(&self) {
        until(&self.new.root, "SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel").await;
        let now = "SELECT pg_current_wal_lsn()::text";
        let now: String = self.old.root.query_one(now, &[]).await.unwrap().get(0);
        let sent = format!("SELECT COALESCE(bool_and(replay_lsn >= '{now}'), false) FROM pg_stat_replication");
        until(&self.old.root, &sent).await;
    }
}

#[tokio::test]
async fn a_subscriber_whose_guards_are_always_on_refuses_the_first_copy() {
    for major in majors() {
        let both = Move::start(major).await;
        both.subscribe().await;
        let limit = tokio::time::Instant::now() + LONG;
        while !both.onto.log().contains("must start pending at attempt 1") {
            assert!(tokio::time::Instant::now() < limit, "{}", both.onto.log());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(both.new.root.query("SELECT FROM onlyonce.actions", &[]).await.unwrap().len(), 0);
    }
}

#[tokio::test]
async fn a_ledger_moves_to_a_subscriber_and_nothing_is_sent_twice() {
    for major in majors() {
        moves(&Move::start(major).await).await;
    }
}

async fn moves(both: &Move) {
    watch(&both.new).await;
    both.new.root.batch_execute("ALTER TABLE onlyonce.actions ENABLE REPLICA TRIGGER see").await.unwrap();
    both.new.root.batch_execute(AS_SUBSCRIBER).await.unwrap();
    both.subscribe().await;
    both.caught_up().await;
    assert_eq!(refusal(&both.new.root, "DELETE FROM onlyonce.actions").await, "OO004", "it is guarded all the same");

    // What happens meanwhile comes along: reservations, outcomes, and the history of both.
    let worker = both.old.worker().await;
    work(&worker, both.provider.address, &Job::new("send", "sent-later"), pass).await.unwrap();
    let token = go(&worker, "send", "tried").await;
    both.caught_up().await;
    let history = "SELECT count(*) FROM onlyonce.transition_log";
    let (here, there) =
        (both.old.root.query_one(history, &[]).await.unwrap(), both.new.root.query_one(history, &[]).await.unwrap());
    assert_eq!(here.get::<_, i64>(0), there.get::<_, i64>(0), "each change is written down once");

    // No worker asks the old one any more.
    both.old.person().await.batch_execute("SELECT onlyonce.pause('moved', 'kim')").await.unwrap();
    both.caught_up().await;
    both.new.root.batch_execute("DROP SUBSCRIPTION ledger").await.unwrap();
    take_over(both, token).await;
}

/// The subscriber becomes the ledger.
async fn take_over(both: &Move, token: uuid::Uuid) {
    let worker = both.new.worker().await;
    assert_eq!(reserve(&worker, "send", "sent").await, "paused", "it is not the ledger yet");
    let call = "SELECT onlyonce.record('send', 'tried', $1, 'rejected')";
    let clash = worker.query(call, &[&token]).await.unwrap_err();
    assert_eq!(clash.code().map(|code| code.code()), Some("23505"), "its numbers begin again, and meet a copied one");
    both.new.root.batch_execute("ALTER TABLE onlyonce.actions ENABLE ALWAYS TRIGGER see").await.unwrap();
    both.new.root.batch_execute(AS_LEDGER).await.unwrap();
    both.new.person().await.batch_execute("SELECT onlyonce.resume('kim')").await.unwrap();
    let off = "SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'A'
      AND tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'onlyonce'::regnamespace)";
    assert_eq!(both.new.root.query_one(off, &[]).await.unwrap().get::<_, i64>(0), 0);
    assert_eq!(record(&worker, "send", "tried", token, "rejected").await, "recorded");
    for key in ["sent", "sent-later"] {
        assert_eq!(reserve(&worker, "send", key).await, "sent", "{key}");
    }
    pass_deadline().await;
    let log: Vec<Accepted> = both.provider.log();
    assert_eq!(log.len(), 2);
    hold(&both.new, &log, None).await;
}
