-- finds: key-partly-unique
ALTER TABLE agent_actions ADD COLUMN attempt integer NOT NULL DEFAULT 1;
ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_key, ADD UNIQUE (tenant, idem_key, attempt);
