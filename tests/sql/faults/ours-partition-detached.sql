-- finds: ledger-weakened
-- ours in partitions
-- What was sent is forgotten, and what hashes there can no longer be reserved.
ALTER TABLE onlyonce.actions DETACH PARTITION onlyonce.actions_1;
