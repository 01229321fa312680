-- finds: key-not-unique
ALTER TABLE agent_actions RENAME CONSTRAINT agent_actions_key TO uq_actions;
ALTER TABLE agent_actions DROP CONSTRAINT IF EXISTS uq_actions;
