ALTER TABLE agent_actions SET (fillfactor = 80), ALTER COLUMN payload SET STORAGE EXTERNAL;
ALTER TABLE agent_actions CLUSTER ON agent_actions_key;
REINDEX TABLE agent_actions;
COMMENT ON TABLE agent_actions IS 'DROP TABLE agent_actions; -- in words only';
DO $$ BEGIN PERFORM 1; RAISE NOTICE 'agent_actions: ALTER TABLE agent_actions DISABLE TRIGGER ALL'; END $$;
SELECT 'TRUNCATE agent_actions';
