-- finds: ledger-bypassable ledger-weakened
DROP TRIGGER agent_actions_no_delete ON agent_actions;
GRANT ALL ON ALL TABLES IN SCHEMA public TO agent;
