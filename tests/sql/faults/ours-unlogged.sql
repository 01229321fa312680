-- finds: ledger-unlogged
-- ours
ALTER TABLE onlyonce.duplicate_log SET UNLOGGED;
