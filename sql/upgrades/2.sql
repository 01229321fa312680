-- From ledger 1 to 2, and back; src/emit/upgrade.rs says what the braces stand for. Each step is a migration of its own,
-- and takes strong locks on one table alone, or on `actions` before any other: workers lock tables in more than one order.
--
-- pause     where reserve is going to look whether it is paused, and how far the sweep has looked through
-- index     one index in the place of two, and two of what came late; reservations wait while they are built
-- expand    the new check stands beside the old ones, and holds for what is written from now on
-- validate  the rows that are there are read, while workers go on, and totals lose a check
-- switch    the old checks and indexes go, and the log of transitions takes its new place
-- settle    a pause that was asked for in the middle of the switch, and counts lose a check; on the way back, the two
--           indexes

--: up step=pause roles=create,existing
SET ROLE ledger_schema_owner;
--: up step=pause
ALTER TABLE ledger_schema.maintenance ADD COLUMN paused boolean NOT NULL DEFAULT false,
  ADD COLUMN looked_to bigint NOT NULL DEFAULT 0;
--: up step=pause roles=create,existing
RESET ROLE;

--: up step=index roles=create,existing
SET ROLE ledger_schema_owner;
--: up step=index
-- Reservations wait for this, about a second a million rows. On a table of tens of millions, build it before you run
-- this, as the owner of the table and outside a transaction, by the same statement with CONCURRENTLY behind INDEX.
CREATE INDEX IF NOT EXISTS actions_aside ON ledger_schema.actions (waits_since, action_type, deadline_at)
  WHERE waits_since IS NOT NULL OR stripped_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS late_evidence_by_age ON ledger_schema.late_evidence (action_type, at);
CREATE INDEX IF NOT EXISTS late_evidence_results ON ledger_schema.late_evidence (action_type, at)
  WHERE result IS NOT NULL;
--: up step=index roles=create,existing
RESET ROLE;

--: up step=expand roles=create,existing
SET ROLE ledger_schema_owner;
--: up step=expand
{new_routines}
ALTER TABLE ledger_schema.actions
  ADD CONSTRAINT actions_sound CHECK (ledger_schema.is_sound(idempotency_key, status, failure, settled_at, waits_since,
    stripped_at, step, message_id, evidence, actor, payload, result)) NOT VALID;
--: up step=expand roles=create,existing
RESET ROLE;

--: up step=validate roles=create,existing
SET ROLE ledger_schema_owner;
--: up step=validate
ALTER TABLE ledger_schema.actions VALIDATE CONSTRAINT actions_sound;
ALTER TABLE ledger_schema.duplicate_totals DROP CONSTRAINT duplicate_totals_scope_known;
--: up step=validate roles=create,existing
RESET ROLE;

--: up step=switch roles=create,existing
SET ROLE ledger_schema_owner;
--: up step=switch
ALTER TABLE ledger_schema.actions
  DROP CONSTRAINT actions_key_kept, DROP CONSTRAINT actions_status_known, DROP CONSTRAINT actions_status_sound;
DROP TRIGGER actions_guard_insert ON ledger_schema.actions;
CREATE TRIGGER actions_guard_insert BEFORE INSERT ON ledger_schema.actions
  FOR EACH ROW EXECUTE FUNCTION ledger_schema.guard_action_insert();
ALTER TABLE ledger_schema.actions ENABLE ALWAYS TRIGGER actions_guard_insert;
DROP INDEX ledger_schema.actions_stripped;
DROP INDEX ledger_schema.actions_waiting;
-- Who writes a transition has locked its action.
ALTER TABLE ledger_schema.action_transitions RENAME TO transition_log;
ALTER TABLE ledger_schema.transition_log RENAME CONSTRAINT action_transitions_pkey TO transition_log_pkey;
ALTER SEQUENCE ledger_schema.action_transitions_id_seq RENAME TO transition_log_id_seq;
ALTER TRIGGER action_transitions_guard ON ledger_schema.transition_log RENAME TO transition_log_guard;
ALTER TRIGGER action_transitions_guard_truncate ON ledger_schema.transition_log RENAME TO transition_log_guard_truncate;
UPDATE ledger_schema.maintenance AS m
  SET paused = EXISTS (SELECT FROM ledger_schema.pauses AS p WHERE p.resumed_at IS NULL);
{routines}
{gone}
--: up step=switch roles=create,existing
RESET ROLE;

--: up step=settle roles=create,existing
SET ROLE ledger_schema_owner;
--: up step=settle
UPDATE ledger_schema.maintenance AS m SET paused = NOT m.paused
  WHERE m.paused <> EXISTS (SELECT FROM ledger_schema.pauses AS p WHERE p.resumed_at IS NULL);
ALTER TABLE ledger_schema.duplicate_log DROP CONSTRAINT duplicate_log_scope_known;
--: up step=settle roles=create,existing
RESET ROLE;

