-- finds: ledger-weakened
UPDATE agent_actions SET state = 'pending' WHERE state = 'unknown';
