-- Of two routines of one name the other is called.
CREATE FUNCTION let_go(what integer) RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '%', what; END $$;
CREATE FUNCTION let_go(what text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN EXECUTE format('ALTER TABLE agent_actions DROP CONSTRAINT %I', what); END $$;
SELECT let_go(1);
