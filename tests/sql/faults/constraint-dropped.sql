-- finds: key-not-unique
ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_key;
