-- alone
-- A partition that is made later gets a guard of its own.
CREATE ROLE agent LOGIN;
CREATE FUNCTION agent_actions_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN IF OLD.state <> 'pending' THEN RAISE EXCEPTION 'final'; END IF; RETURN NEW; END $$;
CREATE FUNCTION agent_actions_keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'kept'; END $$;
CREATE TABLE agent_actions (
  tenant text COLLATE "C" NOT NULL,
  idem_key text COLLATE "C" NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'sent'))
) PARTITION BY LIST (tenant);
CREATE TABLE agent_actions_0 PARTITION OF agent_actions FOR VALUES IN ('a');
CREATE TABLE agent_actions_1 PARTITION OF agent_actions FOR VALUES IN ('b');
CREATE TRIGGER guard BEFORE UPDATE ON agent_actions FOR EACH ROW EXECUTE FUNCTION agent_actions_guard();
CREATE TRIGGER no_delete BEFORE DELETE ON agent_actions FOR EACH ROW EXECUTE FUNCTION agent_actions_keep();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON agent_actions FOR EACH STATEMENT EXECUTE FUNCTION agent_actions_keep();
ALTER TABLE agent_actions ENABLE ALWAYS TRIGGER guard, ENABLE ALWAYS TRIGGER no_delete, ENABLE ALWAYS TRIGGER no_truncate;
ALTER TABLE agent_actions_0 ENABLE ALWAYS TRIGGER guard, ENABLE ALWAYS TRIGGER no_delete;
ALTER TABLE agent_actions_1 ENABLE ALWAYS TRIGGER guard, ENABLE ALWAYS TRIGGER no_delete;
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON agent_actions_0 FOR EACH STATEMENT EXECUTE FUNCTION agent_actions_keep();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON agent_actions_1 FOR EACH STATEMENT EXECUTE FUNCTION agent_actions_keep();
ALTER TABLE agent_actions_0 ENABLE ALWAYS TRIGGER no_truncate;
ALTER TABLE agent_actions_1 ENABLE ALWAYS TRIGGER no_truncate;
GRANT SELECT, INSERT, UPDATE ON agent_actions TO agent;
ALTER TABLE agent_actions ADD CONSTRAINT agent_actions_key UNIQUE (tenant, idem_key);
CREATE TABLE agent_actions_2 PARTITION OF agent_actions FOR VALUES IN ('c');
CREATE TRIGGER kept BEFORE TRUNCATE ON agent_actions_2 FOR EACH STATEMENT EXECUTE FUNCTION agent_actions_keep();
ALTER TABLE agent_actions_2 ENABLE ALWAYS TRIGGER kept, ENABLE ALWAYS TRIGGER guard, ENABLE ALWAYS TRIGGER no_delete;
