-- finds: ledger-weakened
-- ours on citus
DROP TRIGGER actions_guard_delete ON onlyonce.actions;
