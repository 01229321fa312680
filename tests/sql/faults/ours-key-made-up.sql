-- finds: key-generated ledger-weakened
-- ours
ALTER TABLE onlyonce.actions ALTER COLUMN idempotency_key SET DEFAULT gen_random_uuid()::text;
