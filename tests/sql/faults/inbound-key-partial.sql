-- finds: inbound-not-unique
ALTER TABLE webhook_events DROP CONSTRAINT webhook_events_pkey;
CREATE UNIQUE INDEX ON webhook_events (event_id) WHERE body IS NOT NULL;
