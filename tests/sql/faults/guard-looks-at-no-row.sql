-- finds: ledger-weakened
DROP TRIGGER agent_actions_no_delete ON agent_actions;
CREATE TRIGGER agent_actions_no_delete BEFORE DELETE ON agent_actions FOR EACH ROW
  WHEN (current_setting('app.cleaning', true) IS NULL) EXECUTE FUNCTION agent_actions_keep();
ALTER TABLE agent_actions ENABLE ALWAYS TRIGGER agent_actions_no_delete;
