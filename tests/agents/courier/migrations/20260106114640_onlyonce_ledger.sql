-- Written by onlyonce from onlyonce.toml. Do not edit: onlyonce.lock knows its bytes.

SET LOCAL lock_timeout = '5s';

-- Roles belong to the whole server: another database may have made them already, or be making them just now.
DO $roles$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['onlyonce_owner', 'onlyonce_app', 'onlyonce_operator',
      'onlyonce_maintenance', 'onlyonce_monitor'] LOOP
    CONTINUE WHEN EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.rolname = wanted);
    BEGIN
      EXECUTE pg_catalog.format('CREATE ROLE %I NOLOGIN', wanted);
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
      NULL;
    END;
  END LOOP;
  -- Who makes a role may not act as it until that is granted; from 16 on that holds for the maker too.
  IF NOT (SELECT r.rolsuper FROM pg_catalog.pg_roles AS r WHERE r.rolname = current_user)
    AND NOT pg_catalog.pg_has_role(current_user, 'onlyonce_owner',
      CASE WHEN pg_catalog.current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END) THEN
    EXECUTE 'GRANT onlyonce_owner TO CURRENT_USER';
  END IF;
EXCEPTION WHEN insufficient_privilege THEN
  RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = SQLERRM, HINT =
    'Let somebody who may make roles make the five and grant you the owner, and say roles = "existing" in the manifest; or say roles = "none".';
END
$roles$;

CREATE SCHEMA onlyonce AUTHORIZATION onlyonce_owner;

-- Everything belongs to a role that nobody logs in as. Undone at the end: the migration tool goes on in this session.
SET ROLE onlyonce_owner;

-- What may be done, and by which rules. Written by migrations alone.
CREATE TABLE onlyonce.action_types (
  name text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  send_budget interval NOT NULL,
  pending_timeout interval NOT NULL,
  max_attempts integer NOT NULL,
  when_unknown text NOT NULL,
  -- How long the provider remembers our key; NULL where it takes none, and where it remembers it for ever.
  key_window interval,
  -- How long payload and result of a final row, and the row itself, are kept; NULL is for ever.
  keep interval,
  keep_key interval,
  -- A model's action goes whole, so that a repeat plans afresh and is not given an empty result.
  keep_row interval GENERATED ALWAYS AS (CASE kind WHEN 'model' THEN LEAST(keep, keep_key) ELSE keep_key END) STORED,
  look_up text,
  retired boolean NOT NULL DEFAULT false,
  CONSTRAINT action_types_pkey PRIMARY KEY (name),
  CONSTRAINT action_types_name_kept CHECK (octet_length(name) BETWEEN 1 AND 200 AND name !~ '[^!-~]'),
  CONSTRAINT action_types_kind_known CHECK (kind IN ('send', 'model')),
  CONSTRAINT action_types_when_unknown_known CHECK (when_unknown IN ('reconcile', 'retry')),
  CONSTRAINT action_types_budget_positive CHECK (send_budget > interval '0'),
  -- A worker that is still inside its budget must never meet its own deadline.
  CONSTRAINT action_types_timeout_covers_budget CHECK (pending_timeout >= 2 * send_budget),
  CONSTRAINT action_types_attempts_positive CHECK (max_attempts >= 1),
  CONSTRAINT action_types_kept_in_order CHECK (
    (keep IS NULL OR keep > interval '0') AND (keep_key IS NULL OR keep_key > interval '0')
    AND (keep IS NULL OR keep_key IS NULL OR keep_key >= keep))
);

-- Which statuses there are, what each needs, and what it must not have. One function and no list of constants:
-- PostgreSQL reads and plans the expression of every CHECK anew at every insert and update, and a call is the shortest
-- there is. The ordinary way, from pending to sent, comes first: PL/pgSQL sets up in every transaction the expressions
-- that it comes by.
CREATE FUNCTION onlyonce.is_sound(idempotency_key text, status text, failure text, settled_at timestamptz,
  waits_since timestamptz, stripped_at timestamptz, step text, message_id text, evidence text, actor text,
  payload jsonb, result jsonb) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE
AS $$
BEGIN
  -- Nulls are asked for before texts: a comparison costs three times as much as a test.
  IF settled_at IS NULL AND waits_since IS NULL THEN
    -- Every action is pending first, and its key never changes. An unbounded class: a bounded repetition costs 45 times
    -- as much.
    RETURN status = 'pending' AND payload IS NOT NULL AND failure IS NULL AND stripped_at IS NULL
      AND pg_catalog.octet_length(idempotency_key) BETWEEN 1 AND 200 AND idempotency_key !~ '[^!-~]';
  ELSIF waits_since IS NULL AND stripped_at IS NULL AND failure IS NULL AND evidence IS NULL THEN
    RETURN status = 'sent' AND payload IS NOT NULL AND (message_id IS NOT NULL OR result IS NOT NULL);
  END IF;
  -- The first payload is there until it is taken away for good. An imported action was never pending.
  IF (payload IS NULL) <> (stripped_at IS NOT NULL) OR (stripped_at IS NOT NULL AND result IS NOT NULL)
    OR pg_catalog.octet_length(idempotency_key) NOT BETWEEN 1 AND 200 OR idempotency_key ~ '[^!-~]' THEN
    RETURN false;
  END IF;
  IF status = 'sent' THEN
    RETURN failure IS NULL AND settled_at IS NOT NULL AND waits_since IS NULL
      AND (message_id IS NOT NULL OR result IS NOT NULL OR evidence IS NOT NULL OR stripped_at IS NOT NULL);
  ELSIF status = 'unknown' THEN
    RETURN failure IS NULL AND settled_at IS NULL AND waits_since IS NOT NULL;
  ELSIF status = 'failed' AND failure IS NOT NULL AND settled_at IS NOT NULL THEN
    -- What a person decided names the person and the evidence, until that is erased.
    RETURN CASE
      WHEN failure IN ('rejected', 'not_attempted', 'exhausted') THEN waits_since IS NOT NULL
      WHEN failure IN ('released', 'abandoned')
        THEN (failure = 'released') = (waits_since IS NOT NULL)
          AND actor IS NOT NULL AND (evidence IS NOT NULL OR stripped_at IS NOT NULL)
      ELSE false
    END;
  END IF;
  RETURN false;
END
$$;

