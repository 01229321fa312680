-- Written by onlyonce from onlyonce.toml. Do not edit: onlyonce.lock knows its bytes.

SET LOCAL lock_timeout = '5s';

SET ROLE onlyonce_owner;

-- Legal changes of state only, each written down.
CREATE OR REPLACE FUNCTION onlyonce.guard_action_update() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  change text := pg_catalog.concat(OLD.status, COALESCE('(' || OLD.failure || ')', ''), ' -> ',
    NEW.status, COALESCE('(' || NEW.failure || ')', ''));
  same_attempt boolean := NEW.attempt = OLD.attempt AND NEW.token = OLD.token AND NEW.deadline_at = OLD.deadline_at;
  legal boolean;
BEGIN
  IF NEW.status = OLD.status AND NEW.failure IS NOT DISTINCT FROM OLD.failure THEN
    IF same_attempt AND onlyonce.is_passing(TG_RELID, 'purge', 'erase') THEN
      RETURN NEW;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'OO004', TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA,
      MESSAGE = pg_catalog.format('what is known of a %s action changes only when its state does', OLD.status);
  END IF;
  legal := CASE
    WHEN change IN ('pending -> sent', 'pending -> unknown', 'unknown -> sent',
      'pending -> failed(rejected)', 'pending -> failed(not_attempted)', 'pending -> failed(exhausted)',
      'unknown -> failed(rejected)', 'unknown -> failed(not_attempted)', 'unknown -> failed(exhausted)',
      'unknown -> failed(released)', 'unknown -> failed(abandoned)',
      'failed(rejected) -> failed(released)', 'failed(rejected) -> failed(abandoned)',
      'failed(exhausted) -> failed(released)', 'failed(exhausted) -> failed(abandoned)')
      THEN same_attempt
    WHEN change IN ('failed(not_attempted) -> pending', 'failed(released) -> pending', 'unknown -> pending')
      THEN NEW.attempt = OLD.attempt + 1 AND NEW.token <> OLD.token
    ELSE false
  END;
  -- The worker may still be at it until the deadline: nothing may say before that it did not send.
  IF change = 'unknown -> failed(released)' AND pg_catalog.clock_timestamp() <= OLD.deadline_at THEN
    RAISE EXCEPTION USING ERRCODE = 'OO005', TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA,
      MESSAGE = pg_catalog.format('a worker may still be sending this until %s', OLD.deadline_at);
  END IF;
  IF change = 'unknown -> pending' THEN
    legal := legal AND pg_catalog.clock_timestamp() > OLD.deadline_at AND EXISTS (
      SELECT FROM onlyonce.action_types AS t WHERE t.name = OLD.action_type AND t.when_unknown = 'retry');
  END IF;
  IF NOT legal THEN
    RAISE EXCEPTION USING ERRCODE = 'OO004', TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA,
      MESSAGE = pg_catalog.format('an action of type %s cannot go %s', OLD.action_type, change);
  END IF;
  INSERT INTO onlyonce.action_transitions (action_type, idempotency_key, at, attempt,
    from_status, from_failure, to_status, to_failure, step, message_id, reason, evidence, actor)
  VALUES (OLD.action_type, OLD.idempotency_key, pg_catalog.clock_timestamp(), NEW.attempt,
    OLD.status, OLD.failure, NEW.status, NEW.failure, NEW.step, NEW.message_id, NEW.reason, NEW.evidence, NEW.actor);
  RETURN NEW;
END
$$;

