-- The ledger where Citus distributes it by key: an action, its history and its late evidence lie on one shard.
--
-- A statement here that makes a function or view of sql/ledger.sql stands in that one's place; every other goes before
-- the next that does. The rest is as sql/ledger.sql has it, save that its clock is moment(): Citus takes no volatile
-- function in an update. Functions run on the coordinator, triggers on the node of the row.

--: up
-- The time. Stable in name, so that Citus reads it on the coordinator before it sends an update.
CREATE FUNCTION ledger_schema.moment() RETURNS timestamptz
LANGUAGE sql STABLE
AS $$
  SELECT pg_catalog.clock_timestamp()
$$;

-- A type or source stays: whether rows name it, a trigger cannot ask the other nodes. Retire it.
CREATE FUNCTION ledger_schema.guard_names() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.name = OLD.name THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION USING ERRCODE = 'OO004', TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA,
    MESSAGE = pg_catalog.format('%s may be in use', OLD.name), HINT = 'Retire it; its rows have to be remembered.';
END
$$;

-- This transaction's commit is on disk before it is told, on the node of the row too; remote_apply stays. That node
-- waits for locks no longer than the session does.
CREATE FUNCTION ledger_schema.commit_durably() RETURNS void
LANGUAGE plpgsql
SET citus.propagate_set_commands = 'local'
AS $$
BEGIN
  IF pg_catalog.current_setting('synchronous_commit') = 'remote_apply' THEN
    SET LOCAL synchronous_commit = 'remote_apply';
  ELSE
    SET LOCAL synchronous_commit = 'on';
  END IF;
  EXECUTE pg_catalog.format('SET LOCAL lock_timeout = %L', pg_catalog.current_setting('lock_timeout'));
END
$$;

-- Says to the guards of every node, until the transaction ends or takes it back, what is at work: import, purge or
-- erase.
CREATE FUNCTION ledger_schema.announce(step text) RETURNS void
LANGUAGE plpgsql
SET citus.propagate_set_commands = 'local'
AS $$
BEGIN
  EXECUTE pg_catalog.format('SET LOCAL ledger_schema.passing = %L', $1);
END
$$;

-- Nothing can be asked for at once, as Citus joins no table of the coordinator to one of the nodes: reserve_uncommitted
-- asks for all.
CREATE FUNCTION ledger_schema.reserve_first(action_type text, idempotency_key text, token uuid, payload jsonb,
  OUT verdict text, OUT attempt integer, OUT payload_kept jsonb, OUT payload_conflict boolean, OUT message_id text,
  OUT result jsonb, OUT reason text, OUT send_budget interval)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, ledger_schema, pg_temp
AS $$
BEGIN
  -- Statements that a client sends without waiting are a transaction that PostgreSQL's own refusal may not know.
  IF pg_catalog.pg_current_xact_id_if_assigned() IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = '2D000', MESSAGE = 'reserve cannot run within a transaction that has written';
  END IF;
END
$$;

-- What reserve does, without the commit. In a transaction that rolls back, the reservation is gone and the send is
-- not: call reserve, which PostgreSQL refuses there.
CREATE FUNCTION ledger_schema.reserve_uncommitted(action_type text, idempotency_key text, token uuid, payload jsonb,
  OUT verdict text, OUT attempt integer, OUT payload_kept jsonb, OUT payload_conflict boolean, OUT message_id text,
  OUT result jsonb, OUT reason text, OUT send_budget interval)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, ledger_schema, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  rules record;
  found_row ledger_schema.actions;
  deadline timestamptz;
  overdue boolean;
  xid xid8;
