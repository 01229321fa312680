-- finds: ledger-weakened
-- live: nothing
UPDATE agent_actions SET state = 'pending' WHERE state = 'unknown';
