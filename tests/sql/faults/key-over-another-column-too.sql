-- finds: key-partly-unique
ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_key;
CREATE UNIQUE INDEX agent_actions_key ON agent_actions (tenant, (idem_key || id::text));