BEGIN
  IF $3 IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'OO003', MESSAGE = pg_catalog.format('reserving %s needs a token', $1);
  END IF;
  FOR turn IN 1..3 LOOP
    -- Two questions, as Citus joins no table of the coordinator to one of the nodes.
    SELECT t.kind, t.send_budget, t.pending_timeout, t.max_attempts, t.when_unknown, t.key_window, t.retired, s.paused,
        s.swept_to
      INTO rules FROM ledger_schema.maintenance AS s, ledger_schema.action_types AS t WHERE t.name = $1;
    IF NOT FOUND THEN
      RAISE EXCEPTION USING ERRCODE = 'OO002', MESSAGE = pg_catalog.format('there is no action type %s', $1);
    END IF;
    IF rules.paused THEN
      verdict := 'paused';
      RETURN;
    END IF;
    SELECT a.* INTO found_row FROM ledger_schema.actions AS a WHERE a.action_type = $1 AND a.idempotency_key = $2;
    IF NOT FOUND THEN
      IF $2 IS NULL OR pg_catalog.octet_length($2) NOT BETWEEN 1 AND 200 OR $2 COLLATE "C" ~ '[^!-~]' THEN
        RAISE EXCEPTION USING ERRCODE = 'OO003', MESSAGE = pg_catalog.format(
          'a key of %s must be 1 to 200 printable ASCII characters without blanks', $1);
      END IF;
      IF rules.retired THEN
        RAISE EXCEPTION USING ERRCODE = 'OO002', MESSAGE = pg_catalog.format('action type %s is retired', $1);
      END IF;
      PERFORM ledger_schema.commit_durably();
      -- As in reserve_first: first the transaction's number, then the clock, and no deadline where the sweep has been.
      xid := pg_catalog.pg_current_xact_id();
      deadline := GREATEST(pg_catalog.clock_timestamp(), rules.swept_to) + rules.pending_timeout;
      INSERT INTO ledger_schema.actions
          (action_type, idempotency_key, status, attempt, token, created_at, deadline_at, step, payload)
        VALUES ($1, $2, 'pending', 1, $3, pg_catalog.clock_timestamp(), deadline, 'reserve', COALESCE($4, 'null'))
        ON CONFLICT (action_type, idempotency_key) DO NOTHING;
      -- Somebody else was faster.
      CONTINUE WHEN NOT FOUND;
      verdict := 'go';
      attempt := 1;
      payload_kept := COALESCE($4, 'null');
      payload_conflict := false;
      send_budget := rules.send_budget;
      RETURN;
    END IF;
    overdue := pg_catalog.clock_timestamp() > found_row.deadline_at;

    IF found_row.stripped_at IS NULL AND found_row.token <> $3 AND (
      (found_row.status = 'failed' AND found_row.failure IN ('not_attempted', 'released'))
      OR (found_row.status IN ('unknown', 'pending') AND overdue
        AND rules.when_unknown = 'retry' AND found_row.attempt < rules.max_attempts
        -- The provider has to remember the key until the last moment that this attempt may send.
        AND (rules.kind = 'model' OR rules.key_window IS NULL
          OR pg_catalog.clock_timestamp() + rules.send_budget
            <= found_row.created_at + rules.key_window))) THEN
      PERFORM ledger_schema.commit_durably();
      xid := pg_catalog.pg_current_xact_id();
      deadline := GREATEST(pg_catalog.clock_timestamp(), rules.swept_to) + rules.pending_timeout;
      IF found_row.status = 'pending' THEN
        -- Through unknown, as the sweep would have done: no state is left out of the history.
        PERFORM ledger_schema.mark_unknown($1, $2, found_row.attempt);
      END IF;
      UPDATE ledger_schema.actions AS a
        SET status = 'pending', failure = NULL, attempt = found_row.attempt + 1, token = $3,
          deadline_at = deadline, settled_at = NULL, waits_since = NULL, step = 'reserve',
          message_id = NULL, reason = NULL, evidence = NULL, actor = NULL
        WHERE a.action_type = $1 AND a.idempotency_key = $2 AND a.attempt = found_row.attempt
          AND (a.status = 'unknown' OR (a.status = 'failed' AND a.failure IN ('not_attempted', 'released')))
          -- What was unknown when the rules were looked at must still be: a release asks other questions.
          AND (a.status = 'unknown') = (found_row.status <> 'failed')
          -- Nor may there be nothing left to send, as when it was erased meanwhile.
          AND a.payload IS NOT NULL;
      CONTINUE WHEN NOT FOUND;
      verdict := 'go';
      attempt := found_row.attempt + 1;
      send_budget := rules.send_budget;
    ELSE
      verdict := CASE
        WHEN found_row.status IN ('sent', 'failed') THEN found_row.status
        WHEN found_row.status = 'unknown' OR overdue THEN 'unknown'
        WHEN found_row.token = $3 THEN 'go_again'
        ELSE 'in_progress'
      END;
      attempt := found_row.attempt;
      message_id := found_row.message_id;
      result := found_row.result;
      reason := CASE WHEN found_row.failure IN ('exhausted', 'abandoned')
          OR (found_row.failure IS NOT NULL AND found_row.reason IS NULL)
        THEN pg_catalog.concat_ws(': ', found_row.failure, found_row.reason) ELSE found_row.reason END;
      IF verdict = 'go_again' THEN
        send_budget := rules.send_budget;
      ELSE
        INSERT INTO ledger_schema.duplicate_log (scope, name, kind) VALUES ('action', $1, verdict);
      END IF;
    END IF;
    payload_kept := found_row.payload;
    payload_conflict := found_row.payload IS NOT NULL AND found_row.payload <> COALESCE($4, 'null');
    IF payload_conflict THEN
      PERFORM ledger_schema.tally('action', $1, 'payload_conflict');
    END IF;
    RETURN;
  END LOOP;
  RAISE EXCEPTION USING ERRCODE = '40001',
    MESSAGE = pg_catalog.format('an action of type %s changed three times while it was being reserved', $1);
