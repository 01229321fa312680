-- finds: ledger-missing
ALTER TABLE agent_actions RENAME COLUMN state TO phase;
