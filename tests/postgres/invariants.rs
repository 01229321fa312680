//! What holds after every run, whatever happened in it: I1 to I8, from the provider's log and the ledger.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::ledger::{Ledger, pass_deadline, sweep};
use crate::provider::Accepted;

/// Writes down what each action goes through, by no part of the ledger itself.
const WATCH: &str = "
  CREATE TABLE public.seen (id bigserial PRIMARY KEY, action_type text, idempotency_key text, op text,
    from_status text, from_failure text, from_attempt int, to_status text, to_failure text, to_attempt int,
    step text, payload jsonb);
  CREATE FUNCTION public.see() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    INSERT INTO public.seen (action_type, idempotency_key, op, from_status, from_failure, from_attempt,
        to_status, to_failure, to_attempt, step, payload)
      VALUES (COALESCE(NEW.action_type, OLD.action_type), COALESCE(NEW.idempotency_key, OLD.idempotency_key), TG_OP,
        OLD.status, OLD.failure, OLD.attempt, NEW.status, NEW.failure, NEW.attempt, NEW.step,
        CASE TG_OP WHEN 'INSERT' THEN NEW.payload END);
    RETURN NULL; END $$;
  CREATE TRIGGER see AFTER INSERT OR UPDATE OR DELETE ON onlyonce.actions FOR EACH ROW EXECUTE FUNCTION public.see();
  ALTER TABLE onlyonce.actions ENABLE ALWAYS TRIGGER see";

/// Watches a ledger from now on; before its first action.
pub(crate) async fn watch(ledger: &Ledger) {
    ledger.database.run(WATCH).await;
}

/// How often workers were told something, by action type and kind, as `duplicate_counts` should have it.
pub(crate) type Counts = BTreeMap<(String, String), i64>;

/// What was seen of one key.
#[derive(Default)]
struct Life {
    /// How often it was reserved afresh: more than once where the purge took its row.
    lives: usize,
    /// How often a person showed that it was not sent.
    released: usize,
    /// How many attempts there were, in all lives.
    attempts: usize,
    payloads: Vec<Value>,
}

/// Waits for deadlines, sweeps twice and asserts that all invariants hold.
pub(crate) async fn hold(ledger: &Ledger, log: &[Accepted], told: Option<&Counts>) {
    let broken = broken(ledger, log, told).await;
    assert!(broken.is_empty(), "{broken:#?}");
}

/// The invariants that do not hold, each with what shows it. `told` where no crash may have lost a count.
pub(crate) async fn broken(ledger: &Ledger, log: &[Accepted], told: Option<&Counts>) -> Vec<String> {
    pass_deadline().await;
    let keeper = ledger.keeper().await;
    for _ in 0..2 {
        while sweep(&keeper).await > 0 {}
    }
    let mut broken = accepts(ledger, log).await;
    broken.extend(ids_and_payloads(ledger, log).await);
    for (name, rows) in [
        ("I4 left a final state", LEFT_FINAL),
        ("I5 pending after two sweeps", OVERDUE),
        ("I6 waits for a person and is not in the queue", NOT_QUEUED),
        ("I8 an attempt did not grow", SHRUNK),
    ] {
        let rows = ledger.root.query(rows, &[]).await.unwrap();
        broken.extend(rows.iter().map(|row| format!("{name}: {}", row.get::<_, String>(0))));
    }
    if let Some(told) = told {
        broken.extend(counts(ledger, told).await);
    }
    broken
}

const LEFT_FINAL: &str = "SELECT concat_ws(' ', action_type, idempotency_key, from_status, from_failure, op, to_status)
  FROM public.seen WHERE (op = 'UPDATE' AND (from_status = 'sent' OR from_failure = 'abandoned')
      AND (to_status <> from_status OR to_failure IS DISTINCT FROM from_failure))
    OR (op = 'DELETE' AND from_status <> 'sent' AND from_failure IS DISTINCT FROM 'abandoned')";

const OVERDUE: &str = "SELECT concat_ws(' ', action_type, idempotency_key) FROM onlyonce.actions
  WHERE status = 'pending' AND deadline_at < clock_timestamp()";

const NOT_QUEUED: &str = "SELECT concat_ws(' ', a.action_type, a.idempotency_key) FROM onlyonce.actions a
  WHERE (a.status = 'unknown' OR a.failure IN ('rejected', 'exhausted')) AND NOT EXISTS (
    SELECT FROM onlyonce.reconciliation_queue q
      WHERE q.action_type = a.action_type AND q.idempotency_key = a.idempotency_key AND q.attempt = a.attempt)";

const SHRUNK: &str = "SELECT concat_ws(' ', action_type, idempotency_key, from_attempt, to_attempt) FROM public.seen
  WHERE op = 'UPDATE' AND to_attempt NOT IN (from_attempt, from_attempt + 1)
    OR (op = 'UPDATE' AND to_status = 'pending' AND to_attempt <> from_attempt + 1)";

