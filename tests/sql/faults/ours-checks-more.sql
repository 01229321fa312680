-- finds: ledger-weakened
-- ours
ALTER TABLE onlyonce.actions ADD CONSTRAINT short CHECK (length(message_id) < 40);
