-- finds: key-partly-unique
ALTER TABLE agent_actions ADD COLUMN deleted_at timestamptz, DROP CONSTRAINT agent_actions_key;
CREATE UNIQUE INDEX agent_actions_live ON agent_actions (tenant, idem_key) WHERE deleted_at IS NULL;
