-- finds: status-unchecked
CREATE TYPE state AS ENUM ('pending', 'sent', 'failed', 'unknown');
CREATE SCHEMA other;
CREATE DOMAIN other.state AS text;
SET search_path = other, public;
ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_state_known, ALTER COLUMN state TYPE state;
RESET search_path;
