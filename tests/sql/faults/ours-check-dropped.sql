-- finds: ledger-weakened
-- ours
ALTER TABLE onlyonce.actions DROP CONSTRAINT actions_sent_is_shown;
