-- finds: ledger-missing
-- ours
DROP SCHEMA onlyonce CASCADE;