/// I1: a key is accepted once, and once more for each time that a person showed it was not sent. What may be retried
/// is accepted once an attempt.
async fn accepts(ledger: &Ledger, log: &[Accepted]) -> Vec<String> {
    let may_retry = "SELECT name FROM onlyonce.action_types WHERE when_unknown = 'retry'";
    let may_retry: Vec<String> =
        ledger.root.query(may_retry, &[]).await.unwrap().iter().map(|row| row.get(0)).collect();
    let lives = lives(ledger).await;
    let mut accepts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for accepted in log {
        *accepts.entry((&accepted.action_type, &accepted.key)).or_default() += 1;
    }
    let allowed = |key: &(&str, &str)| match lives.get(&(key.0.to_owned(), key.1.to_owned())) {
        None => 0,
        Some(life) if may_retry.iter().any(|name| name == key.0) => life.attempts,
        Some(life) => life.lives + life.released,
    };
    let beyond = accepts.iter().filter(|(key, number)| **number > allowed(key));
    beyond.map(|(key, number)| format!("I1 accepted {number} times, allowed {}: {key:?}", allowed(key))).collect()
}

async fn lives(ledger: &Ledger) -> BTreeMap<(String, String), Life> {
    let seen = "SELECT action_type, idempotency_key, op, to_status, to_failure, from_failure, payload, step
      FROM public.seen ORDER BY id";
    let mut lives: BTreeMap<(String, String), Life> = BTreeMap::new();
    for row in ledger.root.query(seen, &[]).await.unwrap() {
        let life = lives.entry((row.get(0), row.get(1))).or_default();
        let (op, to_status): (&str, Option<&str>) = (row.get(2), row.get(3));
        let (to_failure, from_failure): (Option<&str>, Option<&str>) = (row.get(4), row.get(5));
        life.lives += usize::from(op == "INSERT");
        life.attempts += usize::from(to_status == Some("pending"));
        let by_person = row.get::<_, Option<&str>>(7) == Some("resolve");
        life.released += usize::from(to_failure == Some("released") && from_failure != to_failure && by_person);
        life.payloads.extend(row.get::<_, Option<Value>>(6));
    }
    lives
}

/// I2: what is sent is at the provider, by its message id. I3: and it is what was first reserved.
async fn ids_and_payloads(ledger: &Ledger, log: &[Accepted]) -> Vec<String> {
    let mut broken = Vec::new();
    let rows = "SELECT action_type, idempotency_key, status, message_id, evidence, payload, stripped_at IS NOT NULL
      FROM onlyonce.actions";
    let lives = lives(ledger).await;
    for row in ledger.root.query(rows, &[]).await.unwrap() {
        let (action_type, key, status): (String, String, &str) = (row.get(0), row.get(1), row.get(2));
        let (message_id, evidence): (Option<&str>, Option<&str>) = (row.get(3), row.get(4));
        let mine: Vec<&Accepted> =
            log.iter().filter(|accepted| accepted.action_type == action_type && accepted.key == key).collect();
        let known = match message_id {
            Some(id) => mine.iter().any(|accepted| accepted.message_id == id),
            None => !mine.is_empty() && (evidence.is_some() || row.get(6)),
        };
        if status == "sent" && !known {
            broken.push(format!("I2 sent, and not at the provider: {action_type} {key} {message_id:?}"));
        }
        let first = lives.get(&(action_type.clone(), key.clone())).map_or(&[] as &[Value], |life| &life.payloads);
        let kept: Option<Value> = row.get(5);
        let reworded = mine.iter().any(|accepted| !first.is_empty() && !first.contains(&accepted.payload));
        if reworded || kept.is_some_and(|kept| !first.contains(&kept)) {
            broken.push(format!("I3 another payload than the first: {action_type} {key}"));
        }
    }
    broken
}

/// I7: each count is how often it was told.
async fn counts(ledger: &Ledger, told: &Counts) -> Vec<String> {
    let mut told = told.clone();
    let swept = "SELECT action_type, count(*) FROM public.seen
      WHERE step = 'sweep' AND from_status = 'pending' AND to_status = 'unknown' GROUP BY 1";
    for row in ledger.root.query(swept, &[]).await.unwrap() {
        told.insert((row.get(0), "swept".to_owned()), row.get(1));
    }
    let counted = "SELECT name, kind, hits FROM onlyonce.duplicate_counts WHERE scope = 'action'";
    let counted = ledger.root.query(counted, &[]).await.unwrap();
    let counted: Counts = counted.iter().map(|row| ((row.get(0), row.get(1)), row.get(2))).collect();
    let keys = told.keys().chain(counted.keys()).collect::<std::collections::BTreeSet<_>>();
    let differ = keys.into_iter().filter(|key| told.get(*key) != counted.get(*key));
    differ.map(|key| format!("I7 {key:?}: told {:?}, counted {:?}", told.get(key), counted.get(key))).collect()
}
