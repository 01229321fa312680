-- finds: transition-unguarded
DROP TRIGGER agent_actions_guard ON agent_actions;
CREATE TRIGGER agent_actions_guard BEFORE UPDATE ON agent_actions FOR EACH STATEMENT EXECUTE FUNCTION agent_actions_guard();
ALTER TABLE agent_actions ENABLE ALWAYS TRIGGER agent_actions_guard;
