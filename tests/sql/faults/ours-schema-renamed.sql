-- finds: ledger-missing
-- ours
ALTER SCHEMA onlyonce RENAME TO once;
