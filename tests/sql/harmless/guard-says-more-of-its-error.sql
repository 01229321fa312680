-- An error that is caught is raised again.
CREATE OR REPLACE FUNCTION agent_actions_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state IN ('sent', 'failed') THEN
    RAISE EXCEPTION 'a final action stays as it is';
  END IF;
  RETURN NEW;
EXCEPTION WHEN OTHERS THEN
  RAISE EXCEPTION 'state: %', SQLERRM;
END $$;
