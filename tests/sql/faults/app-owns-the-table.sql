-- finds: ledger-bypassable
ALTER TABLE agent_actions OWNER TO agent;
