-- finds: key-generated
CREATE FUNCTION fresh_key() RETURNS text LANGUAGE sql AS $$ SELECT 'k-' || gen_random_uuid() $$;
ALTER TABLE agent_actions ALTER COLUMN idem_key SET DEFAULT fresh_key();
