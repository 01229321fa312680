-- Other columns are nobody's guarantee.
ALTER TABLE agent_actions DROP COLUMN payload;
ALTER TABLE agent_actions ADD COLUMN attempt int NOT NULL DEFAULT 0, ADD COLUMN token uuid DEFAULT gen_random_uuid();
ALTER TABLE agent_actions ALTER COLUMN attempt DROP NOT NULL;
