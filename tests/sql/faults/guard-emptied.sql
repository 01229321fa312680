-- finds: transition-unguarded
CREATE OR REPLACE FUNCTION agent_actions_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE 'skipped';
  RETURN NEW;
END
$$;
