-- live: ledger-bypassable
-- ours
GRANT UPDATE (status) ON onlyonce.actions TO onlyonce_app;