-- One row an action. The primary key is the guarantee: whole, immediate, never partial, no status or time in it.
-- Columns "C": a new version of the system's collation must not re-sort the index and let duplicates in.
CREATE TABLE onlyonce.actions (
  action_type text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  status text NOT NULL,
  failure text,
  attempt integer NOT NULL,
  -- Who holds the attempt: random, one an attempt, known to the worker alone.
  token uuid NOT NULL,
  created_at timestamptz NOT NULL,
  deadline_at timestamptz NOT NULL,
  settled_at timestamptz,
  -- Since when it is for somebody else than the worker to move it on. Touched on no way from pending to sent: an
  -- index may have it in its predicate, and the update of that way stays within its page (HOT).
  waits_since timestamptz,
  stripped_at timestamptz,
  -- What moved it last: reserve, record, confirm, sweep, resolve, import, purge, erase.
  step text NOT NULL,
  message_id text,
  reason text,
  evidence text,
  actor text,
  payload jsonb,
  result jsonb,
  CONSTRAINT actions_pkey PRIMARY KEY (action_type, idempotency_key),
  CONSTRAINT actions_sound CHECK (onlyonce.is_sound(idempotency_key, status, failure, settled_at, waits_since,
    stripped_at, step, message_id, evidence, actor, payload, result))
)
-- Almost every row is updated once, soon after it was written: room for that within its page.
WITH (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- For the sweep and the purge. No status in it, so that it costs no HOT update; the sweep remembers how far all is
-- settled (maintenance) and never walks the whole of it.
CREATE INDEX actions_unstripped ON onlyonce.actions (action_type, deadline_at) WHERE stripped_at IS NULL;

-- What waits for a person or for its next attempt; behind it what was stripped, for the purge of keys. One index for
-- both: each is looked at anew at every insert.
CREATE INDEX actions_aside ON onlyonce.actions (waits_since, action_type, deadline_at)
  WHERE waits_since IS NOT NULL OR stripped_at IS NOT NULL;

-- Every change of a state but the ordinary one, in order: what a record settled straight from pending to sent stands in
-- the action's own row, and writing it twice costs a third of the whole. action_transitions shows all of them. Written
-- by the guard of actions.
CREATE TABLE onlyonce.transition_log (
  action_type text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  at timestamptz NOT NULL,
  attempt integer NOT NULL,
  from_status text NOT NULL,
  from_failure text,
  to_status text NOT NULL,
  to_failure text,
  step text NOT NULL,
  message_id text,
  reason text,
  evidence text,
  actor text,
  CONSTRAINT transition_log_pkey PRIMARY KEY (action_type, idempotency_key, id)
);

-- What an attempt reported that no longer held its action: never dropped, it may be the proof of a second send.
CREATE TABLE onlyonce.late_evidence (
  action_type text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  at timestamptz NOT NULL,
  token uuid,
  outcome text NOT NULL,
  message_id text,
  reason text,
  evidence text,
  result jsonb,
  CONSTRAINT late_evidence_pkey PRIMARY KEY (action_type, idempotency_key, id)
);

-- For the purge of what came late for an action that is gone: its rows, and before them their results.
CREATE INDEX late_evidence_by_age ON onlyonce.late_evidence (action_type, at);

CREATE INDEX late_evidence_results ON onlyonce.late_evidence (action_type, at) WHERE result IS NOT NULL;

-- Where events come from. Written by migrations alone.
CREATE TABLE onlyonce.inbound_sources (
  name text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  claim_timeout interval NOT NULL,
  retention interval NOT NULL,
  -- The longest redelivery that is known of the provider; NULL where none is.
  redelivery interval,
  retired boolean NOT NULL DEFAULT false,
  CONSTRAINT inbound_sources_pkey PRIMARY KEY (name),
  CONSTRAINT inbound_sources_name_kept CHECK (octet_length(name) BETWEEN 1 AND 200 AND name !~ '[^!-~]'),
  CONSTRAINT inbound_sources_mode_known CHECK (mode IN ('claim', 'transaction')),
  CONSTRAINT inbound_sources_claim_positive CHECK (claim_timeout > interval '0'),
  CONSTRAINT inbound_sources_retention_covers CHECK (
    retention > interval '0' AND (redelivery IS NULL OR retention > redelivery))
);

-- One row an event. As with actions, the primary key is the guarantee.
CREATE TABLE onlyonce.inbound_events (
  source text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  status text NOT NULL,
  token uuid NOT NULL,
  claims integer NOT NULL,
  received_at timestamptz NOT NULL,
  claimed_until timestamptz NOT NULL,
  processed_at timestamptz,
  occurred_at timestamptz,
  evidence text,
  actor text,
  body jsonb NOT NULL,
  CONSTRAINT inbound_events_pkey PRIMARY KEY (source, event_id),
  CONSTRAINT inbound_events_id_kept CHECK (octet_length(event_id) BETWEEN 1 AND 1000),
  CONSTRAINT inbound_events_status_known CHECK (status IN ('received', 'processed')),
  CONSTRAINT inbound_events_processed_has_time CHECK ((status = 'processed') = (processed_at IS NOT NULL)),
  CONSTRAINT inbound_events_claims_count CHECK (claims >= 1)
)
WITH (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- For the purge.
CREATE INDEX inbound_events_by_age ON onlyonce.inbound_events (source, received_at);

-- For what stays received. It costs the finish its HOT update, which an event pays once and no send waits for.
CREATE INDEX inbound_events_received ON onlyonce.inbound_events (claimed_until) WHERE status = 'received';

-- Counts, appended and never updated: a counter row would be a hot row, and a counter on actions a dead tuple each.
-- Without a check, which every duplicate would pay for: they prove nothing, and functions alone write them.
CREATE TABLE onlyonce.duplicate_log (
  scope text NOT NULL,
  name text NOT NULL,
  kind text NOT NULL
)
WITH (autovacuum_vacuum_scale_factor = 0.05);

-- What the sweep has added up of the log.
CREATE TABLE onlyonce.duplicate_totals (
  scope text NOT NULL,
  name text NOT NULL,
  kind text NOT NULL,
  hits bigint NOT NULL,
  CONSTRAINT duplicate_totals_pkey PRIMARY KEY (scope, name, kind)
);

-- When nothing may be reserved, and who said so.
CREATE TABLE onlyonce.pauses (
  paused_at timestamptz NOT NULL,
  reason text NOT NULL,
  actor text NOT NULL,
  resumed_at timestamptz,
  resumed_by text,
  CONSTRAINT pauses_pkey PRIMARY KEY (paused_at),
  CONSTRAINT pauses_resumed_by_known CHECK ((resumed_at IS NOT NULL) = (resumed_by IS NOT NULL))
);

CREATE UNIQUE INDEX pauses_one_at_a_time ON onlyonce.pauses ((resumed_at IS NULL)) WHERE resumed_at IS NULL;

-- What maintenance remembers. No row that was reserved with a deadline up to swept_to is pending. The next step forward is asked_at, once
-- every transaction before asked_xid is over: one that reserved earlier might still commit a row with an earlier
-- deadline.
CREATE TABLE onlyonce.maintenance (
  only_row boolean NOT NULL DEFAULT true,
  -- Whether nothing may be reserved (pauses says why and who): here, where reserve looks anyway.
  paused boolean NOT NULL DEFAULT false,
  swept_to timestamptz NOT NULL DEFAULT '-infinity',
  asked_at timestamptz NOT NULL DEFAULT '-infinity',
  asked_xid xid8 NOT NULL DEFAULT '0',
  -- Up to which page actions were looked through for what is pending behind swept_to, as a restore may leave it.
  looked_to bigint NOT NULL DEFAULT 0,
  -- How many provider message ids were seen on several actions, and what finding that out took.
  shared_message_ids bigint NOT NULL DEFAULT 0,
  counted_at timestamptz NOT NULL DEFAULT '-infinity',
  counting_took interval NOT NULL DEFAULT '0',
  CONSTRAINT maintenance_pkey PRIMARY KEY (only_row),
  CONSTRAINT maintenance_only_row CHECK (only_row)
);

INSERT INTO onlyonce.maintenance DEFAULT VALUES;

-- Whether import, purge or erase is at work: it says so for its transaction, which anybody may, and runs as the
-- owner of the table, which nobody else does.
CREATE FUNCTION onlyonce.is_passing(guarded oid, VARIADIC steps text[]) RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, onlyonce, pg_temp
AS $$
  SELECT COALESCE(pg_catalog.current_setting('onlyonce.passing', true) = ANY (steps), false)
    AND EXISTS (SELECT FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_roles AS r ON r.oid = c.relowner
      WHERE c.oid = guarded AND r.rolname = current_user)
$$;

-- An action starts pending at its first attempt. Asked here and not in the trigger's WHEN, which costs three times as
-- much: it is read and planned anew at every insert.
CREATE FUNCTION onlyonce.guard_action_insert() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF NEW.status = 'pending' AND NEW.attempt = 1 THEN
    RETURN NEW;
  END IF;
  IF NEW.status = 'sent' AND NEW.attempt = 1 AND onlyonce.is_passing(TG_RELID, 'import') THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION USING ERRCODE = 'OO004', TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA,
    MESSAGE = pg_catalog.format('an action of type %s must start pending at attempt 1', NEW.action_type);
END
$$;

-- Legal changes of state only, each written down.
CREATE FUNCTION onlyonce.guard_action_update() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  change text;
  same_attempt boolean;
  legal boolean;
BEGIN
  -- The ordinary way, which the row itself tells of (action_transitions).
  IF OLD.status = 'pending' AND NEW.status = 'sent' AND NEW.step = 'record' AND NEW.attempt = OLD.attempt
    AND NEW.token = OLD.token AND NEW.deadline_at = OLD.deadline_at AND NEW.evidence IS NULL AND NEW.actor IS NULL THEN
    RETURN NEW;
  END IF;
  change := pg_catalog.concat(OLD.status, COALESCE('(' || OLD.failure || ')', ''), ' -> ',
    NEW.status, COALESCE('(' || NEW.failure || ')', ''));
  same_attempt := NEW.attempt = OLD.attempt AND NEW.token = OLD.token AND NEW.deadline_at = OLD.deadline_at;
  IF NEW.status = OLD.status AND NEW.failure IS NOT DISTINCT FROM OLD.failure THEN
    IF same_attempt AND onlyonce.is_passing(TG_RELID, 'purge', 'erase') THEN
      RETURN NEW;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'OO004', TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA,
      MESSAGE = pg_catalog.format('what is known of a %s action changes only when its state does', OLD.status);
  END IF;
  legal := CASE
    WHEN change IN (
        'pending -> sent', 'pending -> unknown', 'pending -> failed(rejected)', 'pending -> failed(not_attempted)',
        'pending -> failed(exhausted)',
        'unknown -> sent', 'unknown -> failed(rejected)', 'unknown -> failed(not_attempted)',
        'unknown -> failed(exhausted)', 'unknown -> failed(released)', 'unknown -> failed(abandoned)',
        'failed(rejected) -> failed(released)', 'failed(rejected) -> failed(abandoned)',
        'failed(exhausted) -> failed(released)', 'failed(exhausted) -> failed(abandoned)',
        'failed(not_attempted) -> failed(abandoned)',
        'failed(released) -> failed(abandoned)')
      THEN same_attempt
    WHEN change IN (
        'unknown -> pending',
        'failed(not_attempted) -> pending',
        'failed(released) -> pending')
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
  -- What goes again by itself is given up only once there is nothing left to send.
  IF change IN ('failed(not_attempted) -> failed(abandoned)', 'failed(released) -> failed(abandoned)') THEN
    legal := legal AND OLD.stripped_at IS NOT NULL;
  END IF;
  IF NOT legal THEN
    RAISE EXCEPTION USING ERRCODE = 'OO004', TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA,
      MESSAGE = pg_catalog.format('an action of type %s cannot go %s', OLD.action_type, change);
  END IF;
  INSERT INTO onlyonce.transition_log (action_type, idempotency_key, at, attempt,
    from_status, from_failure, to_status, to_failure, step, message_id, reason, evidence, actor)
  VALUES (OLD.action_type, OLD.idempotency_key, pg_catalog.clock_timestamp(), NEW.attempt,
    OLD.status, OLD.failure, NEW.status, NEW.failure, NEW.step, NEW.message_id, NEW.reason, NEW.evidence, NEW.actor);
  RETURN NEW;
END
$$;

-- Key, creation time and the first payload never change, save that payloads are taken away.
CREATE FUNCTION onlyonce.guard_action_facts() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF NEW.action_type = OLD.action_type AND NEW.idempotency_key = OLD.idempotency_key AND NEW.created_at = OLD.created_at
    AND (NEW.payload IS NOT DISTINCT FROM OLD.payload OR NEW.payload IS NULL)
    AND NEW.stripped_at IS NOT NULL AND onlyonce.is_passing(TG_RELID, 'purge', 'erase') THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION USING ERRCODE = 'OO004', TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA,
    MESSAGE = pg_catalog.format('key, payload and creation of an action of type %s never change', OLD.action_type);
END
$$;

-- Only the purge deletes, and only what is final and past what its type keeps.
CREATE FUNCTION onlyonce.guard_action_delete() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF (OLD.status = 'sent' OR (OLD.status = 'failed' AND OLD.failure = 'abandoned'))
    AND onlyonce.is_passing(TG_RELID, 'purge')
    AND EXISTS (SELECT FROM onlyonce.action_types AS t WHERE t.name = OLD.action_type
      AND OLD.settled_at <= pg_catalog.clock_timestamp() - t.keep_row) THEN
    DELETE FROM onlyonce.transition_log AS h
      WHERE h.action_type = OLD.action_type AND h.idempotency_key = OLD.idempotency_key;
    DELETE FROM onlyonce.late_evidence AS l
      WHERE l.action_type = OLD.action_type AND l.idempotency_key = OLD.idempotency_key;
    RETURN OLD;
  END IF;
  RAISE EXCEPTION USING ERRCODE = 'OO004', TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA,
    MESSAGE = pg_catalog.format(
      'an action of type %s is deleted by the purge alone, once it is final and past its time', OLD.action_type);
END
$$;

-- History is appended to. It goes with its action, and loses results and what persons wrote when that does.
CREATE FUNCTION onlyonce.guard_history() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF onlyonce.is_passing(TG_RELID, 'purge', 'erase') THEN
    RETURN COALESCE(NEW, OLD);
  END IF;
  RAISE EXCEPTION USING ERRCODE = 'OO004', TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA,
    MESSAGE = pg_catalog.format('%s is append-only', TG_TABLE_NAME);
END
$$;

-- An event is received, claimed again once its claim is over or freed, and processed; that is final.
CREATE FUNCTION onlyonce.guard_event() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.status = 'received' AND NEW.source = OLD.source AND NEW.event_id = OLD.event_id
      AND NEW.received_at = OLD.received_at AND NEW.claims >= OLD.claims THEN
      RETURN NEW;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'OO004', TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA,
      MESSAGE = pg_catalog.format('a %s event of %s cannot change so', OLD.status, OLD.source);
  END IF;
  IF OLD.status = 'processed' AND onlyonce.is_passing(TG_RELID, 'purge')
    AND EXISTS (SELECT FROM onlyonce.inbound_sources AS s
      WHERE s.name = OLD.source AND OLD.received_at <= pg_catalog.clock_timestamp() - s.retention) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION USING ERRCODE = 'OO004', TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA,
    MESSAGE = pg_catalog.format(
      'an event of %s is deleted by the purge alone, once it is processed and past its retention', OLD.source);
END
$$;

-- A type or source that rows name stays: retire it.
CREATE FUNCTION onlyonce.guard_names() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.name = OLD.name THEN
    RETURN NEW;
  END IF;
  IF TG_TABLE_NAME = 'action_types' THEN
    IF NOT EXISTS (SELECT FROM onlyonce.actions AS a WHERE a.action_type = OLD.name) THEN
      RETURN COALESCE(NEW, OLD);
    END IF;
  ELSIF NOT EXISTS (SELECT FROM onlyonce.inbound_events AS e WHERE e.source = OLD.name) THEN
    RETURN COALESCE(NEW, OLD);
  END IF;
  RAISE EXCEPTION USING ERRCODE = 'OO004', TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA,
    MESSAGE = pg_catalog.format('%s is in use', OLD.name), HINT = 'Retire it; its rows have to be remembered.';
END
$$;

CREATE FUNCTION onlyonce.guard_truncate() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'OO004', TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA,
    MESSAGE = pg_catalog.format('%s is never truncated: what was sent would be sent again', TG_TABLE_NAME);
END
$$;

CREATE TRIGGER actions_guard_insert BEFORE INSERT ON onlyonce.actions
  FOR EACH ROW EXECUTE FUNCTION onlyonce.guard_action_insert();

CREATE TRIGGER actions_guard_update BEFORE UPDATE ON onlyonce.actions
  FOR EACH ROW EXECUTE FUNCTION onlyonce.guard_action_update();

-- By columns: comparing a large payload with itself at every update would cost more than the update.
CREATE TRIGGER actions_guard_facts
  BEFORE UPDATE OF action_type, idempotency_key, created_at, payload, stripped_at ON onlyonce.actions
  FOR EACH ROW EXECUTE FUNCTION onlyonce.guard_action_facts();

CREATE TRIGGER actions_guard_delete BEFORE DELETE ON onlyonce.actions
  FOR EACH ROW EXECUTE FUNCTION onlyonce.guard_action_delete();

CREATE TRIGGER actions_guard_truncate BEFORE TRUNCATE ON onlyonce.actions
  FOR EACH STATEMENT EXECUTE FUNCTION onlyonce.guard_truncate();

CREATE TRIGGER transition_log_guard BEFORE UPDATE OR DELETE ON onlyonce.transition_log
  FOR EACH ROW EXECUTE FUNCTION onlyonce.guard_history();

CREATE TRIGGER transition_log_guard_truncate BEFORE TRUNCATE ON onlyonce.transition_log
  FOR EACH STATEMENT EXECUTE FUNCTION onlyonce.guard_truncate();

CREATE TRIGGER late_evidence_guard BEFORE UPDATE OR DELETE ON onlyonce.late_evidence
  FOR EACH ROW EXECUTE FUNCTION onlyonce.guard_history();

CREATE TRIGGER late_evidence_guard_truncate BEFORE TRUNCATE ON onlyonce.late_evidence
  FOR EACH STATEMENT EXECUTE FUNCTION onlyonce.guard_truncate();

CREATE TRIGGER inbound_events_guard BEFORE UPDATE OR DELETE ON onlyonce.inbound_events
  FOR EACH ROW EXECUTE FUNCTION onlyonce.guard_event();

CREATE TRIGGER inbound_events_guard_truncate BEFORE TRUNCATE ON onlyonce.inbound_events
  FOR EACH STATEMENT EXECUTE FUNCTION onlyonce.guard_truncate();

CREATE TRIGGER action_types_guard BEFORE UPDATE OR DELETE ON onlyonce.action_types
  FOR EACH ROW EXECUTE FUNCTION onlyonce.guard_names();

CREATE TRIGGER action_types_guard_truncate BEFORE TRUNCATE ON onlyonce.action_types
  FOR EACH STATEMENT EXECUTE FUNCTION onlyonce.guard_truncate();

CREATE TRIGGER inbound_sources_guard BEFORE UPDATE OR DELETE ON onlyonce.inbound_sources
  FOR EACH ROW EXECUTE FUNCTION onlyonce.guard_names();

CREATE TRIGGER inbound_sources_guard_truncate BEFORE TRUNCATE ON onlyonce.inbound_sources
  FOR EACH STATEMENT EXECUTE FUNCTION onlyonce.guard_truncate();

-- Always: session_replication_role = replica passes by a trigger otherwise.
ALTER TABLE onlyonce.actions ENABLE ALWAYS TRIGGER actions_guard_insert;

ALTER TABLE onlyonce.actions ENABLE ALWAYS TRIGGER actions_guard_update;

ALTER TABLE onlyonce.actions ENABLE ALWAYS TRIGGER actions_guard_facts;

ALTER TABLE onlyonce.actions ENABLE ALWAYS TRIGGER actions_guard_delete;

ALTER TABLE onlyonce.actions ENABLE ALWAYS TRIGGER actions_guard_truncate;

ALTER TABLE onlyonce.transition_log ENABLE ALWAYS TRIGGER transition_log_guard;

ALTER TABLE onlyonce.transition_log ENABLE ALWAYS TRIGGER transition_log_guard_truncate;

ALTER TABLE onlyonce.late_evidence ENABLE ALWAYS TRIGGER late_evidence_guard;

ALTER TABLE onlyonce.late_evidence ENABLE ALWAYS TRIGGER late_evidence_guard_truncate;

ALTER TABLE onlyonce.inbound_events ENABLE ALWAYS TRIGGER inbound_events_guard;

ALTER TABLE onlyonce.inbound_events ENABLE ALWAYS TRIGGER inbound_events_guard_truncate;

ALTER TABLE onlyonce.action_types ENABLE ALWAYS TRIGGER action_types_guard;

ALTER TABLE onlyonce.action_types ENABLE ALWAYS TRIGGER action_types_guard_truncate;

ALTER TABLE onlyonce.inbound_sources ENABLE ALWAYS TRIGGER inbound_sources_guard;

ALTER TABLE onlyonce.inbound_sources ENABLE ALWAYS TRIGGER inbound_sources_guard_truncate;

-- The canonical text of a key: parts that the client has normalised, escaped and joined; over 128 octets their digest.
CREATE FUNCTION onlyonce.key(action_type text, parts text[]) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, onlyonce, pg_temp
AS $$
DECLARE
  part text;
  escaped text[] := ARRAY[]::text[];
  joined text;
BEGIN
  IF action_type IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'OO003', MESSAGE = 'a key needs an action type';
  END IF;
  IF parts IS NULL OR pg_catalog.array_ndims(parts) IS DISTINCT FROM 1
    OR pg_catalog.array_position(parts, NULL) IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'OO003',
      MESSAGE = pg_catalog.format('a key of %s needs at least one part, and none may be NULL', action_type);
  END IF;
  FOREACH part IN ARRAY parts LOOP
    IF part COLLATE "C" ~ '[^A-Za-z0-9._~-]' THEN
      SELECT pg_catalog.string_agg(
          CASE WHEN octet BETWEEN 48 AND 57 OR octet BETWEEN 65 AND 90 OR octet BETWEEN 97 AND 122
              OR octet IN (45, 46, 95, 126)
            THEN pg_catalog.chr(octet)
            ELSE '%' || pg_catalog.upper(pg_catalog.lpad(pg_catalog.to_hex(octet), 2, '0')) END, '' ORDER BY place)
        INTO part
        FROM (SELECT place, pg_catalog.get_byte(octets, place) AS octet
          FROM (SELECT pg_catalog.convert_to(part, 'UTF8') AS octets) AS whole,
            pg_catalog.generate_series(0, pg_catalog.length(octets) - 1) AS place) AS single;
    END IF;
    escaped := escaped || part;
  END LOOP;
  joined := pg_catalog.array_to_string(escaped, ':');
  IF pg_catalog.octet_length(joined) <= 128 THEN
    RETURN joined;
  END IF;
  RETURN '#' || pg_catalog.rtrim(pg_catalog.translate(
    pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(joined, 'UTF8')), 'base64'), '+/', '-_'), '=');
