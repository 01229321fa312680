-- finds: ledger-weakened transition-unguarded
-- ours
ALTER TABLE onlyonce.actions DISABLE TRIGGER actions_guard_update;
