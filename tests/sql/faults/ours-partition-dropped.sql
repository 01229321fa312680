-- finds: ledger-missing ledger-weakened
-- ours in partitions
DROP TABLE onlyonce.actions_1;
