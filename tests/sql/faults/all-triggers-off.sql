-- finds: ledger-weakened transition-unguarded
ALTER TABLE agent_actions DISABLE TRIGGER ALL;