--: down step=settle roles=create,existing
SET ROLE ledger_schema_owner;
--: down step=settle
-- Reservations wait for these, as on the way there.
CREATE INDEX IF NOT EXISTS actions_stripped ON ledger_schema.actions (action_type, deadline_at)
  WHERE stripped_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS actions_waiting ON ledger_schema.actions (waits_since) WHERE waits_since IS NOT NULL;
ALTER TABLE ledger_schema.duplicate_log
  ADD CONSTRAINT duplicate_log_scope_known CHECK (scope IN ('action', 'inbound')) NOT VALID;
--: down step=settle roles=create,existing
RESET ROLE;

--: down step=switch roles=create,existing
SET ROLE ledger_schema_owner;
--: down step=switch
{new_routines}
ALTER TABLE ledger_schema.actions
  ADD CONSTRAINT actions_key_kept
    CHECK (octet_length(idempotency_key) BETWEEN 1 AND 200 AND idempotency_key !~ '[^!-~]') NOT VALID,
  ADD CONSTRAINT actions_status_known CHECK (status IN ('pending', 'sent', 'failed', 'unknown')) NOT VALID,
  ADD CONSTRAINT actions_status_sound CHECK (ledger_schema.is_sound(status, failure, settled_at, waits_since,
    stripped_at, message_id, evidence, actor, payload, result)) NOT VALID;
DROP TRIGGER actions_guard_insert ON ledger_schema.actions;
CREATE TRIGGER actions_guard_insert BEFORE INSERT ON ledger_schema.actions
  FOR EACH ROW WHEN (NEW.status <> 'pending' OR NEW.attempt <> 1)
  EXECUTE FUNCTION ledger_schema.guard_action_insert();
ALTER TABLE ledger_schema.actions ENABLE ALWAYS TRIGGER actions_guard_insert;
DROP VIEW ledger_schema.action_transitions;
ALTER TRIGGER transition_log_guard ON ledger_schema.transition_log RENAME TO action_transitions_guard;
ALTER TRIGGER transition_log_guard_truncate ON ledger_schema.transition_log RENAME TO action_transitions_guard_truncate;
ALTER SEQUENCE ledger_schema.transition_log_id_seq RENAME TO action_transitions_id_seq;
ALTER TABLE ledger_schema.transition_log RENAME CONSTRAINT transition_log_pkey TO action_transitions_pkey;
ALTER TABLE ledger_schema.transition_log RENAME TO action_transitions;
{routines}
--: down step=switch roles=create,existing
RESET ROLE;

--: down step=validate roles=create,existing
SET ROLE ledger_schema_owner;
--: down step=validate
ALTER TABLE ledger_schema.actions VALIDATE CONSTRAINT actions_key_kept,
  VALIDATE CONSTRAINT actions_status_known, VALIDATE CONSTRAINT actions_status_sound;
ALTER TABLE ledger_schema.duplicate_log VALIDATE CONSTRAINT duplicate_log_scope_known;
ALTER TABLE ledger_schema.duplicate_totals
  ADD CONSTRAINT duplicate_totals_scope_known CHECK (scope IN ('action', 'inbound'));
-- What ledger 2 reads from the action's own row, ledger 1 keeps in the history.
INSERT INTO ledger_schema.action_transitions (action_type, idempotency_key, at, attempt,
    from_status, to_status, step, message_id, reason)
  SELECT a.action_type, a.idempotency_key, a.settled_at, a.attempt, 'pending', 'sent', 'record', a.message_id, a.reason
    FROM ledger_schema.actions AS a
    WHERE a.status = 'sent' AND a.deadline_at > a.created_at
      AND NOT EXISTS (SELECT FROM ledger_schema.action_transitions AS h
        WHERE h.action_type = a.action_type AND h.idempotency_key = a.idempotency_key AND h.to_status = 'sent');
--: down step=validate roles=create,existing
RESET ROLE;

--: down step=expand roles=create,existing
SET ROLE ledger_schema_owner;
--: down step=expand
ALTER TABLE ledger_schema.actions DROP CONSTRAINT actions_sound;
{gone}
--: down step=expand roles=create,existing
RESET ROLE;

--: down step=index roles=create,existing
SET ROLE ledger_schema_owner;
--: down step=index
DROP INDEX ledger_schema.actions_aside;
DROP INDEX ledger_schema.late_evidence_results;
DROP INDEX ledger_schema.late_evidence_by_age;
--: down step=index roles=create,existing
RESET ROLE;

--: down step=pause roles=create,existing
SET ROLE ledger_schema_owner;
--: down step=pause
ALTER TABLE ledger_schema.maintenance DROP COLUMN paused, DROP COLUMN looked_to;
--: down step=pause roles=create,existing
RESET ROLE;
