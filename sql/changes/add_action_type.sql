-- takes: name text, kind text, send_budget interval, pending_timeout interval, max_attempts integer, when_unknown text,
--   key_window interval or NULL, keep interval or NULL, keep_key interval or NULL, look_up text or NULL
-- A new action type. The way back is refused while rows name it.
--: up roles=create,existing
SET ROLE ledger_schema_owner;
--: up
INSERT INTO ledger_schema.action_types (name, kind, send_budget, pending_timeout, max_attempts, when_unknown, key_window, keep, keep_key, look_up)
VALUES ({name}, {kind}, {send_budget}, {pending_timeout}, {max_attempts}, {when_unknown}, {key_window}, {keep}, {keep_key}, {look_up});
--: up roles=create,existing
RESET ROLE;
--: down roles=create,existing
SET ROLE ledger_schema_owner;
--: down
DELETE FROM ledger_schema.action_types WHERE name = {name};
--: down roles=create,existing
RESET ROLE;
