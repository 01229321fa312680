-- A type goes on listing the statuses under its next name.
CREATE TYPE outcome AS ENUM ('pending', 'sent', 'failed', 'unknown');
ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_state_known;
ALTER TABLE agent_actions ALTER COLUMN state TYPE outcome USING state::outcome;
ALTER TYPE outcome RENAME TO phase;
ALTER TYPE phase RENAME VALUE 'failed' TO 'refused';
