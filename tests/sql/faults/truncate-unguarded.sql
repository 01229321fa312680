-- finds: ledger-weakened
DROP TRIGGER agent_actions_no_truncate ON agent_actions;
