-- finds: ledger-weakened
-- ours in partitions
ALTER TABLE onlyonce.actions_0 DISABLE TRIGGER actions_guard_update;
