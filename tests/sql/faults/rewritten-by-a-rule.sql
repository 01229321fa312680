-- finds: ledger-weakened
CREATE RULE quiet AS ON INSERT TO agent_actions DO INSTEAD NOTHING;
