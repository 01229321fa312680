-- finds: key-collation
CREATE DOMAIN word AS text;
ALTER TABLE agent_actions ALTER COLUMN idem_key TYPE word;
