-- finds: transition-unguarded
DROP TRIGGER agent_actions_guard ON agent_actions;
CREATE TRIGGER agent_actions_guard BEFORE UPDATE OF payload ON agent_actions
  FOR EACH ROW EXECUTE FUNCTION agent_actions_guard();
