//! A large ledger of the first version, in every state, without waiting for a million reservations.

use tokio_postgres::Client;

/// Deadlines that a test can wait for.
const HASTE: &str = "UPDATE onlyonce.action_types SET send_budget = '1 second', pending_timeout = '2 seconds'";

/// What was sent, refused, left unknown, released or stripped long ago; of `pending`, a few that are yet to be swept.
const ROWS: &str = "
  ALTER TABLE onlyonce.actions DISABLE TRIGGER actions_guard_insert;
  INSERT INTO onlyonce.actions (action_type, idempotency_key, status, failure, attempt, token, created_at, deadline_at,
      settled_at, waits_since, stripped_at, step, message_id, evidence, actor, payload)
  SELECT 'send_reply', 'old:' || n, s.status, s.failure, 1, gen_random_uuid(), t.at, t.at + interval '2 seconds',
      CASE WHEN s.status IN ('sent', 'failed') THEN t.at + interval '1 second' END,
      CASE WHEN s.status = 'unknown' OR s.failure <> 'abandoned' THEN t.at + interval '2 seconds' END,
      CASE WHEN s.stripped THEN t.at + interval '1 day' END,
      CASE WHEN s.status = 'pending' THEN 'reserve' WHEN s.failure = 'abandoned' THEN 'resolve'
        WHEN s.status = 'unknown' THEN 'sweep' WHEN s.stripped THEN 'purge' ELSE 'record' END,
      CASE WHEN s.status = 'sent' THEN 'message-old:' || n END,
      CASE WHEN s.failure = 'abandoned' THEN 'looked it up' END, CASE WHEN s.failure = 'abandoned' THEN 'kim' END,
      CASE WHEN NOT s.stripped THEN jsonb_build_object('n', n) END
    FROM generate_series(1, $1) AS n
    CROSS JOIN LATERAL (SELECT CASE WHEN n % 1000 = 0 THEN 'pending' WHEN n % 50 = 1 THEN 'unknown'
        WHEN n % 20 = 2 THEN 'failed' ELSE 'sent' END AS status,
      CASE WHEN n % 1000 > 0 AND n % 50 <> 1 AND n % 20 = 2
        THEN (ARRAY['rejected', 'not_attempted', 'exhausted', 'abandoned'])[1 + n / 20 % 4] END AS failure,
      n % 20 IN (5, 6) AND n % 50 <> 1 AS stripped) AS s
    CROSS JOIN LATERAL (SELECT clock_timestamp() - interval '30 days' + n * interval '1 second' AS at) AS t;
  ALTER TABLE onlyonce.actions ENABLE ALWAYS TRIGGER actions_guard_insert;
  VACUUM ANALYZE onlyonce.actions";

/// Fills a ledger with this many actions.
pub(crate) async fn fill(root: &Client, rows: usize) {
    root.batch_execute(HASTE).await.unwrap();
    for statement in ROWS.replace("$1", &rows.to_string()).split(";\n") {
        root.batch_execute(statement).await.unwrap_or_else(|error| panic!("{}", crate::support::describe(&error)));
    }
}
