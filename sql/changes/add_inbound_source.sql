-- takes: name text, mode text, claim_timeout interval, retention interval, redelivery interval or NULL
-- A new source of events. The way back is refused while rows name it.
--: up roles=create,existing
SET ROLE ledger_schema_owner;
--: up
INSERT INTO ledger_schema.inbound_sources (name, mode, claim_timeout, retention, redelivery)
VALUES ({name}, {mode}, {claim_timeout}, {retention}, {redelivery});
--: up roles=create,existing
RESET ROLE;
--: down roles=create,existing
SET ROLE ledger_schema_owner;
--: down
DELETE FROM ledger_schema.inbound_sources WHERE name = {name};
--: down roles=create,existing
RESET ROLE;