END
$$;

-- Marks what is pending past its deadline unknown, at most max_rows of it, and adds counts up. One row that cannot
-- be moved is passed by: it must not stop the rest.
CREATE FUNCTION ledger_schema.sweep(max_rows integer DEFAULT 1000) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
-- What is estimated here would have every batch compiled first, which takes longer than the batch.
SET jit = off
SET search_path = pg_catalog, ledger_schema, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  all_settled boolean := true;
  started CONSTANT timestamptz := pg_catalog.clock_timestamp();
  wanted CONSTANT bigint := GREATEST($1, 0);
  due record;
  moved integer := 0;
BEGIN
  FOR due IN
    SELECT a.action_type, a.idempotency_key, a.attempt FROM ledger_schema.actions AS a
      WHERE a.status = 'pending' AND a.deadline_at < started
      ORDER BY a.deadline_at, a.action_type, a.idempotency_key LIMIT wanted + 1000
  LOOP
    -- A batch is bounded in time too: what was swept stays locked until the end.
    IF moved >= wanted OR (moved > 0 AND moved % 100 = 0
        AND pg_catalog.clock_timestamp() > started + interval '500 ms') THEN
      all_settled := false;
      EXIT;
    END IF;
    BEGIN
      PERFORM FROM ledger_schema.actions AS a
        WHERE a.action_type = due.action_type AND a.idempotency_key = due.idempotency_key AND a.attempt = due.attempt
          AND a.status = 'pending' AND a.deadline_at < started
        FOR UPDATE SKIP LOCKED;
      IF NOT FOUND THEN
        all_settled := false;
      ELSIF ledger_schema.mark_unknown(due.action_type, due.idempotency_key, due.attempt) THEN
        moved := moved + 1;
      END IF;
    EXCEPTION WHEN OTHERS THEN
      all_settled := false;
      RAISE WARNING 'an action of type % could not be marked unknown: %', due.action_type, SQLERRM;
    END;
  END LOOP;
  -- What was swept stays locked until the end: nothing below may wait for anybody, or take long. Another sweep that is
  -- at it does it for this one.
  PERFORM FROM ledger_schema.maintenance AS m FOR UPDATE SKIP LOCKED;
  IF FOUND THEN
    IF all_settled THEN
      UPDATE ledger_schema.maintenance AS m SET asked_at = GREATEST(m.asked_at, started);
    END IF;
    PERFORM ledger_schema.roll_up();
    PERFORM ledger_schema.count_shared_message_ids(interval '100 ms');
  END IF;
  RETURN moved;
END
$$;

