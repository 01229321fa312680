-- ours
-- Reading is no way past the ledger.
GRANT SELECT ON onlyonce.health TO onlyonce_app;
