-- finds: key-nullable
ALTER TABLE agent_actions ALTER COLUMN idem_key DROP NOT NULL;
