-- finds: key-not-unique ledger-missing ledger-weakened transition-unguarded
-- alone
-- live: key-not-unique key-nullable ledger-missing ledger-weakened transition-unguarded
CREATE TABLE agent_actions AS SELECT 1 AS tenant;
