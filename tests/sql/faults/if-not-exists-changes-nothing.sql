-- finds: key-not-unique
ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_key;
CREATE INDEX agent_actions_key ON agent_actions (tenant, idem_key);
CREATE UNIQUE INDEX IF NOT EXISTS agent_actions_key ON agent_actions (tenant, idem_key);
