-- finds: ledger-bypassable
-- ours
GRANT CREATE ON SCHEMA onlyonce TO PUBLIC;
