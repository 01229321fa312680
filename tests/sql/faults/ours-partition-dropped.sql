-- finds: ledger-missing ledger-weakened
-- ours in partitions
-- live: ledger-missing
DROP TABLE onlyonce.actions_1;
