//! The invariants, each broken past all guards: what checks every other run has to see it.

use serde_json::json;

use crate::invariants::{Counts, broken, hold, watch};
use crate::ledger::{Ledger, go, on_every_major, record};
use crate::provider::Accepted;

#[tokio::test]
async fn each_broken_invariant_is_seen() {
    on_every_major(all_seen).await;
}

/// Breaks each past all guards.
async fn all_seen(ledger: &Ledger) {
    watch(ledger).await;
    let worker = ledger.worker().await;
    let accepted = |key: &str| Accepted {
        action_type: "send".to_owned(),
        key: key.to_owned(),
        payload: json!({}),
        message_id: format!("message-{key}"),
    };
    let mut log = Vec::new();
    for key in ["left", "shrunk", "lost", "twice", "late", "hidden", "reworded"] {
        let token = go(&worker, "send", key).await;
        record(&worker, "send", key, token, "sent").await;
        log.push(accepted(key));
    }
    hold(ledger, &log, Some(&Counts::new())).await;
    let spoil = "ALTER TABLE onlyonce.actions DISABLE TRIGGER USER;
      ALTER TABLE onlyonce.actions ENABLE ALWAYS TRIGGER see;
      UPDATE onlyonce.actions SET status = 'pending', settled_at = NULL, attempt = 2 WHERE idempotency_key = 'left';
      UPDATE onlyonce.actions SET attempt = 0 WHERE idempotency_key = 'shrunk';
      UPDATE onlyonce.actions SET message_id = 'none' WHERE idempotency_key = 'lost';
      UPDATE onlyonce.actions SET payload = '1' WHERE idempotency_key = 'reworded';
      UPDATE onlyonce.actions SET status = 'unknown', settled_at = NULL, waits_since = now()
        WHERE idempotency_key = 'hidden';
      ALTER TABLE onlyonce.actions DROP CONSTRAINT actions_sound;
      UPDATE onlyonce.actions SET waits_since = NULL WHERE idempotency_key = 'hidden';
      UPDATE onlyonce.actions SET status = 'pending', settled_at = NULL, attempt = 2, deadline_at = '2000-01-01'
        WHERE idempotency_key = 'late';
      CREATE FUNCTION public.stay() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'it stays'; END $$;
      CREATE TRIGGER stay BEFORE UPDATE ON onlyonce.actions FOR EACH ROW WHEN (OLD.idempotency_key = 'late')
        EXECUTE FUNCTION public.stay()";
    ledger.database.run(spoil).await;
    log.push(accepted("twice"));
    let told = Counts::from([(("send".to_owned(), "sent".to_owned()), 1)]);
    let seen = broken(ledger, &log, Some(&told)).await.join("\n");
    for wanted in [
        "I1 accepted 2 times, allowed 1: (\"send\", \"twice\")",
        "I2 sent, and not at the provider: send lost",
        "I3 another payload than the first: send reworded",
        "I4 left a final state: send left",
        "I5 pending after two sweeps: send late",
        "I6 waits for a person and is not in the queue: send hidden",
        "I7 (\"send\", \"sent\"): told Some(1), counted None",
        "I8 an attempt did not grow: send shrunk",
    ] {
        assert!(seen.contains(wanted), "{wanted} is not in\n{seen}");
    }
}
