ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_pkey;
ALTER TABLE agent_actions ADD PRIMARY KEY (tenant, idem_key);
ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_key;
