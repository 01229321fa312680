-- Locks, statistics and replication take no guarantee.
DO $$ BEGIN LOCK TABLE agent_actions IN SHARE MODE; END $$;
ALTER TABLE agent_actions REPLICA IDENTITY USING INDEX agent_actions_key;
CREATE STATISTICS agent_actions_seen ON tenant, state FROM agent_actions;
CREATE PUBLICATION all_of_it FOR TABLE agent_actions;
REINDEX TABLE agent_actions;
SET lock_timeout = '5s';
SET LOCAL statement_timeout = 0;
