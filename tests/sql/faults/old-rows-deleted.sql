-- finds: ledger-weakened
-- live: nothing
DELETE FROM agent_actions WHERE created_at < now() - interval '30 days';
