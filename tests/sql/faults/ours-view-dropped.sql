-- finds: ledger-missing
-- ours
DROP VIEW onlyonce.health;
