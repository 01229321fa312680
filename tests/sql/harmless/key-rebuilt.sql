-- The key under another name, with no moment without one.
CREATE UNIQUE INDEX agent_actions_key2 ON agent_actions (tenant, idem_key);
ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_key, ADD CONSTRAINT agent_actions_key2 UNIQUE USING INDEX agent_actions_key2;
