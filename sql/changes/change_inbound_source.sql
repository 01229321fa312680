-- takes: name text and, each also as it was (old_..), mode text, claim_timeout interval, retention interval,
--   redelivery interval or NULL, retired boolean
-- Other settings of a source; retiring it and taking it back are settings too.
--: up roles=create,existing
SET ROLE ledger_schema_owner;
--: up
UPDATE ledger_schema.inbound_sources
SET mode = {mode}, claim_timeout = {claim_timeout}, retention = {retention}, redelivery = {redelivery}, retired = {retired}
WHERE name = {name};
--: up roles=create,existing
RESET ROLE;
--: down roles=create,existing
SET ROLE ledger_schema_owner;
--: down
UPDATE ledger_schema.inbound_sources
SET mode = {old_mode}, claim_timeout = {old_claim_timeout}, retention = {old_retention}, redelivery = {old_redelivery}, retired = {old_retired}
WHERE name = {name};
--: down roles=create,existing
RESET ROLE;
