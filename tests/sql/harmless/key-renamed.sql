-- A key under another name is the same key.
ALTER TABLE agent_actions RENAME CONSTRAINT agent_actions_key TO agent_actions_once;
ALTER INDEX agent_actions_once RENAME TO agent_actions_only_once;
ALTER TRIGGER agent_actions_guard ON agent_actions RENAME TO agent_actions_a_guard;
