-- finds: key-nullable
ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_key, ALTER COLUMN tenant DROP NOT NULL;
CREATE UNIQUE INDEX agent_actions_key ON agent_actions ((tenant || ':' || idem_key));
