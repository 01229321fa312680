-- live: ledger-weakened
-- ours
ALTER TABLE onlyonce.action_types DROP CONSTRAINT action_types_timeout_covers_budget;
ALTER TABLE onlyonce.action_types ADD CONSTRAINT action_types_timeout_covers_budget CHECK (pending_timeout > send_budget);
