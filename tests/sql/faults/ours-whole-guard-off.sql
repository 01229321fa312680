-- finds: transition-unguarded
-- ours in partitions
ALTER TABLE onlyonce.actions DISABLE TRIGGER actions_guard_update;
