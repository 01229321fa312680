CREATE TYPE action_state AS ENUM ('pending', 'sent', 'failed', 'unknown');
ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_state_known;
ALTER TABLE agent_actions ALTER COLUMN state TYPE action_state USING state::action_state;
