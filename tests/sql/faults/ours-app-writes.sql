-- finds: ledger-bypassable
-- ours
GRANT INSERT, UPDATE ON onlyonce.actions TO onlyonce_app;
