-- finds: ledger-weakened
-- ours in partitions
DROP TRIGGER actions_guard_truncate ON onlyonce.actions_2;
