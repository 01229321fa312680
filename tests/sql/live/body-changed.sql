-- live: ledger-weakened
-- ours
DO $$ BEGIN EXECUTE replace(pg_get_functiondef('onlyonce.record'::regproc), 'unknown', 'pending'); END $$;
