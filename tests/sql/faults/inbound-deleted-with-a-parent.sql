-- finds: ledger-weakened
CREATE TABLE accounts (id int PRIMARY KEY);
ALTER TABLE webhook_events ADD COLUMN account int REFERENCES accounts ON DELETE CASCADE;
