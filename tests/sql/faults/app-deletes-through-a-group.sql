-- finds: ledger-bypassable ledger-weakened
DROP TRIGGER agent_actions_no_delete ON agent_actions;
CREATE ROLE writers;
GRANT DELETE ON agent_actions TO writers;
GRANT writers TO agent;