-- What the queue shows. A function, as nodes ask each other in the name of who looks, who may see no table.
CREATE FUNCTION ledger_schema.queued()
RETURNS TABLE (class text, action_type text, idempotency_key text, status text, failure text, attempt integer,
  age interval, deadline_at timestamptz, payload_digest text, reason text, key_window_left interval, look_up text,
  last_step text, message_id text, since timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, ledger_schema, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  started CONSTANT timestamptz := pg_catalog.clock_timestamp();
BEGIN
  RETURN QUERY
    SELECT CASE WHEN a.status <> 'failed' THEN 'unknown' WHEN a.failure = 'rejected' THEN 'rejected' ELSE 'exhausted'
        END, a.action_type, a.idempotency_key,
        CASE WHEN a.status = 'failed' THEN 'failed' ELSE 'unknown' END, a.failure, a.attempt,
        started - COALESCE(a.waits_since, a.deadline_at), a.deadline_at,
        pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(a.payload::text, 'UTF8')), 'hex'),
        CASE WHEN a.status = 'pending' THEN 'no outcome was recorded in time'
          WHEN a.stripped_at IS NULL THEN a.reason ELSE 'its payload was erased: it can be sent no more' END,
        CASE WHEN t.key_window IS NOT NULL THEN GREATEST(a.created_at + t.key_window - started, interval '0') END,
        t.look_up, a.step, a.message_id, COALESCE(a.waits_since, a.deadline_at)
      FROM ledger_schema.actions AS a JOIN ledger_schema.action_types AS t ON t.name = a.action_type
      WHERE (a.waits_since IS NOT NULL
          AND (a.status = 'unknown' OR a.failure IN ('rejected', 'exhausted') OR a.stripped_at IS NOT NULL))
        OR (a.status = 'pending' AND a.deadline_at < started);
  RETURN QUERY
    SELECT 'inbound', e.source, e.event_id, e.status, NULL::text, e.claims, started - e.claimed_until, e.claimed_until,
        pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(e.body::text, 'UTF8')), 'hex'),
        'its claim is over and it is not finished', NULL::interval, NULL::text, 'accept_event', NULL::text,
        e.claimed_until
      FROM ledger_schema.inbound_events AS e
      WHERE e.status = 'received' AND e.claimed_until < started;
END
$$;

-- What a person has to look at. A pending action past its deadline stands here whether or not a sweep has run.
CREATE VIEW ledger_schema.reconciliation_queue WITH (security_barrier) AS
SELECT q.* FROM ledger_schema.queued() AS q;

