-- A partial unique index beside the whole key takes nothing from it.
CREATE UNIQUE INDEX CONCURRENTLY agent_actions_open ON agent_actions (tenant, idem_key) WHERE state = 'pending';
DROP INDEX CONCURRENTLY agent_actions_open;
