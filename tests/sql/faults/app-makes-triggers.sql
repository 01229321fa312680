-- finds: ledger-bypassable
GRANT TRIGGER ON agent_actions TO agent;