-- Sent before there was a ledger, or in a window that a restore lost.
CREATE OR REPLACE FUNCTION onlyonce.import(action_type text, idempotency_key text, sent_at timestamptz, evidence text,
  actor text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, onlyonce, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  found_row onlyonce.actions;
  is_new boolean;
BEGIN
  IF NOT EXISTS (SELECT FROM onlyonce.action_types AS t WHERE t.name = $1) THEN
    RAISE EXCEPTION USING ERRCODE = 'OO002', MESSAGE = pg_catalog.format('there is no action type %s', $1);
  END IF;
  IF $2 IS NULL OR pg_catalog.octet_length($2) NOT BETWEEN 1 AND 200 OR $2 COLLATE "C" ~ '[^!-~]' OR $3 IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'OO003',
      MESSAGE = pg_catalog.format('an import of %s needs a key of 1 to 200 printable ASCII characters, and a time', $1);
  END IF;
  PERFORM onlyonce.demand_person($4, $5);
  PERFORM onlyonce.commit_durably();
  PERFORM pg_catalog.set_config('onlyonce.passing', 'import', true);
  INSERT INTO onlyonce.actions (action_type, idempotency_key, status, attempt, token, created_at, deadline_at,
      settled_at, stripped_at, step, evidence, actor)
    VALUES ($1, $2, 'sent', 1, pg_catalog.gen_random_uuid(), $3, $3, $3, pg_catalog.clock_timestamp(), 'import', $4, $5)
    ON CONFLICT (action_type, idempotency_key) DO NOTHING;
  is_new := FOUND;
  PERFORM pg_catalog.set_config('onlyonce.passing', '', true);
  IF is_new THEN
    RETURN 'imported';
  END IF;
  UPDATE onlyonce.actions AS a
    SET status = 'sent', settled_at = $3, waits_since = NULL, step = 'import', evidence = $4, actor = $5
    WHERE a.action_type = $1 AND a.idempotency_key = $2 AND a.status IN ('pending', 'unknown');
  IF FOUND THEN
    RETURN 'imported';
  END IF;
  SELECT a.* INTO found_row FROM onlyonce.actions AS a WHERE a.action_type = $1 AND a.idempotency_key = $2;
  IF found_row.status = 'sent' THEN
    RETURN 'already';
  END IF;
  RAISE EXCEPTION USING ERRCODE = 'OO004',
    MESSAGE = pg_catalog.format('an action of type %s cannot go failed(%s) -> sent', $1, found_row.failure);
END
$$;

-- Numbers to watch. Times are in seconds.
CREATE OR REPLACE VIEW onlyonce.health WITH (security_barrier) AS
WITH pending AS (
  SELECT a.created_at, a.deadline_at, t.pending_timeout
    FROM onlyonce.maintenance AS s, onlyonce.action_types AS t
    CROSS JOIN LATERAL (SELECT p.created_at, p.deadline_at FROM onlyonce.actions AS p
      WHERE p.action_type = t.name AND p.stripped_at IS NULL AND p.deadline_at > s.swept_to
        AND p.status = 'pending') AS a),
waiting AS (
  SELECT a.status, a.failure, a.waits_since FROM onlyonce.actions AS a WHERE a.waits_since IS NOT NULL),
unsettled_events AS (
  SELECT e.received_at, e.claimed_until FROM onlyonce.inbound_events AS e WHERE e.status = 'received')
SELECT 'pending' AS name, pg_catalog.count(*)::double precision AS value FROM pending
UNION ALL SELECT 'pending_overdue', pg_catalog.count(*) FROM pending WHERE deadline_at < pg_catalog.clock_timestamp()
UNION ALL SELECT 'oldest_pending_seconds',
  COALESCE(EXTRACT(epoch FROM pg_catalog.clock_timestamp() - pg_catalog.min(deadline_at - pending_timeout)), 0)
  FROM pending
UNION ALL SELECT 'unknown', pg_catalog.count(*) FROM waiting WHERE status = 'unknown'
UNION ALL SELECT 'oldest_unknown_seconds',
  COALESCE(EXTRACT(epoch FROM pg_catalog.clock_timestamp() - pg_catalog.min(waits_since)), 0)
  FROM waiting WHERE status = 'unknown'
UNION ALL SELECT 'rejected', pg_catalog.count(*) FROM waiting WHERE failure = 'rejected'
UNION ALL SELECT 'exhausted', pg_catalog.count(*) FROM waiting WHERE failure = 'exhausted'
UNION ALL SELECT 'may_go_again', pg_catalog.count(*) FROM waiting WHERE failure IN ('not_attempted', 'released')
UNION ALL SELECT 'inbound_received', pg_catalog.count(*) FROM unsettled_events
UNION ALL SELECT 'inbound_overdue', pg_catalog.count(*)
  FROM unsettled_events WHERE claimed_until < pg_catalog.clock_timestamp()
UNION ALL SELECT 'late_evidence', pg_catalog.count(*) FROM onlyonce.late_evidence
UNION ALL SELECT 'shared_message_ids', m.shared_message_ids FROM onlyonce.maintenance AS m
UNION ALL SELECT 'paused', pg_catalog.count(*) FROM onlyonce.pauses WHERE resumed_at IS NULL
-- How long the oldest payload, or event, has outlived its time.
UNION ALL SELECT 'purge_lag_seconds',
  COALESCE(EXTRACT(epoch FROM pg_catalog.clock_timestamp() - pg_catalog.min(o.over_at)), 0)
  FROM (
    SELECT a.settled_at + t.keep AS over_at FROM onlyonce.action_types AS t
      CROSS JOIN LATERAL (SELECT p.settled_at FROM onlyonce.actions AS p
        WHERE p.action_type = t.name AND p.stripped_at IS NULL
          AND p.deadline_at <= pg_catalog.clock_timestamp() - t.keep + t.pending_timeout
          AND p.settled_at <= pg_catalog.clock_timestamp() - t.keep
          AND (p.status = 'sent' OR p.failure = 'abandoned')
        ORDER BY p.deadline_at LIMIT 1) AS a
    UNION ALL
    SELECT e.received_at + s.retention FROM onlyonce.inbound_sources AS s
      CROSS JOIN LATERAL (SELECT p.received_at FROM onlyonce.inbound_events AS p
        WHERE p.source = s.name AND p.received_at <= pg_catalog.clock_timestamp() - s.retention
          AND p.status = 'processed'
        ORDER BY p.received_at LIMIT 1) AS e) AS o
UNION ALL SELECT 'retention_margin_seconds.' || s.name, EXTRACT(epoch FROM s.retention - s.redelivery)
  FROM onlyonce.inbound_sources AS s WHERE s.redelivery IS NOT NULL AND NOT s.retired;

RESET ROLE;
