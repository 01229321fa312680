-- finds: status-unchecked unread-statement
-- live: status-unchecked
CREATE FUNCTION check_goes() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN ALTER TABLE agent_actions DROP CONSTRAINT IF EXISTS agent_actions_state_known; RETURN true; END $$;
CREATE TABLE done AS SELECT 1 AS id;
ALTER TABLE done ADD COLUMN at boolean DEFAULT check_goes();
