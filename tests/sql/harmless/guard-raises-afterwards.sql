-- An error that is raised after the row is written takes it back.
DROP TRIGGER agent_actions_guard ON agent_actions;
CREATE TRIGGER agent_actions_guard AFTER UPDATE ON agent_actions FOR EACH ROW EXECUTE FUNCTION agent_actions_guard();
ALTER TABLE agent_actions ENABLE ALWAYS TRIGGER agent_actions_guard;
