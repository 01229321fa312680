-- finds: ledger-weakened
ALTER TABLE agent_actions ENABLE TRIGGER agent_actions_guard;
