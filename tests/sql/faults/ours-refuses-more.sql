-- finds: ledger-weakened
-- ours
CREATE UNIQUE INDEX one_message ON onlyonce.actions (message_id);
