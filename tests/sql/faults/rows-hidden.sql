-- finds: ledger-weakened
ALTER TABLE agent_actions ENABLE ROW LEVEL SECURITY;