END
$$;

-- One count more. Appended; the sweep adds it up.
CREATE FUNCTION onlyonce.tally(scope text, name text, kind text) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO onlyonce.duplicate_log (scope, name, kind) VALUES ($1, $2, $3);
END
$$;

-- This transaction's commit is on disk before it is told, whatever the session or role is set to; a stricter
-- setting stays. A SET clause of a function would be undone before the commit, so this is done in bodies.
CREATE FUNCTION onlyonce.commit_durably() RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF pg_catalog.current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
    PERFORM pg_catalog.set_config('synchronous_commit', 'on', true);
  END IF;
END
$$;

-- Says to the guards, until the transaction ends or takes it back, what is at work: import, purge or erase.
CREATE FUNCTION onlyonce.announce(step text) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_catalog.set_config('onlyonce.passing', $1, true);
END
$$;

-- What is asked for most: an action that nobody has reserved, or one that was sent. The first is told by its send
-- budget alone, the second by its verdict; neither is there when there is more to ask. PL/pgSQL sets every expression
-- up anew in each transaction, so that each one costs: what is out of the ordinary is asked for at once.
CREATE FUNCTION onlyonce.reserve_first(action_type text, idempotency_key text, token uuid, payload jsonb,
  OUT verdict text, OUT attempt integer, OUT payload_kept jsonb, OUT payload_conflict boolean, OUT message_id text,
  OUT result jsonb, OUT reason text, OUT send_budget interval)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, onlyonce, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  pending_timeout interval;
  budget interval;
  swept_to timestamptz;
  xid xid8;
BEGIN
  -- Statements that a client sends without waiting are a transaction that PostgreSQL's own refusal may not know.
  IF pg_catalog.pg_current_xact_id_if_assigned() IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = '2D000', MESSAGE = 'reserve cannot run within a transaction that has written';
  END IF;
  -- A duplicate would insert in vain, and that costs more than to look first. It has no use for the rules.
  SELECT a.status, a.attempt, a.payload, a.message_id, a.result, a.reason
    INTO verdict, attempt, payload_kept, message_id, result, reason
    FROM onlyonce.actions AS a
    WHERE a.action_type = $1 AND a.idempotency_key = $2;
  IF verdict IS NULL THEN
    -- Two statements: a join of one row with one costs more than either.
    SELECT s.swept_to INTO swept_to FROM onlyonce.maintenance AS s WHERE NOT s.paused;
    SELECT t.pending_timeout, t.send_budget INTO pending_timeout, budget
      FROM onlyonce.action_types AS t WHERE t.name = $1 AND NOT t.retired;
    IF budget IS NULL OR swept_to IS NULL OR $3 IS NULL OR $2 IS NULL
      OR pg_catalog.octet_length($2) NOT BETWEEN 1 AND 200 OR $2 COLLATE "C" ~ '[^!-~]'
      OR pg_catalog.current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')
      -- The transaction gets its number before the clock is read: the sweep's progress rests on this order.
      OR pg_catalog.pg_current_xact_id() IS NULL THEN
      IF budget IS NULL OR swept_to IS NULL OR $3 IS NULL OR $2 IS NULL
        OR pg_catalog.octet_length($2) NOT BETWEEN 1 AND 200 OR $2 COLLATE "C" ~ '[^!-~]' THEN
        RETURN;
      END IF;
      PERFORM onlyonce.commit_durably();
      xid := pg_catalog.pg_current_xact_id();
    END IF;
    INSERT INTO onlyonce.actions
        (action_type, idempotency_key, status, attempt, token, created_at, deadline_at, step, payload)
      -- A clock that was set back must not put a deadline where the sweep has been.
      VALUES ($1, $2, 'pending', 1, $3, pg_catalog.clock_timestamp(),
        GREATEST(pg_catalog.clock_timestamp(), swept_to) + pending_timeout, 'reserve', COALESCE($4, 'null'))
      ON CONFLICT (action_type, idempotency_key) DO NOTHING;
    IF FOUND THEN
      send_budget := budget;
    END IF;
  ELSIF verdict = 'sent' AND $3 IS NOT NULL THEN
    INSERT INTO onlyonce.duplicate_log (scope, name, kind)
      SELECT 'action', $1, 'sent' FROM onlyonce.maintenance AS s WHERE NOT s.paused;
    IF NOT FOUND THEN
      verdict := NULL;
      RETURN;
    END IF;
    payload_conflict := payload_kept IS NOT NULL AND payload_kept <> COALESCE($4, 'null');
    IF payload_conflict THEN
      PERFORM onlyonce.tally('action', $1, 'payload_conflict');
    END IF;
  ELSE
    verdict := NULL;
  END IF;
END
$$;

-- What reserve does, without the commit. In a transaction that rolls back, the reservation is gone and the send is
-- not: call reserve, which PostgreSQL refuses there.
CREATE FUNCTION onlyonce.reserve_uncommitted(action_type text, idempotency_key text, token uuid, payload jsonb,
  OUT verdict text, OUT attempt integer, OUT payload_kept jsonb, OUT payload_conflict boolean, OUT message_id text,
  OUT result jsonb, OUT reason text, OUT send_budget interval)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, onlyonce, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  found_row record;
  deadline timestamptz;
  overdue boolean;
  xid xid8;
