-- finds: status-unchecked
ALTER TABLE agent_actions ALTER COLUMN state DROP NOT NULL;
