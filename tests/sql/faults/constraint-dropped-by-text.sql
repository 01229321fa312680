-- finds: key-not-unique
DO $$ BEGIN EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', 'agent_actions', 'agent_actions_key'); END $$;
