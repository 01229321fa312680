-- finds: key-not-unique ledger-missing
ALTER TABLE agent_actions DROP COLUMN tenant;
