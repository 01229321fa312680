-- finds: transition-unguarded
-- ours
ALTER TABLE onlyonce.actions DISABLE TRIGGER actions_guard_update;
