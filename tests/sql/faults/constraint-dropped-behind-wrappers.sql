-- finds: key-not-unique
CREATE FUNCTION let_go() RETURNS void LANGUAGE plpgsql AS $$
BEGIN ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_key; END $$;
CREATE PROCEDURE tidy() LANGUAGE plpgsql AS $$ BEGIN PERFORM let_go(); END $$;
CREATE PROCEDURE nightly() LANGUAGE plpgsql AS $$ BEGIN CALL tidy(); END $$;
CALL nightly();
