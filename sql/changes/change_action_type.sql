-- takes: name text and, each also as it was (old_..), send_budget interval, pending_timeout interval,
--   max_attempts integer, when_unknown text, key_window interval or NULL, keep interval or NULL,
--   keep_key interval or NULL, look_up text or NULL, retired boolean
-- Other settings of an action type; retiring it and taking it back are settings too.
--: up roles=create,existing
SET ROLE ledger_schema_owner;
--: up
UPDATE ledger_schema.action_types
SET send_budget = {send_budget}, pending_timeout = {pending_timeout}, max_attempts = {max_attempts}, when_unknown = {when_unknown},
  key_window = {key_window}, keep = {keep}, keep_key = {keep_key}, look_up = {look_up}, retired = {retired}
WHERE name = {name};
--: up roles=create,existing
RESET ROLE;
--: down roles=create,existing
SET ROLE ledger_schema_owner;
--: down
UPDATE ledger_schema.action_types
SET send_budget = {old_send_budget}, pending_timeout = {old_pending_timeout}, max_attempts = {old_max_attempts}, when_unknown = {old_when_unknown},
  key_window = {old_key_window}, keep = {old_keep}, keep_key = {old_keep_key}, look_up = {old_look_up}, retired = {old_retired}
WHERE name = {name};
--: down roles=create,existing
RESET ROLE;
