-- finds: ledger-missing
DROP TABLE agent_actions CASCADE;
