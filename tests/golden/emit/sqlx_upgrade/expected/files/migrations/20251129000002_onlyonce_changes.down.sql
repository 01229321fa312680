-- Written by onlyonce from onlyonce.toml. Do not edit: onlyonce.lock knows its bytes.

SET LOCAL lock_timeout = '5s';

SET ROLE onlyonce_owner;

DELETE FROM onlyonce.inbound_sources WHERE name = 'whatsapp';

UPDATE onlyonce.action_types
SET send_budget = interval '30 seconds', pending_timeout = interval '5 minutes', max_attempts = 5, when_unknown = 'reconcile',
  key_window = NULL, keep = NULL, keep_key = NULL, look_up = 'No call looks a sent message up. Put the action key in biz_opaque_callback_data and wait for a status webhook: entry[].changes[].value.statuses[] repeats that string next to the wamid. No status inside the deadline means unknown, not failed; do not resend blindly.', retired = false
WHERE name = 'send_reply';

RESET ROLE;
