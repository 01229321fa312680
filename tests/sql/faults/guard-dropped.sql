-- finds: transition-unguarded
DROP TRIGGER agent_actions_guard ON agent_actions;
