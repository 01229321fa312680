-- finds: ledger-weakened
CREATE TABLE webhook_events_of_2026 (LIKE webhook_events INCLUDING ALL);
ALTER TABLE webhook_events_of_2026 INHERIT webhook_events;
