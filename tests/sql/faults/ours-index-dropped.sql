-- finds: ledger-weakened
-- ours
DROP INDEX onlyonce.actions_unstripped;
