-- finds: ledger-unlogged
ALTER TABLE webhook_events SET UNLOGGED;
