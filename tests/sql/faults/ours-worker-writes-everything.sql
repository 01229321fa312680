-- finds: ledger-bypassable
-- ours
GRANT pg_write_all_data TO onlyonce_app;