BEGIN
  IF $3 IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'OO003', MESSAGE = pg_catalog.format('reserving %s needs a token', $1);
  END IF;
  FOR turn IN 1..3 LOOP
    -- The action, which is not there when its attempt is NULL, and the rules for it.
    SELECT a.status, a.failure, a.attempt, a.token, a.created_at, a.deadline_at, a.stripped_at, a.message_id, a.reason,
        a.payload, a.result, t.kind, t.send_budget, t.pending_timeout, t.max_attempts, t.when_unknown, t.key_window,
        t.retired, s.paused, s.swept_to
      INTO found_row
      FROM onlyonce.maintenance AS s CROSS JOIN onlyonce.action_types AS t
        LEFT JOIN onlyonce.actions AS a ON a.action_type = $1 AND a.idempotency_key = $2
      WHERE t.name = $1;
    IF NOT FOUND THEN
      RAISE EXCEPTION USING ERRCODE = 'OO002', MESSAGE = pg_catalog.format('there is no action type %s', $1);
    END IF;
    IF found_row.paused THEN
      verdict := 'paused';
      RETURN;
    END IF;
    IF found_row.attempt IS NULL THEN
      IF $2 IS NULL OR pg_catalog.octet_length($2) NOT BETWEEN 1 AND 200 OR $2 COLLATE "C" ~ '[^!-~]' THEN
        RAISE EXCEPTION USING ERRCODE = 'OO003', MESSAGE = pg_catalog.format(
          'a key of %s must be 1 to 200 printable ASCII characters without blanks', $1);
      END IF;
      IF found_row.retired THEN
        RAISE EXCEPTION USING ERRCODE = 'OO002', MESSAGE = pg_catalog.format('action type %s is retired', $1);
      END IF;
      PERFORM onlyonce.commit_durably();
      -- As in reserve_first: first the transaction's number, then the clock, and no deadline where the sweep has been.
      xid := pg_catalog.pg_current_xact_id();
      deadline := GREATEST(pg_catalog.clock_timestamp(), found_row.swept_to) + found_row.pending_timeout;
      INSERT INTO onlyonce.actions
          (action_type, idempotency_key, status, attempt, token, created_at, deadline_at, step, payload)
        VALUES ($1, $2, 'pending', 1, $3, pg_catalog.clock_timestamp(), deadline, 'reserve', COALESCE($4, 'null'))
        ON CONFLICT (action_type, idempotency_key) DO NOTHING;
      -- Somebody else was faster.
      CONTINUE WHEN NOT FOUND;
      verdict := 'go';
      attempt := 1;
      payload_kept := COALESCE($4, 'null');
      payload_conflict := false;
      send_budget := found_row.send_budget;
      RETURN;
    END IF;
    overdue := pg_catalog.clock_timestamp() > found_row.deadline_at;

    IF found_row.stripped_at IS NULL AND found_row.token <> $3 AND (
      (found_row.status = 'failed' AND found_row.failure IN ('not_attempted', 'released'))
      OR (found_row.status IN ('unknown', 'pending') AND overdue
        AND found_row.when_unknown = 'retry' AND found_row.attempt < found_row.max_attempts
        -- The provider has to remember the key until the last moment that this attempt may send.
        AND (found_row.kind = 'model' OR found_row.key_window IS NULL
          OR pg_catalog.clock_timestamp() + found_row.send_budget
            <= found_row.created_at + found_row.key_window))) THEN
      PERFORM onlyonce.commit_durably();
      xid := pg_catalog.pg_current_xact_id();
      deadline := GREATEST(pg_catalog.clock_timestamp(), found_row.swept_to) + found_row.pending_timeout;
      IF found_row.status = 'pending' THEN
        -- Through unknown, as the sweep would have done: no state is left out of the history.
        PERFORM onlyonce.mark_unknown($1, $2, found_row.attempt);
      END IF;
      UPDATE onlyonce.actions AS a
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
      send_budget := found_row.send_budget;
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
        send_budget := found_row.send_budget;
      ELSE
        INSERT INTO onlyonce.duplicate_log (scope, name, kind) VALUES ('action', $1, verdict);
      END IF;
    END IF;
    payload_kept := found_row.payload;
    payload_conflict := found_row.payload IS NOT NULL AND found_row.payload <> COALESCE($4, 'null');
    IF payload_conflict THEN
      PERFORM onlyonce.tally('action', $1, 'payload_conflict');
    END IF;
    RETURN;
  END LOOP;
  RAISE EXCEPTION USING ERRCODE = '40001',
    MESSAGE = pg_catalog.format('an action of type %s changed three times while it was being reserved', $1);
END
$$;

-- Reserves an action, committed when this answers. No SECURITY DEFINER and no SET clause, either of which would
-- forbid the commit: within a transaction PostgreSQL refuses it (2D000), and the reservation with it.
CREATE PROCEDURE onlyonce.reserve(action_type text, idempotency_key text, token uuid, payload jsonb,
  OUT verdict text, OUT attempt integer, OUT payload_kept jsonb, OUT payload_conflict boolean, OUT message_id text,
  OUT result jsonb, OUT reason text, OUT send_budget interval)
LANGUAGE plpgsql
AS $$
DECLARE
  answer record;
  durability text;
BEGIN
  answer := onlyonce.reserve_first(action_type, idempotency_key, token, payload);
  IF answer.send_budget IS NOT NULL THEN
    verdict := 'go';
    attempt := 1;
    payload_kept := COALESCE(payload, 'null');
    payload_conflict := false;
    send_budget := answer.send_budget;
  ELSE
    IF answer.verdict IS NULL THEN
      answer := onlyonce.reserve_uncommitted(action_type, idempotency_key, token, payload);
    END IF;
    verdict := answer.verdict;
    attempt := answer.attempt;
    payload_kept := answer.payload_kept;
    payload_conflict := answer.payload_conflict;
    message_id := answer.message_id;
    result := answer.result;
    reason := answer.reason;
    send_budget := answer.send_budget;
    IF send_budget IS NULL THEN
      -- Nobody goes: nothing but counts was written, and a crash may lose those.
      durability := pg_catalog.set_config('synchronous_commit', 'off', true);
    END IF;
  END IF;
  COMMIT;
END
$$;

-- A pending action past its deadline becomes unknown; the condition stands in the update, so that whatever was
-- settled meanwhile stays as it is.
CREATE FUNCTION onlyonce.mark_unknown(action_type text, idempotency_key text, attempt integer) RETURNS boolean
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
BEGIN
  UPDATE onlyonce.actions AS a
    SET status = 'unknown', waits_since = a.deadline_at, step = 'sweep', reason = 'no outcome was recorded in time'
    WHERE a.action_type = $1 AND a.idempotency_key = $2 AND a.attempt = $3
      AND a.status = 'pending' AND a.deadline_at < pg_catalog.clock_timestamp();
  IF FOUND THEN
    PERFORM onlyonce.tally('action', $1, 'swept');
  END IF;
  RETURN FOUND;
END
$$;

-- Keeps what an attempt reports that holds nothing any more, and counts it.
CREATE FUNCTION onlyonce.keep_late(action_type text, idempotency_key text, token uuid, outcome text,
  message_id text, result jsonb, reason text, evidence text) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO onlyonce.late_evidence
      (action_type, idempotency_key, at, token, outcome, message_id, result, reason, evidence)
    VALUES ($1, $2, pg_catalog.clock_timestamp(), $3, $4, $5, $6, $7, $8);
  PERFORM onlyonce.tally('action', $1, 'late_evidence');
END
$$;

-- Records what came of an attempt. Only its token settles it, and only while nothing else has.
CREATE FUNCTION onlyonce.record(action_type text, idempotency_key text, token uuid, outcome text,
  message_id text DEFAULT NULL, result jsonb DEFAULT NULL, reason text DEFAULT NULL) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, onlyonce, pg_temp
AS $$
#variable_conflict use_column
-- No condition of these updates may fit the predicate of an index: a plan that was kept from when the table was small
-- would walk that index rather than the primary key.
DECLARE
  found_row onlyonce.actions;
  told_before boolean;
BEGIN
  -- The ordinary case with no question more than it needs: every expression that it comes by costs.
  IF $4 = 'sent' AND ($5 IS NOT NULL OR $6 IS NOT NULL) THEN
    IF pg_catalog.current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
      PERFORM onlyonce.commit_durably();
    END IF;
    UPDATE onlyonce.actions AS a
      SET status = 'sent', settled_at = pg_catalog.clock_timestamp(), waits_since = NULL, step = 'record',
        message_id = $5, actor = NULL,
        -- What was erased stays so.
        reason = CASE WHEN a.stripped_at IS NULL THEN $7 END, result = CASE WHEN a.stripped_at IS NULL THEN $6 END
      WHERE a.action_type = $1 AND a.idempotency_key = $2 AND a.token = $3 AND a.status IN ('pending', 'unknown');
  ELSIF $4 IS NULL OR $4 NOT IN ('sent', 'rejected', 'not_attempted', 'unknown') THEN
    RAISE EXCEPTION USING ERRCODE = 'OO003', MESSAGE = pg_catalog.format('%s is no outcome of %s', $4, $1),
      HINT = 'An outcome is sent, rejected, not_attempted or unknown.';
  ELSIF $4 = 'sent' THEN
    RAISE EXCEPTION USING ERRCODE = 'OO003',
      MESSAGE = pg_catalog.format('recording %s as sent needs a message id or a result', $1);
  ELSIF $4 = 'unknown' THEN
    PERFORM onlyonce.commit_durably();
    UPDATE onlyonce.actions AS a
      SET status = 'unknown', waits_since = pg_catalog.clock_timestamp(), step = 'record',
        message_id = $5, reason = $7, actor = NULL
      WHERE a.action_type = $1 AND a.idempotency_key = $2 AND a.token = $3 AND a.status = 'pending';
  ELSE
    PERFORM onlyonce.commit_durably();
    UPDATE onlyonce.actions AS a
      SET status = 'failed', settled_at = pg_catalog.clock_timestamp(), step = 'record',
        waits_since = pg_catalog.clock_timestamp(),
        failure = CASE WHEN $4 = 'not_attempted' AND a.attempt >= (
            SELECT t.max_attempts FROM onlyonce.action_types AS t WHERE t.name = $1) THEN 'exhausted' ELSE $4 END,
        message_id = $5, actor = NULL,
        reason = CASE WHEN a.stripped_at IS NULL THEN $7 END, result = CASE WHEN a.stripped_at IS NULL THEN $6 END
      WHERE a.action_type = $1 AND a.idempotency_key = $2 AND a.token = $3 AND a.status IN ('pending', 'unknown');
  END IF;
  IF FOUND THEN
    RETURN 'recorded';
  END IF;

  IF NOT EXISTS (SELECT FROM onlyonce.action_types AS t WHERE t.name = $1) THEN
    RAISE EXCEPTION USING ERRCODE = 'OO002', MESSAGE = pg_catalog.format('there is no action type %s', $1);
  END IF;
  IF $2 IS NULL OR pg_catalog.octet_length($2) NOT BETWEEN 1 AND 200 OR $2 COLLATE "C" ~ '[^!-~]' THEN
    RAISE EXCEPTION USING ERRCODE = 'OO003', MESSAGE = pg_catalog.format(
      'a key of %s must be 1 to 200 printable ASCII characters without blanks', $1);
  END IF;
  -- Locked, so that nobody takes away meanwhile what is about to be kept of it.
  SELECT a.* INTO found_row FROM onlyonce.actions AS a
    WHERE a.action_type = $1 AND a.idempotency_key = $2 FOR SHARE;
  told_before := found_row.token = $3 AND CASE $4
    WHEN 'sent' THEN found_row.status = 'sent'
    WHEN 'unknown' THEN found_row.status = 'unknown'
    WHEN 'rejected' THEN found_row.status = 'failed' AND found_row.failure = 'rejected'
    ELSE found_row.status = 'failed' AND found_row.failure IN ('not_attempted', 'exhausted')
  END;
  -- Told again after a lost acknowledgement. What is new in it is kept all the same.
  IF told_before AND ($5 IS NULL OR $5 IS NOT DISTINCT FROM found_row.message_id)
    AND (found_row.stripped_at IS NOT NULL OR (($6 IS NULL OR $6 IS NOT DISTINCT FROM found_row.result)
      AND ($7 IS NULL OR $7 IS NOT DISTINCT FROM found_row.reason))) THEN
    RETURN 'already';
  END IF;
  -- What was taken away does not come back as evidence.
  PERFORM onlyonce.keep_late($1, $2, $3, $4, $5, CASE WHEN found_row.stripped_at IS NULL THEN $6 END,
    CASE WHEN found_row.stripped_at IS NULL THEN $7 END, NULL);
  IF told_before THEN
    RETURN 'already';
  END IF;
  PERFORM onlyonce.tally('action', $1, 'fenced');
  RETURN 'fenced';
END
$$;

