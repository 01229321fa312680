-- A team's own ledger that holds everything that is asked of one. Every file in faults/ breaks one thing of it.
CREATE ROLE agent LOGIN;

CREATE TABLE agent_actions (
  id bigint GENERATED ALWAYS AS IDENTITY,
  tenant text COLLATE "C" NOT NULL,
  idem_key text COLLATE "C" NOT NULL,
  state text NOT NULL,
  payload jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT agent_actions_pkey PRIMARY KEY (id),
  CONSTRAINT agent_actions_key UNIQUE (tenant, idem_key),
  CONSTRAINT agent_actions_state_known CHECK (state IN ('pending', 'sent', 'failed', 'unknown'))
);

CREATE TABLE webhook_events (
  event_id text PRIMARY KEY,
  body jsonb NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now()
);

CREATE FUNCTION agent_actions_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state IN ('sent', 'failed') AND NEW.state <> OLD.state THEN
    RAISE EXCEPTION 'a final action stays as it is';
  END IF;
  RETURN NEW;
END
$$;

CREATE FUNCTION agent_actions_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'actions are never deleted';
END
$$;

CREATE TRIGGER agent_actions_guard BEFORE UPDATE ON agent_actions
  FOR EACH ROW EXECUTE FUNCTION agent_actions_guard();
CREATE TRIGGER agent_actions_no_delete BEFORE DELETE ON agent_actions
  FOR EACH ROW EXECUTE FUNCTION agent_actions_keep();
CREATE TRIGGER agent_actions_no_truncate BEFORE TRUNCATE ON agent_actions
  FOR EACH STATEMENT EXECUTE FUNCTION agent_actions_keep();
ALTER TABLE agent_actions ENABLE ALWAYS TRIGGER agent_actions_guard;
ALTER TABLE agent_actions ENABLE ALWAYS TRIGGER agent_actions_no_delete;
ALTER TABLE agent_actions ENABLE ALWAYS TRIGGER agent_actions_no_truncate;

GRANT SELECT, INSERT, UPDATE ON agent_actions TO agent;
GRANT SELECT, INSERT ON webhook_events TO agent;
