-- finds: inbound-not-unique
ALTER TABLE webhook_events DROP CONSTRAINT webhook_events_pkey, ADD PRIMARY KEY (event_id, received_at);
