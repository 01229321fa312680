-- The body looks into another schema first.
CREATE SCHEMA other;
CREATE TABLE other.agent_actions (id integer CONSTRAINT agent_actions_key UNIQUE);
CREATE FUNCTION let_go() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('search_path', 'other', true);
  ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_key;
END $$;
SELECT let_go();
RESET search_path;
