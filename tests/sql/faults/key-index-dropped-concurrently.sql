-- finds: key-not-unique
CREATE UNIQUE INDEX agent_actions_key2 ON agent_actions (tenant, idem_key);
ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_key;
DROP INDEX CONCURRENTLY IF EXISTS agent_actions_key2;
