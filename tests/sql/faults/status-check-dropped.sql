-- finds: status-unchecked
ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_state_known;
