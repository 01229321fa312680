-- finds: ledger-unlogged
ALTER TABLE agent_actions SET UNLOGGED;
