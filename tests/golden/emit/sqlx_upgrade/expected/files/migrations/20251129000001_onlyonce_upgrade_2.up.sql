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
    WHEN change IN (
        'pending -> sent', 'pending -> unknown', 'pending -> failed(rejected)', 'pending -> failed(not_attempted)',
        'pending -> failed(exhausted)',
        'unknown -> sent', 'unknown -> failed(rejected)', 'unknown -> failed(not_attempted)',
        'unknown -> failed(exhausted)', 'unknown -> failed(released)', 'unknown -> failed(abandoned)',
        'failed(rejected) -> failed(released)', 'failed(rejected) -> failed(abandoned)',
        'failed(exhausted) -> failed(released)', 'failed(exhausted) -> failed(abandoned)')
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

RESET ROLE;
