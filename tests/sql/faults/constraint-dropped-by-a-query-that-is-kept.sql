-- finds: key-not-unique
CREATE FUNCTION key_goes() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_key; RETURN true; END $$;
CREATE TABLE done AS SELECT key_goes();
