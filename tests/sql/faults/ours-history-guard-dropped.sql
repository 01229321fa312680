-- finds: ledger-weakened
-- ours
DROP TRIGGER transition_log_guard ON onlyonce.transition_log;
