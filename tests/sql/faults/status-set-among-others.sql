-- finds: ledger-weakened
-- live: nothing
UPDATE agent_actions SET (payload, state) = ROW (NULL, 'pending');
