-- finds: ledger-bypassable
GRANT UPDATE ON agent_actions TO PUBLIC;
