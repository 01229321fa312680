-- finds: transition-unguarded
DROP FUNCTION agent_actions_guard() CASCADE;
