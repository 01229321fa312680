-- finds: ledger-weakened
-- ours
DROP TRIGGER action_transitions_guard ON onlyonce.action_transitions;
