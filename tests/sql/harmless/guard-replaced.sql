-- Another guard that still guards.
CREATE OR REPLACE FUNCTION agent_actions_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state = 'sent' AND NEW.state IS DISTINCT FROM OLD.state THEN
    RAISE 'a sent action stays sent' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION agent_actions_guard() IS 'keeps final states';
ALTER FUNCTION agent_actions_guard() OWNER TO CURRENT_USER;
