-- finds: ledger-weakened
-- live: nothing
ALTER TABLE agent_actions DISABLE TRIGGER agent_actions_no_truncate;
TRUNCATE agent_actions;
ALTER TABLE agent_actions ENABLE ALWAYS TRIGGER agent_actions_no_truncate;
