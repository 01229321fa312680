-- finds: ledger-weakened
TRUNCATE agent_actions;
