-- finds: ledger-weakened
-- live: nothing
ALTER TABLE agent_actions ALTER COLUMN idem_key TYPE varchar(20) COLLATE "C" USING left(idem_key, 20);
