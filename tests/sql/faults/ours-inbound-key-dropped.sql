-- finds: inbound-not-unique
-- ours
ALTER TABLE onlyonce.inbound_events DROP CONSTRAINT inbound_events_pkey;