-- What health shows of the rows that are spread.
CREATE FUNCTION ledger_schema.measured()
RETURNS TABLE (name text, value double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, ledger_schema, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  started CONSTANT timestamptz := pg_catalog.clock_timestamp();
  late interval := interval '0';
  rules record;
  oldest timestamptz;
BEGIN
  RETURN QUERY SELECT m.name, COALESCE(m.value, 0)::double precision FROM (
    SELECT pg_catalog.count(*) AS pending, pg_catalog.count(*) FILTER (WHERE a.deadline_at < started) AS overdue,
        EXTRACT(epoch FROM started - pg_catalog.min(a.deadline_at - t.pending_timeout)) AS oldest
      FROM ledger_schema.actions AS a JOIN ledger_schema.action_types AS t ON t.name = a.action_type
      WHERE a.status = 'pending') AS p
    CROSS JOIN LATERAL (VALUES ('pending', p.pending::numeric), ('pending_overdue', p.overdue),
      ('oldest_pending_seconds', p.oldest)) AS m (name, value);
  RETURN QUERY SELECT m.name, COALESCE(m.value, 0)::double precision FROM (
    SELECT pg_catalog.count(*) FILTER (WHERE a.status = 'unknown') AS unknown,
        EXTRACT(epoch FROM started - pg_catalog.min(a.waits_since) FILTER (WHERE a.status = 'unknown')) AS oldest,
        pg_catalog.count(*) FILTER (WHERE a.failure = 'rejected') AS rejected,
        pg_catalog.count(*) FILTER (WHERE a.failure = 'exhausted'
          OR (a.failure IN ('not_attempted', 'released') AND a.stripped_at IS NOT NULL)) AS exhausted,
        pg_catalog.count(*) FILTER (WHERE a.failure IN ('not_attempted', 'released') AND a.stripped_at IS NULL) AS again
      FROM ledger_schema.actions AS a WHERE a.waits_since IS NOT NULL) AS w
    CROSS JOIN LATERAL (VALUES ('unknown', w.unknown::numeric), ('oldest_unknown_seconds', w.oldest),
      ('rejected', w.rejected), ('exhausted', w.exhausted), ('may_go_again', w.again)) AS m (name, value);
  RETURN QUERY SELECT m.name, m.value::double precision FROM (
    SELECT pg_catalog.count(*) AS received, pg_catalog.count(*) FILTER (WHERE e.claimed_until < started) AS overdue
      FROM ledger_schema.inbound_events AS e WHERE e.status = 'received') AS u
    CROSS JOIN LATERAL (VALUES ('inbound_received', u.received), ('inbound_overdue', u.overdue)) AS m (name, value);
  RETURN QUERY SELECT 'late_evidence', pg_catalog.count(*)::double precision FROM ledger_schema.late_evidence;
  FOR rules IN SELECT t.name, t.pending_timeout, LEAST(t.keep, t.keep_row) AS keep, t.keep_row
    FROM ledger_schema.action_types AS t
  LOOP
    SELECT a.settled_at + rules.keep INTO oldest FROM ledger_schema.actions AS a
      WHERE a.action_type = rules.name AND a.stripped_at IS NULL
        AND a.deadline_at <= started - rules.keep + rules.pending_timeout
        AND a.settled_at <= started - rules.keep AND (a.status = 'sent' OR a.failure = 'abandoned')
      ORDER BY a.deadline_at LIMIT 1;
    late := GREATEST(late, started - oldest);
    SELECT a.settled_at + rules.keep_row INTO oldest FROM ledger_schema.actions AS a
      WHERE a.action_type = rules.name AND a.stripped_at IS NOT NULL
        AND a.deadline_at <= started - rules.keep_row + rules.pending_timeout
        AND a.settled_at <= started - rules.keep_row AND (a.status = 'sent' OR a.failure = 'abandoned')
      ORDER BY a.deadline_at LIMIT 1;
    late := GREATEST(late, started - oldest);
  END LOOP;
  SELECT pg_catalog.min(e.received_at + s.retention) INTO oldest FROM ledger_schema.inbound_events AS e
    JOIN ledger_schema.inbound_sources AS s ON s.name = e.source
    WHERE e.received_at <= started - s.retention AND e.status = 'processed';
  RETURN QUERY SELECT 'purge_lag_seconds', EXTRACT(epoch FROM GREATEST(late, started - oldest))::double precision;
END
$$;

-- The sources, which every node has, for who may see no table.
CREATE FUNCTION ledger_schema.margins()
RETURNS TABLE (name text, value double precision)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, ledger_schema, pg_temp
AS $$
  SELECT 'retention_margin_seconds.' || s.name, EXTRACT(epoch FROM s.retention - s.redelivery)::double precision
    FROM ledger_schema.inbound_sources AS s WHERE s.redelivery IS NOT NULL AND NOT s.retired
$$;

-- Numbers to watch. Times are in seconds.
CREATE VIEW ledger_schema.health WITH (security_barrier) AS
SELECT d.name, d.value FROM ledger_schema.measured() AS d
UNION ALL SELECT 'shared_message_ids', m.shared_message_ids FROM ledger_schema.maintenance AS m
UNION ALL SELECT 'paused', m.paused::integer FROM ledger_schema.maintenance AS m
-- How long ago the last sweep that left nothing behind began; since 1970 where none has yet.
UNION ALL SELECT 'sweep_lag_seconds',
  EXTRACT(epoch FROM pg_catalog.clock_timestamp() - GREATEST(m.asked_at, timestamptz 'epoch'))
  FROM ledger_schema.maintenance AS m
UNION ALL SELECT g.name, g.value FROM ledger_schema.margins() AS g;
