-- finds: key-not-unique
CREATE FUNCTION let_go(of text, what text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', of, what); END $$;
SELECT let_go('agent_actions', 'agent_actions_key');
