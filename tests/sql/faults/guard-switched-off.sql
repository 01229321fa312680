-- finds: transition-unguarded
ALTER TABLE agent_actions DISABLE TRIGGER agent_actions_guard;
