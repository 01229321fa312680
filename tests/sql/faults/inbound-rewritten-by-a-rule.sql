-- finds: ledger-weakened
CREATE RULE once AS ON INSERT TO webhook_events WHERE NEW.body IS NULL DO INSTEAD NOTHING;
