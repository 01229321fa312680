-- finds: transition-unguarded
CREATE OR REPLACE FUNCTION agent_actions_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state IN ('sent', 'failed') THEN
    RETURN OLD;
  END IF;
  RETURN NEW;
END $$;
DROP TRIGGER agent_actions_guard ON agent_actions;
CREATE TRIGGER agent_actions_guard AFTER UPDATE ON agent_actions FOR EACH ROW EXECUTE FUNCTION agent_actions_guard();
ALTER TABLE agent_actions ENABLE ALWAYS TRIGGER agent_actions_guard;
