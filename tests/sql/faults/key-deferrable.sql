-- finds: key-partly-unique
ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_key;
ALTER TABLE agent_actions ADD CONSTRAINT agent_actions_key UNIQUE (tenant, idem_key) DEFERRABLE INITIALLY DEFERRED;
