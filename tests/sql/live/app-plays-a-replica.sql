-- live: ledger-bypassable
-- ours
ALTER ROLE onlyonce_app SET session_replication_role = replica;
