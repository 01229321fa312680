-- finds: key-generated
ALTER TABLE agent_actions ALTER COLUMN idem_key SET DEFAULT gen_random_uuid()::text;