-- Found at the provider, by a status event or a look-up: needs no token, and settles what is open, nothing else.
CREATE FUNCTION onlyonce.confirm(action_type text, idempotency_key text, message_id text, evidence text)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, onlyonce, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  found_row onlyonce.actions;
BEGIN
  IF NOT EXISTS (SELECT FROM onlyonce.action_types AS t WHERE t.name = $1) THEN
    RAISE EXCEPTION USING ERRCODE = 'OO002', MESSAGE = pg_catalog.format('there is no action type %s', $1);
  END IF;
  IF COALESCE(pg_catalog.btrim($4), '') = '' THEN
    RAISE EXCEPTION USING ERRCODE = 'OO003', MESSAGE = pg_catalog.format('confirming %s needs evidence', $1);
  END IF;
  PERFORM onlyonce.commit_durably();
  UPDATE onlyonce.actions AS a
    SET status = 'sent', settled_at = pg_catalog.clock_timestamp(), waits_since = NULL, step = 'confirm',
      message_id = COALESCE($3, a.message_id), actor = NULL,
      -- What was erased stays so.
      evidence = CASE WHEN a.stripped_at IS NULL THEN $4 END
    WHERE a.action_type = $1 AND a.idempotency_key = $2 AND a.status IN ('pending', 'unknown');
  IF FOUND THEN
    RETURN 'recorded';
  END IF;
  SELECT a.* INTO found_row FROM onlyonce.actions AS a
    WHERE a.action_type = $1 AND a.idempotency_key = $2 FOR SHARE;
  IF found_row.status = 'sent' AND ($3 IS NULL OR found_row.message_id IS NULL OR found_row.message_id = $3) THEN
    RETURN 'already';
  END IF;
  IF found_row.status IS NULL THEN
    RETURN 'absent';
  END IF;
  PERFORM onlyonce.keep_late($1, $2, NULL, 'sent', $3, NULL, NULL,
    CASE WHEN found_row.stripped_at IS NULL THEN $4 END);
  IF found_row.status = 'sent' THEN
    RETURN 'already';
  END IF;
  PERFORM onlyonce.tally('action', $1, 'fenced');
  RETURN 'fenced';
END
$$;

-- Marks what is pending past its deadline unknown, at most max_rows of it, and adds counts up. One row that cannot
-- be moved is passed by: it must not stop the rest.
CREATE FUNCTION onlyonce.sweep(max_rows integer DEFAULT 1000) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
-- What is estimated here would have every batch compiled first, which takes longer than the batch.
SET jit = off
SET search_path = pg_catalog, onlyonce, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  -- Progress is told by transaction numbers: whoever read the clock before us has a smaller one than ours. That does
  -- not hold in a transaction that has its number from before.
  may_tell CONSTANT boolean := pg_catalog.pg_current_xact_id_if_assigned() IS NULL;
  started CONSTANT timestamptz := pg_catalog.clock_timestamp();
  ours CONSTANT xid8 := pg_catalog.pg_current_xact_id();
  seen CONSTANT pg_snapshot := pg_catalog.pg_current_snapshot();
  wanted CONSTANT bigint := GREATEST($1, 0);
  -- Nothing with a deadline up to this is left pending, of what can be seen.
  reached timestamptz := started;
  from_page CONSTANT bigint := (SELECT s.looked_to FROM onlyonce.maintenance AS s);
  to_page bigint := from_page + 512;
  due record;
  moved integer := 0;
BEGIN
  FOR due IN
    (SELECT a.action_type, a.idempotency_key, a.attempt, a.deadline_at - interval '1 microsecond' AS reached_before
      FROM onlyonce.maintenance AS s, onlyonce.action_types AS t
      CROSS JOIN LATERAL (SELECT p.action_type, p.idempotency_key, p.attempt, p.deadline_at
        FROM onlyonce.actions AS p
        WHERE p.action_type = t.name AND p.stripped_at IS NULL AND p.deadline_at > s.swept_to
          AND p.deadline_at < started AND p.status = 'pending'
        ORDER BY p.deadline_at LIMIT wanted + 1000) AS a
      ORDER BY a.deadline_at, a.action_type, a.idempotency_key)
    -- Nobody reserved what is pending where the sweep has been: it was written past the guards. Found bit by bit.
    UNION ALL SELECT p.action_type, p.idempotency_key, p.attempt, NULL
      FROM onlyonce.maintenance AS s, onlyonce.actions AS p
      WHERE p.ctid >= pg_catalog.format('(%s,0)', from_page)::tid
        AND p.ctid < pg_catalog.format('(%s,0)', to_page)::tid
        AND p.status = 'pending' AND p.deadline_at <= s.swept_to AND p.deadline_at < started
  LOOP
    -- A batch is bounded in time too: what was swept stays locked until the end.
    IF moved >= wanted OR (moved > 0 AND moved % 100 = 0
        AND pg_catalog.clock_timestamp() > started + interval '500 ms') THEN
      reached := LEAST(reached, due.reached_before);
      to_page := from_page;
      EXIT;
    END IF;
    BEGIN
      PERFORM FROM onlyonce.actions AS a
        WHERE a.action_type = due.action_type AND a.idempotency_key = due.idempotency_key AND a.attempt = due.attempt
          AND a.status = 'pending' AND a.deadline_at < started
        FOR UPDATE SKIP LOCKED;
      IF NOT FOUND THEN
        reached := LEAST(reached, due.reached_before);
      ELSIF onlyonce.mark_unknown(due.action_type, due.idempotency_key, due.attempt) THEN
        moved := moved + 1;
      END IF;
    EXCEPTION WHEN OTHERS THEN
      reached := LEAST(reached, due.reached_before);
      RAISE WARNING 'an action of type % could not be marked unknown: %', due.action_type, SQLERRM;
    END;
  END LOOP;
  -- What was swept stays locked until the end: nothing below may wait for anybody, or take long. Another sweep that is
  -- at it does it for this one.
  PERFORM FROM onlyonce.maintenance AS m FOR UPDATE SKIP LOCKED;
  IF FOUND THEN
    IF may_tell THEN
      PERFORM onlyonce.note_progress(reached, ours, seen);
    END IF;
    PERFORM onlyonce.note_looked(to_page);
    PERFORM onlyonce.roll_up();
    PERFORM onlyonce.count_shared_message_ids(interval '100 ms');
  END IF;
  RETURN moved;
END
$$;

-- Moves the sweep's progress on, unless another sweep is at it.
-- What the last one reached holds once every transaction before it is over, and this one has come as far: it has
-- marked what those left.
CREATE FUNCTION onlyonce.note_progress(reached timestamptz, ours xid8, seen pg_snapshot) RETURNS void
LANGUAGE sql
AS $$
  UPDATE onlyonce.maintenance AS s
    -- A number that is still to come is of another server, from which this ledger was restored: asked anew.
    SET swept_to = CASE WHEN s.asked_xid <= pg_catalog.pg_snapshot_xmin($3) THEN GREATEST(s.swept_to, s.asked_at)
        ELSE s.swept_to END,
      asked_at = $1, asked_xid = $2
    WHERE (s.asked_xid <= pg_catalog.pg_snapshot_xmin($3) OR s.asked_xid > pg_catalog.pg_snapshot_xmax($3))
      AND s.asked_at < $1
$$;

-- Notes up to which page actions were looked through; behind the last page it begins anew.
CREATE FUNCTION onlyonce.note_looked(looked_to bigint) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  pages CONSTANT bigint := (
    SELECT pg_catalog.max(pg_catalog.pg_relation_size(c.oid)) / pg_catalog.current_setting('block_size')::bigint
      FROM (SELECT 'onlyonce.actions'::regclass AS oid UNION ALL SELECT i.inhrelid FROM pg_catalog.pg_inherits AS i
        WHERE i.inhparent = 'onlyonce.actions'::regclass) AS c);
  next_from CONSTANT bigint := CASE WHEN $1 < pages THEN $1 ELSE 0 END;
BEGIN
  UPDATE onlyonce.maintenance AS m SET looked_to = next_from WHERE m.looked_to <> next_from;
END
$$;

-- Looks for provider message ids that stand on several actions: one of them was not sent, or its outcome mixed up.
-- Not a constraint, which would fail a record after a real send. Among the latest of each type, so that it is bounded;
-- where there are more, what was found once stays counted. At most a hundredth of the time goes into this.
CREATE FUNCTION onlyonce.count_shared_message_ids(longest interval) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  started CONSTANT timestamptz := pg_catalog.clock_timestamp();
  named record;
  latest record;
  found_ids bigint := 0;
  is_whole boolean := true;
BEGIN
  -- No lock on the row meanwhile: a pause must not wait for a count.
  IF NOT EXISTS (SELECT FROM onlyonce.maintenance AS m
      WHERE m.counted_at + 100 * m.counting_took < started AND m.counting_took <= longest) THEN
    RETURN;
  END IF;
  FOR named IN SELECT t.name FROM onlyonce.action_types AS t LOOP
    SELECT pg_catalog.count(*) FILTER (WHERE g.message_id IS NOT NULL AND g.rows > 1) AS shared,
        COALESCE(pg_catalog.sum(g.rows), 0) AS rows
      INTO latest
      FROM (SELECT l.message_id, pg_catalog.count(*) AS rows
        FROM (SELECT a.message_id FROM onlyonce.actions AS a
          WHERE a.action_type = named.name AND a.stripped_at IS NULL ORDER BY a.deadline_at DESC LIMIT 10000) AS l
        GROUP BY l.message_id) AS g;
    found_ids := found_ids + latest.shared;
    is_whole := is_whole AND latest.rows < 10000;
  END LOOP;
  PERFORM FROM onlyonce.maintenance AS m FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  UPDATE onlyonce.maintenance AS m
    SET shared_message_ids = CASE WHEN is_whole THEN found_ids ELSE GREATEST(m.shared_message_ids, found_ids) END,
      counted_at = started, counting_took = pg_catalog.clock_timestamp() - started;
END
$$;

-- Adds the log of counts up, a bounded part of it.
CREATE FUNCTION onlyonce.roll_up() RETURNS void
LANGUAGE sql
AS $$
  WITH taken AS (
    DELETE FROM onlyonce.duplicate_log AS l
      WHERE l.ctid = ANY (ARRAY(SELECT c.ctid FROM onlyonce.duplicate_log AS c LIMIT 50000 FOR UPDATE SKIP LOCKED))
      RETURNING l.scope, l.name, l.kind)
  INSERT INTO onlyonce.duplicate_totals AS d (scope, name, kind, hits)
    SELECT t.scope, t.name, t.kind, pg_catalog.count(*) FROM taken AS t GROUP BY t.scope, t.name, t.kind
      ORDER BY t.scope, t.name, t.kind
    ON CONFLICT (scope, name, kind) DO UPDATE SET hits = d.hits + EXCLUDED.hits
$$;

