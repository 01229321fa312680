-- finds: key-not-unique status-unchecked transition-unguarded
CREATE FUNCTION key_goes() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_key; RETURN true; END $$;
CREATE FUNCTION check_goes() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_state_known; RETURN true; END $$;
CREATE FUNCTION guard_goes() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN DROP TRIGGER agent_actions_guard ON agent_actions; RETURN true; END $$;
CREATE FUNCTION guard_goes_too() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN guard_goes(); END $$;
DO $$
DECLARE
  done boolean := guard_goes_too();
BEGIN
  done := key_goes();
  IF check_goes() THEN
    NULL;
  END IF;
END
$$;
