-- finds: ledger-weakened status-unchecked
-- ours
ALTER TABLE onlyonce.actions DROP CONSTRAINT actions_sound;