-- What may go again and whose job may be gone: the next reserve lets it go.
CREATE FUNCTION onlyonce.released(max_rows integer DEFAULT 100)
RETURNS TABLE (action_type text, idempotency_key text, payload jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, onlyonce, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  started CONSTANT timestamptz := pg_catalog.clock_timestamp();
BEGIN
  RETURN QUERY
    SELECT a.action_type, a.idempotency_key, a.payload
      FROM onlyonce.actions AS a JOIN onlyonce.action_types AS t ON t.name = a.action_type
      WHERE a.waits_since IS NOT NULL AND a.stripped_at IS NULL
        AND ((a.status = 'failed' AND a.failure IN ('not_attempted', 'released'))
          OR (a.status = 'unknown' AND started > a.deadline_at
            AND t.when_unknown = 'retry' AND a.attempt < t.max_attempts
            AND (t.kind = 'model' OR t.key_window IS NULL
              OR started + t.send_budget <= a.created_at + t.key_window)))
      ORDER BY a.waits_since
      LIMIT $1;
END
$$;

-- What a person found out. `attempt` is the one that was looked at: whoever comes second is told so.
CREATE FUNCTION onlyonce.resolve(action_type text, idempotency_key text, attempt integer, decision text,
  evidence text, actor text, message_id text DEFAULT NULL) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, onlyonce, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  found_row onlyonce.actions;
  decided_at timestamptz;
BEGIN
  IF $4 IS NULL OR $4 NOT IN ('sent', 'not_sent', 'abandon') THEN
    RAISE EXCEPTION USING ERRCODE = 'OO003', MESSAGE = pg_catalog.format('%s is no decision', $4),
      HINT = 'A decision is sent, not_sent or abandon.';
  END IF;
  PERFORM onlyonce.demand_person($5, $6);
  PERFORM onlyonce.commit_durably();
  PERFORM onlyonce.mark_unknown($1, $2, $3);
  SELECT a.* INTO found_row FROM onlyonce.actions AS a
    WHERE a.action_type = $1 AND a.idempotency_key = $2 FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'P0002', MESSAGE = pg_catalog.format('no action of type %s has that key', $1);
  END IF;
  IF $3 IS DISTINCT FROM found_row.attempt THEN
    RAISE EXCEPTION USING ERRCODE = 'OO006',
      MESSAGE = pg_catalog.format('the action is at attempt %s, and attempt %s was looked at', found_row.attempt, $3);
  END IF;
  IF ($4 = 'sent' AND found_row.status = 'sent')
    OR ($4 = 'not_sent' AND found_row.failure = 'released' AND found_row.stripped_at IS NULL)
    OR ($4 = 'abandon' AND found_row.failure = 'abandoned') THEN
    RETURN 'already';
  END IF;
  IF $4 = 'not_sent' AND found_row.status IN ('pending', 'unknown') AND
    pg_catalog.clock_timestamp() <= found_row.deadline_at THEN
    RAISE EXCEPTION USING ERRCODE = 'OO005',
      MESSAGE = pg_catalog.format('a worker may still be sending this until %s', found_row.deadline_at);
  END IF;
  IF $4 = 'not_sent' AND found_row.stripped_at IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'OO004', MESSAGE = 'what was erased cannot be sent again';
  END IF;
  IF found_row.status = 'pending' THEN
    RAISE EXCEPTION USING ERRCODE = 'OO004',
      MESSAGE = pg_catalog.format('a worker is sending this until %s', found_row.deadline_at);
  END IF;
  decided_at := pg_catalog.clock_timestamp();
  UPDATE onlyonce.actions AS a
    SET status = CASE WHEN $4 = 'sent' THEN 'sent' ELSE 'failed' END,
      failure = CASE WHEN $4 = 'not_sent' THEN 'released' WHEN $4 = 'abandon' THEN 'abandoned' END,
      settled_at = decided_at,
      waits_since = CASE WHEN $4 = 'not_sent' THEN decided_at END,
      step = 'resolve', evidence = $5, actor = $6,
      message_id = CASE WHEN $4 = 'sent' THEN COALESCE($7, a.message_id) ELSE a.message_id END
    WHERE a.action_type = $1 AND a.idempotency_key = $2;
  RETURN 'resolved';
END
$$;

-- Nobody decides without saying who and why.
CREATE FUNCTION onlyonce.demand_person(evidence text, actor text) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF COALESCE(pg_catalog.btrim($1), '') = '' OR COALESCE(pg_catalog.btrim($2), '') = '' THEN
    RAISE EXCEPTION USING ERRCODE = 'OO003', MESSAGE = 'evidence and actor are mandatory';
  END IF;
END
$$;

-- Sent before there was a ledger, or in a window that a restore lost.
CREATE FUNCTION onlyonce.import(action_type text, idempotency_key text, sent_at timestamptz, evidence text,
  actor text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, onlyonce, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  nobodys CONSTANT uuid := pg_catalog.gen_random_uuid();
  found_row onlyonce.actions;
  is_new boolean;
BEGIN
  IF NOT EXISTS (SELECT FROM onlyonce.action_types AS t WHERE t.name = $1) THEN
    RAISE EXCEPTION USING ERRCODE = 'OO002', MESSAGE = pg_catalog.format('there is no action type %s', $1);
  END IF;
  IF $2 IS NULL OR pg_catalog.octet_length($2) NOT BETWEEN 1 AND 200 OR $2 COLLATE "C" ~ '[^!-~]' THEN
    RAISE EXCEPTION USING ERRCODE = 'OO003',
      MESSAGE = pg_catalog.format('an import of %s needs a key of 1 to 200 printable ASCII characters', $1);
  END IF;
  -- Its row is kept from this time on: from a time to come for longer than it says, from -infinity for no time at all.
  IF $3 IS NULL OR $3 > pg_catalog.clock_timestamp() OR NOT pg_catalog.isfinite($3) THEN
    RAISE EXCEPTION USING ERRCODE = 'OO003',
      MESSAGE = pg_catalog.format('an import of %s needs the time at which it was sent, and not one to come', $1);
  END IF;
  PERFORM onlyonce.demand_person($4, $5);
  PERFORM onlyonce.commit_durably();
  PERFORM onlyonce.announce('import');
  INSERT INTO onlyonce.actions (action_type, idempotency_key, status, attempt, token, created_at, deadline_at,
      settled_at, stripped_at, step, evidence, actor)
    VALUES ($1, $2, 'sent', 1, nobodys, $3, $3, $3, pg_catalog.clock_timestamp(), 'import', $4, $5)
    ON CONFLICT (action_type, idempotency_key) DO NOTHING;
  is_new := FOUND;
  PERFORM onlyonce.announce('');
  IF is_new THEN
    RETURN 'imported';
  END IF;
  -- What stands as not sent was sent by a later attempt, which the ledger lost.
  UPDATE onlyonce.actions AS a
    SET status = 'pending', failure = NULL, attempt = a.attempt + 1, token = nobodys,
      deadline_at = pg_catalog.clock_timestamp(), settled_at = NULL, waits_since = NULL, step = 'import',
      message_id = NULL, reason = NULL, evidence = $4, actor = $5
    WHERE a.action_type = $1 AND a.idempotency_key = $2 AND a.stripped_at IS NULL
      AND a.status = 'failed' AND a.failure IN ('not_attempted', 'released');
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

-- Takes away what may be about a person. Key and state stay, so that nothing is sent again.
CREATE FUNCTION onlyonce.erase(action_type text, idempotency_key text, actor text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, onlyonce, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  found_row onlyonce.actions;
  erased_at timestamptz;
BEGIN
  PERFORM onlyonce.demand_person('a wish to be forgotten', $3);
  PERFORM onlyonce.commit_durably();
  SELECT a.* INTO found_row FROM onlyonce.actions AS a
    WHERE a.action_type = $1 AND a.idempotency_key = $2 FOR UPDATE;
  IF NOT FOUND THEN
    RETURN 'absent';
  END IF;
  IF found_row.status = 'pending' AND NOT onlyonce.mark_unknown($1, $2, found_row.attempt) THEN
    RAISE EXCEPTION USING ERRCODE = 'OO004',
      MESSAGE = pg_catalog.format('a worker is sending this until %s', found_row.deadline_at),
      HINT = 'Erase it after that.';
  END IF;
  PERFORM onlyonce.announce('erase');
  erased_at := pg_catalog.clock_timestamp();
  UPDATE onlyonce.actions AS a
    SET payload = NULL, result = NULL, reason = NULL, evidence = NULL, actor = $3, step = 'erase',
      stripped_at = COALESCE(a.stripped_at, erased_at)
    WHERE a.action_type = $1 AND a.idempotency_key = $2;
  UPDATE onlyonce.transition_log AS h SET reason = NULL, evidence = NULL
    WHERE h.action_type = $1 AND h.idempotency_key = $2;
  DELETE FROM onlyonce.late_evidence AS l WHERE l.action_type = $1 AND l.idempotency_key = $2;
  PERFORM onlyonce.announce('');
  RETURN 'erased';
END
$$;

-- Says where reserve looks whether it may. A sweep that is at it is waited for, and one that somebody left open in a
-- transaction is named: a pause is for emergencies.
CREATE FUNCTION onlyonce.set_paused(paused boolean) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  patience CONSTANT text := pg_catalog.current_setting('lock_timeout');
  holder text;
BEGIN
  IF patience = '0' THEN
    PERFORM pg_catalog.set_config('lock_timeout', '5s', true);
  END IF;
  UPDATE onlyonce.maintenance AS m SET paused = $1;
  PERFORM pg_catalog.set_config('lock_timeout', patience, true);
EXCEPTION WHEN lock_not_available THEN
  SELECT l.pid INTO holder FROM onlyonce.maintenance AS m JOIN pg_catalog.pg_locks AS l
    ON l.locktype = 'transactionid' AND l.granted AND l.transactionid = m.xmax;
  RAISE EXCEPTION USING ERRCODE = 'lock_not_available',
    MESSAGE = pg_catalog.format('the transaction of process %s holds this up: it swept, paused or resumed, and is open',
      COALESCE(holder, '(gone by now)')),
    HINT = pg_catalog.format('Let it end, or end it by SELECT pg_terminate_backend(%s), and do this once more.',
      COALESCE(holder, 'pid'));
END
$$;

-- While paused, reserve answers `paused`; what is under way still settles.
CREATE FUNCTION onlyonce.pause(reason text, actor text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, onlyonce, pg_temp
AS $$
BEGIN
  PERFORM onlyonce.demand_person($1, $2);
  -- This first: pause and resume wait here for each other, and neither misses what the other wrote.
  PERFORM onlyonce.set_paused(true);
  INSERT INTO onlyonce.pauses (paused_at, reason, actor)
    VALUES (pg_catalog.clock_timestamp(), $1, $2) ON CONFLICT DO NOTHING;
END
$$;

CREATE FUNCTION onlyonce.resume(actor text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, onlyonce, pg_temp
AS $$
BEGIN
  PERFORM onlyonce.demand_person('resume', $1);
  PERFORM onlyonce.set_paused(false);
  UPDATE onlyonce.pauses AS p SET resumed_at = pg_catalog.clock_timestamp(), resumed_by = $1
    WHERE p.resumed_at IS NULL;
END
$$;

-- Accepts an event. In claim mode it is the caller's until its claim is over; in transaction mode it is accepted
-- when the caller's transaction commits, together with its effect.
CREATE FUNCTION onlyonce.accept_event(source text, event_id text, token uuid, body jsonb,
  occurred_at timestamptz DEFAULT NULL) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, onlyonce, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  offered CONSTANT jsonb := COALESCE($4, 'null');
  rules onlyonce.inbound_sources;
  found_row onlyonce.inbound_events;
  checked_at timestamptz := pg_catalog.clock_timestamp();
  too_old boolean;
BEGIN
  SELECT s.* INTO rules FROM onlyonce.inbound_sources AS s WHERE s.name = $1;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'OO002', MESSAGE = pg_catalog.format('there is no source %s', $1);
  END IF;
  IF $2 IS NULL OR pg_catalog.octet_length($2) NOT BETWEEN 1 AND 1000 OR $3 IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'OO003',
      MESSAGE = pg_catalog.format('an event of %s needs an id of 1 to 1000 octets, and a token', $1);
  END IF;
  PERFORM onlyonce.commit_durably();
  too_old := COALESCE($5 <= checked_at - rules.retention, false);
  FOR turn IN 1..3 LOOP
    -- Past the retention its id may be forgotten: that it is not here proves nothing.
    IF NOT too_old AND NOT rules.retired THEN
      INSERT INTO onlyonce.inbound_events
          (source, event_id, status, token, claims, received_at, claimed_until, processed_at, occurred_at, body)
        VALUES ($1, $2, CASE WHEN rules.mode = 'claim' THEN 'received' ELSE 'processed' END, $3, 1, checked_at,
          checked_at + rules.claim_timeout, CASE WHEN rules.mode = 'claim' THEN NULL ELSE checked_at END, $5, offered)
        ON CONFLICT (source, event_id) DO NOTHING;
      IF FOUND THEN
        RETURN 'fresh';
      END IF;
    END IF;
    SELECT e.* INTO found_row FROM onlyonce.inbound_events AS e WHERE e.source = $1 AND e.event_id = $2;
    IF NOT FOUND THEN
      IF too_old THEN
        PERFORM onlyonce.tally('inbound', $1, 'stale');
        RETURN 'stale';
      END IF;
      IF rules.retired THEN
        RAISE EXCEPTION USING ERRCODE = 'OO002', MESSAGE = pg_catalog.format('source %s is retired', $1);
      END IF;
      CONTINUE;
    END IF;
    IF found_row.body <> offered THEN
      PERFORM onlyonce.tally('inbound', $1, 'conflict');
      RETURN 'conflict';
    END IF;
    IF found_row.status = 'received' AND found_row.token = $3
      AND found_row.claimed_until >= pg_catalog.clock_timestamp() THEN
      -- The same caller, whose acknowledgement was lost.
      RETURN CASE WHEN found_row.claims = 1 THEN 'fresh' ELSE 'reclaimed' END;
    END IF;
    IF found_row.status = 'received' AND found_row.claimed_until < pg_catalog.clock_timestamp() THEN
      UPDATE onlyonce.inbound_events AS e
        SET token = $3, claims = e.claims + 1, claimed_until = pg_catalog.clock_timestamp() + rules.claim_timeout
        WHERE e.source = $1 AND e.event_id = $2 AND e.status = 'received' AND e.claims = found_row.claims
          AND e.claimed_until < pg_catalog.clock_timestamp();
      CONTINUE WHEN NOT FOUND;
      RETURN 'reclaimed';
    END IF;
    PERFORM onlyonce.tally('inbound', $1, 'duplicate');
    RETURN CASE found_row.status WHEN 'received' THEN 'in_progress' ELSE 'duplicate' END;
  END LOOP;
  RAISE EXCEPTION USING ERRCODE = '40001',
    MESSAGE = pg_catalog.format('an event of %s changed three times while it was being accepted', $1);
END
$$;

-- The event has had its effect. Only the claim that stands finishes it.
CREATE FUNCTION onlyonce.finish_event(source text, event_id text, token uuid) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, onlyonce, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  IF NOT EXISTS (SELECT FROM onlyonce.inbound_sources AS s WHERE s.name = $1) THEN
    RAISE EXCEPTION USING ERRCODE = 'OO002', MESSAGE = pg_catalog.format('there is no source %s', $1);
  END IF;
  PERFORM onlyonce.commit_durably();
  UPDATE onlyonce.inbound_events AS e SET status = 'processed', processed_at = pg_catalog.clock_timestamp()
    WHERE e.source = $1 AND e.event_id = $2 AND e.token = $3 AND e.status = 'received';
  IF FOUND THEN
    RETURN 'finished';
  END IF;
  IF EXISTS (SELECT FROM onlyonce.inbound_events AS e
    WHERE e.source = $1 AND e.event_id = $2 AND e.token = $3 AND e.status = 'processed') THEN
    RETURN 'already';
  END IF;
  PERFORM onlyonce.tally('inbound', $1, 'fenced');
  RETURN 'fenced';
END
$$;

-- What a person found out about an event that stays received: it has had its effect, or may be claimed again.
CREATE FUNCTION onlyonce.resolve_event(source text, event_id text, decision text, evidence text, actor text)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, onlyonce, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  found_row onlyonce.inbound_events;
BEGIN
  IF $3 IS NULL OR $3 NOT IN ('processed', 'release') THEN
    RAISE EXCEPTION USING ERRCODE = 'OO003', MESSAGE = pg_catalog.format('%s is no decision', $3),
      HINT = 'A decision is processed or release.';
  END IF;
  PERFORM onlyonce.demand_person($4, $5);
  PERFORM onlyonce.commit_durably();
  SELECT e.* INTO found_row FROM onlyonce.inbound_events AS e WHERE e.source = $1 AND e.event_id = $2 FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'P0002', MESSAGE = pg_catalog.format('no event of %s has that id', $1);
  END IF;
  IF found_row.status = 'processed' THEN
    IF $3 = 'processed' THEN
      RETURN 'already';
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'OO004', MESSAGE = pg_catalog.format('the event of %s is processed', $1);
  END IF;
  found_row.claimed_until := LEAST(found_row.claimed_until, pg_catalog.clock_timestamp());
  IF $3 = 'processed' THEN
    found_row.status := 'processed';
    found_row.processed_at := pg_catalog.clock_timestamp();
  ELSE
    -- The token of a freed event is nobody's: whoever held the claim can finish it no more.
    found_row.token := pg_catalog.gen_random_uuid();
  END IF;
  UPDATE onlyonce.inbound_events AS e
    SET status = found_row.status, processed_at = found_row.processed_at, token = found_row.token,
      claimed_until = found_row.claimed_until, evidence = $4, actor = $5
    WHERE e.source = $1 AND e.event_id = $2;
  RETURN 'resolved';
END
$$;

-- Takes away what is past its time, at most max_rows (and 10,000) of each sort, never anything unfinished. As in the
-- sweep, one row that cannot go is passed by.
CREATE FUNCTION onlyonce.purge(max_rows integer DEFAULT 10000,
  OUT payloads_stripped integer, OUT actions_deleted integer, OUT events_deleted integer)
LANGUAGE plpgsql SECURITY DEFINER
-- What is estimated here would have every batch compiled first, which takes longer than the batch.
SET jit = off
SET search_path = pg_catalog, onlyonce, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  room CONSTANT integer := LEAST(GREATEST($1, 0), 10000);
  started CONSTANT timestamptz := pg_catalog.clock_timestamp();
  origin record;
  due record;
BEGIN
  payloads_stripped := 0;
  actions_deleted := 0;
  events_deleted := 0;
  PERFORM onlyonce.announce('purge');
  FOR due IN SELECT * FROM onlyonce.past_keeping(started, room) LOOP
    -- A batch is bounded in time too: what it took stays locked until the end.
    EXIT WHEN payloads_stripped + actions_deleted > 0 AND (payloads_stripped + actions_deleted) % 100 = 0
      AND pg_catalog.clock_timestamp() > started + interval '500 ms';
    BEGIN
      PERFORM FROM onlyonce.actions AS a
        WHERE a.action_type = due.action_type AND a.idempotency_key = due.idempotency_key FOR UPDATE SKIP LOCKED;
      IF NOT FOUND THEN
        CONTINUE;
      ELSIF due.whole AND actions_deleted < room THEN
        DELETE FROM onlyonce.actions AS a
          WHERE a.action_type = due.action_type AND a.idempotency_key = due.idempotency_key
            AND a.settled_at <= due.limit_at AND (a.status = 'sent' OR a.failure = 'abandoned');
        actions_deleted := actions_deleted + CASE WHEN FOUND THEN 1 ELSE 0 END;
      ELSIF NOT due.whole AND payloads_stripped < room THEN
        UPDATE onlyonce.actions AS a SET payload = NULL, result = NULL, stripped_at = started, step = 'purge'
          WHERE a.action_type = due.action_type AND a.idempotency_key = due.idempotency_key
            AND a.settled_at <= due.limit_at AND (a.status = 'sent' OR a.failure = 'abandoned')
            AND a.stripped_at IS NULL;
        IF FOUND THEN
          payloads_stripped := payloads_stripped + 1;
          UPDATE onlyonce.late_evidence AS l SET result = NULL
            WHERE l.action_type = due.action_type AND l.idempotency_key = due.idempotency_key AND l.result IS NOT NULL;
        END IF;
      END IF;
    EXCEPTION WHEN OTHERS THEN
      RAISE WARNING 'an action of type % could not be purged: %', due.action_type, SQLERRM;
    END;
  END LOOP;
  <<sources>>
  FOR origin IN SELECT s.name, s.retention FROM onlyonce.inbound_sources AS s LOOP
    FOR due IN
      SELECT e.event_id FROM onlyonce.inbound_events AS e
        WHERE e.source = origin.name AND e.received_at <= started - origin.retention AND e.status = 'processed'
        ORDER BY e.received_at LIMIT room
    LOOP
      EXIT sources WHEN events_deleted >= room OR (events_deleted > 0 AND events_deleted % 100 = 0
        AND pg_catalog.clock_timestamp() > started + interval '750 ms');
      BEGIN
        PERFORM FROM onlyonce.inbound_events AS e
          WHERE e.source = origin.name AND e.event_id = due.event_id FOR UPDATE SKIP LOCKED;
        CONTINUE WHEN NOT FOUND;
        DELETE FROM onlyonce.inbound_events AS e
          WHERE e.source = origin.name AND e.event_id = due.event_id AND e.status = 'processed';
        events_deleted := events_deleted + CASE WHEN FOUND THEN 1 ELSE 0 END;
      EXCEPTION WHEN OTHERS THEN
        RAISE WARNING 'an event of % could not be purged: %', origin.name, SQLERRM;
      END;
    END LOOP;
  END LOOP;
  PERFORM onlyonce.purge_late(started, room);
  PERFORM onlyonce.announce('');
  -- Not on top of a batch.
  IF payloads_stripped + actions_deleted + events_deleted = 0 THEN
    PERFORM onlyonce.count_shared_message_ids(interval '1 day');
  END IF;
END
$$;

-- What came late goes with its action. Where that is gone, or was stripped before, it goes by its own age.
CREATE FUNCTION onlyonce.purge_late(started timestamptz, room integer) RETURNS void
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  rules record;
  due record;
BEGIN
  FOR rules IN SELECT t.name, $1 - t.keep AS strip_at, $1 - t.keep_row AS delete_at FROM onlyonce.action_types AS t
  LOOP
    FOR due IN
      (SELECT l.idempotency_key, l.id, false AS whole FROM onlyonce.late_evidence AS l
        WHERE l.action_type = rules.name AND l.result IS NOT NULL AND l.at <= rules.strip_at
          AND NOT EXISTS (SELECT FROM onlyonce.actions AS a WHERE a.action_type = l.action_type
            AND a.idempotency_key = l.idempotency_key AND a.stripped_at IS NULL)
        LIMIT $2)
      UNION ALL
      (SELECT l.idempotency_key, l.id, true FROM onlyonce.late_evidence AS l
        WHERE l.action_type = rules.name AND l.at <= rules.delete_at
          AND NOT EXISTS (SELECT FROM onlyonce.actions AS a
            WHERE a.action_type = l.action_type AND a.idempotency_key = l.idempotency_key)
        LIMIT $2)
    LOOP
      IF pg_catalog.clock_timestamp() > $1 + interval '900 ms' THEN
        RETURN;
      END IF;
      BEGIN
        PERFORM FROM onlyonce.late_evidence AS l WHERE l.action_type = rules.name
          AND l.idempotency_key = due.idempotency_key AND l.id = due.id FOR UPDATE SKIP LOCKED;
        CONTINUE WHEN NOT FOUND;
        IF due.whole THEN
          DELETE FROM onlyonce.late_evidence AS l
            WHERE l.action_type = rules.name AND l.idempotency_key = due.idempotency_key AND l.id = due.id;
        ELSE
          UPDATE onlyonce.late_evidence AS l SET result = NULL
            WHERE l.action_type = rules.name AND l.idempotency_key = due.idempotency_key AND l.id = due.id;
        END IF;
      EXCEPTION WHEN OTHERS THEN
        RAISE WARNING 'what came late for an action of type % could not be purged: %', rules.name, SQLERRM;
      END;
    END LOOP;
  END LOOP;
END
$$;

-- Final actions past what their type keeps: to be stripped, or `whole` to be deleted.
CREATE FUNCTION onlyonce.past_keeping(started timestamptz, room integer)
RETURNS TABLE (action_type text, idempotency_key text, whole boolean, limit_at timestamptz)
LANGUAGE plpgsql STABLE
AS $$
#variable_conflict use_column
DECLARE
  rules record;
  found_whole integer;
BEGIN
  FOR rules IN
    SELECT t.name, t.pending_timeout, $1 - t.keep AS strip_at, $1 - t.keep_row AS delete_at
      FROM onlyonce.action_types AS t
  LOOP
    found_whole := 0;
    -- An action settles at its deadline at the latest, or is found by that later.
    IF rules.delete_at IS NOT NULL THEN
      -- Two halves, as the indexes have it.
      RETURN QUERY SELECT a.action_type, a.idempotency_key, true, rules.delete_at FROM onlyonce.actions AS a
        WHERE a.action_type = rules.name AND a.stripped_at IS NULL
          AND a.deadline_at <= rules.delete_at + rules.pending_timeout
          AND a.settled_at <= rules.delete_at AND (a.status = 'sent' OR a.failure = 'abandoned')
        ORDER BY a.deadline_at LIMIT $2;
      GET DIAGNOSTICS found_whole = ROW_COUNT;
      RETURN QUERY SELECT a.action_type, a.idempotency_key, true, rules.delete_at FROM onlyonce.actions AS a
        WHERE a.waits_since IS NULL AND a.action_type = rules.name AND a.stripped_at IS NOT NULL
          AND a.deadline_at <= rules.delete_at + rules.pending_timeout
          AND a.settled_at <= rules.delete_at AND (a.status = 'sent' OR a.failure = 'abandoned')
        ORDER BY a.deadline_at LIMIT $2;
    END IF;
    -- What is to be stripped stands behind all that goes whole: every batch would walk that first.
    IF rules.strip_at IS NOT NULL AND found_whole < $2 THEN
      RETURN QUERY SELECT a.action_type, a.idempotency_key, false, rules.strip_at FROM onlyonce.actions AS a
        WHERE a.action_type = rules.name AND a.stripped_at IS NULL
          AND a.deadline_at <= rules.strip_at + rules.pending_timeout
          AND a.settled_at <= rules.strip_at AND (a.status = 'sent' OR a.failure = 'abandoned')
          -- What goes whole is not stripped first.
          AND (rules.delete_at IS NULL OR a.settled_at > rules.delete_at)
        ORDER BY a.deadline_at LIMIT $2;
    END IF;
  END LOOP;
END
$$;

-- What a person has to look at. A pending action past its deadline stands here whether or not a sweep has run.
CREATE VIEW onlyonce.reconciliation_queue WITH (security_barrier) AS
SELECT w.class, w.action_type, w.idempotency_key, w.status, w.failure, w.attempt,
    pg_catalog.clock_timestamp() - w.since AS age, w.deadline_at,
    pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(w.payload::text, 'UTF8')), 'hex') AS payload_digest,
    w.reason,
    CASE WHEN t.key_window IS NOT NULL
      THEN GREATEST(w.created_at + t.key_window - pg_catalog.clock_timestamp(), interval '0') END AS key_window_left,
    t.look_up, w.step AS last_step, w.message_id, w.since
  FROM (
    SELECT CASE WHEN a.status = 'unknown' THEN 'unknown' WHEN a.failure = 'rejected' THEN 'rejected' ELSE 'exhausted'
        END AS class, a.action_type, a.idempotency_key, a.status, a.failure, a.attempt, a.waits_since AS since,
        a.deadline_at, a.payload,
        CASE WHEN a.stripped_at IS NULL THEN a.reason
          ELSE 'its payload was erased: it can be sent no more' END AS reason, a.created_at, a.step, a.message_id
      FROM onlyonce.actions AS a
      WHERE a.waits_since IS NOT NULL
        AND (a.status = 'unknown' OR a.failure IN ('rejected', 'exhausted') OR a.stripped_at IS NOT NULL)
    UNION ALL
    SELECT 'unknown', a.action_type, a.idempotency_key, 'unknown', NULL, a.attempt, a.deadline_at, a.deadline_at,
        a.payload, 'no outcome was recorded in time', a.created_at, a.step, a.message_id
      FROM onlyonce.maintenance AS s, onlyonce.action_types AS k
      CROSS JOIN LATERAL (SELECT p.* FROM onlyonce.actions AS p
        WHERE p.action_type = k.name AND p.stripped_at IS NULL AND p.deadline_at > s.swept_to
          AND p.deadline_at < pg_catalog.clock_timestamp() AND p.status = 'pending') AS a) AS w
  JOIN onlyonce.action_types AS t ON t.name = w.action_type
UNION ALL
SELECT 'inbound', e.source, e.event_id, e.status, NULL, e.claims, pg_catalog.clock_timestamp() - e.claimed_until,
    e.claimed_until, pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(e.body::text, 'UTF8')), 'hex'),
    'its claim is over and it is not finished', NULL, NULL, 'accept_event', NULL, e.claimed_until
  FROM onlyonce.inbound_events AS e
  WHERE e.status = 'received' AND e.claimed_until < pg_catalog.clock_timestamp();

-- Every change of a state; the first reservation is the action's created_at. What the log leaves out is told by the
-- row: it is sent, and had a deadline once (an imported action never had one).
CREATE VIEW onlyonce.action_transitions WITH (security_barrier) AS
SELECT l.action_type, l.idempotency_key, l.id, l.at, l.attempt, l.from_status, l.from_failure, l.to_status,
    l.to_failure, l.step, l.message_id, l.reason, l.evidence, l.actor
  FROM onlyonce.transition_log AS l
UNION ALL
SELECT a.action_type, a.idempotency_key, NULL, a.settled_at, a.attempt, 'pending', NULL, 'sent', NULL, 'record',
    a.message_id, a.reason, NULL, NULL
  FROM onlyonce.actions AS a
  WHERE a.status = 'sent' AND a.deadline_at <> a.created_at
    AND NOT EXISTS (SELECT FROM onlyonce.transition_log AS l
      WHERE l.action_type = a.action_type AND l.idempotency_key = a.idempotency_key AND l.to_status = 'sent');

-- How often something came again, in all.
CREATE VIEW onlyonce.duplicate_counts WITH (security_barrier) AS
SELECT c.scope, c.name, c.kind, pg_catalog.sum(c.hits)::bigint AS hits
  FROM (SELECT d.scope, d.name, d.kind, d.hits FROM onlyonce.duplicate_totals AS d
    UNION ALL SELECT l.scope, l.name, l.kind, 1 FROM onlyonce.duplicate_log AS l) AS c
  GROUP BY c.scope, c.name, c.kind;

-- Numbers to watch. Times are in seconds.
CREATE VIEW onlyonce.health WITH (security_barrier) AS
WITH pending AS (
  SELECT a.created_at, a.deadline_at, t.pending_timeout
    FROM onlyonce.maintenance AS s, onlyonce.action_types AS t
    CROSS JOIN LATERAL (SELECT p.created_at, p.deadline_at FROM onlyonce.actions AS p
      WHERE p.action_type = t.name AND p.stripped_at IS NULL AND p.deadline_at > s.swept_to
        AND p.status = 'pending') AS a),
waiting AS (
  -- What was erased before it was sent goes no more.
  SELECT a.status, a.waits_since, CASE WHEN a.failure IN ('not_attempted', 'released') AND a.stripped_at IS NOT NULL
      THEN 'exhausted' ELSE a.failure END AS failure
    FROM onlyonce.actions AS a WHERE a.waits_since IS NOT NULL),
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
UNION ALL SELECT 'paused', m.paused::integer FROM onlyonce.maintenance AS m
-- How long ago the last sweep that left nothing behind began; since 1970 where none has yet. A transaction that has
-- been open for long keeps it from going on.
UNION ALL SELECT 'sweep_lag_seconds',
  EXTRACT(epoch FROM pg_catalog.clock_timestamp() - GREATEST(m.asked_at, timestamptz 'epoch'))
  FROM onlyonce.maintenance AS m
-- How long the oldest payload, key or event has outlived its time.
UNION ALL SELECT 'purge_lag_seconds',
  COALESCE(EXTRACT(epoch FROM pg_catalog.clock_timestamp() - pg_catalog.min(o.over_at)), 0)
  FROM (
    SELECT a.settled_at + t.kept AS over_at
      FROM (SELECT r.name, r.pending_timeout, LEAST(r.keep, r.keep_row) AS kept
        FROM onlyonce.action_types AS r) AS t
      CROSS JOIN LATERAL (SELECT p.settled_at FROM onlyonce.actions AS p
        WHERE p.action_type = t.name AND p.stripped_at IS NULL
          AND p.deadline_at <= pg_catalog.clock_timestamp() - t.kept + t.pending_timeout
          AND p.settled_at <= pg_catalog.clock_timestamp() - t.kept
          AND (p.status = 'sent' OR p.failure = 'abandoned')
        ORDER BY p.deadline_at LIMIT 1) AS a
    UNION ALL
    SELECT a.settled_at + t.keep_row FROM onlyonce.action_types AS t
      CROSS JOIN LATERAL (SELECT p.settled_at FROM onlyonce.actions AS p
        WHERE p.waits_since IS NULL AND p.action_type = t.name AND p.stripped_at IS NOT NULL
          AND p.deadline_at <= pg_catalog.clock_timestamp() - t.keep_row + t.pending_timeout
          AND p.settled_at <= pg_catalog.clock_timestamp() - t.keep_row
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

-- Nobody may anything but what is granted below: functions are open to everybody by default, and default privileges
-- of the migrating role may have opened more.
REVOKE ALL ON SCHEMA onlyonce FROM PUBLIC;

REVOKE ALL ON ALL TABLES IN SCHEMA onlyonce FROM PUBLIC;

REVOKE ALL ON ALL SEQUENCES IN SCHEMA onlyonce FROM PUBLIC;

REVOKE ALL ON ALL ROUTINES IN SCHEMA onlyonce FROM PUBLIC;

-- The worker gets no right on any table. reserve runs as its caller, so that it can commit, and calls
-- reserve_first and reserve_uncommitted, which therefore have to be granted too.
GRANT USAGE ON SCHEMA onlyonce
  TO onlyonce_app, onlyonce_operator, onlyonce_maintenance, onlyonce_monitor;

GRANT EXECUTE ON FUNCTION onlyonce.key(text, text[]) TO onlyonce_app, onlyonce_operator;

GRANT EXECUTE ON PROCEDURE onlyonce.reserve(text, text, uuid, jsonb) TO onlyonce_app;

GRANT EXECUTE ON FUNCTION onlyonce.reserve_first(text, text, uuid, jsonb) TO onlyonce_app;

GRANT EXECUTE ON FUNCTION onlyonce.reserve_uncommitted(text, text, uuid, jsonb) TO onlyonce_app;

GRANT EXECUTE ON FUNCTION onlyonce.record(text, text, uuid, text, text, jsonb, text) TO onlyonce_app;

GRANT EXECUTE ON FUNCTION onlyonce.confirm(text, text, text, text) TO onlyonce_app;

GRANT EXECUTE ON FUNCTION onlyonce.released(integer) TO onlyonce_app;

GRANT EXECUTE ON FUNCTION onlyonce.accept_event(text, text, uuid, jsonb, timestamptz) TO onlyonce_app;

GRANT EXECUTE ON FUNCTION onlyonce.finish_event(text, text, uuid) TO onlyonce_app;

GRANT EXECUTE ON FUNCTION onlyonce.resolve(text, text, integer, text, text, text, text) TO onlyonce_operator;

GRANT EXECUTE ON FUNCTION onlyonce.resolve_event(text, text, text, text, text) TO onlyonce_operator;

GRANT EXECUTE ON FUNCTION onlyonce.import(text, text, timestamptz, text, text) TO onlyonce_operator;

GRANT EXECUTE ON FUNCTION onlyonce.erase(text, text, text) TO onlyonce_operator;

GRANT EXECUTE ON FUNCTION onlyonce.pause(text, text) TO onlyonce_operator;

GRANT EXECUTE ON FUNCTION onlyonce.resume(text) TO onlyonce_operator;

GRANT EXECUTE ON FUNCTION onlyonce.sweep(integer) TO onlyonce_maintenance;

GRANT EXECUTE ON FUNCTION onlyonce.purge(integer) TO onlyonce_maintenance;

GRANT SELECT ON onlyonce.reconciliation_queue TO onlyonce_operator, onlyonce_monitor;

GRANT SELECT ON onlyonce.duplicate_counts TO onlyonce_operator, onlyonce_monitor;

GRANT SELECT ON onlyonce.health TO onlyonce_operator, onlyonce_monitor;

RESET ROLE;

SET ROLE onlyonce_owner;

INSERT INTO onlyonce.action_types (name, kind, send_budget, pending_timeout, max_attempts, when_unknown, key_window, keep, keep_key, look_up)
VALUES ('draft_reply', 'model', interval '1 second', interval '2 seconds', 5, 'retry', NULL, NULL, NULL, NULL);

INSERT INTO onlyonce.action_types (name, kind, send_budget, pending_timeout, max_attempts, when_unknown, key_window, keep, keep_key, look_up)
VALUES ('send_reply', 'send', interval '1 second', interval '2 seconds', 5, 'reconcile', NULL, NULL, NULL, NULL);

INSERT INTO onlyonce.inbound_sources (name, mode, claim_timeout, retention, redelivery)
VALUES ('messages', 'claim', interval '2 seconds', interval '336 hours', NULL);

RESET ROLE;
