-- finds: ledger-missing
-- ours
DROP FUNCTION onlyonce.sweep(integer);
