-- finds: status-unchecked
ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_state_known;
ALTER TABLE agent_actions ADD CONSTRAINT agent_actions_state_known CHECK (state IN ('pending', 'sent') OR payload IS NOT NULL);
