-- Rows of an older ledger, and a column that no guarantee is about.
INSERT INTO agent_actions (tenant, idem_key, state) VALUES ('t', 'sent-before', 'sent') ON CONFLICT DO NOTHING;
UPDATE agent_actions SET payload = '{}' WHERE payload IS NULL;
