-- The same for all who give none.
CREATE FUNCTION no_key() RETURNS text LANGUAGE sql AS $$ SELECT 'none' $$;
ALTER TABLE agent_actions ALTER COLUMN idem_key SET DEFAULT no_key();
