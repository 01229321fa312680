-- A trigger and a constraint of the same names, on another table, may go.
CREATE TABLE old_actions (tenant text, idem_key text, state text, CONSTRAINT agent_actions_key_old UNIQUE (tenant, idem_key),
  CONSTRAINT agent_actions_state_known CHECK (state <> ''));
CREATE TRIGGER agent_actions_guard BEFORE UPDATE ON old_actions FOR EACH ROW EXECUTE FUNCTION agent_actions_guard();
DROP TRIGGER agent_actions_guard ON old_actions;
ALTER TABLE old_actions DROP CONSTRAINT agent_actions_state_known, DISABLE TRIGGER ALL, SET UNLOGGED;
DROP TABLE old_actions;
