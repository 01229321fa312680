-- Of two types of one name it is of the one that lists its values.
CREATE DOMAIN state AS text;
CREATE SCHEMA other;
CREATE DOMAIN other.state AS text CHECK (VALUE IN ('pending', 'sent', 'failed', 'unknown'));
SET search_path = other, public;
ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_state_known, ALTER COLUMN state TYPE state;
RESET search_path;
