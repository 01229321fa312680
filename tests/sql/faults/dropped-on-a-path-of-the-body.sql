-- finds: key-not-unique
CREATE SCHEMA other;
CREATE TABLE other.agent_actions (id integer CONSTRAINT agent_actions_key UNIQUE);
CREATE FUNCTION public.let_go() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  SET LOCAL search_path = public;
  ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_key;
END $$;
SET search_path = other;
SELECT public.let_go();
RESET search_path;
