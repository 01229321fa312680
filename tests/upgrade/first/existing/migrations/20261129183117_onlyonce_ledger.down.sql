-- Written by onlyonce from onlyonce.toml. Do not edit: onlyonce.lock knows its bytes.

SET LOCAL lock_timeout = '5s';

SET ROLE onlyonce_owner;

DROP VIEW onlyonce.health;

DROP VIEW onlyonce.duplicate_counts;

DROP VIEW onlyonce.reconciliation_queue;

DROP PROCEDURE onlyonce.reserve(text, text, uuid, jsonb);

DROP FUNCTION onlyonce.reserve_uncommitted(text, text, uuid, jsonb);

DROP FUNCTION onlyonce.record(text, text, uuid, text, text, jsonb, text);

DROP FUNCTION onlyonce.confirm(text, text, text, text);

DROP FUNCTION onlyonce.released(integer);

DROP FUNCTION onlyonce.accept_event(text, text, uuid, jsonb, timestamptz);

DROP FUNCTION onlyonce.finish_event(text, text, uuid);

DROP FUNCTION onlyonce.resolve(text, text, integer, text, text, text, text);

DROP FUNCTION onlyonce.resolve_event(text, text, text, text, text);

DROP FUNCTION onlyonce.import(text, text, timestamptz, text, text);

DROP FUNCTION onlyonce.erase(text, text, text);

DROP FUNCTION onlyonce.pause(text, text);

DROP FUNCTION onlyonce.resume(text);

DROP FUNCTION onlyonce.sweep(integer);

DROP FUNCTION onlyonce.purge(integer);

DROP FUNCTION onlyonce.past_keeping(timestamptz, integer);

DROP FUNCTION onlyonce.note_progress(timestamptz, xid8, pg_snapshot);

DROP FUNCTION onlyonce.count_shared_message_ids(interval);

DROP FUNCTION onlyonce.roll_up();

DROP FUNCTION onlyonce.mark_unknown(text, text, integer);

DROP FUNCTION onlyonce.keep_late(text, text, uuid, text, text, jsonb, text, text);

DROP FUNCTION onlyonce.demand_person(text, text);

DROP FUNCTION onlyonce.tally(text, text, text);

DROP FUNCTION onlyonce.commit_durably();

DROP FUNCTION onlyonce.key(text, text[]);

-- With them their guards: the rows go too, and what was sent may be sent again.
DROP TABLE onlyonce.maintenance;

DROP TABLE onlyonce.pauses;

DROP TABLE onlyonce.duplicate_totals;

DROP TABLE onlyonce.duplicate_log;

DROP TABLE onlyonce.inbound_events;

DROP TABLE onlyonce.inbound_sources;

DROP TABLE onlyonce.late_evidence;

DROP TABLE onlyonce.action_transitions;

DROP TABLE onlyonce.actions;

DROP TABLE onlyonce.action_types;

DROP FUNCTION onlyonce.is_sound(text, text, timestamptz, timestamptz, timestamptz, text, text, text, jsonb, jsonb);

DROP FUNCTION onlyonce.guard_truncate();

DROP FUNCTION onlyonce.guard_names();

DROP FUNCTION onlyonce.guard_event();

DROP FUNCTION onlyonce.guard_history();

DROP FUNCTION onlyonce.guard_action_delete();

DROP FUNCTION onlyonce.guard_action_facts();

DROP FUNCTION onlyonce.guard_action_update();

DROP FUNCTION onlyonce.guard_action_insert();

DROP FUNCTION onlyonce.is_passing(oid, text[]);

DROP SCHEMA onlyonce;

-- The roles stay: another database of this server may use them.
RESET ROLE;
