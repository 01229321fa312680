-- finds: ledger-missing
CREATE SCHEMA archive;
ALTER TABLE agent_actions SET SCHEMA archive;
