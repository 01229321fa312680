-- live: key-not-unique
ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_key;
CREATE UNIQUE INDEX agent_actions_key ON agent_actions (tenant, idem_key);
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'agent_actions_key'::regclass;
