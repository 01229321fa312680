-- finds: ledger-bypassable
-- ours
GRANT onlyonce_owner TO onlyonce_app;
