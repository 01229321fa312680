-- The list of statuses grows; the new check is validated.
ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_state_known;
ALTER TABLE agent_actions ADD CONSTRAINT agent_actions_state_known
  CHECK (state = ANY (ARRAY['pending'::text, 'sent', 'failed', 'unknown', 'paused'])) NOT VALID;
ALTER TABLE agent_actions VALIDATE CONSTRAINT agent_actions_state_known;
