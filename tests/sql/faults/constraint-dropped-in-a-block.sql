-- finds: key-not-unique
DO $$
BEGIN
  IF EXISTS (SELECT 1 FROM pg_constraint WHERE conname = 'agent_actions_key') THEN
    ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_key;
  END IF;
END
$$;
